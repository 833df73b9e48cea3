/**
 * What one scenario works with: a queue of its own, the checked engine, and short words for what scenarios do most.
 *
 * Every look at the server is a plain command on a key, so a scenario sees what any other speaker would see.
 */

import type { Reply, Subscription } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bytesFrom, bytesOf } from "../protocol/bytes.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { baseKey } from "../protocol/key.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { type ClaimedJob, Jobs } from "../queue/jobs.ts";
import { Lanes } from "../queue/lanes.ts";
import { Repeats } from "../queue/repeats.ts";
import { type CallPlace, callKeys } from "./call-keys.ts";
import type { CheckedEngine } from "./checked-engine.ts";
import { fail, holds } from "./expectation.ts";
import { snapshot } from "./key-scan.ts";
import type { ConformancePort } from "./port.ts";

/** A lease that no scenario outlives, in ms. */
export const LEASE_MS = 60_000;

/** Looks for an awaited message before giving up, and the time between two, in ms. */
const LOOKS_MAX = 100;
const LOOK_MS = 20;

/** As many ids as are asked for: up to 16 of a count that is known here, else a list. */
type Ids<Count extends number, Known extends string[] = []> = number extends Count
  ? string[]
  : Known["length"] extends Count
    ? Known
    : Known["length"] extends 16
      ? string[]
      : Ids<Count, [...Known, string]>;

/** One scenario's queue and words. Its keys are deleted by whoever made it. */
export class Trial {
  readonly port: ConformancePort;
  readonly engine: CheckedEngine;
  readonly jobs: Jobs;
  readonly lanes: Lanes;
  readonly repeats: Repeats;
  readonly queue: string;
  /** The queue's base key. */
  readonly base: Bytes;
  /** Further queues that the scenario used, by their base keys; purged together with its own. */
  readonly otherBases: Bytes[] = [];
  /** The names of those. */
  readonly otherQueues: string[] = [];
  readonly #subscriptions: Subscription[] = [];

  constructor(port: ConformancePort, engine: CheckedEngine, queue: string) {
    this.port = port;
    this.engine = engine;
    this.jobs = new Jobs(engine);
    this.lanes = new Lanes(engine);
    this.repeats = new Repeats(engine);
    this.queue = queue;
    this.base = baseKey(bytesOf(queue));
  }

  /** The name of a further queue, which is purged with this scenario's own. */
  otherQueue(suffix: string): string {
    const name = `${this.queue}.${suffix}`;
    this.otherBases.push(baseKey(bytesOf(name)));
    this.otherQueues.push(name);
    return name;
  }

  key(type: string): Bytes {
    return this.base + type;
  }

  row(id: string): Bytes {
    return `${this.base}job:${id}`;
  }

  /** A fresh job id; later ones are greater. */
  id(): string {
    return this.port.mint("JOB");
  }

  /** `count` fresh job ids in mint order; as many names can be given to them where the count is written out. */
  ids<Count extends number>(count: Count): Ids<Count> {
    return Array.from({ length: count }, () => this.id()) as Ids<Count>;
  }

  async command(...parts: Bytes[]): Promise<Reply> {
    return await this.engine.command(parts);
  }

  /** Runs a verb in its raw form on this queue; declared keys are built from the arguments. */
  async act(verb: Verb, args: readonly Bytes[], place: Omit<CallPlace, "base"> = {}): Promise<Reply> {
    return await this.engine.act(verb, callKeys(verb, args, { base: this.base, ...place }), args);
  }

