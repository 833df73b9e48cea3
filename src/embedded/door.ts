/**
 * The way into an embedded engine for a server of RESP (`src/server/`).
 *
 * Such a server needs what the engine's own contract hides: answers as commands give them, refusals as text, several
 * commands as one step, clients that wait at keys, and keys that clients watch. Everything runs at once and throws
 * {@link CommandError}, with the text for the client.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import type { TransitionReply } from "../transition/server.ts";
import type { Channels, ChannelTap } from "./channels.ts";
import type { Answer } from "./command/command.ts";
import type { CommandTable } from "./command/command-table.ts";
import type { KeyWait, KeyWaitOptions, KeyWaits } from "./key-waits.ts";
import type { CommandError } from "./store/command-error.ts";
import type { Keyspace } from "./store/keyspace.ts";
import { idText, LOWEST_ID } from "./store/stream-id.ts";
import type { Watch, Watches } from "./watches.ts";

/** The parts of an engine behind its door. */
export interface DoorOptions {
  readonly wireVersion: Bytes;
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
  readonly channels: Channels;
  readonly keyWaits: KeyWaits;
  readonly watches: Watches;
  readonly step: <Result>(action: () => Result) => Result;
  readonly perform: (verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]) => TransitionReply;
  readonly fenceRefusal: () => CommandError | undefined;
  readonly held: () => Promise<void> | undefined;
}

export class Door {
  readonly #options: DoorOptions;
  /** The version of the wire that the engine's fence compares with. */
  readonly wireVersion: Bytes;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.wireVersion = options.wireVersion;
  }

  /** The commands of the engine, for what is told of them; running one is for {@link Door.run}. */
  get table(): CommandTable {
    return this.#options.table;
  }

  /** Number of keys. */
  get size(): number {
    return this.#options.keyspace.size;
  }

  /** Number of keys that expire. */
  get expiringCount(): number {
    return this.#options.keyspace.expiringCount;
  }

  /** The clock reading of the step that runs, or of the last one, in Unix milliseconds. */
  get now(): number {
    return this.#options.keyspace.now;
  }

  /**
   * Runs `action` as one step, with one reading of the clock: messages go out and those who wait are served when it has
   * ended. Everything below belongs into a step.
   */
  step<Result>(action: () => Result): Result {
    return this.#options.step(action);
  }

  /** Runs one plain command; its name is in capitals. @throws CommandError */
  run(name: string, args: readonly Bytes[]): Answer {
    return this.#options.table.run(name, args);
  }

  /** Runs one act, with the refusals in the order of the wire. @throws CommandError */
  act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): TransitionReply {
    return this.#options.perform(verb, keys, args);
  }

  /**
   * Resolves once everything that ran so far is stored, and rejects with `not_stored` when it was taken back; nothing
   * may be told before. `undefined` when it is stored already, or there is nothing to store it in.
   */
  held(): Promise<void> | undefined {
    return this.#options.held();
  }

  /** Why the fence refuses; `undefined` when the store is marked for this engine's version, or not marked. */
  fenceRefusal(): CommandError | undefined {
    return this.#options.fenceRefusal();
  }

  /** The id of the last entry that a stream ever got; `0-0` for none. @throws CommandError for another type. */
  lastEntryId(key: Bytes): Bytes {
    return idText(this.#options.keyspace.stream(key)?.lastId ?? LOWEST_ID);
  }

  /**
   * Waits at lists and streams; see {@link KeyWaits.wait}. The attempt runs in a step of others, or in one of its own.
   */
  waitAt(options: KeyWaitOptions): KeyWait {
    return this.#options.keyWaits.wait(options);
  }

  /** A watch of no keys so far. */
  openWatch(): Watch {
    return this.#options.watches.open();
  }

  /** Hears all channels until the function that it returns is called. */
  tap(tap: ChannelTap): () => void {
    return this.#options.channels.tap(tap);
  }
}
