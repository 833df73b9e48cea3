/**
 * Workers that share an engine with whoever adds to their queue.
 *
 * An add and the `TURN` that claims its job take the same way to the server, one behind the other. So a worker that
 * rests need not wait until the token of the add has come to it: it asks right behind the act, and the job starts one
 * round trip after its add instead of two. The token comes all the same, and is answered as any other
 * (docs/protocol/wake.md, rule 3).
 *
 * Within the embedded engine there is no way to save, so there nobody is near.
 */

import type { Engine } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";

/** A worker as an add sees it. */
export interface NearWorker {
  /** An act that makes work has just left: asks behind it, if it rests. Answers whether it did. */
  askBehind(): boolean;
}

/** The workers of one engine by the wake list of their queue; a list is there as long as somebody is near. */
const NEAR = new WeakMap<Engine, Map<Bytes, Set<NearWorker>>>();

/** Lets adds through an engine find a worker. Returns a function that ends it; calling that twice is harmless. */
export function joinNear(engine: Engine, wakeKey: Bytes, worker: NearWorker): () => void {
  if (engine.kind === "embedded") return () => {};
  const lists = NEAR.get(engine) ?? new Map<Bytes, Set<NearWorker>>();
  NEAR.set(engine, lists);
  const workers = lists.get(wakeKey) ?? new Set();
  lists.set(wakeKey, workers);
  workers.add(worker);
  return () => {
    if (workers.delete(worker) && workers.size === 0) lists.delete(wakeKey);
  };
}

/** Lets the first worker that rests ask behind an act that has just left through this engine. */
export function askBehind(engine: Engine, wakeKey: Bytes): void {
  const workers = NEAR.get(engine)?.get(wakeKey);
  if (workers === undefined) return;
  for (const worker of workers) {
    if (!worker.askBehind()) continue;
    // The next act begins with the others.
    workers.delete(worker);
    workers.add(worker);
    return;
  }
}
