/**
 * `SCAN` over the keyspace's map.
 *
 * Promise, as the server's: a key that is there from the first call to the last is found at least once, whatever is
 * added and removed between the calls, and every scan ends. Keys are visited in the order of their creation, which is
 * the map's own; a cursor is the serial of the last key that was visited. Walking there from the front would make a full
 * scan quadratic, so the walks of the latest scans are kept open; a cursor without one starts at the front again and is
 * right all the same.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Value } from "./value.ts";

interface Walk {
  readonly entries: Iterator<[Bytes, Value]>;
  /** Keys created after the scan began are not visited, or it would never end beside a busy producer. */
  readonly lastSerial: number;
}

export interface ScanStep {
  /** 0, or what an earlier step answered. */
  readonly cursor: number;
  /** The most keys to visit. */
  readonly count: number;
  /** The serial of the newest key. */
  readonly newest: number;
}

/** Open walks; each keeps the tables alive that the map has outgrown since. */
const WALKS_MAX = 8;

export class KeyScanner {
  readonly #values: ReadonlyMap<Bytes, Value>;
  readonly #walks: Map<number, Walk> = new Map();

  constructor(values: ReadonlyMap<Bytes, Value>) {
    this.#values = values;
  }

  /**
   * Visits keys from the front for cursor 0, else from where the step that answered the cursor ended.
   *
   * @returns the cursor to go on with; 0 when all keys have been visited.
   */
  scan(step: ScanStep, visit: (key: Bytes, value: Value) => void): number {
    const { cursor, count } = step;
    const walk = this.#resume(step);
    let visited = 0;
    for (let next = walk.entries.next(); next.done !== true; next = walk.entries.next()) {
      const [key, value] = next.value;
      if (value.serial > walk.lastSerial) return 0;
      if (value.serial <= cursor) continue;
      visit(key, value);
      if (++visited < count) continue;
      this.#keep(value.serial, walk);
      return value.serial;
    }
    return 0;
  }

  #resume({ cursor, newest }: ScanStep): Walk {
    const open = this.#walks.get(cursor);
    if (cursor !== 0 && open !== undefined) {
      this.#walks.delete(cursor);
      return open;
    }
    return { entries: this.#values.entries(), lastSerial: newest };
  }

  #keep(cursor: number, walk: Walk): void {
    this.#walks.delete(cursor);
    this.#walks.set(cursor, walk);
    if (this.#walks.size <= WALKS_MAX) return;
    for (const oldest of this.#walks.keys()) {
      this.#walks.delete(oldest);
      return;
    }
  }
}
