/**
 * Where the calls of an engine go: one server, or the primaries of a cluster.
 *
 * The engine keeps what is the same everywhere (calls that wait, subscriptions, its own state); a site keeps the
 * sockets. It tells the dispatcher and the subscriber which sessions are up, and the engine whether it can be asked.
 */

import type { EntryHandle, EntryListener, WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Dispatcher } from "./dispatch.ts";
import type { Ask } from "./fence.ts";
import type { Subscriber } from "./subscriber.ts";

/** What a site works for. */
export interface SiteOptions {
  readonly ports: Ports;
  /** Longest wait of one `XREAD`, and a fifth of that of a `BLPOP`, in ms. */
  readonly beatMs: number;
  readonly dispatcher: Dispatcher;
  readonly subscriber: Subscriber;
  /** Passes the fence over a fresh session; rejects as `passFence` does. */
  readonly fence: (ask: Ask) => Promise<void>;
  /** Looks at the kind of a server over a fresh session that passed the fence. */
  readonly inspect: (ask: Ask) => Promise<void>;
  /** Asks a server over each fresh session for its native half, in a cluster also after slots have moved. */
  readonly probe: (ask: Ask) => Promise<void>;
  /** Every server that is needed can be asked. May be told again. */
  readonly onReady: () => void;
  /** A server that is needed cannot be asked now. May be told again. */
  readonly onDown: () => void;
  /** Nothing can be asked any more, ever. */
  readonly onFinal: (error: EchoMQError) => void;
}

/** The sockets of an engine. */
export interface Site {
  /** Why there is no connection, for messages; `undefined` when nothing has failed yet. */
  readonly cause: unknown;
  /** Begins to connect. Called once. */
  start(): void;
  /** The server takes no writes: it may be the wrong one. */
  renew(): void;
  /** Opens the socket that listens to channels. Calling it again does nothing. */
  startSubscriber(): void;
  /** A way to ask each server that holds keys; absent where there is one. Rejects for a server that is away. */
  primaries?(): readonly Ask[];
  /** A place at a wake list; see `Engine.listenForWake`. */
  listen(key: Bytes, listener: WakeListener): WakeHandle;
  /** A place at a stream; see `Engine.listenForEntries`. */
  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle;
  /** Ends all waiting at wake lists and streams, while commands can still be sent. */
  endWaits(): Promise<void>;
  /** Ends all sockets. Resolves when they are gone. */
  close(): Promise<void>;
}