  /** The text with which an act is refused; fails when it is not. */
  async refusal(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<string> {
    try {
      const reply = await this.engine.act(verb, keys, args);
      return fail(
        `${verb} ${JSON.stringify(args).slice(0, 200)} was not refused but answered ${JSON.stringify(reply)}`,
      );
    } catch (error) {
      if (!isEchoMQError(error)) throw error;
      return error.message;
    }
  }

  /** The refusal of a raw call on this queue. */
  async refusalOf(verb: Verb, args: readonly Bytes[], place: Omit<CallPlace, "base"> = {}): Promise<string> {
    return await this.refusal(verb, callKeys(verb, args, { base: this.base, ...place }), args);
  }

  /** Admits one job into the flat queue and answers its id. */
  async enqueued(payload = "work"): Promise<string> {
    const id = this.id();
    holds((await this.jobs.enqueue(this.queue, id, payload)) === "enqueued", `${id} could not be enqueued`);
    return id;
  }

  /** Admits `count` jobs into the flat queue, in mint order. */
  async enqueuedMany(count: number, payload = "work"): Promise<string[]> {
    const items = this.ids(count).map((id) => ({ id, payload }));
    const outcomes = await this.jobs.enqueueMany(this.queue, items);
    holds(
      outcomes.every((outcome) => outcome === "enqueued"),
      "not all jobs could be enqueued",
    );
    return items.map(({ id }) => id);
  }

  /** Claims the first flat job; fails when there is none. */
  async claimed(leaseMs = LEASE_MS): Promise<ClaimedJob> {
    return (await this.jobs.claim(this.queue, leaseMs)) ?? fail("nothing could be claimed");
  }

  /** Enqueues one job and claims it. */
  async active(payload = "work", leaseMs = LEASE_MS): Promise<ClaimedJob> {
    await this.enqueued(payload);
    return await this.claimed(leaseMs);
  }

  /** Enqueues one job and makes it dead by its first failure; answers its id. */
  async dead(error = "gave up"): Promise<string> {
    const { id, attempts } = await this.active();
    const outcome = await this.jobs.retry(this.queue, id, attempts, { delayMs: 10, maxAttempts: 1, error });
    holds(outcome === "dead", `a failed job of one attempt is ${outcome}, not dead`);
    return id;
  }

  /** Every field of a row, in the order in which they are stored; empty when there is no row. */
  async fields(id: string): Promise<Record<string, Bytes>> {
    return Object.fromEntries((await this.jobs.getRow(this.queue, id)) ?? []);
  }

  async field(id: string, name: string): Promise<Bytes | null> {
    return (await this.command("HGET", this.row(id), name)) as Bytes | null;
  }

  /** The members of a sorted set in their order. */
  async members(type: string): Promise<string[]> {
    return (await this.command("ZRANGE", this.key(type), "0", "-1")) as string[];
  }

  /** The score of a member, `null` when it is none. */
  async score(type: string, member: string): Promise<number | null> {
    const score = await this.command("ZSCORE", this.key(type), member);
    return score === null ? null : Number(score);
  }

  /** The items of a list in their order. */
  async list(type: string): Promise<Bytes[]> {
    return (await this.command("LRANGE", this.key(type), "0", "-1")) as Bytes[];
  }

  async exists(key: Bytes): Promise<boolean> {
    return (await this.command("EXISTS", key)) === 1;
  }

  /** Tokens in the wake list. */
  async tokens(): Promise<number> {
    return (await this.command("LLEN", this.key("wake"))) as number;
  }

  /** Takes every token out of the wake list, as workers would. */
  async takeTokens(): Promise<void> {
    await this.command("DEL", this.key("wake"));
  }

  /** The content of every key of this queue. */
  async snapshot(): Promise<Map<Bytes, string>> {
    return await snapshot(this.engine, this.base);
  }

  /** Lets the server's clock go on by at least `ms`. */
  async advance(ms: number): Promise<void> {
    await this.port.advance(ms);
  }

  /** Waits until `isThere`, for two seconds of the server's clock at least. */
  async until(isThere: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let look = 0; look < LOOKS_MAX; look++) {
      if (await isThere()) return;
      await this.port.advance(LOOK_MS);
    }
    fail(`${what} never came`);
  }

  /** Every message of a channel from now on, in a list that grows. */
  async messages(channel: Bytes): Promise<Bytes[]> {
    const messages: Bytes[] = [];
    this.#subscriptions.push(await this.engine.subscribe(channel, (payload) => messages.push(payload)));
    return messages;
  }

  /** Ends what the scenario opened. */
  async end(): Promise<void> {
    for (const subscription of this.#subscriptions.splice(0)) await subscription.close();
  }
}

/** A payload as a byte string. */
export function bytesIn(payload: Uint8Array): Bytes {
  return bytesFrom(payload);
}
