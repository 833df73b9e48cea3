/**
 * Where the queues of one engine get their ids from.
 *
 * Two mints with one node number would make the same ids, so the queues of an engine share one mint. On a server its
 * number is leased (node-lease.ts); the embedded engine belongs to one process and any number will do; and who gives a
 * number vouches for it.
 */

import type { Engine } from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { createMinter, type Minter } from "../protocol/mint.ts";
import { isOutage } from "./admission.ts";
import { NODES, NodeLease } from "./node-lease.ts";

/** Mints ids, when it can. */
export interface MintSource {
  /** The next id, or `undefined` when none may be minted now: wait for {@link MintSource.whenReady} and ask again. */
  tryMint(namespace: string): string | undefined;
  /** Resolves when ids can be minted; rejects after a bounded wait, with a retryable error while the server is away. */
  whenReady(): Promise<void>;
  /** Gives the number back. Calling it twice is harmless. */
  release(): Promise<void>;
}

/** A mint with a number that nobody leases. */
class FixedNode implements MintSource {
  readonly #mint: Minter;

  constructor(engine: Engine, node: number) {
    this.#mint = createMinter({ node, clock: () => engine.ports.clock.now() });
  }

  tryMint(namespace: string): string {
    return this.#mint(namespace);
  }

  whenReady(): Promise<void> {
    return Promise.resolve();
  }

  release(): Promise<void> {
    return Promise.resolve();
  }
}

/** The mints of one engine, by number or `leased`, each with the count of its users. */
type Shared = Map<number | "leased", { readonly source: MintSource; users: number }>;

/** Written and read by {@link openMint} only; an engine that is dropped takes its mints with it. */
const SHARED = new WeakMap<Engine, Shared>();

/**
 * The mint of an engine; release it after use.
 *
 * @param node a number from 0 to 1023 that the caller vouches for; otherwise it is leased, or drawn on the embedded
 * engine.
 */
export function openMint(engine: Engine, node: number | undefined, onError: (error: unknown) => void): MintSource {
  const shared: Shared = SHARED.get(engine) ?? new Map();
  SHARED.set(engine, shared);
  const key = node ?? "leased";
  const entry = shared.get(key) ?? { source: newSource(engine, node, onError), users: 0 };
  entry.users++;
  shared.set(key, entry);
  const { source } = entry;
  let isReleased = false;
  return {
    tryMint: (namespace) => source.tryMint(namespace),
    whenReady: () => source.whenReady(),
    release: async () => {
      if (isReleased) return;
      isReleased = true;
      entry.users--;
      // A number that needs no lease is kept with its engine: a new mint of it could repeat the last millisecond.
      if (entry.users > 0 || !(source instanceof NodeLease)) return;
      shared.delete(key);
      await source.release();
    },
  };
}

/** How often a mint is asked again after it said that it is ready. */
const TRIES_MAX = 3;

/** Pause before ids are asked for again while the server is away, in ms. */
const REST_MS = 500;

/**
 * So many ids of jobs, in order, once a node number is held.
 *
 * @throws EchoMQError `timeout` when the clock keeps running away, and what keeps the number from being leased.
 */
export async function mintAll(source: MintSource, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let tries = 0; tries <= TRIES_MAX; tries++) {
    if (tries > 0) await source.whenReady();
    while (ids.length < count) {
      const id = source.tryMint("JOB");
      if (id === undefined) break;
      ids.push(id);
    }
    if (ids.length === count) return ids;
  }
  throw new EchoMQError("timeout", "No id could be minted: the clock of this machine keeps running away");
}

/**
 * {@link mintAll}; an outage that keeps a node number from being held is waited for.
 *
 * @param options.mayWait whether one more pause is worth it.
 */
export async function mintThroughOutage(
  source: MintSource,
  count: number,
  { clock, mayWait }: { readonly clock: Ports["clock"]; readonly mayWait: () => boolean },
): Promise<string[]> {
  for (;;) {
    try {
      return await mintAll(source, count);
    } catch (error) {
      if (!isOutage(error) || !mayWait()) throw error;
    }
    await new Promise<void>((resolve) => clock.after(REST_MS, resolve));
  }
}

function newSource(engine: Engine, node: number | undefined, onError: (error: unknown) => void): MintSource {
  if (node !== undefined) return new FixedNode(engine, node);
  if (engine.kind === "embedded") return new FixedNode(engine, Math.floor(engine.ports.random() * NODES));
  return new NodeLease(engine, onError);
}
