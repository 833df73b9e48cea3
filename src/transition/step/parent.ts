/**
 * What the end of a child means to its parent, in the parent's own queue.
 *
 * `:dependencies` counts the open children. A child counts once, by the first of its ends that arrives: when it is new
 * in `:processed` or `:unsuccessful` and was in neither. `:children` names the children that the parent was told of; a
 * child that is not named there is recorded and not counted, as the parent may be told of it later. A parent without
 * that key comes from a foreign speaker, whose children all count. Only a parent in state `awaiting_children` is
 * released or killed. A parent whose row is gone hears of nothing, so no key of it comes back.
 *
 * Of two ends of one child the later says what is: a child that was dead and has completed leaves the failures.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { dueIn, NUMBER_MAX } from "./bound.ts";
import { bury } from "./bury.ts";
import { letGo, readNames } from "./dedup.ts";
import { heardBy, tellOfJob } from "./event.ts";
import { CONTINUE, callDeliverer, FAIL_PARENT, FORGET, IGNORE, readKin, signalFailed, type Told } from "./kin.ts";
import { tellWaiters, waitedUntil } from "./result.ts";
import { plainTerms } from "./retain.ts";
import { readTally } from "./tally.ts";
import { letWait, readPlace } from "./waiting.ts";
import { pushIfClaimable, pushIfHead } from "./wake.ts";

/** What stands in `:children` in the place of the policy of a child that is forgotten. */
export const FORGOTTEN = "-";

/** Whether what a parent knows of a child says that it is forgotten. */
export function isForgotten(s: Server, known: Bytes | false): boolean {
  return known !== false && s.char(known, 0) === FORGOTTEN;
}

/** The error under which a child that was removed stands among the ignored failures. */
export const REMOVED_ERROR = "removed";

/** How many children a count says are open; what is no count says none. */
export function openIn(s: Server, count: Bytes | false): number {
  return count !== false && s.int(count, 0, NUMBER_MAX) ? s.num(count) : 0;
}

/** The policy of a failed child: what its parent was told, else what came with the news. */
function policyFor(known: Bytes | false, told: Bytes, isRemoved: boolean): Bytes {
  const word = known === false ? told : known.slice(0, 2);
  return isRemoved && word !== FORGET ? IGNORE : word;
}

/** Says what a parent's death says, and reads what it writes to. */
function readKill(s: Server, base: Bytes, parent: Bytes, fields: (Bytes | false)[], error: Bytes, told: Told): void {
  const call = s.call;
  call("ZCARD", `${base}dead`);
  call("ZCARD", `${base}ttl`);
  readTally(s, base, "failed");
  readNames(s, base, parent, fields[2], false);
  if (fields[4] !== false) {
    call("HLEN", `${base}job:${parent}:parents`);
    callDeliverer(s, base, told);
  }
  if (waitedUntil(s, fields[3], 0) > 0) tellWaiters(s, base, parent);
  if (heardBy(s, base) > 0) tellOfJob(s, base, "dead", parent, fields[2], ["error", error]);
}

/**
 * Reads all that the end of a child may write to of its parent, before the first write, and says what that end is going
 * to say. `how` is `done`, `failed` or `removed`.
 *
 * @cold
 */
export function readParent(
  s: Server,
  base: Bytes,
  parent: Bytes,
  child: Bytes,
  how: Bytes,
  policy: Bytes,
  error: Bytes,
  told: Told,
): void {
  const call = s.call;
  const row = `${base}job:${parent}`;
  // Only a failure decides on more than the child itself.
  if (how !== "failed" && told.read[`p:${parent}`] === true) return;
  told.read[`p:${parent}`] = true;
  const fields = call("HMGET", row, "state", "group", "dedup", "wait", "parent");
  if (fields[0] === false) return;
  const known = call("HGET", `${row}:children`, child);
  const isDone = call("HEXISTS", `${row}:processed`, child) === 1;
  const isIgnored = call("HEXISTS", `${row}:unsuccessful`, child) === 1;
  const isFailed = call("HEXISTS", `${row}:failed`, child) === 1;
  call("GET", `${row}:dependencies`);
  if (fields[0] !== "awaiting_children") return;
  call("ZCARD", `${base}awaiting`);
  call("ZCARD", `${base}schedule`);
  readPlace(s, base, fields[1]);
  if (how === "done" || isDone || isIgnored || isForgotten(s, known)) return;
  const word = policyFor(known, policy, how === "removed");
  if (word !== FAIL_PARENT && word !== CONTINUE) return;
  if (word === FAIL_PARENT && !isFailed && told.decided[`p:${parent}`] !== true) {
    readKill(s, base, parent, fields, error, told);
  }
  told.decided[`p:${parent}`] = true;
}

