/**
 * A share in an engine.
 *
 * Queues and workers of one connection use one engine, so none of them may close it: each holds a lease and releases
 * it, and who handed the leases out ends the engine after the last release.
 */

import type { Engine } from "../engine/engine.ts";

/** One user's share in an engine. */
export interface EngineLease {
  readonly engine: Engine;
  /** Gives the share back. Resolves when what this user caused has ended; calling it twice is harmless. */
  release(): Promise<void>;
}

/** A share in an engine that whoever opened it closes, so that there is nothing to give back. */
export function borrowed(engine: Engine): EngineLease {
  return { engine, release: () => Promise.resolve() };
}
