/**
 * `CHILD`: admits a child of a parent that waits for it, here or in another queue, links and job in one act.
 *
 * A job that exists, or that holds a deduplication id or an alias of the child, stands for it: it is linked to the
 * parents under the child's id, so they wait for the job that there is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkChild } from "../check/flow/child.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/bound.ts";
import { heardBy } from "../step/event.ts";
import { readJobPlace, stateOf, tellAdded, valueOf, widthOfJob, writeJob } from "../step/flow-job.ts";
import { addParent, linkExisting, linkFields } from "../step/link.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";
import { isOpen, pushIfClaimable, pushIfHead } from "../step/wake.ts";

/** Where the job of a call stands. */
const JOB_AT = 3;

/** Where the links to parents stand: before the job, and behind it. */
function linksOf(args: Bytes[]): number[] {
  const links = [0];
  const stop = args.length;
  for (let at = JOB_AT + widthOfJob(args[JOB_AT]); at < stop; at += 5) links[links.length] = at + 1;
  return links;
}

/** The job that holds an alias, as id and state; empty when its row is gone. */
function holderOf(s: Server, base: Bytes, name: Bytes): Bytes[] {
  const id = s.call("GET", `${base}de:${name}`);
  if (id === false || !s.branded(id)) return [];
  const state = s.call("HGET", `${base}job:${id}`, "state");
  return state === false ? [] : [id, state];
}

/** Lets the names of the child hold it. */
function writeNames(s: Server, base: Bytes, id: Bytes, dedup: Bytes, ms: Bytes, alias: Bytes): void {
  if (dedup !== "" && ms !== "") {
    s.call("SET", `${base}de:${dedup}`, id, "PXAT", dueIn(s, s.num(ms)));
  } else if (dedup !== "") s.call("SET", `${base}de:${dedup}`, id);
  if (alias !== "") s.call("SET", `${base}de:${alias}`, id);
}

/** Lets the job `id` stand for the child; answers `reply`, or the refusal. */
function standIn(s: Server, base: Bytes, id: Bytes, args: Bytes[], reply: TransitionReply): TransitionReply {
  const links = linksOf(args);
  for (const at of links) if (args[at] === id) return s.error("EMQSTATE job is its own parent");
  const full = linkExisting(s, base, id, args, links, args[JOB_AT + 1]);
  return full === "" ? reply : s.error(full);
}

/** Keys: row, pending, base. Arguments: link, job, groups. Answers 1, 0, or the verdict of a name. */
export function child(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkChild(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[2];
  const id = args[JOB_AT + 1];
  if (!isJobId(id)) return s.error(NO_JOB_ID);
  if (s.call("EXISTS", keys[0]) === 1) return standIn(s, base, id, args, 0);
  const alias = valueOf(args, JOB_AT, "j");
  const named = alias === "" ? [] : holderOf(s, base, alias);
  if (named.length > 0) return standIn(s, base, named[0], args, [1, named[0], named[1]]);
  const dedup = valueOf(args, JOB_AT, "d");
  const held = dedup === "" ? [] : holderOf(s, base, dedup);
  if (held.length > 0 && held[1] !== "dead" && held[1] !== "completed") {
    return standIn(s, base, held[0], args, [2, held[0]]);
  }
  const open = isOpen(s, base);
  readJobPlace(s, base, args, JOB_AT);
  if (heardBy(s, base) > 0) tellAdded(s, base, args, JOB_AT, stateOf(s, base, args, JOB_AT));
  const links = linksOf(args);
  const state = writeJob(s, base, args, JOB_AT, linkFields(base, args, 0, ""));
  for (let i = 1; i < links.length; i += 1) addParent(s, base, keys[0], args, links[i], "");
  writeNames(s, base, id, dedup, valueOf(args, JOB_AT, "t"), alias);
  pushIfClaimable(s, base, open);
  if (state === "scheduled") pushIfHead(s, base, id);
  return 1;
}
