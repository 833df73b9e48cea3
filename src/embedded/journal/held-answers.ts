/**
 * The answers that wait until what they rest on is stored, and the way back while it is not.
 *
 * Records are counted. For each one that is not answered for yet it is known where its writes end in the undo log, so
 * whatever is behind a record can be taken back, and exactly those are told who wait for that.
 */

import type { EchoMQError } from "../../protocol/errors.ts";
import type { Keyspace } from "../store/keyspace.ts";

/** An answer that waits. */
export interface Held {
  /** The record that has to be stored first. */
  readonly record: number;
  readonly kept: () => void;
  readonly lost: (error: EchoMQError) => void;
}

export class HeldAnswers {
  readonly #keyspace: Keyspace;
  /** Numbers of records: the last that was ended, and the last that was answered for. */
  #ended = 0;
  #released = 0;
  /** For each record after the last released one: where its writes end in the undo log. */
  #undoEnds: number[] = [];
  #held: Held[] = [];

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
    keyspace.undo.keep();
  }

  /** The number of the last record that was ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Whether a record was ended that nobody was answered for. */
  get isPending(): boolean {
    return this.#ended > this.#released;
  }

  /** Counts a record whose writes have just ended. */
  count(): void {
    this.#ended++;
    this.#undoEnds.push(this.#keyspace.undo.position);
  }

  hold(held: Held): void {
    this.#held.push(held);
  }

  /** Gives the answers that rest on a record or an earlier one; false when all of them had been given. */
  release(record: number): boolean {
    const count = record - this.#released;
    if (count <= 0) return false;
    this.#keyspace.undo.release(this.#undoEnds[count - 1] as number);
    this.#undoEnds.splice(0, count);
    this.#released = record;
    let given = 0;
    while (given < this.#held.length && (this.#held[given] as Held).record <= record) given++;
    for (const held of this.#held.splice(0, given)) held.kept();
    return true;
  }

  /** Takes back, in memory, everything after a record; answers who has to be told of it. */
  takeBackAfter(record: number): Held[] {
    const kept = record - this.#released;
    const { undo } = this.#keyspace;
    const position = kept > 0 ? (this.#undoEnds[kept - 1] as number) : undo.released;
    this.#keyspace.rollBackTo(position);
    this.#undoEnds.length = kept;
    this.#ended = record;
    const at = this.#held.findIndex((held) => held.record > record);
    return at < 0 ? [] : this.#held.splice(at);
  }
}
