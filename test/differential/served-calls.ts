/**
 * The same plain calls to the project's own server and to a real one, in transactions and in pipelines, compared as
 * bytes: what comes for each call before `EXEC`, and what `EXEC` brings.
 *
 * In a transaction the clocks stand still, and the own server's is set to what the real one shows. Behind it comes a
 * pipeline of calls that neither show nor take time, at what the transaction left.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { FrameClient, framesIn } from "../server/frame-client.ts";
import { assertRandomly } from "./assert-randomly.ts";
import { anyCall, UNEVEN_KEY } from "./plain-command-cases.ts";
import {
  areForms,
  type Call,
  CLOCK_CALLS,
  CLOCK_MS,
  COMPACT_BYTES_MAX,
  hasOwnWay,
  inOrder,
  show,
} from "./plain-commands.ts";
import type { ClockedServed } from "./use-served.ts";

interface Sides {
  readonly real: FrameClient;
  readonly own: FrameClient;
  readonly clock: ClockedServed["ports"]["clock"];
}

export interface Sequence {
  readonly together: readonly Call[];
  readonly apart: readonly Call[];
}

const CALLS_MAX = 50;

const sequence: fc.Arbitrary<Sequence> = fc.record({
  together: fc.array(anyCall, { minLength: 1, maxLength: CALLS_MAX, size: "max" }),
  apart: fc.array(anyCall, { maxLength: CALLS_MAX, size: "max" }),
});

interface ServedSides {
  /** Path of the real server's socket. */
  readonly path: string;
  readonly served: ClockedServed;
  readonly resp: 2 | 3;
}

/** Compares random sequences of calls, each from an empty keyspace, at two servers. */
export async function compareRandomSequences(where: ServedSides, runs: number): Promise<void> {
  await withSides(where, (sides) => assertRandomly(sequence, runs, (calls) => compareSequence(sides, calls)));
}

/** Compares this sequence of calls at two servers. */
export async function compareGivenSequence(where: ServedSides, calls: Sequence): Promise<void> {
  await withSides(where, (sides) => compareSequence(sides, calls));
}

async function withSides({ path, served, resp }: ServedSides, run: (sides: Sides) => Promise<void>): Promise<void> {
  const real = await FrameClient.connect(path, resp);
  const own = await FrameClient.connect(served.socketPath, resp);
  try {
    await run({ real, own, clock: served.ports.clock });
  } finally {
    for (const client of [real, own]) client.close();
  }
}

async function compareSequence(sides: Sides, given: Sequence): Promise<void> {
  const { real, own } = sides;
  const all = [...given.together, ...given.apart];
  const hasLong = all.some((parts) => parts.some((part) => part.length > COMPACT_BYTES_MAX));
  const isFit = (parts: Call) => !hasLong || !(parts.includes(UNEVEN_KEY) || hasOwnWay(parts));
  const together = given.together.filter(isFit);
  for (const client of [real, own]) await client.all([["FLUSHALL"]]);

  const accepted = await compareTransaction(sides, together, hasLong);
  if (accepted.length < together.length) await compareTransaction(sides, accepted, hasLong);

  const apart = given.apart.filter((parts) => isFit(parts) && !takesTime(parts));
  const theirs = await real.all(apart);
  const ours = await own.all(apart);
  compareFrames(apart, { theirs, ours, hasLong });
}

/** Answers the calls that were not refused, for the refused ones keep the others from running. */
async function compareTransaction(
  { real, own, clock }: Sides,
  calls: readonly Call[],
  hasLong: boolean,
): Promise<readonly Call[]> {
  const sent = [["MULTI"], ...CLOCK_CALLS, ...calls, ["EXEC"]];
  const theirs = await real.all(sent);
  const [theirLast = ""] = theirs.splice(-1);
  const results = theirLast.startsWith("*") ? framesIn(theirLast) : [];
  const shown = Number(results[1]?.slice(1)) - CLOCK_MS;
  if (results.length > 0 && shown > clock.now()) await clock.advance(shown - clock.now());
  const ours = await own.all(sent);
  const [ourLast = ""] = ours.splice(-1);
  compareFrames(sent, { theirs, ours, hasLong });
  if (results.length === 0) expect(ourLast).toBe(theirLast);
  else compareFrames(sent.slice(1, -1), { theirs: results, ours: framesIn(ourLast), hasLong });
  return calls.filter((_, at) => theirs[at + 1 + CLOCK_CALLS.length]?.startsWith("+QUEUED") === true);
}

interface Frames {
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
  readonly hasLong: boolean;
}

function compareFrames(calls: readonly Call[], { theirs, ours, hasLong }: Frames): void {
  expect(ours.length).toBe(theirs.length);
  for (const [at, parts] of calls.entries()) {
    const [reply = "", expected = ""] = [ours[at], theirs[at]];
    if (reply === expected || (hasLong && areForms(reply, expected))) continue;
    if (isUnordered(parts, hasLong) && inOrder(reply) === inOrder(expected)) continue;
    const before = calls.slice(0, at).map(show);
    expect({ call: show(parts), reply, before }).toEqual({ call: show(parts), reply: expected, before });
  }
}

function isUnordered([name = ""]: Call, hasLong: boolean): boolean {
  const command = name.toUpperCase();
  if (command === "KEYS" || command === "SCAN") return true;
  return hasLong && /^(?:HGETALL|HKEYS|HVALS|SMEMBERS|[HSZ]SCAN)$/.test(command);
}

/** Whether the call may wait, or its reply or what it leaves goes by the very millisecond. */
function takesTime([name = "", ...args]: Call): boolean {
  if (name === "WAIT" || args.some((word) => /^BLOCK$/i.test(word))) return true;
  if (/^(?:P?TTL|P?EXPIRE(?:TIME)?|XPENDING|XINFO)$/i.test(name)) return true;
  return /^X(?:ADD|SETID|GROUP)$/i.test(name) && args.includes("*");
}
