/**
 * The rule of declared keys, watched while acts run in process.
 *
 * A transition may touch a key that it declares, or a key of a declared base whose type its verb names in `uses` and
 * whose variable part it was given: as an argument, as a member or field name that this act read, as a field of a row
 * that this act read, or as the id that a deduplication key held. Anything else would run on the wrong node of a
 * cluster or leave the queue, and no other test would see it, because a single server finds every key.
 */

import { VERBS, type Verb } from "../../src/protocol/verbs.generated.ts";
import type { Argument, Command, Server, Transition } from "../../src/transition/server.ts";
import { TRANSITIONS } from "../../src/transition/transitions.generated.ts";

/** Commands whose arguments are all keys. */
const ALL_KEYS: ReadonlySet<Command> = new Set(["DEL", "EXISTS", "UNLINK"]);

/** Commands that answer members of a set or items of a list; some with scores between them, which name no key. */
const MEMBER_READERS: ReadonlySet<Command> = new Set([
  "ZPOPMIN",
  "ZRANGE",
  "ZRANGEBYSCORE",
  "ZREVRANGE",
  "LINDEX",
  "LPOP",
  "LMOVE",
  "LRANGE",
  "SMEMBERS",
  "SSCAN",
  "HKEYS",
  "HSCAN",
]);

/** Key types whose members or fields may become part of a key. */
const MEMBER_SOURCES = [
  "pending",
  "active",
  "schedule",
  "dead",
  "completed",
  "expiry",
  "ttl",
  "awaiting",
  "g:<group>:pending",
  "ring",
  "paused",
  "gactive",
  "glimit",
  "gweight",
  "rest",
  "repeat",
  "cron",
];

/** Fields of a row that may become part of a key. */
const ROW_FIELDS: ReadonlySet<string> = new Set(["group", "dedup", "alias", "next", "follows", "parent"]);

/** Fields of the record of a repeat that may become part of a key. */
const REPEAT_FIELDS: ReadonlySet<string> = new Set(["group", "dedup", "last"]);

/** The counters and the stream of events, which are named in the keys of all queues alike. */
const COMMON_NAMES = ["completed", "failed", "events"];

/** What one act was given that may become part of a key. */
class Watch {
  readonly #verb: Verb;
  readonly #declared: ReadonlySet<string>;
  readonly #base: string | undefined;
  readonly #names: Set<string>;

  constructor(verb: Verb, keys: readonly string[], args: readonly string[]) {
    const baseAt = VERBS[verb].keys.findIndex(({ type }) => type === "");
    this.#verb = verb;
    this.#base = keys[baseAt];
    this.#declared = new Set(keys.filter((_, at) => at !== baseAt));
    this.#names = new Set([...args, ...COMMON_NAMES]);
  }

  /** What is wrong with touching `key`, `undefined` when nothing is. */
  faultOf(key: string): string | undefined {
    if (key === this.#base) return `${this.#verb} touched the base key ${key}`;
    if (this.#declared.has(key)) return undefined;
    const types = VERBS[this.#verb].uses;
    if (this.#base === undefined || !key.startsWith(this.#base)) return `${this.#verb} touched the undeclared ${key}`;
    const suffix = key.slice(this.#base.length);
    const isAllowed = types.some((type) => {
      if (!type.includes("<")) return type === suffix;
      const name = nameIn(type, suffix);
      return name !== undefined && this.#names.has(name);
    });
    return isAllowed ? undefined : `${this.#verb} touched ${key}, of which it was not given the name`;
  }

  /** Remembers what a command answered. */
  learn(command: Command, args: readonly Argument[], reply: unknown): void {
    const [key, ...rest] = args.map(String);
    if (this.#base === undefined || key === undefined || !key.startsWith(this.#base)) return;
    const suffix = key.slice(this.#base.length);
    // A step of a scan answers its cursor and then the names, one level deeper.
    const values = Array.isArray(reply) ? reply.flat() : [reply];
    if (MEMBER_READERS.has(command) && MEMBER_SOURCES.some((type) => fits(type, suffix))) this.#add(values);
    // A field of `rate` is a letter and a lane.
    if (command === "HSCAN" && suffix === "rate") this.#add(values.map((value) => String(value).slice(1)));
    if (command === "GET" && fits("de:<dedup>", suffix)) this.#add(values);
    const isRepeat = fits("repeat:<name>", suffix) || fits("cron:<name>", suffix);
    if (command === "HMGET" && isRepeat) this.#add(values.filter((_, at) => REPEAT_FIELDS.has(rest[at] ?? "")));
    if ((command === "HMGET" || command === "HGET") && fits("job:<id>", suffix)) {
      this.#add(values.filter((_, at) => ROW_FIELDS.has(rest[at] ?? "")));
      // The lane of a job name that has a limit.
      const name = values[rest.indexOf("name")];
      if (rest.includes("name")) this.#names.add(typeof name === "string" ? `@${name}` : "@default");
    }
  }

  #add(values: readonly unknown[]): void {
    for (const value of values) if (typeof value === "string") this.#names.add(value);
  }
}

/** The text that stands for the variable part of a type; `undefined` for a key of another type. */
function nameIn(type: string, suffix: string): string | undefined {
  const [before = "", after = ""] = type.split(/<[a-z]+>/);
  if (!suffix.startsWith(before) || !suffix.endsWith(after)) return undefined;
  return suffix.slice(before.length, suffix.length - after.length);
}

function fits(type: string, suffix: string): boolean {
  return type.includes("<") ? nameIn(type, suffix) !== undefined : type === suffix;
}

/** Acts under watch, and what they touched without right. */
export interface WatchedTransitions {
  readonly transitions: Readonly<Record<Verb, Transition>>;
  /** Every fault so far; an act that has one also fails. */
  readonly faults: string[];
}

/** Puts each act under watch. */
export function watchedTransitions(transitions: Readonly<Record<Verb, Transition>> = TRANSITIONS): WatchedTransitions {
  const faults: string[] = [];
  const watched = (verb: Verb): Transition => {
    const transition = transitions[verb];
    return (server, keys, args) => {
      const watch = new Watch(verb, keys, args);
      const call = (command: Command, ...parts: Argument[]): unknown => {
        const touched = touchedBy(command, parts);
        for (const key of touched) {
          const fault = watch.faultOf(key);
          if (fault === undefined) continue;
          faults.push(fault);
          throw new Error(fault);
        }
        const reply = server.call(command, ...parts);
        watch.learn(command, parts, reply);
        return reply;
      };
      return transition({ ...server, call: call as Server["call"] }, keys, args);
    };
  };
  const table = Object.fromEntries((Object.keys(transitions) as Verb[]).map((verb) => [verb, watched(verb)]));
  return { transitions: table as Record<Verb, Transition>, faults };
}

function touchedBy(command: Command, parts: readonly Argument[]): string[] {
  const texts = parts.map(String);
  if (ALL_KEYS.has(command)) return texts;
  return command === "LMOVE" ? texts.slice(0, 2) : texts.slice(0, 1);
}
