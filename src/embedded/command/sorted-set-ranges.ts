/**
 * Commands that read, count or remove a range of a sorted set.
 *
 * Every range, by index, score or bytes, is first turned into a span of ranks, which the order tree counts in O(log n).
 * Limits, direction and removal then have one form each.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import type { SortedSetValue } from "../store/sorted-set-value.ts";
import { bytesAt, integerAt, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, type ReplyForm, SCORED } from "./reply-form.ts";
import { scoreEndOf, scoreText } from "./score.ts";
import { removeFirst, removeMember } from "./sorted-set-commands.ts";

/** What the two ends of a range are. */
type Measure = "index" | "score" | "bytes";

interface RangeOptions {
  readonly by: Measure;
  readonly reverse: boolean;
  readonly scores: boolean;
  /** How many of the range are passed over; negative answers nothing. */
  readonly offset: number;
  /** How many of the range are answered at most; negative means all. */
  readonly count: number;
}

/** Ranks from `from` up to, and not including, `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The commands on ranges of sorted sets, by name. */
export const SORTED_SET_RANGES: CommandShapes = {
  ZRANGE: shape(rangeReply, (keyspace, args) => range(keyspace, args, { by: undefined, reverse: undefined })),
  ZREVRANGE: shape(rangeReply, (keyspace, args) => range(keyspace, args, { by: "index", reverse: true })),
  ZRANGEBYSCORE: shape(rangeReply, (keyspace, args) => range(keyspace, args, { by: "score", reverse: false })),
  ZREVRANGEBYSCORE: shape(rangeReply, (keyspace, args) => range(keyspace, args, { by: "score", reverse: true })),
  ZRANGEBYLEX: shape(rangeReply, (keyspace, args) => range(keyspace, args, { by: "bytes", reverse: false })),
  ZREVRANGEBYLEX: shape(rangeReply, (keyspace, args) => range(keyspace, args, { by: "bytes", reverse: true })),
  ZCOUNT: shape("integer", (keyspace, args) => count(keyspace, args, "score")),
  ZLEXCOUNT: shape("integer", (keyspace, args) => count(keyspace, args, "bytes")),
  ZREMRANGEBYRANK: shape("integer", (keyspace, args) => removeRange(keyspace, args, "index")),
  ZREMRANGEBYSCORE: shape("integer", (keyspace, args) => removeRange(keyspace, args, "score")),
  ZREMRANGEBYLEX: shape("integer", (keyspace, args) => removeRange(keyspace, args, "bytes")),
};

function rangeReply(args: readonly Argument[]): ReplyForm {
  for (let at = 3; at < args.length; at++) if (wordAt(args, at) === "WITHSCORES") return SCORED;
  return BULKS;
}

/** The words that a command's name does not settle. */
interface RangeForm {
  readonly by: Measure | undefined;
  readonly reverse: boolean | undefined;
}

/** The options of `ZRANGE` (nothing settled) and of the commands from before it took any. */
function rangeOptions(args: readonly Argument[], form: RangeForm): RangeOptions {
  let { by, reverse } = form;
  let limit: { readonly offset: number; readonly count: number } | undefined;
  let scores = false;
  for (let at = 3; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word === "WITHSCORES") scores = true;
    else if (word === "LIMIT" && at + 2 < args.length) {
      limit = { offset: integerAt(args, at + 1), count: integerAt(args, at + 2) };
      at += 2;
    } else if (word === "REV" && reverse === undefined) reverse = true;
    else if (word === "BYSCORE" && by === undefined) by = "score";
    else if (word === "BYLEX" && by === undefined) by = "bytes";
    else throw syntaxError();
  }
  const { offset, count } = limit ?? { offset: 0, count: -1 };
  const options = { by: by ?? "index", reverse: reverse ?? false, scores, offset, count };
  checkRange(options);
  return options;
}

