/**
 * The settlements of `TURN`: runs of (op, count, row…) of equal kind.
 *
 * `c` id, token: completed · `r` id, token, result: completed with a result · `f` id, token, delay ms, max, error:
 * failed · `k` id, token, error: dead at once · `d` id, token, ms: delayed by · `a` id, token, ms: delayed until · `b`
 * id, token: given back · `l` id, token, ms: given back, and nothing of the queue is claimed for that long. Each is
 * judged alone; a refused one stops nothing and is reported with the verdict that its own verb would give.
 *
 * `t` keep_n, keep_ms, dead_n, dead_ms, result_ms is no settlement and has no position: it says the terms on which the
 * jobs that end after it in this act are kept (step/retain.ts). Most turns have none and complete what they complete
 * without a look at retention.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { dueIn, NUMBER_MAX } from "./bound.ts";
import { removeMembers } from "./bulk.ts";
import { letGo, readNames } from "./dedup.ts";
import { tellCompleted } from "./event.ts";
import { type Completions, noCompletions, noteEnd, noteRun, tellDone, tellRun } from "./family.ts";
import { readLanes, releaseLane } from "./lane.ts";
import { letRest } from "./limit.ts";
import { badPresence, PRESENCE_WIDTH } from "./presence.ts";
import { defer, fail, giveUp, kill } from "./put-back.ts";
import { doneOutcome, leaveOutcome, tellWaiters, waitedUntil } from "./result.ts";
import { askQueue, dropOldest, findOldest, keep, plainTerms, type Terms } from "./retain.ts";
import { deleteRow, isJobId, NO_JOB_ID } from "./row.ts";
import { endLease, judge, leavePlace, readHolder } from "./settle.ts";
import { readTally, tally } from "./tally.ts";
import { readPlace } from "./waiting.ts";

/** Settlements and claims of one act together, at most. */
const TURN_MAX = 1000;

/** Keys of one `DEL` of rows: as many as the server takes from a script without making them anew. */
const DOOMED_MAX = 28;

/** What an act tells about its settlements. */
export interface Settled {
  /** Position from 0 and verdict, for what did not go as asked. */
  readonly exceptions: (Bytes | number)[];
  /** The jobs that this act scheduled. */
  readonly scheduled: Bytes[];
  /** How many settlements there were so far. */
  count: number;
  /** Whether nothing was settled but flat jobs that were active and are completed: no lane and no set but `active`. */
  flat: boolean;
  /** Whether this act let the queue rest. */
  rested: boolean;
  /** What is kept of jobs that end; `false` while nobody said, which removes completed jobs and keeps dead ones. */
  terms: Terms | false;
  /** Whether completed jobs simply go by these terms. */
  plain: boolean;
  /** Whether anybody listens to events. */
  readonly heard: number;
}

/** Arguments of one row of an op, 0 for an unknown op. */
function widthOf(op: Bytes): number {
  if (op === "c" || op === "b") return 2;
  if (op === "r" || op === "k" || op === "d" || op === "a" || op === "l") return 3;
  return op === "f" || op === "t" ? 5 : 0;
}

/** The name of a bad value behind the token of an op that has one, empty when all suit. */
function badRow(s: Server, op: Bytes, args: Bytes[], at: number): Bytes {
  if (op !== "f") return s.int(args[at + 2], 0, NUMBER_MAX) ? "" : "ms";
  if (!s.int(args[at + 2], 0, NUMBER_MAX)) return "delay_ms";
  return s.int(args[at + 3], 0, 2147483648) ? "" : "max_attempts";
}

/**
 * The name of the first bad value of the terms at position `at`.
 *
 * @cold
 */
function badTerms(s: Server, args: Bytes[], at: number): Bytes {
  if (args[at] !== "" && !s.int(args[at], 0, NUMBER_MAX)) return "keep_n";
  if (!s.int(args[at + 1], 0, NUMBER_MAX)) return "keep_ms";
  if (!s.int(args[at + 2], 0, NUMBER_MAX)) return "dead_n";
  if (!s.int(args[at + 3], 0, NUMBER_MAX)) return "dead_ms";
  return s.int(args[at + 4], 0, NUMBER_MAX) ? "" : "result_ms";
}

/**
 * The name of the first bad value behind the tokens of a run, empty when all suit.
 *
 * @cold
 */
