/**
 * The low-level verbs of repeats, one method a verb, one act a call.
 *
 * A repeat lies in one of two sets. `repeat` is the one of the wire before this one: a name, a period, a payload.
 * `cron` is that of the schedulers of a `Queue`, whose jobs have names and options and whose next occurrence whoever
 * fires works out. Each act is about one set, and no name of one is known in the other. docs/protocol/repeats.md says
 * what each does.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { assertName } from "./option-check.ts";
import { readServerNow } from "./server-clock.ts";
import {
  actOrRefusal,
  bytesReply,
  type Data,
  dataBytes,
  decimal,
  listOf,
  numberReply,
  QueueKeys,
  unexpected,
} from "./verb-call.ts";

/** The set in which a repeat lies. */
export type RepeatSet = "repeat" | "cron";

/** The score of a repeat that has ended: an instant that never comes. */
export const ENDED_AT = Number.MAX_SAFE_INTEGER;

/** Parts of an entry of `DUE`. */
const ENTRY_PARTS = 10;

/** Why slots are left out. */
export type SkipReason = "missed" | "dst" | "hand";

/** What a repeat of the set `cron` is, every text already a byte string. */
export interface RepeatContent {
  /** The fixed period in ms; 0 where whoever fires says the next occurrence. */
  readonly everyMs: number;
  /** The payload of each job. */
  readonly template: Bytes;
  /** The server instant of the first occurrence, in ms; {@link ENDED_AT} for none. */
  readonly firstAtMs: number;
  /** Words and values in turn, in the order of the contract (spec/repeat/repeat.json). */
  readonly pairs: readonly Bytes[];
}

/** A repeat that is due. */
export interface DueRepeat {
  readonly set: RepeatSet;
  readonly name: Bytes;
  readonly dueAtMs: number;
  /** `undefined` for a member of the set without a record. */
  readonly everyMs: number | undefined;
  /** The revision of the record, 0 where it has none. */
  readonly rev: number;
  /** Empty where the record has none. */
  readonly rule: Bytes;
  readonly policy: Bytes;
  readonly limit: number | undefined;
  readonly untilMs: number | undefined;
  readonly fired: number;
}

/** What is due in a queue. */
export interface DueRepeats {
  /** The server's clock. */
  readonly nowMs: number;
  /** The first occurrence after it; `undefined` for none. */
  readonly nextAtMs: number | undefined;
  readonly entries: readonly DueRepeat[];
}

/** A repeat as it stands. */
export interface ShownRepeat {
  /** Its next occurrence in server ms, {@link ENDED_AT} for none. */
  readonly nextAtMs: number;
  /** The fields of its record. */
  readonly record: ReadonlyMap<string, Bytes>;
}

/** An occurrence that is to be fired. */
export interface Firing {
  readonly id: string;
  /** The next occurrence of the repeat as it was read. */
  readonly dueAtMs: number;
  /** The one after it; absent, it is worked out from the period. */
  readonly nextAtMs?: number;
  /** More that whoever fires has worked out, from the record of this revision. */
  readonly plan?: FiringPlan;
}

/** What a firing says beyond the wire's own four arguments. */
export interface FiringPlan {
  readonly rev: number;
  /** The instant that the job carries. */
  readonly slotAtMs: number;
  /** How long after it the job falls due. */
  readonly delayMs: number;
  readonly skipped?: Skipped;
}

/** Slots that are left out. */
export interface Skipped {
  readonly count: number;
  /** The last of them. */
  readonly slotAtMs: number;
  readonly why: SkipReason;
}

/**
 * What became of an occurrence: `fired`; `overlapping`, left out because of those before it; `held`, by a deduplication
 * id; `not_due`, or fired by another, or changed; `gone`, there is no such repeat.
 */
export type FiringOutcome = "fired" | "overlapping" | "held" | "not_due" | "gone";