function checkRange({ by, count, scores }: RangeOptions): void {
  if (by === "index" && count !== -1) {
    throw new CommandError("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  if (by === "bytes" && scores) {
    throw new CommandError("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  }
}

function range(keyspace: Keyspace, args: readonly Argument[], form: RangeForm): Answer {
  const options = rangeOptions(args, form);
  const spanOf = spanReader(args, options.by, options.reverse);
  const set = keyspace.sortedSet(bytesAt(args, 0));
  const found: Bytes[] = [];
  if (set === undefined || (options.offset < 0 && options.by !== "index")) return found;
  const offset = options.by === "index" ? 0 : options.offset;
  const span = spanOf(set, offset);
  const size = Math.max(0, span.to - span.from - offset);
  let left = options.count < 0 ? size : Math.min(size, options.count);
  if (left === 0) return found;
  const cursor = set.at(options.reverse ? span.to - 1 - offset : span.from + offset);
  for (; left > 0; left--) {
    found.push(cursor.member);
    if (options.scores) found.push(scoreText(cursor.score));
    if (options.reverse) cursor.backward();
    else cursor.forward();
  }
  return found;
}

function count(keyspace: Keyspace, args: readonly Argument[], by: Measure): number {
  const spanOf = spanReader(args, by, false);
  const set = keyspace.sortedSet(bytesAt(args, 0));
  if (set === undefined) return 0;
  const { from, to } = spanOf(set);
  return Math.max(0, to - from);
}

function removeRange(keyspace: Keyspace, args: readonly Argument[], by: Measure): number {
  const spanOf = spanReader(args, by, false);
  const key = bytesAt(args, 0);
  const set = keyspace.sortedSet(key);
  if (set === undefined) return 0;
  const { from, to } = spanOf(set);
  const removed = Math.max(0, to - from);
  // Claims take from the front, where no member has to be searched for.
  for (let left = removed; left > 0; left--) {
    const { member, score } = set.at(from);
    if (from === 0) removeFirst(keyspace, set, member, score);
    else removeMember(keyspace, set, member, score);
  }
  if (set.size === 0) keyspace.remove(key);
  return removed;
}

/** Finds a span in a set, of which as many members will be passed over as are given, by default none. */
type SpanOf = (set: SortedSetValue, passedOver?: number) => Span;

/** Reads the two ends, which may be refused, before the set is looked at. */
function spanReader(args: readonly Argument[], by: Measure, reverse: boolean): SpanOf {
  switch (by) {
    case "index":
      return indexSpan(integerAt(args, 1), integerAt(args, 2), reverse);
    case "score": {
      const low = scoreEnd(args[reverse ? 2 : 1] as Argument);
      const high = scoreEnd(args[reverse ? 1 : 2] as Argument);
      return (set) => ({
        from: set.countBelow(low.score, low.exclusive),
        to: set.countBelow(high.score, !high.exclusive),
      });
    }
    case "bytes": {
      const low = bytesEnd(bytesAt(args, reverse ? 2 : 1));
      const high = bytesEnd(bytesAt(args, reverse ? 1 : 2));
      return (set, passedOver = 0) =>
        isUneven(set)
          ? unevenSpan(set, { low, high, reverse, passedOver })
          : { from: low.countBefore(set, low.exclusive), to: high.countBefore(set, !high.exclusive) };
    }
  }
}

function indexSpan(first: number, last: number, reverse: boolean): (set: SortedSetValue) => Span {
  return (set) => {
    const size = set.size;
    const from = first < 0 ? Math.max(0, size + first) : Math.min(first, size);
    const to = last < 0 ? Math.max(0, size + last + 1) : Math.min(last + 1, size);
    return reverse ? { from: size - to, to: size - from } : { from, to };
  };
}

interface ScoreEnd {
  readonly score: number;
  readonly exclusive: boolean;
}

function scoreEnd(argument: Argument): ScoreEnd {
  const exclusive = typeof argument === "string" && argument.startsWith("(");
  const score = scoreEndOf(exclusive ? argument.slice(1) : argument);
  if (score === undefined) throw new CommandError("ERR min or max is not a float");
  return { score, exclusive };
}

/** Whether members have several scores, in the form in which the server walks from one to the next. */
function isUneven(set: SortedSetValue): boolean {
  return set.size > 0 && set.encoding === "listpack" && set.first().score !== set.last().score;
}

/**
 * A range by bytes where the order is not one of bytes. The server goes from the side where it begins to the first
 * member that is not beyond the near end, over as many as are to be passed over, and on while the far end is not
 * passed. There is nothing for it when that first member is beyond the far end, even if a later one is not, or when the
 * outermost members lie on the wrong sides of both ends.
 */
function unevenSpan(
  set: SortedSetValue,
  form: { readonly low: BytesEnd; readonly high: BytesEnd; readonly reverse: boolean; readonly passedOver: number },
): Span {
  const { low, high, reverse, passedOver } = form;
  const members = set.members();
  const fits = members.map((member) => ({
    low: low.order(member) > 0 || (low.order(member) === 0 && !low.exclusive),
    high: high.order(member) < 0 || (high.order(member) === 0 && !high.exclusive),
  }));
  if (fits.at(-1)?.low !== true || fits[0]?.high !== true) return { from: 0, to: 0 };
  const [near, far] = reverse ? (["high", "low"] as const) : (["low", "high"] as const);
  if (reverse) fits.reverse();
  const first = fits.findIndex((each) => each[near]);
  if (fits[first]?.[far] !== true) return { from: 0, to: 0 };
  const past = fits.findIndex((each, at) => at >= first + passedOver && !each[far]);
  const end = past < 0 ? fits.length : past;
  return reverse ? { from: fits.length - end, to: fits.length - first } : { from: first, to: end };
}

interface BytesEnd {
  readonly exclusive: boolean;
  /** Below 0 for a member before this end, 0 for one at it, above 0 for one behind it. */
  readonly order: (member: Bytes) => number;
  readonly countBefore: (set: SortedSetValue, through: boolean) => number;
}

function bytesEnd(text: Bytes): BytesEnd {
  const mark = text.slice(0, 1);
  // The server reads the sign as C's text, which ends at a NUL.
  if (text.length === 1 || text[1] === "\0") {
    if (mark === "-") return { exclusive: false, order: () => 1, countBefore: () => 0 };
    if (mark === "+") return { exclusive: false, order: () => -1, countBefore: (set) => set.size };
  }
  if (mark !== "[" && mark !== "(") throw new CommandError("ERR min or max not valid string range item");
  const member = text.slice(1);
  return {
    exclusive: mark === "(",
    order: (other) => (other === member ? 0 : other < member ? -1 : 1),
    countBefore: (set, through) => set.countBefore(member, through),
  };
}
