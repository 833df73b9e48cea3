/**
 * The same plain calls into the embedded engine's command table and into a real server, their replies compared as
 * bytes.
 *
 * The server runs the calls in one transaction, in which its clock stands still, and tells what it shows; the table
 * runs them at that instant. So also what goes by the clock is the same to the byte: ids of entries, idle times, time
 * left.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { CommandTable } from "../../src/embedded/command/command-table.ts";
import { encodeError, encodeReply } from "../../src/embedded/command/encode-reply.ts";
import { CommandError } from "../../src/embedded/store/command-error.ts";
import { Keyspace } from "../../src/embedded/store/keyspace.ts";
import { FrameClient, framesIn } from "../server/frame-client.ts";
import { assertRandomly } from "./assert-randomly.ts";
import { anyCall, READS, UNEVEN_KEY } from "./plain-command-cases.ts";

interface Sides {
  readonly client: FrameClient;
  readonly resp: 2 | 3;
}

export type Call = readonly string[];

/** A key that the calls do not use; its expiry tells the server's clock. */
const CLOCK_KEY = "clock";
export const CLOCK_MS = 1_000_000;

/** Up to so many bytes a text may have in the compact form of a collection. */
export const COMPACT_BYTES_MAX = 64;

/** What the transaction runs in front of the calls; the second reply tells the time. */
export const CLOCK_CALLS: readonly Call[] = [
  ["SET", CLOCK_KEY, "", "PX", String(CLOCK_MS)],
  ["PEXPIRETIME", CLOCK_KEY],
  ["DEL", CLOCK_KEY],
];

const CALLS_MAX = 100;

/** Compares these calls, from an empty keyspace, with the server at an address. */
export async function compareGivenCalls(address: string | number, resp: 2 | 3, calls: readonly Call[]): Promise<void> {
  const client = await FrameClient.connect(address, resp);
  await compareCalls({ client, resp }, calls);
  client.close();
}

/** Compares random sequences of calls, each from an empty keyspace, with the server at an address. */
export async function compareRandomCalls(address: string | number, resp: 2 | 3, runs: number): Promise<void> {
  const client = await FrameClient.connect(address, resp);
  const sequences = fc.array(anyCall, { minLength: 1, maxLength: CALLS_MAX, size: "max" });
  await assertRandomly(sequences, runs, (calls) => compareCalls({ client, resp }, calls));
  client.close();
}

/** Runs the calls on both sides, from an empty keyspace, and compares every reply and every key afterwards. */
async function compareCalls({ client, resp }: Sides, given: readonly Call[]): Promise<void> {
  const table = createTable();
  const hasLong = given.some((parts) => parts.some((part) => part.length > COMPACT_BYTES_MAX));
  const calls = hasLong ? given.filter((parts) => !parts.includes(UNEVEN_KEY)) : given;
  const comparison = { table, hasLong, resp };
  const refused = calls.filter((parts) => table.refuses(parts));
  const rest = calls.filter((parts) => !table.refuses(parts));
  const [, ...refusals] = await client.all([["FLUSHALL"], ...refused]);
  compare(refused, refusals, comparison);

  const [clock, ...frames] = await transaction(client, rest);
  table.keyspace.now = Number(clock?.slice(1)) - CLOCK_MS;
  compare(rest, frames, comparison);

  const reads = [...table.keyspace.entries()].flatMap(([key, value]) => [
    ["TYPE", key],
    ["PEXPIRETIME", key],
    ...(READS[value.type]?.(key) ?? []),
  ]);
  const all = [["DBSIZE"], ...reads];
  const [, ...stored] = await transaction(client, all);
  compare(all, stored, comparison);
}

async function transaction(client: FrameClient, calls: readonly Call[]): Promise<string[]> {
  const replies = await client.all([["MULTI"], ...CLOCK_CALLS, ...calls, ["EXEC"]]);
  const all = replies.at(-1) ?? "";
  if (!all.startsWith("*")) {
    const at = replies.findIndex((frame) => frame.startsWith("-"));
    const call = [["MULTI"], ...CLOCK_CALLS, ...calls][at];
    throw new Error(`refused by the server alone: ${show(call ?? [])} ${JSON.stringify(replies[at])}`);
  }
  const [, clock = "", , ...frames] = framesIn(all);
  return [clock, ...frames];
}

