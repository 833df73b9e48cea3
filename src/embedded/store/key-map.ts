/**
 * The keyspace's map: rows in runs by their minting, and all other keys in parts by their last byte.
 *
 * A row that comes when younger ones already fill the runs, such as one of an old export, lies among the other keys.
 * Each part of the map has the order in which its keys came, whatever was removed since.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { mintOrderOf } from "./row-key.ts";
import { RowRuns } from "./row-runs.ts";
import { SHARDS, ShardedMap } from "./sharded-map.ts";

/** Rows of a run: those of two runs fit the cache of one core, and a full run fills its table. */
const RUN_ROWS = 16_384;

/** Number of parts: those of the other keys, and the rows. */
export const PARTS: number = SHARDS + 1;

export class KeyMap<V> {
  readonly #rows: RowRuns<V>;
  readonly #others = new ShardedMap<V>(0);
  /** Rows among the other keys: without any, nothing is looked up twice. */
  #lateRows = 0;

  constructor(runRows: number = RUN_ROWS) {
    this.#rows = new RowRuns(runRows);
  }

  get size(): number {
    return this.#rows.size + this.#others.size;
  }

  get(key: Bytes): V | undefined {
    const order = mintOrderOf(key);
    if (order < 0) return this.#others.get(key);
    const row = this.#rows.get(order, key);
    return row === undefined && this.#lateRows > 0 ? this.#others.get(key) : row;
  }

  set(key: Bytes, value: V): void {
    const order = mintOrderOf(key);
    if (order >= 0 && !this.#isLate(key)) {
      if (this.#rows.set(order, key, value)) return;
      this.#lateRows++;
    }
    this.#others.set(key, value);
  }

  /** Tells whether the key was there. */
  delete(key: Bytes): boolean {
    const order = mintOrderOf(key);
    if (order < 0) return this.#others.delete(key);
    if (this.#rows.delete(order, key)) return true;
    if (this.#lateRows === 0 || !this.#others.delete(key)) return false;
    this.#lateRows--;
    return true;
  }

  /** The entries of one part, 0 to {@link PARTS} - 1, in the order in which their keys came. */
  entriesOf(part: number): IterableIterator<[Bytes, V]> {
    return part < SHARDS ? this.#others.entriesOf(part) : this.#rows.entries();
  }

  #isLate(key: Bytes): boolean {
    return this.#lateRows > 0 && this.#others.get(key) !== undefined;
  }
}