function badRows(s: Server, op: Bytes, args: Bytes[], from: number, past: number): Bytes {
  const width = widthOf(op);
  for (let row = from; row < past; row += width) {
    const bad = badRow(s, op, args, row);
    if (bad !== "") return bad;
  }
  return "";
}

/** The name of the first bad value of one run. */
function badRun(s: Server, op: Bytes, args: Bytes[], from: number, past: number): Bytes {
  const width = widthOf(op);
  if (op === "t") return badTerms(s, args, from);
  // Tokens of one turn are mostly equal, so the last good one stands for the next.
  let good = "0";
  for (let row = from; row < past; row += width) {
    const token = args[row + 1];
    if (token !== good && !s.int(token, 0, NUMBER_MAX)) return "token";
    good = token;
  }
  return op === "f" || op === "d" || op === "a" || op === "l" ? badRows(s, op, args, from, past) : "";
}

/** The name of the first bad argument from position `from` on; `want` stands before it and shares the budget. */
export function badSettlement(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  let at = from;
  let units = s.num(args[from - 1]);
  if (at < stop && args[at] === "w") {
    const bad = badPresence(s, args, at);
    if (bad !== "") return bad;
    at += PRESENCE_WIDTH;
  }
  while (at < stop) {
    const op = args[at];
    const width = widthOf(op);
    if (width === 0) return "op";
    if (at + 1 >= stop || !s.int(args[at + 1], 1, op === "t" ? 1 : TURN_MAX)) return "count";
    const count = s.num(args[at + 1]);
    const past = at + 2 + count * width;
    if (op !== "t") units += count;
    if (units > TURN_MAX) return "count";
    if (past > stop) return "row";
    const bad = badRun(s, op, args, at + 2, past);
    if (bad !== "") return bad;
    at = past;
  }
  return "";
}

/** Adds an exception. */
function except(settled: Settled, position: number, verdict: Bytes): void {
  const exceptions = settled.exceptions;
  exceptions[exceptions.length] = position;
  exceptions[exceptions.length] = verdict;
}

/**
 * Completes one job by itself: kept as the terms say, or removed. `holder` is what `readHolder` says of it. Answers the
 * verdict, empty when it is completed.
 *
 * @cold
 */
export function completeOne(
  s: Server,
  base: Bytes,
  id: Bytes,
  token: Bytes,
  holder: (Bytes | false)[],
  result: Bytes | false,
  terms: Terms,
): Bytes {
  const call = s.call;
  const row = `${base}job:${id}`;
  const verdict = judge(holder, token, "0", "EMQSTALE complete token mismatch");
  if (verdict !== "") return verdict;
  const isKept = terms.doneCount > 0;
  const names = readNames(s, base, id, holder[8], !isKept);
  readPlace(s, base, holder[3]);
  readTally(s, base, "completed");
  if (isKept) {
    call("ZCARD", `${base}completed`);
    call("ZCARD", `${base}expiry`);
  }
  const until = waitedUntil(s, holder[9], terms.resultMs);
  if (until > 0) tellWaiters(s, base, id);
  const notice = noteEnd(s, base, id, holder[10], "done", "", terms.wakes, false);
  if (terms.heard > 0) tellCompleted(s, base, terms.heard, id, token, holder[8], result);
  if (isKept) {
    endLease(s, base, id, holder);
    call("HSET", row, "state", "completed", "finished_at", s.now());
    if (result !== false) call("HSET", row, "result", result);
    keep(s, base, "completed", id, terms.doneMs);
  } else {
    leavePlace(s, base, id, holder);
    deleteRow(s, row);
  }
  tally(s, base, "completed", 1);
  tellDone(s, base, notice, result);
  letGo(s, base, names);
  if (until > 0) leaveOutcome(s, base, id, doneOutcome(result), until);
  return "";
}

/**
 * The terms of a turn that has been told none.
 *
 * @cold
 */
function termsUntold(settled: Settled): Terms {
  const terms = plainTerms();
  terms.heard = settled.heard;
  terms.wakes = false;
  return terms;
}

/**
 * Completes what is not simply an active job with the current token that goes with its end: one that lapsed and waits,
 * one that is kept, that has names, or whose result is waited for, or none. `read` is what the run read of its row.
 * Answers the verdict, which it adds to the exceptions unless it is empty.
 *
 * @cold
 */
