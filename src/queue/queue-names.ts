/**
 * The names of the queues of a server.
 *
 * Each queue adds its name to a list of the reserve when a job is first added, so asking costs one walk over names and
 * not one over all keys. Clients that know nothing of the list write none: for their queues all keys can be looked
 * through.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { keyPagesEverywhere, namePages } from "./key-pages.ts";
import { assertBoolean, assertKnownOptions } from "./option-check.ts";

/** The registry of queues in use. */
export const QUEUES_KEY = "{emq}:queues";

/** Where names are looked for. */
export interface QueueNamesOptions {
  /** Looks through all keys of the server besides; default false, and then only where the list is empty. */
  readonly scan?: boolean;
}

/**
 * The names of all queues, in order of their bytes.
 *
 * @throws EchoMQError `unknown_option`, `invalid_option`.
 */
export async function readQueueNames(engine: Engine, options: QueueNamesOptions = {}): Promise<string[]> {
  assertKnownOptions(options, { owner: "queues", known: ["scan"] });
  const { scan = false } = options;
  assertBoolean(scan, "scan");
  const names = new Set<Bytes>();
  for await (const page of namePages(engine, QUEUES_KEY, "set")) for (const name of page) names.add(name);
  if (scan || names.size === 0) {
    for await (const page of keyPagesEverywhere(engine, "emq:{*}:*")) {
      for (const key of page) {
        const name = /^emq:\{([^{}\0]+)\}:/s.exec(key)?.[1];
        if (name !== undefined) names.add(name);
      }
    }
  }
  return [...names].sort().map((name) => textOf(name));
}

/** Writes names to the list of queues, each once and beside the way: the list is a convenience for operators. */
export class NamedQueues {
  readonly #engine: Engine;
  /** Names that were written: one for each queue that the program uses. */
  readonly #names = new Set<string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  note(queue: string): void {
    if (this.#names.has(queue)) return;
    this.#names.add(queue);
    this.#engine.command(["SADD", QUEUES_KEY, bytesOf(queue)]).catch((error: unknown) => {
      this.#names.delete(queue);
      this.#engine.ports.logger.debug("The queue's name could not be written to {emq}:queues", { queue, error });
    });
  }
}
