/**
 * Keys that a server refuses to wait at, which are left out for a while: one bad key must not make all others deaf.
 */

import type { Clock } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Ask } from "./fence.ts";

/** How long a key that the server refuses is left out, in ms. */
const ASIDE_MS = 30_000;

/** What {@link RefusedKeys} work with. */
export interface RefusedKeysOptions {
  readonly clock: Clock;
  /** Runs a command on the command socket. */
  readonly run: Ask;
  /** The command that tells by its refusal whether a key is a bad one: it reads the length of a good one. */
  readonly probe: "LLEN" | "XLEN";
  /** The time of a key is over. */
  readonly onOver: () => void;
}

/** The keys that one blocking socket leaves out. */
export class RefusedKeys {
  readonly #options: RefusedKeysOptions;
  /** Until when, by the host's clock. */
  readonly #until = new Map<Bytes, number>();

  constructor(options: RefusedKeysOptions) {
    this.#options = options;
  }

  has(key: Bytes): boolean {
    return this.#until.has(key);
  }

  /** Forgets those whose time is over. */
  review(): void {
    const now = this.#options.clock.now();
    for (const [key, until] of this.#until) if (until <= now) this.#until.delete(key);
  }

  /** Finds out which of these keys made the server refuse a command, and leaves them out. */
  find(keys: Iterable<Bytes>): void {
    const { run, probe } = this.#options;
    for (const key of keys) run([probe, key]).catch((error: EchoMQError) => this.#setAside(key, error));
  }

  #setAside(key: Bytes, error: EchoMQError): void {
    if (error.code !== "refused" && error.code !== "permission") return;
    const { clock, onOver } = this.#options;
    this.#until.set(key, clock.now() + ASIDE_MS);
    clock.after(ASIDE_MS, onOver, { background: true });
  }
}
