/**
 * Carries out the records of a store, so that a keyspace becomes what it was.
 *
 * A snapshot's parts are put in as they are. Commands are run again with the clock that they had: each is a function of
 * the keyspace, its arguments and that clock, so the outcome is the same; one that is refused now shows that the store
 * and this program do not fit.
 */

import type { Ports } from "../../engine/ports.ts";
import type { CommandTable } from "../command/command-table.ts";
import type { Keyspace } from "../store/keyspace.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { StoreVisitor } from "./store-reading.ts";
import { ImageReader } from "./value-image.ts";

/** How long records are carried out before others have a turn, in ms. */
const TURN_MS = 10;

/** Records between two looks at the clock. */
const RECORDS_A_LOOK = 64;

/** What a store is read into. */
export interface StoreTarget {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
}

export class Replay implements StoreVisitor {
  readonly #target: StoreTarget;
  readonly #ports: Ports;
  #turnAt: number;
  #count = 0;
  readonly #images: ImageReader;

  constructor(target: StoreTarget, ports: Ports) {
    this.#target = target;
    this.#images = new ImageReader(target.keyspace);
    this.#ports = ports;
    this.#turnAt = ports.clock.now();
    // Nothing expires before the clock of the snapshot is known.
    target.keyspace.now = 0;
  }

  onValues(reader: ByteReader): void {
    this.#images.read(reader);
  }

  onCommands(reader: ByteReader): void {
    const { keyspace, table } = this.#target;
    keyspace.now = reader.u64();
    while (reader.hasMore) {
      keyspace.replay(reader.u8() === 0);
      const args: string[] = [];
      const count = reader.varint();
      const name = reader.text();
      for (let at = 0; at < count; at++) args.push(reader.text());
      table.run(name, args);
    }
    keyspace.replay(false);
  }

  onClock(reader: ByteReader): void {
    this.#target.keyspace.now = reader.u64();
    this.#target.keyspace.removeAllExpired();
  }

  async breathe(): Promise<void> {
    if (++this.#count % RECORDS_A_LOOK !== 0) return;
    if (Math.abs(this.#ports.clock.now() - this.#turnAt) < TURN_MS) return;
    await new Promise<void>((resolve) => this.#ports.later(resolve));
    this.#turnAt = this.#ports.clock.now();
  }
}
