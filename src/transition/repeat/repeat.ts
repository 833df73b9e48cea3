/**
 * `REPEAT`: registers a repeat, or gives it another content.
 *
 * What is the same in every value changes nothing, so a program may say at each start what it wants. A content that
 * differs in its jobs only takes effect at the very next occurrence, whose instant stays.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRepeat } from "../check/repeat/repeat.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { freeLane, mayFreeLane } from "../step/repeat-lane.ts";
import { pairOf } from "../step/repeat-pairs.ts";
import { ENDED_AT, numberOf } from "../step/repeat-record.ts";

/** Repeats of one set, at most, so that names that are gone cannot fill a server. */
const REPEATS_MAX = 100000;

/** Arguments before the pairs. */
const FIXED = 5;

/** The fields that a call decides, in the order of the words of its pairs, and how far the repeat has come. */
function contentFields(): Bytes[] {
  return [
    "every_ms",
    "template",
    "name",
    "priority",
    "group",
    "opts",
    "due_in",
    "dedup",
    "mode",
    "dedup_ms",
    "max_wait_ms",
    "lane_limit",
    "expire_ms",
    "cost",
    "limit",
    "until",
    "overlap",
    "rule",
    "policy",
    "rev",
    "fired",
  ];
}

/** Words of a content, the first behind it, and the places of those that say when it occurs. */
const CONTENT = 19;
const GROUP_AT = 4;
const LIMIT_AT = 14;
const UNTIL_AT = 15;
const OVERLAP_AT = 16;
const RULE_AT = 17;
const REV_AT = 19;
const FIRED_AT = 20;

/** Whether the record holds what the call says, and nothing else that a call says. */
function isSame(fields: Bytes[], before: (Bytes | false)[], args: Bytes[]): boolean {
  if (before[0] !== args[2] || before[1] !== args[3]) return false;
  for (let i = 2; i < CONTENT; i += 1) if (before[i] !== pairOf(args, fields[i])) return false;
  return true;
}

/** Whether the call leaves it as it was when the repeat occurs. */
function isSameRule(before: (Bytes | false)[], args: Bytes[]): boolean {
  return before[0] === args[2] && before[RULE_AT] === pairOf(args, "rule");
}

/** The next occurrence that the call leaves: what it was, `first_at`, or none. */
function nextAfterChange(
  s: Server,
  before: (Bytes | false)[],
  score: Bytes | false,
  args: Bytes[],
  fired: number,
): number {
  const first = s.num(args[4]);
  const limit = pairOf(args, "limit");
  const until = pairOf(args, "until");
  const isKept = isSameRule(before, args) && before[UNTIL_AT] === until && before[LIMIT_AT] === limit;
  const old = score !== false && s.int(score, 0, ENDED_AT) ? s.num(score) : ENDED_AT;
  const next = isKept && old < ENDED_AT ? old : first;
  if (limit !== false && fired >= s.num(limit)) return ENDED_AT;
  return until !== false && next > s.num(until) ? ENDED_AT : next;
}

/** Whether an instant comes before all others of the set. */
function isFirst(s: Server, set: Bytes, at: number): boolean {
  if (at === ENDED_AT) return false;
  const head = s.call("ZRANGE", set, 0, 0);
  if (head.length === 0) return true;
  const score = s.call("ZSCORE", set, head[0]);
  return score === false || !s.int(score, 0, ENDED_AT) || at <= s.num(score);
}

/** Whether the jobs of the repeat leave a lane in which they ran one after another, and nothing else is in it. */
function leavesLane(s: Server, base: Bytes, before: (Bytes | false)[], args: Bytes[]): boolean {
  const group = before[GROUP_AT];
  if (pairOf(args, "overlap") === "queue" && pairOf(args, "group") === group) return false;
  return mayFreeLane(s, base, before[OVERLAP_AT], group);
}

/** Takes out of the record what the call does not say any more, and puts in what it says. */
function writeContent(
  s: Server,
  record: Bytes,
  fields: Bytes[],
  before: (Bytes | false)[],
  args: Bytes[],
  rev: number,
): void {
  const gone: Bytes[] = [];
  for (let i = 2; i < CONTENT; i += 1) {
    if (before[i] !== false && pairOf(args, fields[i]) === false) gone[gone.length] = fields[i];
  }
  const said: Bytes[] = ["every_ms", args[2], "template", args[3]];
  const stop = args.length;
  for (let i = FIXED; i < stop; i += 1) said[said.length] = args[i];
  if (rev > 0) {
    said[said.length] = "rev";
    said[said.length] = s.text(rev);
  }
  s.call("HSET", record, ...said);
  if (gone.length > 0) s.call("HDEL", record, ...gone);
}

/** Keys: set, record, base. Arguments: name, mode, every_ms, template, first_at, pairs. Answers 1, 0 or 2. */
export function repeatAct(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRepeat(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const name = args[0];
  const fields = contentFields();
  const before = call("HMGET", keys[1], ...fields);
  const exists = before[1] !== false;
  const score = call("ZSCORE", keys[0], name);
  const mayReplace = args[1] === "replace";
  if (exists && (!mayReplace || (score !== false && isSame(fields, before, args)))) return 0;
  if (score === false && call("ZCARD", keys[0]) >= REPEATS_MAX) return s.error("EMQFULL repeats");
  const fired = exists && isSameRule(before, args) ? numberOf(s, before[FIRED_AT]) : 0;
  const next = nextAfterChange(s, before, score, args, fired);
  const lane = leavesLane(s, keys[2], before, args) ? before[GROUP_AT] : false;
  if (isFirst(s, keys[0], next)) call("PUBLISH", `${keys[2]}control`, "r");
  call("ZADD", keys[0], next, name);
  const rev = mayReplace ? Math.max(s.now(), numberOf(s, before[REV_AT]) + 1) : 0;
  writeContent(s, keys[1], fields, before, args, rev);
  if (exists && fired === 0) call("HDEL", keys[1], "fired");
  if (lane !== false) freeLane(s, keys[2], lane);
  return exists ? 2 : 1;
}
