/**
 * The parents of a job: who hears of its end, and how.
 *
 * The row names the first parent (`parent`, `parent_queue`, `parent_policy`); `job:<id>:parents` holds further ones. A
 * first parent of the same queue hears of the end in the very act (step/parent.ts). All others hear of it by a signal
 * in `flow:outbox`, which a delivering service carries to the parent's queue, as no act touches two queues. A row
 * without the field `parent` has no parents at all, so a job of no flow pays for that field and nothing else.
 *
 * A job that stands for a deduplicated child is known to the parent by the child's id, not by its own: `parent_as` in
 * the row, or behind the parent's id in the field of `parents`.
 *
 * Whoever fills an empty outbox says so on the channel `control`, before the first write: a channel right that is
 * missing ends the act while nothing is lost.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";

/** Policy words. The last two are known to the parent alone: on the way a signal says `id` for them. */
export const FAIL_PARENT = "fp";
export const IGNORE = "id";
export const CONTINUE = "co";
export const FORGET = "rm";

/** Further parents that a job may have. */
export const PARENTS_MAX = 1000;

/** The refusal of one more. */
export const PARENTS_FULL = "EMQFULL parents of a job";

/** Who hears of the end of a job. */
export interface Kin {
  /** The parent of the same queue that hears of it in the act, empty for none. */
  readonly parent: Bytes;
  /** The id under which that parent knows the job, and what the job's failure means to it: `fp` or `id`. */
  readonly child: Bytes;
  readonly policy: Bytes;
  /** Those that hear of it by a signal: queue, parent's id, child's id, policy in turn. */
  readonly far: Bytes[];
}

/** The name of the queue of a base key. */
export function queueOf(base: Bytes): Bytes {
  return base.slice(5, -2);
}

/** The policy that a signal carries: `fp`, or `id` for all others. */
export function policyOf(word: Bytes | false): Bytes {
  return word === "id" ? IGNORE : FAIL_PARENT;
}

/**
 * Reads the parents of a job. `parent` is that field of its row; `near` is whether a first parent of the same queue is
 * told in the act.
 *
 * @cold
 */
export function readKin(s: Server, base: Bytes, id: Bytes, parent: Bytes, near: boolean): Kin {
  const call = s.call;
  const row = `${base}job:${id}`;
  const own = queueOf(base);
  const fields = call("HMGET", row, "parent_queue", "parent_policy", "parent_as");
  const further = call("HGETALL", `${row}:parents`);
  const far: Bytes[] = [];
  const child = fields[2] === false ? id : fields[2];
  const policy = policyOf(fields[1]);
  const queue: Bytes = fields[0] === false || fields[0] === "" ? own : fields[0];
  const isNear = near && queue === own;
  if (s.branded(parent) && parent !== id && !isNear) {
    far[0] = queue;
    far[1] = parent;
    far[2] = child;
    far[3] = policy;
  }
  const stop = further.length;
  for (let i = 0; i < stop; i += 2) {
    const field = further[i];
    const value = further[i + 1];
    const at = far.length;
    far[at] = value.length > 3 ? value.slice(3) : own;
    far[at + 1] = field.slice(0, 14);
    far[at + 2] = field.length > 14 ? field.slice(15) : id;
    far[at + 3] = policyOf(value.slice(0, 2));
  }
  return { parent: isNear && s.branded(parent) && parent !== id ? parent : "", child, policy, far };
}

/** What an act has said before its first write, so that it says nothing twice. */
export interface Told {
  /** Whether the deliverer has been called. */
  outbox: boolean;
  /** `p:<id>` to whether the act decides on that parent already, which later children of the act cannot change. */
  readonly decided: Record<string, boolean>;
  /** `p:<id>` to whether what the end of a child writes to of that parent has been read. */
  readonly read: Record<string, boolean>;
}

/** An act that has said nothing. */
export function nothingTold(): Told {
  return { outbox: false, decided: {}, read: {} };
}

/**
 * Says that the outbox is about to be filled, unless it is filled already or the act has said so. To be called before
 * the first write.
 *
 * @cold
 */
export function callDeliverer(s: Server, base: Bytes, told: Told): void {
  if (told.outbox) return;
  told.outbox = true;
  if (s.call("LLEN", `${base}flow:outbox`) === 0) s.call("PUBLISH", `${base}control`, "f");
}

/**
 * Signals a completion to all that do not hear of it in the act. `result` is `false` for none.
 *
 * @cold
 */
export function signalDone(s: Server, base: Bytes, kin: Kin, result: Bytes | false): void {
  const far = kin.far;
  const stop = far.length;
  for (let i = 0; i < stop; i += 4) {
    const said = result === false ? far[i + 2] : result;
    s.call("RPUSH", `${base}flow:outbox`, `${far[i]}\0${far[i + 1]}\0${far[i + 2]}\0${said}`);
  }
}

/**
 * Signals a failure to all that do not hear of it in the act. A removal counts as ignored, whatever the policy.
 *
 * @cold
 */
export function signalFailed(s: Server, base: Bytes, kin: Kin, error: Bytes, isRemoved: boolean): void {
  const far = kin.far;
  const stop = far.length;
  for (let i = 0; i < stop; i += 4) {
    const policy = isRemoved ? IGNORE : far[i + 3];
    const head = `\0fail\0${far[i]}\0${far[i + 1]}\0${far[i + 2]}`;
    s.call("RPUSH", `${base}flow:outbox`, `${head}\0${policy}\0${error}`);
  }
}
