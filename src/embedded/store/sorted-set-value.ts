/**
 * A sorted set: members with a score, found by member in a map and by order in an {@link OrderTree}.
 *
 * Both always hold the same pairs. The score is kept in both, since a look-up by member must not walk the tree, and a
 * walk of the tree must not look up members.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { type Cursor, OrderTree } from "./order-tree.ts";
import { ShardedMap } from "./sharded-map.ts";
import { COMPACT_BYTES_MAX, COMPACT_ENTRIES_MAX, Value } from "./value.ts";

/** Members beyond which look-ups by member go by parts. Below it, as in a lane, one map is enough. */
const SPLIT_AT = 4096;

export class SortedSetValue extends Value {
  readonly #scores = new ShardedMap<number>(SPLIT_AT);
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
    return this.#scores.get(member);
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
    this.#order.remove(from, member);
    this.#put(member, this.#kept(to));
  }

  /** Takes out a member; `score` is the one that it has. */
  remove(member: Bytes, score: number): void {
    this.#scores.delete(member);
    this.#order.remove(score, member);
  }

  /** Takes out the first member, which is `member`. */
  removeFirst(member: Bytes): void {
    this.#scores.delete(member);
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
    return through && this.#scores.get(member) !== undefined ? before + 1 : before;
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
    this.#scores.set(member, score);
    this.#order.add(score, member);
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