type Table = ReturnType<typeof createTable>;

function createTable() {
  const ignore = () => {};
  const keyspace = new Keyspace({ onPush: ignore, onAppend: ignore, onForeignWrite: ignore, onExpiryChange: ignore });
  const table = new CommandTable(keyspace, () => 0);
  /** Whether the call is refused before it is run, which ends a transaction of the server. */
  const refuses = ([name = "", ...args]: Call) => {
    try {
      table.find(name, args);
      return false;
    } catch {
      return true;
    }
  };
  const frame = ([name = "", ...args]: Call, resp: 2 | 3) => {
    try {
      const command = table.find(name, args);
      return encodeReply(table.run(name, args), table.replyForm(command, args), resp);
    } catch (error) {
      if (error instanceof CommandError) return encodeError(error.text);
      throw error;
    }
  };
  return { keyspace, refuses, frame };
}

interface Comparison {
  readonly table: Table;
  readonly resp: 2 | 3;
  readonly hasLong: boolean;
}

function compare(calls: readonly Call[], theirs: readonly string[], comparison: Comparison): void {
  const before: string[] = [];
  for (const [at, parts] of calls.entries()) {
    const expected = theirs[at] ?? "nothing";
    const found = comparison.table.frame(parts, comparison.resp);
    before.push(show(parts));
    if (found === expected || (comparison.hasLong && (hasOwnWay(parts) || areForms(found, expected)))) continue;
    if (isUnordered(parts, comparison) && inOrder(found) === inOrder(expected)) continue;
    expect({ call: show(parts), reply: found, before }).toEqual({ call: show(parts), reply: expected, before });
  }
}

/**
 * What the server answers, or does, by how it keeps a collection of long texts: the steps of a scan, and a range from
 * before its start.
 */
export function hasOwnWay(parts: Call): boolean {
  const options = parts.slice(3).join(" ").toUpperCase();
  if (/^[HSZ]SCAN$/.test(parts[0] ?? "")) return /COUNT /.test(options);
  return /^Z(?:REV)?RANGE/.test(parts[0] ?? "") && /\bLIMIT -/.test(options);
}

/** Whether both replies are names of the form of a hash, which the server does not change back. */
export function areForms(...replies: readonly string[]): boolean {
  return replies.every((reply) => /^\$\d+\r\n(?:listpack|hashtable)\r\n$/.test(reply));
}

/**
 * Replies without an order: keys, and what is in a collection that the server no longer keeps in its compact form. A
 * hash does not remember here that it was larger once, so any long text in the calls counts.
 */
function isUnordered([name = "", key = ""]: Call, { table, hasLong }: Comparison): boolean {
  const command = name.toUpperCase();
  if (command === "KEYS" || command === "SCAN") return true;
  if (/^(?:HGETALL|HKEYS|HVALS|HSCAN)$/.test(command)) return hasLong;
  if (!/^(?:SMEMBERS|SSCAN|ZSCAN)$/.test(command)) return false;
  return /hashtable|skiplist/.test(table.frame(["OBJECT", "ENCODING", key], 2));
}

export function inOrder(frame: string): string {
  const [head = "", ...rest] = frame.split("\r\n");
  const frames = rest.length === 1 ? [] : framesIn(frame);
  const pairs = head.startsWith("%");
  const items = frames.flatMap((item, at) => (pairs ? (at % 2 === 0 ? [item + frames[at + 1]] : []) : [item]));
  return (
    head +
    items
      .map((item) => (/^[*~%]/.test(item) ? inOrder(item) : item))
      .sort()
      .join("")
  );
}

export function show(parts: Call): string {
  return parts.map((part) => JSON.stringify(part)).join(" ");
}
