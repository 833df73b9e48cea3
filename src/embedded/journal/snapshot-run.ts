/**
 * Writes every value as it is at one moment into a file, while acts go on.
 *
 * Nothing is copied. The keyspace is walked in slices, and a value that an act wants to look at before the walk has
 * come to it is written at that very moment, before it can change. A value knows by its `savedIn` whether it has been
 * written; one that came into being after the moment is marked from birth. So memory holds one buffer, and an act is
 * held up for as long as it takes to write the values that it meets for the first time. A large value is written in
 * slices, and what an act is about to change in it, first (value-walk.ts): then an act is held up by that alone.
 */

import type { Ports } from "../../engine/ports.ts";
import type { Bytes } from "../../protocol/bytes.ts";
import { PARTS } from "../store/key-map.ts";
import type { Keyspace, ValueSaver } from "../store/keyspace.ts";
import type { ElementKeeper } from "../store/undo-log.ts";
import type { Value } from "../store/value.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { FileLayer, OpenFile } from "./file-layer.ts";
import {
  beginRecord,
  endRecord,
  FORMAT_VERSION,
  HEAD_BYTES,
  HEADER_BYTES,
  headerBytes,
  RECORD,
} from "./record-format.ts";
import { writeImage } from "./value-image.ts";
import { type ValueWalk, walkOf } from "./value-walk.ts";
import { writeAll } from "./write-all.ts";

/** Bytes of one record, about. */
const RECORD_BYTES = 1 << 16;

/** Bytes after which others have their turn: about a millisecond, since acts may fill the rest of a turn. */
const SLICE_BYTES = 1 << 17;

/** Keys after which others have their turn, however small they are. */
export const SLICE_KEYS = 512;

export interface SnapshotOptions {
  readonly layer: FileLayer;
  readonly ports: Pick<Ports, "later" | "random">;
  readonly keyspace: Keyspace;
  /** The number in the file's name, and the mark that values get. */
  readonly number: number;
  readonly path: string;
}

export class SnapshotRun implements ValueSaver, ElementKeeper {
  readonly number: number;
  readonly #options: SnapshotOptions;
  readonly #writer: ByteWriter;
  readonly #salt: number;
  readonly #clock: number;
  /** Keys with a later serial came after the moment; within a part of the map serials rise. */
  readonly #lastSerial: number;
  #file: OpenFile | undefined;
  #offset = HEADER_BYTES;
  /** Where the record begins that is being filled. */
  #start = 0;
  #keys = 0;
  /** Keys since others had their turn, and where the file ended then. */
  #sliceKeys = 0;
  #sliceStart = HEADER_BYTES;
  /** Large values of which slices are left. */
  readonly #walks: Map<Value, ValueWalk> = new Map();
  readonly #onPart = (): void => {
    if (this.#writer.length >= RECORD_BYTES) this.#flush();
  };
  #failure: unknown;
  #isAbandoned = false;

