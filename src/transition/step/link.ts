/**
 * Links between a job and its parents, as flow verbs write them.
 *
 * A link is three arguments: the parent's id, its queue (empty for that of the job), and a policy. `fp` and `id` are
 * the words of the wire; `co` and `rm` are stored as `id`, since what they mean is the parent's to know. A job that
 * exists already is linked as well, under the id of the child that it stands for; one that is over answers at once.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import {
  callDeliverer,
  FORGET,
  IGNORE,
  type Kin,
  nothingTold,
  PARENTS_FULL,
  PARENTS_MAX,
  queueOf,
  signalDone,
  signalFailed,
} from "./kin.ts";

/** Whether a word is a policy. */
export function isPolicy(word: Bytes): boolean {
  return word === "fp" || word === "id" || word === "co" || word === "rm";
}

/** The name of the first bad value of the link at `at`, empty when all suit. */
export function badLink(s: Server, args: Bytes[], at: number): Bytes {
  if (!s.branded(args[at])) return "parent_id";
  if (args[at + 1] !== "" && !s.name(args[at + 1])) return "parent_queue";
  return isPolicy(args[at + 2]) ? "" : "policy";
}

/** The policy as the job's own row has it. */
function storedPolicy(word: Bytes): Bytes {
  return word === "fp" ? word : IGNORE;
}

/** The queue of a link as it is stored: empty for the job's own. */
function storedQueue(base: Bytes, queue: Bytes): Bytes {
  return queue === queueOf(base) ? "" : queue;
}

/** The fields of a row that name its first parent, by the link at `at`. `childId` is empty for the job's own id. */
export function linkFields(base: Bytes, args: Bytes[], at: number, childId: Bytes): Bytes[] {
  const fields = ["parent", args[at]];
  const queue = storedQueue(base, args[at + 1]);
  if (queue !== "") {
    fields[2] = "parent_queue";
    fields[3] = queue;
  }
  fields[fields.length] = "parent_policy";
  fields[fields.length] = storedPolicy(args[at + 2]);
  if (args[at + 2] === FORGET) {
    fields[fields.length] = "forget";
    fields[fields.length] = "1";
  }
  if (childId !== "") {
    fields[fields.length] = "parent_as";
    fields[fields.length] = childId;
  }
  return fields;
}

/** Writes one further parent of a job, by the link at `at`. */
export function addParent(s: Server, base: Bytes, row: Bytes, args: Bytes[], at: number, childId: Bytes): void {
  const field = childId === "" ? args[at] : `${args[at]}\0${childId}`;
  s.call("HSET", `${row}:parents`, field, `${storedPolicy(args[at + 2])}\0${storedQueue(base, args[at + 1])}`);
}

/** Whether a job is linked to the parent of the link at `at` under this id. */
function isLinked(s: Server, base: Bytes, id: Bytes, args: Bytes[], at: number, childId: Bytes): boolean {
  const row = `${base}job:${id}`;
  const fields = s.call("HMGET", row, "parent", "parent_queue", "parent_as");
  const queue = fields[1] === false ? "" : fields[1];
  const known = fields[2] === false ? id : fields[2];
  if (fields[0] === args[at] && queue === storedQueue(base, args[at + 1]) && known === childId) return true;
  return s.call("HEXISTS", `${row}:parents`, childId === id ? args[at] : `${args[at]}\0${childId}`) === 1;
}

/** The places of those links that a job does not have yet. Reads what writing them touches. */
function missingLinks(s: Server, base: Bytes, id: Bytes, args: Bytes[], links: number[], childId: Bytes): number[] {
  const missing: number[] = [];
  s.call("HLEN", `${base}job:${id}:parents`);
  for (const at of links) if (!isLinked(s, base, id, args, at, childId)) missing[missing.length] = at;
  return missing;
}

/** Answers for a job that is over: its outcome goes to the parents of these links. */
function answerFor(
  s: Server,
  base: Bytes,
  fields: (Bytes | false)[],
  args: Bytes[],
  links: number[],
  childId: Bytes,
): void {
  const own = queueOf(base);
  const far: Bytes[] = [];
  for (const at of links) {
    const next = far.length;
    far[next] = args[at + 1] === "" ? own : args[at + 1];
    far[next + 1] = args[at];
    far[next + 2] = childId;
    far[next + 3] = storedPolicy(args[at + 2]);
  }
  const kin: Kin = { parent: "", child: childId, policy: IGNORE, far };
  callDeliverer(s, base, nothingTold());
  if (fields[0] === "completed") signalDone(s, base, kin, fields[1]);
  else signalFailed(s, base, kin, fields[2] === false ? "" : fields[2], false);
}

/**
 * Links a job that exists to the parents of the links at these places, as the child `childId`, unless it is. Answers
 * the refusal, empty for none.
 *
 * @cold
 */
export function linkExisting(s: Server, base: Bytes, id: Bytes, args: Bytes[], links: number[], childId: Bytes): Bytes {
  const row = `${base}job:${id}`;
  const missing = missingLinks(s, base, id, args, links, childId);
  if (missing.length === 0) return "";
  const fields = s.call("HMGET", row, "state", "result", "last_error", "parent");
  if (fields[0] === "completed" || fields[0] === "dead") {
    answerFor(s, base, fields, args, missing, childId);
    return "";
  }
  if (s.call("HLEN", `${row}:parents`) + missing.length > PARENTS_MAX) return PARENTS_FULL;
  const name = childId === id ? "" : childId;
  let hasFirst = fields[3] !== false;
  for (const at of missing) {
    if (hasFirst) addParent(s, base, row, args, at, name);
    else s.call("HSET", row, ...linkFields(base, args, at, name));
    hasFirst = true;
  }
  return "";
}
