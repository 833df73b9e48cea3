/**
 * A map of byte strings in parts, so that growing never stops the program for long.
 *
 * A `Map` doubles by copying all its entries at once, which takes 50 ms and more at a million. Here a key's last byte
 * picks one of {@link SHARDS} maps; the last byte of an id is a digit that differs from mint to mint, so the parts grow
 * by their own copies, each a sixteenth, spread over many acts.
 */

import type { Bytes } from "../../protocol/bytes.ts";

/** Number of parts, a power of two. */
export const SHARDS = 16;

export class ShardedMap<V> {
  /** Holds everything until the map is split, nothing afterwards. */
  readonly #whole: Map<Bytes, V> = new Map();
  #shards: readonly Map<Bytes, V>[] | undefined = undefined;
  readonly #splitAt: number;

  /**
   * `splitAt` is the number of entries with which the map is cut into its parts; one part is cheaper to make and keep.
   * With 0 it has them from the start.
   */
  constructor(splitAt: number) {
    this.#splitAt = splitAt;
    if (splitAt === 0) this.#shards = emptyShards();
  }

  get(key: Bytes): V | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: Bytes, value: V): void {
    this.#partOf(key).set(key, value);
    if (this.#shards === undefined && this.#whole.size >= this.#splitAt) this.#split();
  }

  /** Tells whether the key was there. */
  delete(key: Bytes): boolean {
    return this.#partOf(key).delete(key);
  }

  clear(): void {
    this.#whole.clear();
    for (const shard of this.#shards ?? []) shard.clear();
  }

  /** The entries of one part, 0 to {@link SHARDS} - 1, in the order in which their keys came. For split maps only. */
  entriesOf(shard: number): IterableIterator<[Bytes, V]> {
    return (this.#shards?.[shard] ?? this.#whole).entries();
  }

  /** Number of entries. */
  get size(): number {
    let size = this.#whole.size;
    for (const shard of this.#shards ?? []) size += shard.size;
    return size;
  }

  #partOf(key: Bytes): Map<Bytes, V> {
    const shards = this.#shards;
    return shards === undefined ? this.#whole : shardOf(shards, key);
  }

  #split(): void {
    const shards = emptyShards<V>();
    for (const [key, value] of this.#whole) shardOf(shards, key).set(key, value);
    this.#shards = shards;
    this.#whole.clear();
  }
}

function emptyShards<V>(): readonly Map<Bytes, V>[] {
  return Array.from({ length: SHARDS }, () => new Map<Bytes, V>());
}

// The empty key has no last byte, and what `charCodeAt` then answers picks the first part.
function shardOf<V>(shards: readonly Map<Bytes, V>[], key: Bytes): Map<Bytes, V> {
  return shards[key.charCodeAt(key.length - 1) & (SHARDS - 1)] as Map<Bytes, V>;
}