/** The verbs of repeats on one engine. Holds no connection of its own and needs no closing. */
export class Repeats {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Registers a repeat of a fixed period in the set `repeat`; one of that name that is there stays as it is.
   *
   * @param options.everyMs from 1 on. @param options.firstInMs how long from now to its first occurrence, default 0.
   */
  async register(
    queue: string,
    name: string,
    options: { readonly everyMs: number; readonly template: Data; readonly firstInMs?: number },
  ): Promise<"registered" | "exists"> {
    const firstAt = (await readServerNow(this.#engine)) + (options.firstInMs ?? 0);
    const [every, template] = [decimal(options.everyMs, "everyMs"), dataBytes(options.template)];
    const args = ["create", every, template, decimal(firstAt, "firstInMs")];
    return wordOf(await this.#act("REPEAT", this.#place(queue, name, "repeat"), args), {
      1: "registered",
      0: "exists",
    });
  }

  /** Registers a repeat in the set `cron`, or gives the one of that name this content. */
  async put(queue: string, name: string, content: RepeatContent): Promise<"added" | "replaced" | "unchanged"> {
    const { everyMs, template, firstAtMs, pairs } = content;
    const args = ["replace", String(everyMs), template, String(firstAtMs), ...pairs];
    const reply = await this.#act("REPEAT", this.#place(queue, name, "cron"), args);
    return wordOf(reply, { 1: "added", 2: "replaced", 0: "unchanged" });
  }

  /** Takes a repeat away; jobs that it has made stay. */
  async cancel(queue: string, name: string, set: RepeatSet = "repeat"): Promise<"cancelled" | "absent"> {
    const reply = await this.#act("UNREPEAT", this.#place(queue, name, set), []);
    return wordOf(reply, { 1: "cancelled", 0: "absent" });
  }

  /** Moves the next occurrence of a repeat to the server instant `nextAtMs`, whatever it was. */
  async advance(
    queue: string,
    name: string,
    nextAtMs: number,
    set: RepeatSet = "repeat",
  ): Promise<"advanced" | "absent"> {
    const { keys, name: bytes } = this.#place(queue, name, set);
    const args = [bytes, decimal(nextAtMs, "nextAtMs")];
    const reply = await this.#engine.act("ADVANCE", keys.slice(0, 2), args);
    return wordOf(reply, { 1: "advanced", 0: "absent" });
  }

  /** Makes a job of the occurrence that is due, and moves on to the next one. */
  async fire(queue: string, name: string, firing: Firing, set: RepeatSet = "repeat"): Promise<FiringOutcome | "kind"> {
    const { id, dueAtMs, nextAtMs, plan } = firing;
    const args = [id, decimal(dueAtMs, "dueAtMs"), nextAtMs === undefined ? "" : decimal(nextAtMs, "nextAtMs")];
    if (plan !== undefined) {
      args.push(decimal(plan.rev, "rev"), decimal(plan.slotAtMs, "slotAtMs"), decimal(plan.delayMs, "delayMs"));
      if (plan.skipped !== undefined) args.push(...skippedArguments(plan.skipped));
    }
    return await this.#fired("FIRE", this.#place(queue, name, set), args);
  }

  /** Makes a job of a repeat at once; its next occurrence stays. */
  async fireNow(queue: string, name: string, id: string, set: RepeatSet = "cron"): Promise<FiringOutcome | "kind"> {
    return await this.#fired("FIRENOW", this.#place(queue, name, set), [id]);
  }

  /** Leaves out the next occurrence `dueAtMs` of a repeat, due or not, and moves on to `nextAtMs`. */
  async skip(
    queue: string,
    name: string,
    options: {
      readonly dueAtMs: number;
      readonly rev: number;
      readonly nextAtMs: number;
      readonly skipped: Skipped;
    },
    set: RepeatSet = "cron",
  ): Promise<"skipped" | "changed" | "gone"> {
    const { dueAtMs, rev, nextAtMs, skipped } = options;
    const args = [dueAtMs, rev, nextAtMs].map((number) => decimal(number, "nextAtMs"));
    const reply = await this.#act("SKIP", this.#place(queue, name, set), [...args, ...skippedArguments(skipped)]);
    return wordOf(reply, { 1: "skipped", 0: "changed", "-1": "gone" });
  }

  /**
   * What is due in a queue, at most `limit` (1 to 1000, default 100) of each set.
   *
   * @param options.offsets entries of each set to pass over, since they cannot be fired here.
   */
  async due(
    queue: string,
    options: { readonly limit?: number; readonly offsets?: Readonly<Record<RepeatSet, number>> } = {},
  ): Promise<DueRepeats> {
    const { base } = new QueueKeys(queue);
    const { limit = 100, offsets = { repeat: 0, cron: 0 } } = options;
    const args = [String(offsets.cron), String(offsets.repeat), decimal(limit, "limit")];
    const reply = listOf(await this.#engine.act("DUE", [`${base}repeat`, `${base}cron`, base], args));
    const next = numberReply(reply[1]);
    const parts = listOf(reply[2] ?? null).map(bytesReply);
    const entries: DueRepeat[] = [];
    for (let at = 0; at + ENTRY_PARTS <= parts.length; at += ENTRY_PARTS) {
      entries.push(dueRepeat(parts.slice(at, at + ENTRY_PARTS)));
    }
    return { nowMs: numberReply(reply[0]), nextAtMs: next < 0 ? undefined : next, entries };
  }

  /**
   * What stands of up to 100 repeats of a set, at one instant: `undefined` for one without a record or an occurrence.
   */
  async show(queue: string, names: readonly Bytes[], set: RepeatSet = "cron"): Promise<(ShownRepeat | undefined)[]> {
    const { base } = new QueueKeys(queue);
    const reply = listOf(await this.#engine.act("SHOW", [`${base}${set}`, base], names));
    return reply.map((shown) => shownRepeat(listOf(shown).map(bytesReply)));
  }

  /** How many repeats a set has. */
  async count(queue: string, set: RepeatSet = "repeat"): Promise<number> {
    return numberReply(await this.#engine.command(["ZCARD", `${new QueueKeys(queue).base}${set}`]));
  }

  async #fired(verb: "FIRE" | "FIRENOW", place: RepeatPlace, args: readonly Bytes[]): Promise<FiringOutcome | "kind"> {
    const { base, keys, name } = place;
    const [set = "", record = ""] = keys;
    const call = { verb, keys: [set, record, `${base}job:${args[0] ?? ""}`, base], args: [name, ...args] };
    const reply = await actOrRefusal(this.#engine, call, ["kind"]);
    if (reply === "kind") return reply;
    return wordOf(reply, { 1: "fired", 2: "overlapping", 3: "held", 0: "not_due", "-1": "gone" });
  }

  async #act(verb: Verb, place: RepeatPlace, args: readonly Bytes[]): Promise<unknown> {
    return await this.#engine.act(verb, place.keys, [place.name, ...args]);
  }

  #place(queue: string, name: string, set: RepeatSet): RepeatPlace {
    assertName(name, "repeat", { mayBeEmpty: false });
    const { base } = new QueueKeys(queue);
    const bytes = bytesOf(name);
    return { base, name: bytes, keys: [`${base}${set}`, `${base}${set}:${bytes}`, base] };
  }
}

/** Where one repeat lies. */
interface RepeatPlace {
  readonly base: Bytes;
  readonly name: Bytes;
  /** Set, record, base. */
  readonly keys: readonly Bytes[];
}

function skippedArguments({ count, slotAtMs, why }: Skipped): Bytes[] {
  return [String(count), String(slotAtMs), why];
}

/** The entry of a repeat that is due. A number that another speaker has garbled is as if it were absent. */
function dueRepeat(parts: readonly Bytes[]): DueRepeat {
  const [set, name = "", dueAt, every, rev, rule = "", policy = "", limit, until, fired] = parts;
  return {
    set: set === "repeat" ? "repeat" : "cron",
    name,
    dueAtMs: wholeOf(dueAt) ?? 0,
    everyMs: wholeOf(every),
    rev: wholeOf(rev) ?? 0,
    rule,
    policy,
    limit: wholeOf(limit),
    untilMs: wholeOf(until),
    fired: wholeOf(fired) ?? 0,
  };
}

function shownRepeat([score = "", ...parts]: readonly Bytes[]): ShownRepeat | undefined {
  const record = new Map<string, Bytes>();
  for (let at = 0; at + 1 < parts.length; at += 2) record.set(parts[at] ?? "", parts[at + 1] ?? "");
  return score === "" || !record.has("template") ? undefined : { nextAtMs: wholeOf(score) ?? 0, record };
}

/** The whole number that a text is, `undefined` for anything else. */
export function wholeOf(text: Bytes | undefined): number | undefined {
  const number = text === undefined || !/^\d+$/.test(text) ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

function wordOf<const Words extends Readonly<Record<string, string>>>(
  reply: unknown,
  words: Words,
): Words[keyof Words] {
  const word = typeof reply === "number" ? words[String(reply) as keyof Words] : undefined;
  if (word === undefined) throw unexpected(reply);
  return word;
}