function completeOther(
  s: Server,
  base: Bytes,
  settled: Settled,
  args: Bytes[],
  at: number,
  width: number,
  read: (Bytes | false)[],
  position: number,
): Bytes {
  const isFlat = read[1] === "active" && read[2] === false && read[3] === false && read[5] === false;
  if (!isFlat) settled.flat = false;
  const terms = settled.terms === false ? termsUntold(settled) : settled.terms;
  const result = width > 2 ? args[at + 2] : false;
  const holder = readHolder(s, `${base}job:${args[at]}`);
  const verdict = completeOne(s, base, args[at], args[at + 1], holder, result, terms);
  if (verdict !== "") except(settled, position, verdict);
  return verdict;
}

/** What the completions of one run have in common, gathered before the first is written. */
interface Ending {
  /** Ids that leave `active`. */
  readonly members: Bytes[];
  /** The rows of those that are completed. */
  readonly rows: Bytes[];
  readonly groups: Bytes[];
  /** What is told: id, token and result of each. Empty while nobody listens. */
  readonly told: (Bytes | false)[];
  /** Those that have parents; one list of none while there is none. */
  children: Completions | false;
}

/** Gathers what is told of one completion. */
function gatherTold(ending: Ending, args: Bytes[], at: number, width: number): void {
  const told = ending.told;
  const place = told.length;
  told[place] = args[at];
  told[place + 1] = args[at + 1];
  told[place + 2] = width > 2 ? args[at + 2] : false;
}

/** Gathers one completion of a job that has parents. */
function gatherChild(ending: Ending, parent: Bytes, args: Bytes[], at: number, width: number): void {
  const kids = ending.children === false ? noCompletions() : ending.children;
  const next = kids.ids.length;
  kids.ids[next] = args[at];
  kids.parents[next] = parent;
  kids.results[next] = width > 2 ? args[at + 2] : false;
  ending.children = kids;
}

/**
 * Gathers what the completion of a job of a lane or with parents takes besides its end, or of one that is heard of.
 *
 * @cold
 */
function gatherMore(
  ending: Ending,
  settled: Settled,
  args: Bytes[],
  at: number,
  width: number,
  group: Bytes | false,
  parent: Bytes | false,
): void {
  if (group !== false) ending.groups[ending.groups.length] = group;
  if (group !== false || parent !== false) settled.flat = false;
  if (settled.heard > 0) gatherTold(ending, args, at, width);
  if (parent !== false) gatherChild(ending, parent, args, at, width);
}

/**
 * Tells what a run has gathered.
 *
 * @cold
 */
function tellEnded(s: Server, base: Bytes, heard: number, ending: Ending): void {
  const told = ending.told;
  const stop = told.length;
  for (let i = 0; i < stop; i += 3) {
    const id = told[i];
    const token = told[i + 1];
    if (id !== false && token !== false) tellCompleted(s, base, heard, id, token, false, told[i + 2]);
  }
}

/**
 * Deletes every key of jobs of which one had more keys than ordinary ones.
 *
 * @cold
 */
function deleteRest(s: Server, rows: Bytes[], from: number, past: number): void {
  for (let i = from; i < past; i += 1) deleteRow(s, rows[i]);
}

/**
 * Deletes what says who the parents of these jobs are.
 *
 * @cold
 */
function deleteParents(s: Server, base: Bytes, ids: Bytes[]): void {
  const call = s.call;
  for (const id of ids) call("DEL", `${base}job:${id}:parents`);
}

/**
 * Deletes the rows of a run. Logs, lock and the count of children go with each, unseen. Other side keys are deleted
 * only if there was one of those, as no parent of a flow is without the count: an ordinary job pays for three keys and
 * not for nine.
 */
function deleteEnded(s: Server, rows: Bytes[]): void {
  const stop = rows.length;
  let doomed: Bytes[] = [];
  let at = 0;
  for (let i = 0; i < stop; i += 1) {
    const row = rows[i];
    doomed[at] = row;
    doomed[at + 1] = `${row}:logs`;
    doomed[at + 2] = `${row}:lock`;
    doomed[at + 3] = `${row}:dependencies`;
    at += 4;
    if (at === DOOMED_MAX || i === stop - 1) {
      const jobs = at / 4;
      if (s.call("DEL", ...doomed) > jobs) deleteRest(s, rows, i + 1 - jobs, i + 1);
      // The list serves again while all its places are taken again.
      if (stop - 1 - i < DOOMED_MAX / 4) doomed = [];
      at = 0;
    }
  }
}

