/**
 * The mark of a reader of events: the key `listeners`, without which no act tells any.
 *
 * Invariant: from the moment that `renew` has resolved until {@link LISTENERS_MS} later, every act tells its events.
 * Many readers share the key; whoever wants results writes until when, and the others only prolong what stands there.
 * It expires by itself, so readers that die cost their queue half a minute of messages and no more.
 */

import type { Engine } from "../engine/engine.ts";
import { readServerNow } from "./server-clock.ts";
import { QueueKeys } from "./verb-call.ts";

/** How long the mark stands after it was renewed, in ms. */
export const LISTENERS_MS = 30_000;

/** How often it is renewed, in ms: often enough that two renewals may fail. */
export const LISTENERS_BEAT_MS = 10_000;

/** Writes the mark of one reader. */
export class Listening {
  readonly #engine: Engine;
  readonly #keys: QueueKeys;
  readonly #wantsResults: boolean;

  constructor(engine: Engine, queue: string, wantsResults: boolean) {
    this.#engine = engine;
    this.#keys = new QueueKeys(queue);
    this.#wantsResults = wantsResults;
  }

  /** Lets the mark stand for another {@link LISTENERS_MS}. Throws what the server refuses. */
  async renew(): Promise<void> {
    const { listeners } = this.#keys;
    const expiry = ["PX", String(LISTENERS_MS)];
    if (this.#wantsResults) {
      const until = (await readServerNow(this.#engine)) + LISTENERS_MS;
      // A mark that stands for good, because events are kept, must not begin to expire.
      const isPresent = await this.#engine.command(["SET", listeners, String(until), "XX", "KEEPTTL"]);
      if (isPresent === null) await this.#engine.command(["SET", listeners, String(until), ...expiry]);
      else await this.#engine.command(["PEXPIRE", listeners, String(LISTENERS_MS), "GT"]);
      return;
    }
    // Not written over: another reader may want results.
    if ((await this.#engine.command(["SET", listeners, "0", ...expiry, "NX"])) !== null) return;
    await this.#engine.command(["PEXPIRE", listeners, String(LISTENERS_MS), "GT"]);
  }
}
