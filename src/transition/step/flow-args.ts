/**
 * The arguments of flow verbs that a table cannot say: jobs of any shape, and links to parents and children.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";
import { badJob, CHILD_LETTERS, NAMED_CHILD_LETTERS, PARENT_LETTERS, widthOfJob } from "./flow-job.ts";
import { badLink, isPolicy } from "./link.ts";

/** Children of one `FLOW`, at most: with their parent they are what one act takes. */
const FLOW_MAX = 999;

/** Links of one act, at most. */
const LINKS_MAX = 1000;

/** The longest name under which a parent knows a child. */
const KEY_MAX = 256;

/** Payload bytes of one `FLOW`, at most. */
const PAYLOAD_MAX = 1048576;

/** Where the children of a `FLOW` begin: behind its parent and their number. */
export function childrenAt(args: Bytes[]): number {
  return widthOfJob(args[0]) + 1;
}

/** The name of the first bad argument of `FLOW`: parent, number of children, then policy and job of each. */
export function badFlow(s: Server, args: Bytes[], from: number): Bytes {
  const bad = badJob(s, args, from - 3, PARENT_LETTERS);
  if (bad !== "") return bad;
  let at = childrenAt(args);
  if (at > args.length || !s.int(args[at - 1], 1, FLOW_MAX)) return "n";
  const count = s.num(args[at - 1]);
  const seen: Record<string, boolean> = {};
  seen[`s:${args[1]}`] = true;
  let payload = args[2].length;
  for (let i = 0; i < count; i += 1) {
    if (at >= args.length || !isPolicy(args[at])) return "policy";
    const wrong = badJob(s, args, at + 1, CHILD_LETTERS);
    if (wrong !== "") return wrong;
    if (seen[`s:${args[at + 2]}`] === true) return "id";
    seen[`s:${args[at + 2]}`] = true;
    payload += args[at + 3].length;
    at += 1 + widthOfJob(args[at + 1]);
  }
  if (payload > PAYLOAD_MAX) return "payload";
  return at === args.length ? "" : "row";
}

/** Whether text may be the name under which a parent knows a child: up to 256 bytes, no NUL. */
function isKey(text: Bytes): boolean {
  return text.length <= KEY_MAX && text.indexOf("\0") < 0;
}

/** The name of the first bad value of the child at `at`: id, queue or empty, policy. */
function badChildOf(s: Server, args: Bytes[], at: number): Bytes {
  if (!s.branded(args[at])) return "child_id";
  if (args[at + 1] !== "" && !s.name(args[at + 1])) return "child_queue";
  return isPolicy(args[at + 2]) ? "" : "policy";
}

/** The name of the first bad value of the group at `at`. */
function badGroup(s: Server, args: Bytes[], at: number, own: Bytes): Bytes {
  const isChild = args[at] === "c";
  if (!isChild && args[at] !== "p") return "group";
  const bad = isChild ? badChildOf(s, args, at + 1) : badLink(s, args, at + 1);
  if (bad !== "") return bad;
  if (args[at + 1] === own) return isChild ? "child_id" : "parent_id";
  return isKey(args[at + 4]) && (isChild || args[at + 4] === "") ? "" : "key";
}

/**
 * The name of the first bad value of the groups from `at` on; how many of them are children must be `open`. `own` is
 * the id of the job, which is neither its own parent nor its own child.
 */
function badGroups(s: Server, args: Bytes[], from: number, open: number, own: Bytes): Bytes {
  const stop = args.length;
  const seen: Record<string, boolean> = {};
  let children = 0;
  if (stop - from > LINKS_MAX * 5) return "group";
  for (let at = from; at < stop; at += 5) {
    const bad = at + 5 > stop ? "group" : badGroup(s, args, at, own);
    if (bad !== "") return bad;
    if (args[at] === "c") {
      if (seen[`s:${args[at + 1]}`] === true) return "child_id";
      seen[`s:${args[at + 1]}`] = true;
      children += 1;
    }
  }
  return children === 0 || children === open ? "" : "n";
}

/** The name of the first bad argument of `HOLD`: job, then perhaps the first link and groups. */
export function badHold(s: Server, args: Bytes[], from: number): Bytes {
  const bad = badJob(s, args, from - 3, PARENT_LETTERS);
  if (bad !== "") return bad;
  const at = from - 3 + widthOfJob(args[from - 3]);
  const stop = args.length;
  if (at === stop) return "";
  if (at + 3 > stop) return "parent_id";
  const isRoot = args[at] === "" && args[at + 1] === "" && args[at + 2] === "";
  const wrong = isRoot ? "" : badLink(s, args, at);
  if (args[at] === args[from - 2]) return "parent_id";
  return wrong === "" ? badGroups(s, args, at + 3, s.num(args[0]), args[from - 2]) : wrong;
}

/** The name of the first bad argument of `CHILD`: link, job, then perhaps further links. */
export function badChild(s: Server, args: Bytes[], from: number): Bytes {
  const bad = badLink(s, args, 0);
  if (bad !== "") return bad;
  const wrong = badJob(s, args, from - 3, NAMED_CHILD_LETTERS);
  if (wrong !== "") return wrong;
  if (args[0] === args[from - 2]) return "parent_id";
  return badGroups(s, args, from - 3 + widthOfJob(args[from - 3]), -1, args[from - 2]);
}

/** The name of the first bad argument of `EXPECT`: children, each with the job that stands for it or empty. */
export function badExpect(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  if (args[from - 1] !== "" && !s.int(args[from - 1], 0, NUMBER_MAX)) return "token";
  if (stop === from || stop - from > LINKS_MAX * 5) return "group";
  for (let at = from; at < stop; at += 5) {
    if (at + 5 > stop) return "group";
    const bad = badChildOf(s, args, at);
    if (bad !== "") return bad;
    if (args[at] === args[from - 2]) return "child_id";
    if (args[at + 3] !== "" && !s.branded(args[at + 3])) return "job_id";
    if (!isKey(args[at + 4])) return "key";
  }
  return "";
}
