/**
 * Who works on a queue: what workers tell of themselves, read from the hash `workers`.
 *
 * Each worker writes its own entry about once a beat, so a list is what was true a moment ago; one that was killed
 * stays listed until others have not heard of it for ten of its beats. At most 1000 are listed. What anybody says to
 * one of them is checked here too.
 */

import type { Engine } from "../engine/engine.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { REASON_BYTES_MAX, WORKER_ID_BYTES_MAX } from "./defaults.ts";
import { bytesReply, listOf, type QueueKeys } from "./verb-call.ts";

/** Where a roster is read. */
export interface RosterSource {
  readonly engine: Engine;
  readonly keys: QueueKeys;
}

/** A worker that asked for work and did not say that it leaves. */
export interface WorkerInfo {
  /** Host, process id, boot and a chance part, as in `owner` of the jobs that it holds. */
  readonly id: string;
  /** When it last told that it asks, by the server's clock. */
  readonly askedAt: number;
  /** How often it asks when idle, in ms. With all slots busy it tells every five of them. */
  readonly beatMs: number;
  readonly concurrency: number;
  /** The job names that it serves; `undefined` for all. */
  readonly names: readonly string[] | undefined;
  /** Whether somebody has paused it; see `queue.pauseWorker`. It takes no jobs then. */
  readonly isPaused: boolean;
}

/** The workers that are listed for a queue, the one that asked last first; also those that have been silent since. */
export async function readWorkers({ engine, keys }: RosterSource): Promise<WorkerInfo[]> {
  const parts = listOf(await engine.command(["HGETALL", keys.workers]));
  const workers: WorkerInfo[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const worker = workerOf(textOf(bytesReply(parts[at])), textOf(bytesReply(parts[at + 1])));
    if (worker !== undefined) workers.push(worker);
  }
  return workers.sort((left, right) => right.askedAt - left.askedAt);
}

/** One entry; `undefined` for what is none, such as the mark of the last look for silent ones. */
function workerOf(id: string, text: string): WorkerInfo | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof entry !== "object" || entry === null) return undefined;
  const { askedAt, beatMs, concurrency, names, paused } = entry as Record<string, unknown>;
  if (typeof askedAt !== "number" || typeof beatMs !== "number" || typeof concurrency !== "number") return undefined;
  const known = Array.isArray(names) ? names.filter((name): name is string => typeof name === "string") : undefined;
  return { id, askedAt, beatMs, concurrency, names: known, isPaused: paused === true };
}

/** Throws `invalid_option` for what can be no id of a worker. */
export function assertWorkerId(id: unknown): asserts id is string {
  assertText(id, "the id of a worker", { min: 1, max: WORKER_ID_BYTES_MAX });
}

/** Throws `invalid_option` for what can be no reason of a cancel. */
export function assertReason(reason: unknown): asserts reason is string {
  assertText(reason, "reason", { min: 0, max: REASON_BYTES_MAX });
}

function assertText(value: unknown, what: string, bytes: { readonly min: number; readonly max: number }): void {
  if (typeof value === "string") {
    const { length } = bytesOf(value);
    if (length >= bytes.min && length <= bytes.max) return;
  }
  const rule = `${what} must be text of ${bytes.min} to ${bytes.max} bytes`;
  throw new EchoMQError("invalid_option", `${rule}, not ${quote(value)}`, { details: { option: what, value } });
}