/**
 * Reads the lanes that a run is going to release.
 *
 * @cold
 */
function readEnding(s: Server, base: Bytes, groups: Bytes[]): void {
  readLanes(s, base, groups, 1);
}

/**
 * Counts one leased job less in each of these lanes.
 *
 * @cold
 */
function releaseAll(s: Server, base: Bytes, groups: Bytes[]): void {
  for (const group of groups) releaseLane(s, base, group);
}

/** Ends what a run has gathered: one `ZREM` for the leases, then the rows, then one step of the counter. */
function endRun(s: Server, base: Bytes, heard: number, ending: Ending): void {
  const completed = ending.rows.length;
  if (completed > 0) {
    if (ending.groups.length > 0) readEnding(s, base, ending.groups);
    readTally(s, base, "completed");
  }
  const children = ending.children;
  const kins = children === false ? [] : noteRun(s, base, children);
  if (heard > 0) tellEnded(s, base, heard, ending);
  removeMembers(s, `${base}active`, ending.members);
  if (completed === 0) return;
  deleteEnded(s, ending.rows);
  if (children !== false) deleteParents(s, base, children.ids);
  if (ending.groups.length > 0) releaseAll(s, base, ending.groups);
  tally(s, base, "completed", completed);
  if (children !== false) tellRun(s, base, kins, children.results);
}

/**
 * Takes away the oldest kept jobs beyond their number after a run that may have added `added`.
 *
 * @cold
 */
function trimCompleted(s: Server, base: Bytes, settled: Settled, added: number): void {
  const terms = settled.terms;
  if (terms === false || terms.doneCount <= 0) return;
  dropOldest(s, base, "completed", findOldest(s, base, "completed", terms.doneCount, 0, added));
}

/**
 * Begins the table of the rows of a run with those completed so far, since their ids ascend no more.
 *
 * @cold
 */
function tabulateRows(seen: Record<string, boolean>, rows: Bytes[]): void {
  for (const row of rows) seen[row] = true;
}

/**
 * Completes a run of jobs. An id that stands twice in it is gone the second time. While each that is completed comes
 * behind the one before, as ids minted by one host do, none stands twice; from the first that does not, a table says
 * which do.
 */
function completeRun(
  s: Server,
  base: Bytes,
  settled: Settled,
  args: Bytes[],
  from: number,
  width: number,
  position: number,
): void {
  const call = s.call;
  const past = from + s.num(args[from - 1]) * width;
  const prefix = `${base}job:`;
  const members: Bytes[] = [];
  const rows: Bytes[] = [];
  const ending: Ending = { members, rows, groups: [], told: [], children: false };
  const seen: Record<string, boolean> = {};
  let ascends = true;
  let last = "";
  const plain = settled.plain;
  const heard = settled.heard;
  let place = position;
  let leaving = 0;
  let completed = 0;
  for (let at = from; at < past; at += width) {
    const id = args[at];
    const row = `${prefix}${id}`;
    const token = args[at + 1];
    const holder = call("HMGET", row, "attempts", "state", "group", "dedup", "wait", "parent");
    const isHeld = plain && holder[0] === token && token !== "0";
    if (ascends && id <= last) {
      tabulateRows(seen, rows);
      ascends = false;
    }
    if (!ascends && seen[row] === true) {
      except(settled, place, "0");
    } else if (isHeld && holder[1] === "active" && holder[3] === false && holder[4] === false) {
      const group = holder[2];
      const parent = holder[5];
      if (!ascends) seen[row] = true;
      last = id;
      members[leaving] = id;
      rows[completed] = row;
      leaving += 1;
      completed += 1;
      if (group !== false || parent !== false || heard > 0) {
        gatherMore(ending, settled, args, at, width, group, parent);
      }
    } else {
      const verdict = completeOther(s, base, settled, args, at, width, holder, place);
      // A row that is gone may have left a member in `active`; it goes with the others.
      if (verdict === "0") {
        members[leaving] = id;
        leaving += 1;
      }
    }
    place += 1;
  }
  endRun(s, base, heard, ending);
  if (!plain) trimCompleted(s, base, settled, place - position);
}

/** The token refusal of an op, in the words of its own verb. */
function staleText(op: Bytes): Bytes {
  if (op === "b" || op === "l") return "EMQSTALE giveback token mismatch";
  return op === "f" || op === "k" ? "EMQSTALE retry token mismatch" : "EMQSTALE delay token mismatch";
}

