/**
 * A sorted set: members with a score, found by order in an {@link OrderTree} and by member in a map.
 *
 * The tree has every pair. The map has only those whose score is not the common one, which is that of the member which
 * came first: jobs without priorities all wait with the score 0, so a million of them are in no map at all, and a job
 * that comes or goes touches one end of the tree and nothing else. A member that is not in the map is looked for in the
 * tree, under the common score.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { type Cursor, OrderTree } from "./order-tree.ts";
import { ShardedMap } from "./sharded-map.ts";
import { COMPACT_BYTES_MAX, COMPACT_ENTRIES_MAX, Value } from "./value.ts";

/** Members beyond which look-ups by member go by parts. Below it, as in a lane, one map is enough. */
const SPLIT_AT = 4096;

export class SortedSetValue extends Value {
  /** The score of members that are not in `#others`, and how many those are. */
  #common = 0;
  #commonCount = 0;
  /** Scores by member. One of them may be `#common` as well, when that was chosen anew. */
  readonly #others = new ShardedMap<number>(SPLIT_AT);
  readonly #order = new OrderTree();

  /**
   * Whether the server has it in its compact form, in which the score -0 is 0. It leaves that form for good with too
   * many members or a long one.
   */
  #isCompact = true;

  get type(): "zset" {
    return "zset";
  }

  get encoding(): "listpack" | "skiplist" {
    return this.#isCompact ? "listpack" : "skiplist";
  }

  /** What one command is about to add, so many members of at most so many bytes; it decides the form before it adds. */
  expect(count: number, memberBytes: number): void {
    if (!fits(count, memberBytes)) this.#isCompact = false;
  }

  copy(): SortedSetValue {
    const made = new SortedSetValue();
    made.#isCompact = this.#isCompact;
    const cursor = this.#order.seekFirst();
    for (; cursor.valid; cursor.forward()) made.#put(cursor.member, cursor.score);
    return made;
  }

  /** The members in their order, as a fresh array. */
  members(): Bytes[] {
    const members: Bytes[] = [];
    const cursor = this.#order.seekFirst();
    for (; cursor.valid; cursor.forward()) members.push(cursor.member);
    return members;
  }

  get size(): number {
    return this.#order.size;
  }

  /** The score of a member; `undefined` when it is absent. */
  scoreOf(member: Bytes): number | undefined {
    const order = this.#order;
    if (order.size > this.#commonCount) {
      const score = this.#others.get(member);
      if (score !== undefined) return score;
    }
    return this.#commonCount > 0 && order.has(this.#common, member) ? this.#common : undefined;
  }

  /**
   * Whether the member is absent for certain, told without a look-up: all members have this score, and it comes after
   * them. That is every job that is added to a queue without priorities.
   */
  isBeyondAll(score: number, member: Bytes): boolean {
    const order = this.#order;
    return order.size > 0 && order.firstScore === score && order.endsBefore(score, member);
  }

  /** Adds a member that is absent. */
  add(member: Bytes, score: number): void {
    if (this.#isCompact && !fits(this.size + 1, member.length)) this.#isCompact = false;
    this.#put(member, this.#kept(score));
  }

  /** Gives a member another score; `from` is the one that it has. */
  move(member: Bytes, from: number, to: number): void {
    this.remove(member, from);
    this.#put(member, this.#kept(to));
  }

  /** Takes out a member; `score` is the one that it has. */
  remove(member: Bytes, score: number): void {
    this.#forget(member, score);
    this.#order.remove(score, member);
  }

  /** Takes out the first member, which is `member`. */
  removeFirst(member: Bytes): void {
    this.#forget(member, this.#order.firstScore);
    this.#order.removeFirst();
  }

  /** How many members come before the member, which has this score. */
  rankOf(member: Bytes, score: number): number {
    return this.#order.rankOf(score, member);
  }

  /** How many members have a lower score, or with `through` one that is not higher. */
  countBelow(score: number, through: boolean): number {
    return through ? this.#countThrough(score) : this.#order.rankOf(score, "");
  }

  /** How many members come before `member`, if all have one score; with `through`, the member itself counts too. */
  countBefore(member: Bytes, through: boolean): number {
    if (this.size === 0) return 0;
    const before = this.#order.rankOf(this.#order.seekFirst().score, member);
    return through && this.scoreOf(member) !== undefined ? before + 1 : before;
  }

  /** The place of the first member; invalid in an empty set. See {@link Cursor} for how long it holds. */
  first(): Cursor {
    return this.#order.seekFirst();
  }

  /** The place of the last member; invalid in an empty set. */
  last(): Cursor {
    return this.#order.seekLast();
  }

  /** The place of the first member behind (score, member), which need not be there itself; invalid at the end. */
  after(score: number, member: Bytes): Cursor {
    const cursor = this.#order.seek(score, member);
    if (cursor.valid && cursor.score === score && cursor.member === member) cursor.forward();
    return cursor;
  }

  /** The place of the member of that rank, from 0; invalid when there is none. */
  at(rank: number): Cursor {
    return rank === 0 ? this.#order.seekFirst() : this.#order.seekRank(rank);
  }

  #put(member: Bytes, score: number): void {
    if (this.#commonCount === 0) this.#common = score;
    // 0 and -0 are two scores of one place.
    if (Object.is(score, this.#common)) this.#commonCount++;
    else this.#others.set(member, score);
    this.#order.add(score, member);
  }

  /** Before a pair leaves the tree. */
  #forget(member: Bytes, score: number): void {
    if (this.#order.size > this.#commonCount && this.#others.delete(member)) return;
    if (Object.is(score, this.#common)) this.#commonCount--;
  }

  /** The score as the server's form keeps it. */
  #kept(score: number): number {
    return this.#isCompact ? score + 0 : score;
  }

  // There is no greatest member, so the count goes by the next number. Scores are doubles, hence the next double.
  #countThrough(score: number): number {
    return score === Number.POSITIVE_INFINITY ? this.size : this.#order.rankOf(nextUp(score), "");
  }
}

function fits(size: number, memberBytes: number): boolean {
  return size <= COMPACT_ENTRIES_MAX && memberBytes <= COMPACT_BYTES_MAX;
}

const bits = new DataView(new ArrayBuffer(8));

/** The smallest double above a number that is not +∞. */
function nextUp(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}
