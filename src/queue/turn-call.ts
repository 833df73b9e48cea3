/**
 * The call form of `TURN`: settlements as runs of (op, count, row…), and its reply of exceptions and jobs
 * (docs/protocol/jobs.md, spec/job/turn.json).
 *
 * The order of settlements is kept and only neighbours of one kind share a run, because the reply counts positions. Who
 * wants few arguments hands the settlements over sorted by kind.
 */

import type { Reply } from "../engine/engine.ts";
import { arrayOf, type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { assertValidId } from "../protocol/id.ts";
import type { Terms } from "./retention.ts";
import { bytesReply, type Data, dataBytes, decimal, listOf, numberReply } from "./verb-call.ts";

/**
 * How one job is settled, by the letters of the wire: `c` completed, `r` completed with a result, `f` failed (later
 * again or dead), `k` dead at once, `d` delayed by `ms`, `a` delayed until the server instant `ms`, `b` given back, `l`
 * given back while nothing of the queue is claimed for `ms`.
 */
export type Settlement =
  | { readonly op: "c" | "b"; readonly id: string; readonly token: number }
  | { readonly op: "r"; readonly id: string; readonly token: number; readonly result: Data }
  | {
      readonly op: "f";
      readonly id: string;
      readonly token: number;
      readonly delayMs: number;
      readonly maxAttempts: number;
      readonly error: Data;
    }
  | { readonly op: "k"; readonly id: string; readonly token: number; readonly error: Data }
  | { readonly op: "d" | "a" | "l"; readonly id: string; readonly token: number; readonly ms: number };

/** One leased job as `TURN` and `OWNED` hand it over. */
export class TurnJob {
  readonly id: string;
  /** The number of the claim, which every write of the holder must carry. */
  readonly token: number;
  /** The payload as a byte string: what {@link TurnJob.payload} is made from, for readers that decode it themselves. */
  readonly bytes: Bytes;
  /** The job's name as text; empty when it stores none. */
  readonly name: string;
  /** What the caller overrode for this job, as JSON text; empty for nothing. */
  readonly opts: string;
  /** The lane as text; empty for flat work. */
  readonly lane: string;
  /** Leases of this job that lapsed. */
  readonly stalled: number;
  /** How often it was delayed or given back. */
  readonly deferred: number;

  /** Reads eight parts of a reply, from `at` on. */
  constructor(parts: readonly Reply[], at: number) {
    this.id = bytesReply(parts[at]);
    this.token = numberReply(parts[at + 1]);
    this.bytes = bytesReply(parts[at + 2]);
    this.name = textReply(parts[at + 3]);
    this.opts = textReply(parts[at + 4]);
    this.lane = textReply(parts[at + 5]);
    this.stalled = countReply(parts[at + 6]);
    this.deferred = countReply(parts[at + 7]);
  }

  /** The payload's bytes: a fresh copy at each reading. */
  get payload(): Uint8Array {
    return arrayOf(this.bytes);
  }
}

/** Parts of one job in a reply. */
const JOB_PARTS = 8;

/** What a `TURN` answers. */
export interface TurnReply {
  /** Position of a settlement to the verdict that its own verb would give; only what did not go as asked. */
  readonly exceptions: Map<number, string>;
  /** Milliseconds until the next scheduled job falls due; `undefined` when there is none. */
  readonly dueMs: number | undefined;
  /** How many scheduled jobs fell due in this act. */
  readonly moved: number;
  readonly jobs: TurnJob[];
  /** Whether the worker was paused from elsewhere; `undefined` for a turn in which it told nothing of itself. */
  readonly isPaused: boolean | undefined;
}

/** What a worker says of itself at most once a beat; see {@link presenceArguments}. */
export interface Presence {
  /** How often it asks when idle, in ms: after ten times as long without a word it is taken for gone. */
  readonly beatMs: number;
  /** Handlers at once; 0 says that it leaves, or takes no jobs for now. */
  readonly concurrency: number;
  /** The job names that it serves; `undefined` for all. Names beyond 1024 bytes of JSON are told as all. */
  readonly names?: readonly string[] | undefined;
}

/** Bytes of the names that the wire takes. */
const NAMES_BYTES_MAX = 1024;

/** The arguments between `want` and the settlements by which a worker is listed in the hash `workers`. */
export function presenceArguments({ beatMs, concurrency, names }: Presence): Bytes[] {
  const text = bytesOf(JSON.stringify(names ?? null));
  const told = text.length > NAMES_BYTES_MAX ? "null" : text;
  return ["w", "1", decimal(beatMs, "beatMs"), decimal(concurrency, "concurrency"), told];
}

/** The run that says on which terms the jobs that end after it are kept. */
export function termsArguments(terms: Terms): Bytes[] {
  return ["t", "1", ...terms.args];
}

/** The arguments of the settlements. */
export function settlementArguments(settlements: readonly Settlement[]): Bytes[] {
  const args: Bytes[] = [];
  let countAt = -1;
  let count = 0;
  let op = "";
  for (const settlement of settlements) {
    if (settlement.op !== op) {
      if (countAt >= 0) args[countAt] = String(count);
      op = settlement.op;
      count = 0;
      countAt = args.push(op, "") - 1;
    }
    pushSettlement(args, settlement);
    count++;
  }
  if (countAt >= 0) args[countAt] = String(count);
  return args;
}

/** Adds the row of one settlement. */
function pushSettlement(args: Bytes[], settlement: Settlement): void {
  args.push(assertValidId(settlement.id), decimal(settlement.token, "token"));
  switch (settlement.op) {
    case "c":
    case "b":
      return;
    case "r":
      args.push(dataBytes(settlement.result));
      return;
    case "f":
      args.push(decimal(settlement.delayMs, "delayMs"), decimal(settlement.maxAttempts, "maxAttempts"));
      args.push(dataBytes(settlement.error));
      return;
    case "k":
      args.push(dataBytes(settlement.error));
      return;
    case "d":
    case "a":
    case "l":
      args.push(decimal(settlement.ms, "ms"));
      return;
  }
}

/** Reads the reply of a `TURN`. */
export function turnReply(reply: Reply): TurnReply {
  const parts = listOf(reply);
  const dueMs = numberReply(parts[1]);
  return {
    exceptions: exceptionsOf(listOf(parts[0] ?? null)),
    dueMs: dueMs < 0 ? undefined : dueMs,
    moved: numberReply(parts[2]),
    jobs: turnJobs(parts[3] ?? null),
    isPaused: parts[4] === undefined ? undefined : parts[4] === 1,
  };
}

/** Reads a flat list of jobs. */
export function turnJobs(reply: Reply): TurnJob[] {
  const parts = listOf(reply);
  const jobs: TurnJob[] = [];
  for (let at = 0; at + JOB_PARTS <= parts.length; at += JOB_PARTS) jobs.push(new TurnJob(parts, at));
  return jobs;
}

function exceptionsOf(parts: readonly Reply[]): Map<number, string> {
  const exceptions = new Map<number, string>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    exceptions.set(numberReply(parts[at]), bytesReply(parts[at + 1]));
  }
  return exceptions;
}

/** A part of a row as text; most are empty. */
function textReply(reply: Reply | undefined): string {
  return reply === "" ? reply : textOf(bytesReply(reply));
}

/** A counter of the row, which is absent, and so empty, until it first moves. */
function countReply(reply: Reply | undefined): number {
  return reply === "" || reply === null || reply === undefined ? 0 : numberReply(reply);
}
