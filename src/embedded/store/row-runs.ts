/**
 * Jobs' rows by key, those together that were minted together.
 *
 * In one large table every look-up reads memory that no look-up before has touched, and walks chains of rows that lie
 * anywhere in it: at a million rows that was a third of what an act took. A queue adds at one end and takes at the
 * other, so here the rows lie in runs, each a small `Map` of its own span of minting: acts stay within two of them,
 * which fit the processor's caches, and no table ever grows by copying many rows.
 *
 *     run        run        run ─┐
 *     [0, 5)     [5, 9)     [9, ∞)    keys by mintOrderOf; only the last run takes rows that are new
 *
 * Because of that the rows of each run came before those of the next, so all together have the order in which they
 * came. A row that is minted before the last run began and comes only now has no place here: see key-map.ts.
 */

import type { Bytes } from "../../protocol/bytes.ts";

class Run<V> {
  readonly rows: Map<Bytes, V> = new Map();
  /** The span of minting: the first number of it, and the first behind it. */
  start: number;
  end = Number.POSITIVE_INFINITY;
  /** A run that was dropped keeps it, so that whoever walks there finds on. */
  next: Run<V> | undefined = undefined;

  constructor(start: number) {
    this.start = start;
  }
}

export class RowRuns<V> {
  /** Never empty. Their spans follow one another without a gap, from 0 on. */
  readonly #runs: Run<V>[] = [new Run<V>(0)];
  /** The run that was asked for last. */
  #near = this.#runs[0] as Run<V>;
  /** No row was minted later. */
  #newest = -1;
  #size = 0;
  readonly #runRows: number;

  /** `runRows` is the number of rows of the last run with which the next one begins. */
  constructor(runRows: number) {
    this.#runRows = runRows;
  }

  /** Number of rows. */
  get size(): number {
    return this.#size;
  }

  /** The row of a key; `order` is that of its minting, as everywhere here. */
  get(order: number, key: Bytes): V | undefined {
    return this.#runFor(order).rows.get(key);
  }

  /** Stores a row, or tells with `false` that it comes too late to have a place. */
  set(order: number, key: Bytes, value: V): boolean {
    let run = this.#runFor(order);
    if (run.next !== undefined && !run.rows.has(key)) return false;
    if (order > this.#newest) {
      this.#newest = order;
      if (run.rows.size >= this.#runRows) run = this.#begin(order, run);
    }
    const before = run.rows.size;
    run.rows.set(key, value);
    this.#size += run.rows.size - before;
    return true;
  }

  /** Tells whether the row was there. */
  delete(order: number, key: Bytes): boolean {
    const run = this.#runFor(order);
    if (!run.rows.delete(key)) return false;
    this.#size--;
    if (run.rows.size === 0 && this.#runs.length > 1) this.#drop(run);
    return true;
  }

  /** All keys with their rows in the order in which they came; rows may come and go on the way. */
  *entries(): Generator<[Bytes, V]> {
    for (let run = this.#runs[0]; run !== undefined; run = run.next) yield* run.rows;
  }

  #runFor(order: number): Run<V> {
    const near = this.#near;
    if (order >= near.start && order < near.end) return near;
    const found = this.#runs[this.#indexOf(order)] as Run<V>;
    this.#near = found;
    return found;
  }

  #indexOf(order: number): number {
    let low = 0;
    let high = this.#runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#runs[middle] as Run<V>).start <= order) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #begin(order: number, last: Run<V>): Run<V> {
    const run = new Run<V>(order);
    last.end = order;
    last.next = run;
    this.#runs.push(run);
    this.#near = run;
    return run;
  }

  /** Takes out an empty run that is not the only one. Its span goes to the run before, or to the one behind. */
  #drop(run: Run<V>): void {
    const index = this.#indexOf(run.start);
    const before = this.#runs[index - 1];
    const behind = this.#runs[index + 1];
    this.#runs.splice(index, 1);
    if (before !== undefined) {
      before.end = run.end;
      before.next = behind;
    } else if (behind !== undefined) behind.start = run.start;
    // With the last run the rows of a clock that was ahead may have gone: what is left was minted before.
    if (behind === undefined) this.#newest = run.start - 1;
    this.#near = this.#runs[0] as Run<V>;
  }
}
