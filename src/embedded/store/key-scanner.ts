/**
 * `SCAN` over the keyspace's map.
 *
 * Promise, as the server's: a key that is there from the first call to the last is found at least once, whatever is
 * added and removed between the calls, and every scan ends. The parts of the map are walked one after the other, each
 * in the order in which its keys were created; a cursor is the serial of the last key that was visited, and its part.
 * Walking there from the front would make a full scan quadratic, so the walks of the latest scans are kept open; a
 * cursor without one starts at the front again and is right all the same.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { type KeyMap, PARTS } from "./key-map.ts";
import type { Value } from "./value.ts";

interface Walk {
  /** The part that is walked now. */
  part: number;
  entries: Iterator<[Bytes, Value]>;
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
  readonly #values: KeyMap<Value>;
  readonly #walks: Map<number, Walk> = new Map();

  constructor(values: KeyMap<Value>) {
    this.#values = values;
  }

  /**
   * Visits keys from the front for cursor 0, else from where the step that answered the cursor ended.
   *
   * @returns the cursor to go on with; 0 when all keys have been visited.
   */
  scan(step: ScanStep, visit: (key: Bytes, value: Value) => void): number {
    const walk = this.#resume(step);
    // In the part in which the last step ended, keys up to its serial have been visited.
    let visitedSerial = Math.floor(step.cursor / PARTS);
    let left = step.count;
    for (;;) {
      for (let next = walk.entries.next(); next.done !== true; next = walk.entries.next()) {
        const [key, value] = next.value;
        if (value.serial > walk.lastSerial) break;
        if (value.serial <= visitedSerial) continue;
        visit(key, value);
        if (--left === 0) return this.#keep(value.serial * PARTS + walk.part, walk);
      }
      visitedSerial = 0;
      if (++walk.part === PARTS) return 0;
      walk.entries = this.#values.entriesOf(walk.part);
    }
  }

  #resume({ cursor, newest }: ScanStep): Walk {
    const open = this.#walks.get(cursor);
    if (cursor !== 0 && open !== undefined) {
      this.#walks.delete(cursor);
      return open;
    }
    const part = cursor % PARTS;
    return { part, entries: this.#values.entriesOf(part), lastSerial: newest };
  }

  #keep(cursor: number, walk: Walk): number {
    this.#walks.delete(cursor);
    this.#walks.set(cursor, walk);
    if (this.#walks.size > WALKS_MAX) {
      const [oldest] = this.#walks.keys();
      if (oldest !== undefined) this.#walks.delete(oldest);
    }
    return cursor;
  }
}
