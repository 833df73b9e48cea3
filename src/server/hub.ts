/**
 * What all clients of one server have in common: the engine's door, who they are, who listens to what, and the counts
 * that `INFO` tells.
 */

import type { Door } from "../embedded/door.ts";
import type { Logger, Ports } from "../engine/ports.ts";
import { PubSub } from "./pub-sub.ts";
import type { Session } from "./session.ts";

/** Counts since the server was started. */
export interface ServerStats {
  connections: number;
  rejectedConnections: number;
  commands: number;
  inputBytes: number;
  outputBytes: number;
}

/** Bounds of one client. */
export interface ClientLimits {
  readonly bulkBytesMax: number;
  readonly commandBytesMax: number;
}

/** Where a server listens, for `INFO` and `CONFIG GET`. */
export interface Listening {
  /** 0 when it listens on a unix socket only. */
  readonly port: number;
  readonly host: string;
  readonly path: string;
}

export interface HubOptions {
  readonly door: Door;
  readonly ports: Ports;
  readonly password: string | undefined;
  readonly limits: ClientLimits;
  readonly clientsMax: number;
  readonly idleMs: number;
  /** For `INFO`: a name of this start of this server. */
  readonly runId: string;
}

export class Hub {
  readonly door: Door;
  readonly ports: Ports;
  readonly logger: Logger;
  /** What clients have to give; `undefined` when nothing is asked of them. */
  readonly password: string | undefined;
  readonly limits: ClientLimits;
  readonly clientsMax: number;
  readonly idleMs: number;
  readonly runId: string;
  readonly startedAt: number;
  readonly pubSub = new PubSub();
  readonly stats: ServerStats = {
    connections: 0,
    rejectedConnections: 0,
    commands: 0,
    inputBytes: 0,
    outputBytes: 0,
  };
  /** Written by the server once it listens. */
  listening: Listening = { port: 0, host: "", path: "" };
  readonly #sessions = new Map<number, Session>();
  readonly #untap: () => void;
  #lastId = 0;
  #onEmpty: (() => void) | undefined;

  constructor(options: HubOptions) {
    this.door = options.door;
    this.ports = options.ports;
    this.logger = options.ports.logger;
    this.password = options.password;
    this.limits = options.limits;
    this.clientsMax = options.clientsMax;
    this.idleMs = options.idleMs;
    this.runId = options.runId;
    this.startedAt = options.ports.clock.now();
    this.#untap = this.door.tap(this.pubSub);
  }

  now(): number {
    return this.ports.clock.now();
  }

  nextId(): number {
    return ++this.#lastId;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** All clients, the oldest first. */
  sessions(): Session[] {
    return [...this.#sessions.values()];
  }

  session(id: number): Session | undefined {
    return this.#sessions.get(id);
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
    this.stats.connections++;
  }

  /** A client is gone. */
  forget(session: Session): void {
    this.#sessions.delete(session.id);
    this.pubSub.leaveAll(session);
    if (this.#sessions.size === 0) this.#onEmpty?.();
  }

  /** Calls `listener` once no client is left, at once when there is none. */
  onEmpty(listener: () => void): void {
    if (this.#sessions.size === 0) listener();
    else this.#onEmpty = listener;
  }

  close(): void {
    this.#untap();
  }
}
