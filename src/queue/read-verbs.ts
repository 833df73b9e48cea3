/**
 * The reading verbs of a queue: counts, states, rows and lists. None of them writes.
 *
 * Lists are read by rank with a bound that the caller gives, so no reading holds the server longer than its page.
 */

import type { Engine } from "../engine/engine.ts";
import { arrayOf, type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { laneNamePages } from "./lane-names.ts";
import { actOrRefusal, bytesReply, decimal, listOf, numberReply, pairsOf, QueueKeys } from "./verb-call.ts";

/**
 * What {@link ReadVerbs.getCounts} can count: members of sets, jobs that wait in `lanes`, and the counters `completed`
 * and `failed`. `awaiting` are the jobs that wait for their children.
 */
export const COUNT_WORDS = [
  "pending",
  "lanes",
  "active",
  "schedule",
  "awaiting",
  "dead",
  "completed",
  "failed",
] as const;

/** A word of {@link COUNT_WORDS}. */
export type CountWord = (typeof COUNT_WORDS)[number];

/** The counts that are sets, in the order in which the wire is asked; the rest are counters. */
const SET_WORDS = ["pending", "active", "schedule", "awaiting", "dead"] as const;
const COUNTER_WORDS = ["lanes", "completed", "failed"] as const;

/** Words of other queues, and of other places of this one, with the word to use. */
const COUNT_WORD_FOR: Readonly<Record<string, CountWord>> = {
  wait: "pending",
  waiting: "pending",
  prioritized: "pending",
  // A paused queue keeps its jobs where they are.
  paused: "pending",
  delayed: "schedule",
  scheduled: "schedule",
  awaiting_children: "awaiting",
};

/** The states whose jobs {@link ReadVerbs.getIds} can list, with the set in which they stand. */
const LISTED = {
  pending: "pending",
  active: "active",
  scheduled: "schedule",
  awaiting_children: "awaiting",
  dead: "dead",
  completed: "completed",
} as const;

/** A state whose jobs can be listed. */
export type ListedState = keyof typeof LISTED;

/** All of them. */
export const LISTED_STATES = Object.keys(LISTED) as readonly ListedState[];

/** Words of other queues for these states, and near ones of this queue, with the word to use. */
const LISTED_WORD_FOR: Readonly<Record<string, ListedState>> = {
  wait: "pending",
  waiting: "pending",
  prioritized: "pending",
  paused: "pending",
  delayed: "scheduled",
  schedule: "scheduled",
  awaiting: "awaiting_children",
  failed: "dead",
};

/** Lines of a log that one command reads, so that a long one holds up nobody. */
const LOG_LINES_AT_ONCE = 5000;

/** Ranks of a sorted set, both inclusive. */
export interface RankRange {
  readonly start: number;
  readonly end: number;
  /** Lowest score first; otherwise highest. */
  readonly ascending: boolean;
}

/** Throughput of a queue since its counters began. */
export interface Metrics {
  readonly count: number;
  /** Points of the series that stand behind the counter. */
  readonly dataPoints: number;
}

/** The reading plane of {@link import("./jobs.ts").Jobs}. */
export class ReadVerbs {
  protected readonly engine: Engine;
  /** The keys of the queue that was used last: nearly every caller stays with one. */
  #keys: QueueKeys | undefined;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** The keys of a queue. Throws `invalid_queue`. */
  protected keysOf(queue: string): QueueKeys {
    if (this.#keys?.queue !== queue) this.#keys = new QueueKeys(queue);
    return this.#keys;
  }

  /**
   * Counts by the words of the wire; words given twice count once, none given is an empty record.
   *
   * `pending` counts flat work only, `lanes` the jobs that wait in lanes: of the same instant while there are fewer
   * than a thousand of these, else summed page by page. `completed` and `failed` are counters and never fall.
   *
   * @throws EchoMQError `unknown_state`, naming the word to use, before anything is asked.
   */
  async getCounts<W extends CountWord>(queue: string, words: readonly W[]): Promise<Record<W, number>> {
    const keys = this.keysOf(queue);
    for (const word of words) assertCountWord(word);
    const asked = new Set<CountWord>(words);
    const counts: Partial<Record<CountWord, number>> = {};
    if (asked.size > 0) {
      // `pending` is always declared, so its size is read whether or not it was asked for.
      const sets = SET_WORDS.filter((word) => word === "pending" || asked.has(word));
      const counters = COUNTER_WORDS.filter((word) => asked.has(word));
      const setKeys = sets.map((word) => keys[word]);
      const reply = listOf(await this.engine.act("COUNTS", [keys.base, ...setKeys], counters));
      for (const [at, word] of [...sets, ...counters].entries()) {
        if (asked.has(word)) counts[word] = numberReply(reply[at]);
      }
      if (counts.lanes === -1) counts.lanes = await this.#sumLanes(keys);
    }
    return counts as Record<W, number>;
  }

  /** The jobs that wait in more lanes than one act may look at. */
  async #sumLanes(keys: QueueKeys): Promise<number> {
    let sum = 0;
    for await (const names of laneNamePages(this.engine, keys)) {
      const sizes = names.map((name) => this.engine.command(["ZCARD", `${keys.base}g:${name}:pending`]));
      for (const size of await Promise.all(sizes)) sum += numberReply(size);
    }
    return sum;
  }

  /** How many jobs stand in the list of each state; `pending` and `completed` are lists here, not counters. */
  async getSizes<S extends ListedState>(queue: string, states: readonly S[]): Promise<Record<S, number>> {
    const { base, pending } = this.keysOf(queue);
    for (const state of states) assertListedState(state);
    const more = states.filter((state) => state !== "pending");
    const sets = more.map((state) => this.listKey(queue, state));
    const reply = listOf(await this.engine.act("COUNTS", [base, pending, ...sets], []));
    const sizes: Partial<Record<ListedState, number>> = { pending: numberReply(reply[0]) };
    for (const [at, state] of more.entries()) sizes[state] = numberReply(reply[at + 1]);
    return sizes as Record<S, number>;
  }

  /** The key of the list in which the jobs of a state stand. */
  listKey(queue: string, state: ListedState): Bytes {
    return this.keysOf(queue).base + LISTED[state];
  }

  /** Where a job is: a state word, `unknown` for a row that stands nowhere, `absent` for no row. */
  async getState(queue: string, id: string): Promise<StateAnswer> {
    const keys = this.keysOf(queue);
    const row = keys.row(id);
    const places = [keys.pending, keys.active, keys.schedule, keys.dead, row, keys.base];
    return bytesReply(await this.engine.act("STATE", places, [id])) as StateAnswer;
  }

  /** Every stored field of a job, values as byte strings; `undefined` when there is no row. */
  async getRow(queue: string, id: string): Promise<Map<string, Bytes> | undefined> {
    const fields = pairsOf(await this.engine.command(["HGETALL", this.keysOf(queue).row(id)]));
    return fields.size === 0 ? undefined : fields;
  }

  /**
   * The log lines of a job, oldest first, or `gone`. Of more than 5000 lines, which are read in parts, some may be
   * missing when older ones are dropped meanwhile.
   */
  async getLogs(queue: string, id: string): Promise<Uint8Array[] | "gone"> {
    const row = this.keysOf(queue).row(id);
    // Both are sent at once: a row that goes between the two leaves a list that goes with it.
    const [exists, first] = await Promise.all([this.engine.command(["EXISTS", row]), this.#logPart(row, 0)]);
    if (numberReply(exists) === 0) return "gone";
    const lines = [...first];
    for (let size = first.length; size === LOG_LINES_AT_ONCE; ) {
      const part = await this.#logPart(row, lines.length);
      lines.push(...part);
      size = part.length;
    }
    return lines;
  }

  /** Lines of a job's log from a place on. */
  async #logPart(row: Bytes, from: number): Promise<Uint8Array[]> {
    const range = [String(from), String(from + LOG_LINES_AT_ONCE - 1)];
    const reply = await this.engine.command(["LRANGE", `${row}:logs`, ...range]);
    return listOf(reply).map((line) => arrayOf(bytesReply(line)));
  }

  /** How many jobs ended `completed` or `failed` so far. */
  async getMetrics(queue: string, which: "completed" | "failed"): Promise<Metrics> {
    if (which !== "completed" && which !== "failed") {
      throw new EchoMQError("unknown_state", `${quote(which)} has no counter: use completed or failed`);
    }
    const key = `${this.keysOf(queue).base}metrics:${which}`;
    const [count, points] = await Promise.all([
      this.engine.command(["HGET", key, "count"]),
      this.engine.command(["LLEN", `${key}:data`]),
    ]);
    return { count: count === null ? 0 : numberReply(count), dataPoints: numberReply(points) };
  }

  /** How many jobs ended `completed` or `failed`, by minutes since 1970; those of the last four hours are there. */
  async getMinutes(queue: string, which: "completed" | "failed"): Promise<Map<number, number>> {
    const key = `${this.keysOf(queue).base}metrics:${which}:minutes`;
    const fields = pairsOf(await this.engine.command(["HGETALL", key]));
    return new Map([...fields].map(([minute, count]) => [Number(minute), Number(count)]));
  }

  /**
   * The state words of jobs as their rows have it, by id: `absent` for a row that is gone. One read for each id, sent
   * together; at most 1000 ids.
   */
  async getStates(queue: string, ids: Iterable<string>): Promise<Map<string, string>> {
    const { base } = this.keysOf(queue);
    const read = async (id: string): Promise<[string, string]> => {
      const state = await this.engine.command(["HGET", `${base}job:${id}`, "state"]);
      return [id, state === null ? "absent" : bytesReply(state)];
    };
    return new Map(await Promise.all([...ids].map(read)));
  }

  /** {@link ReadVerbs.getDedup} of a name that is a byte string already. */
  async getNamed(queue: string, name: Bytes): Promise<string | undefined> {
    const reply = await this.engine.command(["GET", `${this.keysOf(queue).base}de:${name}`]);
    return reply === null ? undefined : bytesReply(reply);
  }

  /** Frees a name of `de:<name>`, whoever holds it; whether anybody did. */
  async freeName(queue: string, name: Bytes): Promise<boolean> {
    return (await this.engine.command(["DEL", `${this.keysOf(queue).base}de:${name}`])) === 1;
  }

  /** The id that a deduplication key holds, whether or not its job still lives; `undefined` for none. */
  async getDedup(queue: string, dedupId: string): Promise<string | undefined> {
    const reply = await this.engine.command(["GET", `${this.keysOf(queue).base}de:${bytesOf(dedupId)}`]);
    return reply === null ? undefined : bytesReply(reply);
  }

  /** `rate` when as many jobs are active as the queue's concurrency ceiling allows, else `ok`. */
  async isMaxed(queue: string): Promise<"ok" | "rate"> {
    const { meta, active } = this.keysOf(queue);
    const reply = await actOrRefusal(this.engine, { verb: "MAXED", keys: [meta, active], args: [] }, ["rate"]);
    return reply === "rate" ? "rate" : "ok";
  }

  /**
   * For how many ms the rate of the queue is spent; 0 when it is not. `max` (0 for the one that is set) is the number
   * of claims that count as spent.
   */
  async rateLimitTtl(queue: string, max = 0): Promise<number> {
    const { meta, base } = this.keysOf(queue);
    return numberReply(await this.engine.act("RATETTL", [`${base}limiter`, meta], [decimal(max, "max")]));
  }

  /** Whether the queue is paused. */
  async isPaused(queue: string): Promise<boolean> {
    return (await this.engine.command(["HGET", this.keysOf(queue).meta, "paused"])) !== null;
  }

  /**
   * Up to `n` (1 to 1000) ids of flat pending jobs, from the end of the line on: newest mint first within a priority.
   */
  async browse(queue: string, n: number): Promise<string[]> {
    return await this.getIds(queue, "pending", { start: 0, end: n - 1, ascending: false });
  }

  /** How many flat jobs are pending. */
  async pendingSize(queue: string): Promise<number> {
    return numberReply(await this.engine.command(["ZCARD", this.keysOf(queue).pending]));
  }

  /**
   * Ids of one state by rank: pending by priority and mint order, active by the end of the lease, scheduled by the due
   * time, dead by mint order, completed by when they ended. `pending` lists flat work only.
   */
  async getIds(queue: string, state: ListedState, range: RankRange): Promise<string[]> {
    assertListedState(state);
    if (range.end < range.start) return [];
    const key = this.listKey(queue, state);
    const parts = ["ZRANGE", key, decimal(range.start, "start"), decimal(range.end, "end")];
    if (!range.ascending) parts.push("REV");
    return listOf(await this.engine.command(parts)).map((member) => bytesReply(member));
  }
}

/** Throws `unknown_state` with the right word for anything but a count word. */
export function assertCountWord(word: unknown): asserts word is CountWord {
  if ((COUNT_WORDS as readonly unknown[]).includes(word)) return;
  const better = betterWord(word, COUNT_WORD_FOR);
  const advice = better === undefined ? `use ${COUNT_WORDS.join(", ")}` : `use ${better}`;
  throw new EchoMQError("unknown_state", `There is no count ${quote(word)}: ${advice}`, {
    details: { word, ...(better === undefined ? {} : { use: better }) },
  });
}

/** The state that a word of other queues means; `undefined` when it means none, or is one already. */
export function listedWordFor(word: unknown): ListedState | undefined {
  return betterWord(word, LISTED_WORD_FOR);
}

/** Throws `unknown_state` with the right word for anything but a state that can be listed. */
export function assertListedState(word: unknown): asserts word is ListedState {
  if (typeof word === "string" && Object.hasOwn(LISTED, word)) return;
  const better = listedWordFor(word);
  const known = `use ${LISTED_STATES.join(", ")}`;
  const advice = better === undefined ? known : `use ${better}`;
  throw new EchoMQError("unknown_state", `There is no list of ${quote(word)} jobs: ${advice}`, {
    details: { word, ...(better === undefined ? {} : { use: better }) },
  });
}

/** The word to use in place of a foreign one; names that every object has, such as `toString`, are no words. */
function betterWord<Word extends string>(word: unknown, words: Readonly<Record<string, Word>>): Word | undefined {
  return typeof word === "string" && Object.hasOwn(words, word) ? words[word] : undefined;
}
