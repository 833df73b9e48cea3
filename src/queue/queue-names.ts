/**
 * The names of the queues of a server.
 *
 * Each queue adds its name to a list of the reserve when a job is first added, so asking costs one walk over names and
 * not one over all keys. Clients that know nothing of the list write none: for their queues all keys can be looked
 * through.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { baseKey } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { KEY_TYPES } from "../protocol/registry.generated.ts";
import { keyPages, keyPagesEverywhere, namePages } from "./key-pages.ts";
import { assertBoolean, assertKnownOptions, nearestName } from "./option-check.ts";

/** The registry of queues in use. */
export const QUEUES_KEY = "{emq}:queues";

/** The types of key that a queue has at most one of. */
const SINGLE_TYPES = KEY_TYPES.filter((type) => !type.includes("<"));

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

/**
 * Whether a queue of a name is there: one that any key belongs to, or that the list of queues has.
 *
 * The list and the keys that stand once in a queue answer for nearly all; a scan over the server is left for the rest.
 */
async function queueExists(engine: Engine, queue: string): Promise<boolean> {
  if (await isListed(engine, queue)) return true;
  const base = baseKey(bytesOf(queue));
  if ((await engine.command(["EXISTS", ...SINGLE_TYPES.map((type) => base + type)])) !== 0) return true;
  for await (const page of keyPages(engine, base)) if (page.length > 0) return true;
  return false;
}

/** Whether the list of queues has a name; false where the user may not read the list. */
async function isListed(engine: Engine, queue: string): Promise<boolean> {
  return (await unlessForbidden(engine.command(["SISMEMBER", QUEUES_KEY, bytesOf(queue)]))) === 1;
}

/**
 * Refuses a name that nobody has used here: zeros would look like a queue that is empty, and an export of it like a
 * backup. A user who may not look for keys is let through, because nobody can tell.
 *
 * @throws EchoMQError `queue_absent` with the nearest name that is there.
 */
export async function assertQueueExists(engine: Engine, queue: string): Promise<void> {
  if ((await unlessForbidden(queueExists(engine, queue))) ?? true) return;
  const names = (await unlessForbidden(readQueueNames(engine))) ?? [];
  // An operator may walk the list and not ask it for one name.
  if (names.includes(queue)) return;
  const nearest = nearestName(queue, names);
  const advice = nearest === undefined ? "echomq queues lists the names" : `did you mean ${quote(nearest)}?`;
  throw new EchoMQError("queue_absent", `There is no queue ${quote(queue)} here: ${advice}`, {
    details: { queue, ...(nearest === undefined ? {} : { nearest }) },
  });
}

/** What was asked for, `undefined` when the user has no right to it. */
async function unlessForbidden<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isEchoMQError(error, "permission")) return undefined;
    throw error;
  }
}

/** At least so long lies between two writes of one name to the list of queues, in ms. */
const NOTE_EVERY_MS = 60_000;

/**
 * Writes names to the list of queues, now and then and beside the way: the list is a convenience for operators. Once
 * would not do, because another process may obliterate a queue while this one goes on adding.
 */
export class NamedQueues {
  readonly #engine: Engine;
  /** When each name was last written, by the host's clock: one entry for each queue that the program uses. */
  readonly #notedAt = new Map<string, number>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  note(queue: string): void {
    const { clock, logger } = this.#engine.ports;
    const now = clock.now();
    const notedAt = this.#notedAt.get(queue);
    if (notedAt !== undefined && Math.abs(now - notedAt) < NOTE_EVERY_MS) return;
    this.#notedAt.set(queue, now);
    this.#engine.command(["SADD", QUEUES_KEY, bytesOf(queue)]).catch((error: unknown) => {
      logger.debug("The queue's name could not be written to {emq}:queues", { queue, error });
    });
  }

  /** The name left the list: the next note writes it again. */
  forget(queue: string): void {
    this.#notedAt.delete(queue);
  }
}