  /** Begins at this moment. @throws what the file layer throws when the file cannot be made. */
  constructor(options: SnapshotOptions) {
    const { layer, ports, keyspace, number, path } = options;
    this.#options = options;
    this.number = number;
    this.#clock = keyspace.now;
    this.#lastSerial = keyspace.lastSerial;
    this.#salt = Math.floor(ports.random() * 2 ** 32);
    this.#writer = new ByteWriter(layer);
    this.#file = layer.open(path, "create");
    const header = headerBytes(layer, { kind: "snapshot", version: FORMAT_VERSION, salt: this.#salt, number });
    try {
      writeAll(this.#file, header, { from: 0, to: HEADER_BYTES, at: 0 });
    } catch (error) {
      this.discard();
      throw error;
    }
    this.#start = beginRecord(this.#writer, RECORD.values);
    keyspace.saver = this;
  }

  /** Size of the file so far. */
  get bytes(): number {
    return this.#offset;
  }

  /** Whether it goes on: nothing has failed, and nobody has given it up. */
  get isGood(): boolean {
    return this.#failure === undefined && !this.#isAbandoned;
  }

  /** What failed, if anything did. */
  get failure(): unknown {
    return this.#failure;
  }

  save(key: Bytes, value: Value): void {
    value.savedIn = this.number;
    if (!this.isGood) return;
    const expiresAt = value.expiring ? this.#options.keyspace.expiryOf(key) : undefined;
    this.#keys++;
    const source = { key, value, expiresAt };
    const walk = walkOf(source, { writer: this.#writer, onPart: this.#onPart });
    if (walk === undefined) {
      writeImage(this.#writer, source, this.#onPart);
      return;
    }
    this.#walks.set(value, walk);
    this.#options.keyspace.undo.keeper = this;
  }

  keep(value: Value, element: Bytes, old: Bytes | number | undefined): void {
    this.#walks.get(value)?.keep(element, old);
  }

  /** Gives it up: what it was to show is no longer what the journals lead to. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#leave();
  }

  /** Walks the keyspace to its end, and makes the file safe. The file is good when {@link SnapshotRun.isGood} is. */
  async write(): Promise<void> {
    try {
      for (let part = 0; part < PARTS && this.isGood; part++) await this.#walk(part);
      await this.#writeSlices();
    } catch (error) {
      this.#failure ??= error;
    }
    this.#leave();
    if (!this.isGood) return;
    this.#flush();
    this.#end();
    try {
      await this.#file?.sync();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** Closes the file, and removes it unless it is good. */
  discard(): void {
    this.abandon();
    this.close();
    this.#options.layer.removeNow(this.#options.path);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  async #walk(part: number): Promise<void> {
    for (const [key, value] of this.#options.keyspace.entriesOf(part)) {
      // Without the second condition a walk beside a busy producer would never end.
      if (!this.isGood || value.serial > this.#lastSerial) return;
      if (value.savedIn !== this.number) this.save(key, value);
      if (this.#walks.size > 0) await this.#writeSlices();
      if (++this.#sliceKeys < SLICE_KEYS && this.#offset - this.#sliceStart < SLICE_BYTES) continue;
      await this.#giveTurn();
    }
  }

  /** Writes what is left of large values, one slice a turn; acts may meet more of them meanwhile. */
  async #writeSlices(): Promise<void> {
    for (const [value, walk] of this.#walks) {
      for (let isLeft = true; isLeft && this.isGood; ) {
        isLeft = walk.next();
        if (!isLeft) this.#walks.delete(value);
        await this.#giveTurn();
      }
    }
    const { undo } = this.#options.keyspace;
    if (this.#walks.size === 0 && undo.keeper === this) undo.keeper = undefined;
  }

  async #giveTurn(): Promise<void> {
    await new Promise<void>((resolve) => this.#options.ports.later(resolve));
    this.#sliceKeys = 0;
    this.#sliceStart = this.#offset;
  }

  /** Nothing is to be told any more. */
  #leave(): void {
    const { keyspace } = this.#options;
    if (keyspace.saver === this) keyspace.saver = undefined;
    if (keyspace.undo.keeper === this) keyspace.undo.keeper = undefined;
    this.#walks.clear();
  }

  #flush(): void {
    const writer = this.#writer;
    if (writer.length - this.#start > HEAD_BYTES + 1) this.#finish();
    else writer.length = this.#start;
    this.#start = beginRecord(writer, RECORD.values);
  }

  #end(): void {
    const writer = this.#writer;
    writer.length = 0;
    this.#start = beginRecord(writer, RECORD.end);
    writer.u64(this.#keys);
    writer.u64(this.#clock);
    this.#finish();
  }

  #finish(): void {
    const { layer } = this.#options;
    const writer = this.#writer;
    endRecord(layer, writer, this.#start, { salt: this.#salt, offset: this.#offset, durable: undefined });
    try {
      if (this.isGood && this.#file !== undefined) {
        writeAll(this.#file, writer.bytes, { from: 0, to: writer.length, at: this.#offset });
        this.#offset += writer.length;
      }
    } catch (error) {
      // An act may be what runs: it goes on, and the snapshot does not.
      this.#failure ??= error;
    }
    writer.dropFirst(writer.length);
  }
}