/** Settles one job that lives on; answers the verdict, empty when it went as asked. */
function settleOne(s: Server, base: Bytes, settled: Settled, op: Bytes, args: Bytes[], at: number): Bytes {
  const id = args[at];
  if ((op === "d" || op === "a") && !isJobId(id)) return NO_JOB_ID;
  const holder = readHolder(s, `${base}job:${id}`);
  const refusal = judge(holder, args[at + 1], "EMQSTALE job gone", staleText(op));
  if (refusal !== "") return refusal;
  if (op === "b") {
    giveUp(s, base, id, holder);
    return "";
  }
  if (op === "l") {
    s.call("ZCARD", `${base}rest`);
    giveUp(s, base, id, holder);
    letRest(s, base, "", dueIn(s, s.num(args[at + 2])));
    settled.rested = true;
    return "";
  }
  if (op === "k") {
    kill(s, base, id, holder, args[at + 2], settled.terms === false ? termsUntold(settled) : settled.terms);
    return "";
  }
  if (op === "f") {
    const terms = settled.terms === false ? termsUntold(settled) : settled.terms;
    const word = fail(s, base, id, holder, s.num(args[at + 2]), s.num(args[at + 3]), args[at + 4], terms);
    if (word === "dead") return word;
  } else {
    const ms = s.num(args[at + 2]);
    defer(s, base, id, holder, op === "d" ? dueIn(s, ms) : ms, settled.heard);
  }
  settled.scheduled[settled.scheduled.length] = id;
  return "";
}

/**
 * Settles a run of jobs that live on, or die.
 *
 * @cold
 */
function settleRun(
  s: Server,
  base: Bytes,
  settled: Settled,
  args: Bytes[],
  from: number,
  width: number,
  position: number,
): void {
  const op = args[from - 2];
  const past = from + s.num(args[from - 1]) * width;
  settled.flat = false;
  let place = position;
  for (let at = from; at < past; at += width) {
    const verdict = settleOne(s, base, settled, op, args, at);
    if (verdict !== "") except(settled, place, verdict);
    place += 1;
  }
}

/** Lets the terms hold from here on, with what the queue says where they say nothing. */
function setTerms(s: Server, base: Bytes, settled: Settled, terms: Terms): void {
  askQueue(s, base, terms);
  settled.terms = terms;
  settled.plain = terms.doneCount <= 0 && terms.resultMs === 0;
}

/**
 * Takes the terms at position `at` for the runs that follow.
 *
 * @cold
 */
function takeTerms(s: Server, base: Bytes, settled: Settled, args: Bytes[], at: number): void {
  const terms: Terms = {
    doneCount: args[at] === "" ? -1 : s.num(args[at]),
    doneMs: s.num(args[at + 1]),
    deadCount: s.num(args[at + 2]),
    deadMs: s.num(args[at + 3]),
    resultMs: s.num(args[at + 4]),
    heard: settled.heard,
    wakes: false,
  };
  setTerms(s, base, settled, terms);
}

/**
 * Takes the terms of the queue.
 *
 * @cold
 */
function takeQueueTerms(s: Server, base: Bytes, settled: Settled): void {
  setTerms(s, base, settled, termsUntold(settled));
}

/**
 * Settles every run from position `from` on. `isBare`: the queue has no `meta`, so it says nothing about retention.
 * `heard`: what `heardBy` says.
 */
export function settleAll(
  s: Server,
  base: Bytes,
  args: Bytes[],
  from: number,
  isBare: boolean,
  heard: number,
): Settled {
  const settled: Settled = {
    exceptions: [],
    scheduled: [],
    count: 0,
    flat: true,
    rested: false,
    terms: false,
    plain: true,
    heard,
  };
  if (!isBare && from < args.length) takeQueueTerms(s, base, settled);
  const stop = args.length;
  let at = from;
  while (at < stop) {
    const op = args[at];
    const count = s.num(args[at + 1]);
    const width = widthOf(op);
    if (op === "t") {
      takeTerms(s, base, settled, args, at + 2);
    } else {
      if (op === "c" || op === "r") completeRun(s, base, settled, args, at + 2, width, settled.count);
      else settleRun(s, base, settled, args, at + 2, width, settled.count);
      settled.count += count;
    }
    at += 2 + count * width;
  }
  return settled;
}
