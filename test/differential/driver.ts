/**
 * Plays one random sequence of acts on two engines and compares all that can be seen: each reply, each message, and
 * every key of the queue.
 *
 * Both sides read the same clock (`script-server.ts` says how), so equality is exact. A difference of keys is found at
 * the next comparison; the run is then repeated from its seed up to there, with a comparison after every step, which
 * names the first step that differed.
 */

import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import type { Engine, Reply, Subscription } from "../../src/engine/engine.ts";
import { refusalWord } from "../../src/engine/refusal.ts";
import { isEchoMQError } from "../../src/protocol/errors.ts";
import type { Verb } from "../../src/protocol/verbs.generated.ts";
import { dumpQueue, type KeyDump } from "../../src/testing/dump.ts";
import { checkInvariants, violationText } from "../../src/testing/invariants.ts";
import { createRandom, createTestPorts, type TestPorts } from "../../src/testing/test-ports.ts";
import { watchedTransitions } from "../conformance/declared-keys.ts";
import { ActSource, type Step } from "./act-source.ts";
import type { ClockedEngine } from "./script-server.ts";

const QUEUE = "twin";
const CHANNELS = [`emq:{${QUEUE}}:events`, `emq:{${QUEUE}}:results`, `emq:{${QUEUE}}:control`];

/** Where the clock of a run starts, in the year 2060: a key that expires by it never does by the server's own. */
const START_AT = 2_840_140_800_000;

/** Steps that a report shows before the one that differed. */
const HISTORY = 12;

/** Longest wait for a message of the server, in ms. */
const MESSAGE_MS_MAX = 5000;

/** The server side of a run. */
export interface ServerSide {
  readonly server: ClockedEngine;
  /** Hears the channels of the same server. */
  readonly listener: Engine;
}

export interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  /** `clean` runs keep every invariant, which is checked; `foreign` runs break them on purpose. */
  readonly mode: "clean" | "foreign";
  /** Steps between two comparisons of all keys; default 25. */
  readonly checkEvery?: number;
}

/** What differed, and where. */
export class Divergence {
  readonly step: number;
  readonly what: string;
  readonly history: readonly string[];

  constructor(step: number, what: string, history: readonly string[]) {
    this.step = step;
    this.what = what;
    this.history = history;
  }

  /** A report that says how to see it again. */
  text({ seed, mode }: RunOptions): string {
    return `seed ${seed} (${mode}), step ${this.step}: ${this.what}\n${this.history.join("\n")}`;
  }
}

/** Plays a run; resolves to the report of the first difference, `undefined` when there is none. */
export async function play(side: ServerSide, options: RunOptions): Promise<string | undefined> {
  const found = await new Run(side, options).play();
  if (found === undefined) return undefined;
  const again = { ...options, steps: found.step + 1, checkEvery: 1 };
  // The repeated run ends where the first one did, at the latest.
  return ((await new Run(side, again).play()) ?? found).text(options);
}

/** One run on a fresh pair of engines. */
class Run {
  readonly #side: ServerSide;
  readonly #options: RunOptions;
  readonly #ports: TestPorts;
  readonly #embedded: EmbeddedEngine;
  readonly #faults: readonly string[];
  readonly #source: ActSource;
  readonly #history: string[] = [];
  readonly #heard = { embedded: [] as string[], server: [] as string[] };

  constructor(side: ServerSide, options: RunOptions) {
    const { transitions, faults } = watchedTransitions();
    const random = createRandom(options.seed);
    this.#side = side;
    this.#options = options;
    this.#ports = createTestPorts({ seed: options.seed, now: START_AT });
    this.#embedded = new EmbeddedEngine({ ports: this.#ports, transitions });
    this.#faults = faults;
    const isForeign = options.mode === "foreign";
    this.#source = new ActSource({ queue: QUEUE, random, now: this.#ports.clock.now(), isForeign });
  }

