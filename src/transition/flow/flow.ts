/**
 * `FLOW`: admits a parent and its children of one queue in one act. The parent waits until all of them have ended.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkFlow } from "../check/flow/flow.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { writePairs } from "../step/bulk.ts";
import { heardBy } from "../step/event.ts";
import { childrenAt } from "../step/flow-args.ts";
import { laneOf, stateOf, tellAdded, widthOfJob, writeJob, writeParent } from "../step/flow-job.ts";
import { readLanes } from "../step/lane.ts";
import { linkFields } from "../step/link.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";
import { isOpen, push, pushIfClaimable } from "../step/wake.ts";

/** The key behind which the rows of children stand. */
const ROWS_AT = 3;

/** Keys of one question, well below what a call can spread. */
const SPREAD_MAX = 400;

/** Where the jobs of the children stand; the policy of each stands before it. */
function jobsOf(args: Bytes[]): number[] {
  const jobs: number[] = [];
  let at = childrenAt(args);
  while (at < args.length) {
    jobs[jobs.length] = at + 1;
    at += 1 + widthOfJob(args[at + 1]);
  }
  return jobs;
}

/** Whether the keys behind the third are the rows of the children, in order. */
function isLaidOut(keys: Bytes[], args: Bytes[], jobs: number[]): boolean {
  const stop = jobs.length;
  if (keys.length !== ROWS_AT + stop) return false;
  for (let i = 0; i < stop; i += 1) if (keys[ROWS_AT + i] !== `${keys[2]}job:${args[jobs[i] + 1]}`) return false;
  return true;
}

/** Whether none of the children exists, by a question for many at once. */
function areFresh(s: Server, keys: Bytes[]): boolean {
  let part: Bytes[] = [];
  const stop = keys.length;
  for (let i = ROWS_AT; i < stop; i += 1) {
    part[part.length] = keys[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      if (s.call("EXISTS", ...part) > 0) return false;
      part = [];
    }
  }
  return true;
}

/** The refusal of a flow by its children, empty for none. */
function judgeChildren(s: Server, keys: Bytes[], args: Bytes[], jobs: number[]): Bytes {
  if (areFresh(s, keys)) return "";
  const stop = jobs.length;
  for (let i = 0; i < stop; i += 1) {
    if (s.call("EXISTS", keys[ROWS_AT + i]) === 1) return `EMQSTATE child exists ${args[jobs[i] + 1]}`;
  }
  return "";
}

/** Reads the places that the jobs may go to. */
function readPlaces(s: Server, base: Bytes, args: Bytes[], jobs: number[]): void {
  const call = s.call;
  const lanes: Bytes[] = [];
  for (const at of jobs) {
    const lane = laneOf(args, at);
    if (lane !== false) lanes[lanes.length] = lane;
  }
  call("ZCARD", `${base}pending`);
  call("ZCARD", `${base}schedule`);
  call("ZCARD", `${base}awaiting`);
  call("ZCARD", `${base}ttl`);
  readLanes(s, base, lanes, 1);
}

/** Tells of all jobs of the flow. */
function tellAll(s: Server, base: Bytes, args: Bytes[], jobs: number[]): void {
  tellAdded(s, base, args, 0, "awaiting_children");
  for (const at of jobs) tellAdded(s, base, args, at, stateOf(s, base, args, at));
}

/** Keys: row, pending, base, rows of the children. Arguments: parent, n, children. Answers n, or 0 for a duplicate. */
export function flow(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkFlow(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[2];
  const jobs = jobsOf(args);
  if (!isLaidOut(keys, args, jobs)) return s.error("ERR EMQ.FLOW keys do not match the wire-4 layout");
  if (!isJobId(args[1])) return s.error(NO_JOB_ID);
  for (const at of jobs) if (!isJobId(args[at + 1])) return s.error(NO_JOB_ID);
  if (s.call("EXISTS", keys[0]) === 1) return 0;
  const taken = judgeChildren(s, keys, args, jobs);
  if (taken !== "") return s.error(taken);
  const open = isOpen(s, base);
  readPlaces(s, base, args, jobs);
  if (heardBy(s, base) > 0) tellAll(s, base, args, jobs);
  writeParent(s, base, args, 0, [], jobs.length);
  const known: Bytes[] = [];
  const later: Record<string, boolean> = {};
  for (const at of jobs) {
    const id = args[at + 1];
    known[known.length] = id;
    known[known.length] = `${args[at - 1]}\0`;
    const state = writeJob(s, base, args, at, linkFields(base, [args[1], "", args[at - 1]], 0, ""));
    if (state === "scheduled") later[`s:${id}`] = true;
  }
  writePairs(s, `${keys[0]}:children`, known);
  pushIfClaimable(s, base, open);
  const head = s.call("ZRANGE", `${base}schedule`, 0, 0);
  if (head.length > 0 && later[`s:${head[0]}`] === true) push(s, `${base}wake`);
  return jobs.length;
}
