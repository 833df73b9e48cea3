/**
 * The engine: the whole of what queue and worker code sees of a server.
 *
 * There are two forms (`src/embedded/`, `src/valkey/`) and both keep the same promises: an act is atomic or absent, its
 * reply is the one that `spec/` names, and a refusal carries the server's own text. Keys, arguments and replies are
 * byte strings (see `src/protocol/bytes.ts`), so no engine ever interprets a payload.
 *
 * This contract is for EchoMQ's own code. It may change in any release.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import type { Ports } from "./ports.ts";

/** What a server answers: an integer, bytes, nothing, or a list of these. Doubles come as their text. */
export type Reply = number | Bytes | null | readonly Reply[];

/** Whether the engine can be asked now. `closed` is final. */
export type EngineState = "connecting" | "ready" | "down" | "closed";

/** Told about tokens of one queue's wake list (docs/protocol/wake.md). */
export interface WakeListener {
  /**
   * A token was taken from the list for this listener. It must be answered by a `TURN` sent from now on, also when
   * there is no room (`want` 0), or work may be slept through.
   */
  onToken(): void;
  /** The blocking connection was lost, and perhaps a token with it: ask by a `TURN` once the engine is ready again. */
  onLost(): void;
}

/** One listener's place at the wake list of a queue. */
export interface WakeHandle {
  /** Wait for a token. Waiting twice is waiting once; the wait ends with the first token. */
  arm(): void;
  /** Wait no longer. A token that is already on its way is still delivered. */
  disarm(): void;
  /** Resolves when no token can be delivered any more. Calling it twice is harmless. */
  close(): Promise<void>;
}

/** Told about entries of one stream. */
export interface EntryListener {
  /** There is an entry above the id that was armed for, or perhaps there is. Reading tells. */
  onEntry(): void;
  /** The blocking connection was lost: read once the engine is ready again, and arm anew. */
  onLost(): void;
}

/** One reader's place at a stream. */
export interface EntryHandle {
  /**
   * Wait for an entry whose id is above `after`; one that is there already ends the wait at once. The wait ends with
   * the first one, and takes nothing out of the stream. Waiting again goes by the newer id.
   */
  arm(after: Bytes): void;
  /** Wait no longer. What is already on its way is still told. */
  disarm(): void;
  /** Resolves when nothing will be told any more. Calling it twice is harmless. */
  close(): Promise<void>;
}

/** A subscription to a channel. */
export interface Subscription {
  /** Resolves when no further message will be delivered. */
  close(): Promise<void>;
}

export interface Engine {
  /** Which form this is, for messages and for what one form alone can do. */
  readonly kind: "embedded" | "valkey";
  /** The version of the wire that it speaks, as `{emq}:version` holds it (docs/protocol/fence.md). */
  readonly wireVersion: string;
  /** The outside world that everything above this engine uses. */
  readonly ports: Ports;
  readonly state: EngineState;
  /**
   * Why it cannot be asked: the error of the last try to connect, or that which is final. `undefined` before the first
   * one failed, while it can be asked, once it is closed, and always where there is nothing to connect to.
   */
  readonly whyDown?: unknown;

  /**
   * Resolves when the engine has passed its fence and can be asked; rejects with an `EchoMQError` when it never will
   * (wrong fence, wrong password) or was closed. While a server is merely away it goes on waiting.
   */
  ready(): Promise<void>;

  /**
   * Runs one act.
   *
   * @throws EchoMQError with the code of the wire class for a refusal (`kind stale locked state rate`, otherwise
   *   `refused`), its message being the server's text, and with `disconnected`, `timeout`, `closed` and their like when
   *   the server could not be asked. Only errors with `retryable` may be tried again without thought.
   */
  act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply>;

  /**
   * Runs one plain command, the name first. Every engine knows the commands that `src/embedded/command/` lists; the
   * Valkey engine knows what its server knows.
   */
  command(parts: readonly Bytes[]): Promise<Reply>;

  /**
   * One way to ask for each server that holds keys, for a command that looks at one server only, such as `SCAN` without
   * a queue's name. Absent where there is only one server.
   */
  primaries?(): Promise<readonly ((parts: readonly Bytes[]) => Promise<Reply>)[]>;

  /** A place at the wake list `key`. Nothing is waited for until it is armed. */
  listenForWake(key: Bytes, listener: WakeListener): WakeHandle;

  /** A place at the stream `key`. Nothing is waited for until it is armed. */
  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle;

  /** Calls `onMessage` for each message on a channel from the moment that this resolves, across reconnects. */
  subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription>;

  /** Calls `listener` on every change of `state`; returns a function that stops it. */
  onState(listener: (state: EngineState) => void): () => void;

  /** Ends the engine; acts that are waiting are refused with `closed`. Calling it twice is harmless. */
  close(): Promise<void>;
}