  async play(): Promise<Divergence | undefined> {
    const { steps, checkEvery = 25 } = this.#options;
    await this.#side.server.command(["FLUSHALL"]);
    await this.#side.server.setClock(this.#ports.clock.now());
    const subscriptions: Subscription[] = [];
    for (const channel of CHANNELS) {
      subscriptions.push(
        await this.#embedded.subscribe(channel, (message) => this.#heard.embedded.push(message)),
        await this.#side.listener.subscribe(channel, (message) => this.#heard.server.push(message)),
      );
    }
    try {
      for (const step of this.#source.preparation()) await this.#both(step);
      for (let at = 0; at < steps; at++) {
        const isCheck = (at + 1) % checkEvery === 0 || at === steps - 1;
        const what = (await this.#take(this.#source.next())) ?? (isCheck ? await this.#compare() : undefined);
        if (what !== undefined) return new Divergence(at, what, this.#history);
      }
      return undefined;
    } finally {
      for (const subscription of subscriptions) await subscription.close();
      await this.#embedded.close();
    }
  }

  /** Takes one step on both sides; what differed in the answers. */
  async #take(step: Step): Promise<string | undefined> {
    const [embedded, server] = await this.#both(step);
    this.#history.push(`${JSON.stringify(step).slice(0, 500)} -> ${JSON.stringify(embedded).slice(0, 300)}`);
    if (this.#history.length > HISTORY) this.#history.shift();
    if (this.#faults.length > 0) return this.#faults.join("; ");
    if (!isDeepStrictEqual(embedded, server)) {
      return `answers differ\n  embedded ${JSON.stringify(embedded)}\n  server   ${JSON.stringify(server)}`;
    }
    if (!isRefused(embedded)) this.#source.learn(step, embedded);
    return undefined;
  }

  async #both(step: Step): Promise<[Answer, Answer]> {
    const { server } = this.#side;
    switch (step.kind) {
      case "clock":
        this.#ports.clock.shift(step.ms);
        await server.setClock(this.#ports.clock.now());
        return [null, null];
      case "command":
        return await this.#ask((engine) => engine.command(step.parts));
      case "act":
        return await this.#ask(async (engine) =>
          orderless(step.verb, await engine.act(step.verb, step.keys, step.args)),
        );
    }
  }

  async #ask(call: (engine: Engine) => Promise<Reply>): Promise<[Answer, Answer]> {
    return await Promise.all([answerOf(call(this.#embedded)), answerOf(call(this.#side.server))]);
  }

  /** Compares keys and messages, and judges the invariants of a clean run. */
  async #compare(): Promise<string | undefined> {
    const [embedded, server] = await Promise.all([
      dumpQueue(this.#embedded, QUEUE),
      dumpQueue(this.#side.server, QUEUE),
    ]);
    const different = differenceOf(embedded, server);
    if (different !== undefined) return different;
    if (this.#options.mode === "clean") {
      const violations = await checkInvariants(this.#embedded, QUEUE);
      if (violations.length > 0) return `an invariant is broken\n${violationText(violations)}`;
    }
    return await this.#compareMessages();
  }

  async #compareMessages(): Promise<string | undefined> {
    const { embedded, server } = this.#heard;
    await this.#ports.clock.settle();
    const end = performance.now() + MESSAGE_MS_MAX;
    while (server.length < embedded.length && performance.now() < end) await pause(1);
    if (isDeepStrictEqual(embedded, server)) return undefined;
    return `messages differ\n  embedded ${JSON.stringify(embedded)}\n  server   ${JSON.stringify(server)}`;
  }
}

/** A reply, or the text of a refusal. */
type Answer = Reply | { readonly refused: string };

/** The reply with the names of fields in an order of their own: no two hashes keep the same one. */
function orderless(verb: Verb, reply: Reply): Reply {
  if (verb !== "EXAMINE") return reply;
  const [now = null, lane = null, dedup = null, jobs] = reply as readonly Reply[];
  const sorted = (jobs as readonly (readonly Reply[])[]).map((job) =>
    job.map((part, at) => (at === 1 ? [...(part as readonly string[])].sort() : part)),
  );
  return [now, lane, dedup, sorted];
}

function isRefused(answer: Answer): answer is { readonly refused: string } {
  return typeof answer === "object" && answer !== null && "refused" in answer;
}

/** Our own refusals are compared whole, the server's by their first word. */
async function answerOf(reply: Promise<Reply>): Promise<Answer> {
  try {
    return await reply;
  } catch (error) {
    if (!isEchoMQError(error)) throw error;
    const isOwn = error.code === "internal" || error.message.startsWith("EMQ") || error.message.includes("EMQ.");
    return { refused: isOwn ? error.message : refusalWord(error.message) };
  }
}

/** The first keys that differ. */
function differenceOf(embedded: readonly KeyDump[], server: readonly KeyDump[]): string | undefined {
  if (isDeepStrictEqual(embedded, server)) return undefined;
  const left = new Map(embedded.map((dump) => [dump.suffix, dump]));
  const right = new Map(server.map((dump) => [dump.suffix, dump]));
  const suffixes = [...new Set([...left.keys(), ...right.keys()])].sort();
  const lines = suffixes
    .filter((suffix) => !isDeepStrictEqual(left.get(suffix), right.get(suffix)))
    .slice(0, 5)
    .map((suffix) => {
      const texts = [left, right].map((side) => JSON.stringify(side.get(suffix) ?? "absent").slice(0, 600));
      return `${suffix}\n  embedded ${texts[0]}\n  server   ${texts[1]}`;
    });
  return `keys differ\n${lines.join("\n")}`;
}