/** Takes a parent from where it waits for its children. */
function stopAwaiting(s: Server, base: Bytes, parent: Bytes): void {
  s.call("ZREM", `${base}awaiting`, parent);
  s.call("ZREM", `${base}schedule`, parent);
}

/** The fields of a parent that say how it is released. */
const RELEASE_FIELDS = ["state", "group", "priority", "wait_until", "attempts", "delay"];

/** Lets a parent rest for its own delay, which counts from now: its children are what it waited for before. */
function letParentRest(s: Server, base: Bytes, parent: Bytes, delay: Bytes): void {
  s.call("HSET", `${base}job:${parent}`, "state", "scheduled");
  s.call("ZADD", `${base}schedule`, dueIn(s, s.num(delay)), parent);
  pushIfHead(s, base, parent);
}

/**
 * Lets a parent run, which has then not waited in vain: a time that it set ends with this. One that has never run may
 * have a delay. `open` is whether to wake a worker for it, if that is what the queue lets happen.
 */
function releaseParent(s: Server, base: Bytes, parent: Bytes, fields: (Bytes | false)[], open: boolean): void {
  stopAwaiting(s, base, parent);
  const delay = fields[5];
  if (delay !== false && fields[4] === "0" && s.int(delay, 1, NUMBER_MAX)) {
    letParentRest(s, base, parent, delay);
    return;
  }
  if (fields[3] !== false) s.call("HDEL", `${base}job:${parent}`, "wait_until");
  s.call("HSET", `${base}job:${parent}`, "state", "pending");
  letWait(s, base, parent, fields[1], fields[2]);
  if (open) pushIfClaimable(s, base, true);
}

/**
 * Ends a parent because of a child. Its own parents hear of it by signals, also the one of its queue, so an act kills
 * one level; answers whether there are any. An entry in `ttl` has the next sweep keep it as the terms of its worker
 * say.
 *
 * @cold
 */
function killParent(s: Server, base: Bytes, parent: Bytes, child: Bytes, error: Bytes): boolean {
  const call = s.call;
  const row = `${base}job:${parent}`;
  const fields = call("HMGET", row, "dedup", "wait", "parent");
  const names = readNames(s, base, parent, fields[0], false);
  stopAwaiting(s, base, parent);
  call("HDEL", row, "expires");
  call("HSET", row, "failed_child", child);
  call("ZADD", `${base}ttl`, s.now(), parent);
  bury(s, base, parent, error, plainTerms(), waitedUntil(s, fields[1], 0));
  const own = fields[2];
  if (own !== false) signalFailed(s, base, readKin(s, base, parent, own, false), error, false);
  letGo(s, base, names);
  return own !== false;
}

/** The count of open children, which every parent has from then on: whoever deletes its row finds the rest by it. */
function countIn(s: Server, row: Bytes): Bytes | false {
  const count = s.call("GET", `${row}:dependencies`);
  if (count === false) s.call("SET", `${row}:dependencies`, 0);
  return count;
}

/** Counts open children less; answers how many are left, -1 where nothing was counted. */
function countDown(s: Server, row: Bytes, by: number): number {
  const count = countIn(s, row);
  if (count === false || by === 0) return -1;
  const left = Math.max(0, openIn(s, count) - by);
  s.call("SET", `${row}:dependencies`, left);
  return left;
}

/** Completions of children of one parent, and what they come to. */
interface Gathered {
  /** Child and result in turn, of those that are news. */
  readonly pairs: Bytes[];
  /** Those of them that had failed and were ignored. */
  readonly healed: Bytes[];
  /** How many of them count. */
  counted: number;
}

/** Finds out which of up to {@link CHILDREN_AT_ONCE} completions are news to a parent. */
function gatherNews(s: Server, row: Bytes, children: Bytes[], results: Bytes[]): Gathered {
  const call = s.call;
  const known = call("HMGET", `${row}:children`, ...children);
  const done = call("HMGET", `${row}:processed`, ...children);
  const ignored = call("HMGET", `${row}:unsuccessful`, ...children);
  const gathered: Gathered = { pairs: [], healed: [], counted: 0 };
  const stop = children.length;
  let isListed = -1;
  for (let i = 0; i < stop; i += 1) {
    if (done[i] === false && !isForgotten(s, known[i])) {
      gathered.pairs[gathered.pairs.length] = children[i];
      gathered.pairs[gathered.pairs.length] = results[i];
      if (known[i] === false && isListed < 0) isListed = call("EXISTS", `${row}:children`);
      if (ignored[i] !== false) gathered.healed[gathered.healed.length] = children[i];
      else if (known[i] !== false || isListed === 0) gathered.counted += 1;
    }
  }
  return gathered;
}

/** Children of one step, well below what a call can spread. */
const CHILDREN_AT_ONCE = 200;

/**
 * Tells a parent that children have completed, each once in the list; answers how many were news. The first write is
 * one that a full server admits.
 */
export function childrenDone(
  s: Server,
  base: Bytes,
  parent: Bytes,
  children: Bytes[],
  results: Bytes[],
  open: boolean,
): number {
  const call = s.call;
  const row = `${base}job:${parent}`;
  const fields = call("HMGET", row, ...RELEASE_FIELDS);
  if (fields[0] === false) return 0;
  let news = 0;
  let counted = 0;
  let part: Bytes[] = [];
  let said: Bytes[] = [];
  const stop = children.length;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = children[i];
    said[said.length] = results[i];
    if (part.length >= CHILDREN_AT_ONCE || i === stop - 1) {
      const gathered = gatherNews(s, row, part, said);
      if (gathered.pairs.length > 0) {
        call("HDEL", `${row}:failed`, ...part);
        call("HSET", `${row}:processed`, ...gathered.pairs);
        if (gathered.healed.length > 0) call("HDEL", `${row}:unsuccessful`, ...gathered.healed);
        news += gathered.pairs.length / 2;
        counted += gathered.counted;
      }
      part = [];
      said = [];
    }
  }
  if (news === 0) return 0;
  const left = countDown(s, row, counted);
  if (left === 0 && fields[0] === "awaiting_children") releaseParent(s, base, parent, fields, open);
  return news;
}

/**
 * Tells a parent that a child has completed. Answers 1, or 0 when it says nothing new.
 *
 * @cold
 */
export function childDone(s: Server, base: Bytes, parent: Bytes, child: Bytes, result: Bytes, open: boolean): number {
  return childrenDone(s, base, parent, [child], [result], open);
}

/** Records a failure that does not end the parent; answers whether it lets the parent run. */
function ignoreFailure(s: Server, row: Bytes, child: Bytes, error: Bytes, known: Bytes | false, word: Bytes): boolean {
  const call = s.call;
  if (word === FORGET && known !== false) call("HSET", `${row}:children`, child, FORGOTTEN + known.slice(2));
  else call("HSET", `${row}:unsuccessful`, child, error);
  const isCounted = known !== false || call("EXISTS", `${row}:children`) === 0;
  return countDown(s, row, isCounted ? 1 : 0) === 0 || word === CONTINUE;
}

/**
 * Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
 * told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
 * nothing new. The first write is one that a full server admits.
 *
 * @cold
 */
export function childFailed(
  s: Server,
  base: Bytes,
  parent: Bytes,
  child: Bytes,
  error: Bytes,
  policy: Bytes,
  isRemoved: boolean,
  open: boolean,
): number {
  const call = s.call;
  const row = `${base}job:${parent}`;
  const fields = call("HMGET", row, ...RELEASE_FIELDS);
  const state = fields[0];
  if (state === false || call("HEXISTS", `${row}:processed`, child) === 1) return 0;
  if (call("HEXISTS", `${row}:unsuccessful`, child) === 1) return 0;
  const known = call("HGET", `${row}:children`, child);
  if (isForgotten(s, known)) return 0;
  const word = policyFor(known, policy, isRemoved);
  if (word === FAIL_PARENT) {
    if (call("HEXISTS", `${row}:failed`, child) === 1) return 0;
    call("HDEL", `${row}:processed`, child);
    call("HSET", `${row}:failed`, child, error);
    if (call("EXISTS", `${row}:dependencies`) === 0) call("SET", `${row}:dependencies`, 0);
    if (state === "awaiting_children" && killParent(s, base, parent, child, error)) return 2;
    return 1;
  }
  call("HDEL", `${row}:failed`, child);
  const mayRun = ignoreFailure(s, row, child, error, known, word);
  const isWaiting = state === "awaiting_children";
  // One that has run and rests is going to ask again whether it has to wait; one that never ran has not asked.
  const asks = state === "active" || (isWaiting && fields[4] !== "0");
  if (word === CONTINUE && asks) call("HSET", row, "eager", "1");
  if (mayRun && isWaiting) releaseParent(s, base, parent, fields, open);
  return 1;
}
