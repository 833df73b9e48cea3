/**
 * Draws the acts of a run: mostly such as a worker and a producer send, sometimes such as nobody should.
 *
 * It knows a handful of ids and the tokens that claims gave, so that most acts hit a job that exists; everything that
 * it draws depends on the seed and on earlier replies only. In a `foreign` run plain commands also pull rows, members
 * and counters away under the acts, as other speakers, half-finished migrations and operators do.
 */

import { callKeys } from "../../src/conformance/call-keys.ts";
import type { Reply } from "../../src/engine/engine.ts";
import { createMinter } from "../../src/protocol/mint.ts";
import type { Verb } from "../../src/protocol/verbs.generated.ts";

/** One step of a run. */
export type Step =
  | { readonly kind: "act"; readonly verb: Verb; readonly keys: readonly string[]; readonly args: readonly string[] }
  | { readonly kind: "command"; readonly parts: readonly string[] }
  | { readonly kind: "clock"; readonly ms: number };

export interface ActSourceOptions {
  readonly queue: string;
  /** From 0 (inclusive) to 1 (exclusive), the same sequence for the same seed. */
  readonly random: () => number;
  /** The instant at which the run starts, in Unix ms. */
  readonly now: number;
  /** Whether plain commands break what acts keep. */
  readonly isForeign: boolean;
}

/** Job ids in play; few, so that acts meet. */
const IDS = 64;

/** Lanes in play. Two have names that a table of a host language would trip over. */
const LANES = ["a", "b", "c", "__proto__", "x:y"];

const WORKERS = ["w1", "w2"];

/** Names in play: few, so that jobs meet. One is both, as raw callers may have it. */
const DEDUPS = ["d1", "__proto__", "x:y", "both"];
const ALIASES = ["%id:a", "constructor", "both"];

/** Repeats in play. */
const REPEATS = ["r1", "r2", "x:y"];

/** The words that say what a living holder of a name means. */
const MODES = ["keep", "extend", "replace", "throttle", "slide", "debounce", "short", "follow", "latest"];

/** Policies of children in flows, and queues of parents and children: that of the run, and another. */
const POLICIES = ["fp", "fp", "id", "co", "rm"];
const QUEUES = ["", "", "", "far"];

/** A payload of which two exceed what one act may hand over. */
const LARGE_BYTES = 600_000;

/** Ids without a row of a flood, more than one act may look at. */
const FLOOD = 1100;

/** Bytes of every kind: ASCII, UTF-8, invalid UTF-8, control characters and NUL. */
const TEXTS = [
  "",
  "p",
  '{"a":1}',
  "caf\u00c3\u00a9",
  "\u00ff\u00fe\u0000\u001f",
  "\u00e2\u0082",
  '"\\/\b\f\n\r\t',
  "x".repeat(80),
];

type Draw = () => Step;

export class ActSource {
  readonly #random: () => number;
  readonly #queue: string;
  readonly #base: string;
  readonly #ids: string[];
  readonly #orders: string[];
  readonly #now: number;
  /** The token that the last claim of an id gave. */
  readonly #tokens = new Map<string, number>();
  /** Ids that were claimed and, as far as the answers tell, not settled since. */
  readonly #held = new Set<string>();
  readonly #draws: readonly (readonly [weight: number, draw: Draw])[];
  readonly #weights: number;
  readonly #isForeign: boolean;
  /** The next occurrence of each repeat that was told as due last. */
  readonly #dueAts = new Map<string, string>();
  #elapsedMs = 0;

  constructor(options: ActSourceOptions) {
    const mint = createMinter({ node: 1, clock: () => options.now });
    this.#random = options.random;
    this.#queue = options.queue;
    this.#base = `emq:{${options.queue}}:`;
    this.#now = options.now;
    this.#ids = Array.from({ length: IDS }, () => mint("JOB"));
    this.#orders = Array.from({ length: 3 }, () => mint("ORD"));
    this.#draws = options.isForeign
      ? [
          ...this.#actDraws(),
          ...this.#laneDraws(),
          ...this.#repeatDraws(),
          ...this.#flowDraws(),
          ...this.#foreignDraws(),
        ]
      : [...this.#actDraws(), ...this.#laneDraws(), ...this.#repeatDraws(), ...this.#flowDraws()];
    this.#isForeign = options.isForeign;
    this.#weights = this.#draws.reduce((sum, [weight]) => sum + weight, 0);
  }

  /** What comes before the first step: limits and weights of lanes, which no verb of this plane can set, and
   * listeners to events. */
  preparation(): Step[] {
    const steps: Step[] = [];
    if (this.#chance(0.5)) steps.push(this.#command("SET", "listeners", this.#chance(0.5) ? "0" : "9007199254740991"));
    for (const lane of LANES) {
      if (this.#chance(0.4)) steps.push(this.#command("HSET", "glimit", lane, String(this.#whole(1, 3))));
      if (this.#chance(0.4)) steps.push(this.#command("HSET", "gweight", lane, String(this.#whole(1, 4))));
      if (this.#chance(0.15)) steps.push(this.#command("SADD", "paused", lane));
    }
    return steps;
  }

  next(): Step {
    let at = this.#random() * this.#weights;
    for (const [weight, draw] of this.#draws) {
      at -= weight;
      if (at < 0) return draw();
    }
    return this.#clock(1);
  }

  /** Learns which jobs are held and by which token. */
  learn(step: Step, reply: Reply): void {
    if (step.kind !== "act") return;
    const { verb, args } = step;
    if (["COMPLETE", "RETRY", "DELAY", "GIVEBACK", "PARK"].includes(verb)) this.#held.delete(args[0] ?? "");
    if (verb === "TURN") for (const arg of args) this.#held.delete(arg);
    if (!Array.isArray(reply)) return;
    const parts = reply as readonly Reply[];
    if ((verb === "CLAIM" || verb === "GCLAIM") && parts.length > 0) this.#learnClaims([parts]);
    if (["BCLAIM", "GWCLAIM", "GBCLAIM"].includes(verb)) this.#learnClaims(parts as readonly (readonly Reply[])[]);
    if (verb === "TURN") this.#learnJobs(parts[3] as readonly Reply[]);
    if (verb === "DUE") this.#learnDue(parts[2] as readonly Reply[]);
  }

  /** Entries have ten parts: set, name and instant come first. */
  #learnDue(parts: readonly Reply[]): void {
    for (let at = 0; at + 2 < parts.length; at += 10) this.#dueAts.set(String(parts[at + 1]), String(parts[at + 2]));
  }

  #learnClaims(jobs: readonly (readonly Reply[])[]): void {
    for (const job of jobs) this.#learnClaim(String(job[0]), Number(job[2]));
  }

  #learnJobs(parts: readonly Reply[]): void {
    for (let at = 0; at < parts.length; at += 8) this.#learnClaim(String(parts[at]), Number(parts[at + 1]));
  }

  #learnClaim(id: string, token: number): void {
    this.#tokens.set(id, token);
    this.#held.add(id);
  }

  // What schedulers and those who fire them send.

  #repeatDraws(): [number, Draw][] {
    return [
      [4, () => this.#repeat()],
      [1, () => this.#repeatAct("UNREPEAT", [this.#one(REPEATS)])],
      [1, () => this.#repeatAct("ADVANCE", [this.#one(REPEATS), this.#occurrenceAt()])],
      [8, () => this.#fire()],
      [1, () => this.#repeatAct("FIRENOW", [this.#one(REPEATS), this.#id()])],
      [2, () => this.#skip()],
      [6, () => this.#due()],
    ];
  }

  /** An act about a repeat of either set. */
  #repeatAct(verb: Verb, args: readonly string[]): Step {
    const keys = callKeys(verb, args, { base: this.#base, isOther: this.#chance(0.7) });
    return { kind: "act", verb, keys, args };
  }

  /** An instant about now: few, so that a firing names the next occurrence at times. */
  #occurrenceAt(): string {
    return this.#chance(0.05) ? "9007199254740991" : String(this.#now + this.#elapsedMs + this.#whole(-3, 3) * 100);
  }

  #repeat(): Step {
    const pairs: string[] = [];
    if (this.#chance(0.3)) pairs.push("name", this.#text());
    if (this.#chance(0.2)) pairs.push("priority", String(this.#whole(0, 3)));
    const overlap = this.#one(["allow", "skip", "queue"]);
    if (overlap === "queue" || this.#chance(0.3)) pairs.push("group", this.#one(LANES));
    if (this.#chance(0.2)) pairs.push("opts", this.#one(["{}", '{"attempts":2}']));
    if (this.#chance(0.2)) pairs.push("due_in", String(this.#whole(0, 500)));
    if (this.#chance(0.2)) pairs.push("dedup", this.#one(DEDUPS));
    if (this.#chance(0.1)) pairs.push("expire_ms", String(this.#whole(1, 500)));
    if (this.#chance(0.2)) pairs.push("limit", String(this.#whole(1, 5)));
    if (this.#chance(0.2)) pairs.push("until", this.#occurrenceAt());
    if (overlap !== "allow") pairs.push("overlap", overlap);
    if (this.#chance(0.3)) pairs.push("rule", this.#one(["a", "b"]));
    const every = this.#one(["0", "100", "1000"]);
    const mode = this.#one(["create", "replace", "replace"]);
    return this.#repeatAct("REPEAT", [this.#one(REPEATS), mode, every, this.#text(), this.#occurrenceAt(), ...pairs]);
  }

  #fire(): Step {
    const args = [this.#one(REPEATS), this.#chance(0.05) ? this.#one(this.#orders) : this.#id()];
    // What was told as due last is named most of the time.
    args.push(this.#dueAts.get(args[0] ?? "") ?? this.#occurrenceAt(), this.#chance(0.5) ? "" : this.#occurrenceAt());
    if (this.#chance(0.5)) args.push("0");
    if (args.length === 5 && this.#chance(0.5)) {
      args.push(this.#occurrenceAt(), String(this.#whole(0, 300)), String(this.#whole(0, 2)), this.#occurrenceAt());
      args.push(this.#one(["missed", "dst"]));
    }
    return this.#repeatAct("FIRE", args);
  }

  #skip(): Step {
    const name = this.#one(REPEATS);
    const due = this.#dueAts.get(name) ?? this.#occurrenceAt();
    const count = String(this.#whole(0, 2));
    return this.#repeatAct("SKIP", [name, due, "0", this.#occurrenceAt(), count, this.#occurrenceAt(), "hand"]);
  }

  #due(): Step {
    return this.#act("DUE", [String(this.#whole(0, 1)), String(this.#whole(0, 1)), String(this.#whole(0, 9))]);
  }

  // What producers, workers and operators send.

  #actDraws(): [number, Draw][] {
    const settle = (verb: Verb, ...more: (() => string)[]): Draw => {
      return () => {
        const id = this.#claimed();
        return this.#act(verb, [id, this.#token(id), ...more.map((draw) => draw())]);
      };
    };
    const mode = () => this.#one(["in", "at"]);
    const text = () => this.#text();
    return [
      [10, () => this.#clock(this.#chance(0.05) ? 100_000 : this.#whole(0, 300))],
      [5, () => this.#act("ENQUEUE", [this.#id(), text()])],
      [4, () => this.#schedule()],
      [14, () => this.#admit()],
      [4, () => this.#act("CLAIM", [this.#lease()])],
      [4, () => this.#act("BCLAIM", [this.#lease(), String(this.#whole(0, 6))])],
      [24, () => this.#turn()],
      [2, () => this.#act("OWNED", [this.#one(WORKERS), this.#lease(), ...this.#some(3, () => this.#claimed())])],
      [4, settle("COMPLETE")],
      [1, settle("COMPLETE", text)],
      [2, settle("COMPLETE", text, ...this.#terms())],
      [3, () => this.#result()],
      [
        4,
        settle(
          "RETRY",
          () => this.#delay(),
          () => String(this.#whole(0, 6)),
          text,
        ),
      ],
      [
        2,
        settle(
          "RETRY",
          () => this.#delay(),
          () => "1",
          text,
          ...this.#terms(),
        ),
      ],
      [4, () => this.#delayAct(mode())],
      [3, settle("GIVEBACK")],
      [3, () => this.#act("PROMOTE", [String(this.#whole(0, 8))])],
      [3, () => this.#act("REAP", [String(this.#whole(0, 8))])],
      [3, () => this.#act("SWEEP", [String(this.#whole(0, 6)), String(this.#whole(0, 8))])],
      [3, () => this.#act("SWEEP", [String(this.#whole(0, 6)), "8", ...this.#terms().map((draw) => draw())])],
      [3, settle("EXTEND", () => this.#lease())],
      [
        2,
        () =>
          this.#act("EXTENDM", [
            this.#lease(),
            ...this.#some(4, () => this.#claimed()).flatMap((id) => [id, this.#token(id)]),
          ]),
      ],
      [4, () => this.#act("CANCEL", [this.#chance(0.4) ? this.#claimed() : this.#id(), text()])],
      [2, () => this.#rowAct("UPDATE", [text()])],
      [2, () => this.#rowAct("LOG", [text(), String(this.#whole(0, 3))])],
      [2, () => this.#act("PROGRESS", [text(), this.#id()])],
      [3, () => this.#act("REMOVE", [this.#id(), this.#one(["", "d1"]), ...(this.#chance(0.3) ? ["force"] : [])])],
      [5, () => this.#act("REPROCESS", [this.#id()])],
      [3, () => this.#act("RELEASE", [this.#id()])],
      [0.7, () => this.#drain()],
      [
        2,
        () =>
          this.#act("CLEAN", [
            this.#one(["pending", "scheduled", "awaiting_children", "dead", "completed"]),
            ...this.#someIds(),
          ]),
      ],
      [2, () => this.#act("REVIVE", this.#someIds())],
      [2, () => this.#reschedule()],
      [3, () => this.#act("PRIORITY", [this.#id(), this.#one(["0", "1", "7", "2097152"])])],
      [1, () => this.#act("COUNTS", ["lanes"])],
      [0.3, () => this.#act("PURGE", [], { more: ["metrics:failed", "metrics:failed:minutes", "nothing"] })],
      [0.5, () => this.#act("QPAUSE", [])],
      [2, () => this.#act("WPAUSE", [this.#one([...WORKERS, "pruned"]), this.#one(["on", "off"])])],
      [3, () => this.#act("QRESUME", [])],
      [1, () => this.#act("COUNTS", ["completed", "failed"], { more: ["active", "schedule", "dead", "completed"] })],
      [1, () => this.#act("MAXED", [])],
      [3, () => this.#act("STATE", [this.#id()])],
      [2, () => this.#examine()],
      [2, () => this.#repair()],
      [3, () => this.#act("EXPLAIN", [this.#id()])],
      [4, () => this.#command("RPOP", "wake")],
      [1, () => this.#act("LIMITS", [this.#one(["0", "0", "2", "9"]), ...this.#rate(), this.#part()])],
      [0.5, () => this.#command("HSET", "meta", "keep_n", String(this.#whole(0, 4)))],
      [0.5, () => this.#command("HSET", "meta", "keep_ms", this.#one(["0", "300"]))],
      [1, () => this.#command("HDEL", "meta", "keep_n", "keep_ms")],
      [2, () => this.#garbled()],
      [1, () => this.#act("ADMIT", ["", "1", this.#id(), "y".repeat(LARGE_BYTES)])],
    ];
  }

  /** keep_n, keep_ms and result_ms. */
  #terms(): (() => string)[] {
    const ms = () => this.#one(["0", "0", "200", "5000", "9007199254740991"]);
    return [() => this.#one(["0", "1", "3", "9007199254740991"]), ms, ms];
  }

  /** max, duration, way and burst. */
  #rate(): string[] {
    const way = this.#one(["window", "sliding", "bucket"]);
    return [this.#one(["0", "1", "3", "20"]), this.#one(["1", "200", "700", "5000"]), way, this.#one(["0", "1", "9"])];
  }

  #part(): string {
    return this.#one(["both", "both", "concurrency", "rate"]);
  }

  #result(): Step {
    const id = this.#chance(0.7) ? this.#claimed() : this.#id();
    return this.#act("RESULT", [id, this.#one(["0", "1", "400", "60000"])]);
  }

  #laneDraws(): [number, Draw][] {
    const lane = () => this.#one(LANES);
    return [
      [5, () => this.#act("GENQUEUE", [this.#id(), this.#text(), lane()])],
      [4, () => this.#act("GCLAIM", [this.#lease()])],
      [2, () => this.#act("GWCLAIM", [this.#lease()])],
      [2, () => this.#act("GBCLAIM", [this.#lease(), String(this.#whole(0, 4))])],
      [1, () => this.#act("GWEIGHT", [lane(), String(this.#whole(0, 4))])],
      [0.7, () => this.#act("GPAUSE", [lane()])],
      [2, () => this.#act("GRESUME", [lane()])],
      [1, () => this.#act("GLIMIT", [lane(), String(this.#whole(0, 3))])],
      [1.5, () => this.#act("GRATE", [this.#one([...LANES, "@mail", "@default"]), ...this.#rate()])],
      [1, () => this.#act("GORDER", [lane(), this.#one(["on", "off"])])],
      [3, () => this.#act("GREASSIGN", [this.#id(), lane()])],
      [1, () => this.#act("GDRAIN", [lane(), String(this.#whole(1, 3))])],
      [2, () => this.#act("GREAP", [lane(), String(this.#whole(0, 4))])],
      [1, () => this.#act("LANES", [this.#chance(0.4) ? "" : lane(), String(this.#whole(1, 4))])],
      [1, () => this.#act("LANECOUNTS", this.#some(4, lane))],
    ];
  }

  #flowDraws(): [number, Draw][] {
    return [
      [4, () => this.#flow()],
      [2, () => this.#hold()],
      [4, () => this.#child()],
      [2, () => this.#expect()],
      [2, () => this.#park()],
      [3, () => this.#act("FDELIVER", [this.#id(), this.#text(), this.#id()])],
      [3, () => this.#act("FFAIL", [this.#id(), this.#one(["boom", "removed"]), this.#one(["fp", "id"]), this.#id()])],
      [1, () => this.#command("LPOP", "flow:outbox")],
      [0.5, () => this.#act("FCLEAR", [this.#one(["done", "bad"]), this.#signal(), this.#text()])],
    ];
  }

  /** A job as flow verbs take it. */
  #job(id: string, letters: string): string[] {
    let shape = "";
    for (const letter of letters) if (this.#chance(0.15)) shape += letter;
    shape = shape.replace("ai", "a");
    if (!shape.includes("d")) shape = shape.replace("t", "");
    return [shape, id, this.#text(), ...[...shape].map((letter) => this.#value(letter))];
  }

  #flow(): Step {
    const [parent = "", ...children] = this.#distinct(this.#whole(2, 4));
    const jobs = children.flatMap((id) => [this.#one(POLICIES), ...this.#job(id, "npgoaixc")]);
    const args = [...this.#job(parent, "npgoixc"), String(children.length), ...jobs];
    return this.#act("FLOW", args, { more: children.map((id) => `job:${id}`) });
  }

  #hold(): Step {
    const [id = "", ...children] = this.#distinct(this.#whole(2, 4));
    const groups = children.flatMap((child) => ["c", child, this.#one(QUEUES), this.#one(POLICIES), this.#key()]);
    const link = this.#chance(0.5) ? this.#link() : ["", "", ""];
    const job = this.#job(id, "npgoixc");
    // A parent that is told of no children counts whatever ends, so its count says nothing of its list.
    const isPlain = this.#isForeign && this.#chance(0.2);
    const args = [String(children.length), ...job, ...(isPlain ? [] : [...link, ...this.#furtherLinks(), ...groups])];
    return this.#act("HOLD", args);
  }

  #child(): Step {
    const job = this.#job(this.#id(), "npgoaidtjxc");
    return this.#act("CHILD", [...this.#link(), ...job, ...this.#furtherLinks()]);
  }

  #expect(): Step {
    const id = this.#chance(0.7) ? this.#claimed() : this.#id();
    const groups = this.#distinct(this.#whole(1, 3)).flatMap((child) => [
      child,
      this.#one(QUEUES),
      this.#one(POLICIES),
      this.#chance(0.2) ? this.#id() : "",
      this.#key(),
    ]);
    return this.#act("EXPECT", [id, this.#chance(0.3) ? "" : this.#token(id), ...groups]);
  }

  #park(): Step {
    const id = this.#claimed();
    const terms = this.#chance(0.3) ? this.#terms().map((draw) => draw()) : [];
    return this.#act("PARK", [id, this.#token(id), this.#one(["0", "200", "5000"]), ...terms]);
  }

  #link(): string[] {
    return [this.#id(), this.#one(QUEUES), this.#one(POLICIES)];
  }

  #furtherLinks(): string[] {
    return this.#some(2, () => ["p", ...this.#link(), ""]).flat();
  }

  #key(): string {
    return this.#chance(0.2) ? this.#one(["k", "\u00e9", "x".repeat(256)]) : "";
  }

  #signal(): string {
    return `far\0${this.#id()}\0${this.#id()}\0r`;
  }

  /** Ids of the run, each once. */
  #distinct(count: number): string[] {
    const ids = new Set<string>();
    while (ids.size < count) ids.add(this.#id());
    return [...ids];
  }

  #schedule(): Step {
    const mode = this.#one(["in", "at"]);
    return this.#act("SCHEDULE", [this.#id(), this.#text(), mode, mode === "in" ? this.#delay() : this.#instant()]);
  }

  #reschedule(): Step {
    const mode = this.#one(["in", "at"]);
    return this.#act("RESCHEDULE", [this.#id(), mode, mode === "in" ? this.#delay() : this.#instant()]);
  }

  #drain(): Step {
    const args = [String(this.#whole(0, 4)), this.#one(["0", "1"])];
    return this.#act("DRAIN", args, this.#chance(0.3) ? { more: ["schedule"] } : {});
  }

  #someIds(): string[] {
    return this.#some(5, () => this.#id());
  }

  #delayAct(mode: string): Step {
    const id = this.#claimed();
    return this.#act("DELAY", [id, this.#token(id), mode, mode === "in" ? this.#delay() : this.#instant()]);
  }

  #admit(): Step {
    const args: string[] = [];
    for (let run = this.#whole(1, 3); run > 0; run--) {
      let shape = "";
      for (const letter of "npgo") if (this.#chance(letter === "g" ? 0.5 : 0.2)) shape += letter;
      if (this.#chance(0.2)) shape += this.#one(["a", "i"]);
      shape += this.#nameLetters(shape);
      if (this.#chance(0.2)) shape += "x";
      if (this.#chance(0.2)) shape += "c";
      const rows = this.#some(5, () => [this.#id(), this.#text(), ...[...shape].map((letter) => this.#value(letter))]);
      if (rows.length > 0) args.push(shape, String(rows.length), ...rows.flat());
    }
    return this.#act("ADMIT", args);
  }

  /** Letters of names for half of the shapes; a mode that needs a time nearly always has one. */
  #nameLetters(shape: string): string {
    let letters = "";
    if (this.#chance(0.4)) {
      letters += "d";
      if (this.#chance(0.8)) letters += "m";
      if (this.#chance(0.6)) letters += "t";
      if (this.#chance(0.2)) letters += "w";
    }
    if (this.#chance(0.2)) letters += this.#one(["j", "k"]);
    if (shape.includes("g") && this.#chance(0.1)) letters += "l";
    return letters;
  }

  #value(letter: string): string {
    switch (letter) {
      case "d":
        return this.#one(DEDUPS);
      case "m":
        return this.#one(MODES);
      case "t":
        // Expiry goes by the server's own clock, which the driver cannot set, so no name expires within a run.
        return this.#one(["100000000000", "9007199254740991"]);
      case "w":
        return this.#one(["0", "200", "5000"]);
      case "c":
        return this.#one(["1", "2", "5", "1048576"]);
      case "x":
        return this.#one(["1", "100", "5000", "9007199254740991"]);
      case "j":
      case "k":
        return this.#one(ALIASES);
      case "l":
        return this.#one(["1", "2"]);
      case "n":
        return this.#one(["", "default", "mail", "\u00e9"]);
      case "p":
        return this.#one(["0", "1", "7", "2097152"]);
      case "g":
        return this.#one(LANES);
      case "o":
        return this.#one(["", '{"attempts":5}']);
      case "a":
        return this.#instant();
      default:
        return this.#delay();
    }
  }

  #turn(): Step {
    const args = [this.#one(WORKERS), this.#lease(), String(this.#one([0, 1, 1, 2, 3, 5, 20]))];
    if (this.#chance(0.15)) {
      args.push("w", "1", this.#one(["1", "500", "1000"]), this.#one(["0", "1", "10"]), this.#one(["null", '["a"]']));
    }
    for (let run = this.#whole(0, 3); run > 0; run--) {
      if (this.#chance(0.2)) {
        const [count, ms, resultMs] = this.#terms().map((draw) => draw()) as [string, string, string];
        args.push("t", "1", this.#chance(0.3) ? "" : count, ms, this.#one(["0", "1", "3", count]), ms, resultMs);
      }
      const op = this.#one(["c", "c", "c", "r", "f", "f", "k", "d", "a", "b", "l"]);
      const rows = this.#some(4, () => this.#settlement(op));
      if (rows.length > 0) args.push(op, String(rows.length), ...rows.flat());
    }
    return this.#act("TURN", args);
  }

  #settlement(op: string): string[] {
    const id = this.#chance(0.03) ? this.#one(this.#orders) : this.#claimed();
    const row = [id, this.#token(id)];
    switch (op) {
      case "r":
      case "k":
        return [...row, this.#text()];
      case "f":
        return [...row, this.#delay(), String(this.#whole(0, 6)), this.#text()];
      case "d":
      case "l":
        return [...row, this.#delay()];
      case "a":
        return [...row, this.#instant()];
      default:
        return row;
    }
  }

  #rowAct(verb: Verb, args: string[]): Step {
    const id = this.#id();
    return this.#act(verb, this.#chance(0.3) ? [...args, this.#token(id)] : args, { id });
  }

  #examine(): Step {
    const lane = this.#chance(0.5) ? this.#one(LANES) : "";
    const ids = this.#some(6, () => (this.#chance(0.05) ? "no id" : this.#id()));
    return this.#act("EXAMINE", [lane, this.#one(["", "d1"]), this.#one(["0", "1"]), ...ids]);
  }

  /** Mostly of what is right, which must stay as it is; in a foreign run of what is not. */
  #repair(): Step {
    const mode = this.#one(["keep", "destroy"]);
    const subject = this.#one([
      "job",
      "job",
      "job",
      "lane",
      "lane",
      "wake",
      "dedup",
      "cursor",
      "counter",
      "limiter",
      "setting",
      "tokens",
      "workers",
    ]);
    const lane = subject === "job" && this.#chance(0.5) ? this.#one(LANES) : "";
    switch (subject) {
      case "job":
        return this.#act("REPAIR", [subject, this.#id(), lane, mode, ...this.#some(1, () => "colour")]);
      case "lane":
        return this.#act("REPAIR", [subject, this.#one([...LANES, "a{b"]), lane, mode, ...this.#ids]);
      case "counter":
        return this.#act("REPAIR", [subject, this.#one(["completed", "failed"]), lane, mode]);
      case "setting":
        return this.#act("REPAIR", [subject, this.#one(["concurrency", "keep_ms"]), lane, mode]);
      default:
        return this.#act("REPAIR", [subject, "d1", lane, mode]);
    }
  }

  /** A good act with one part spoiled. */
  #garbled(): Step {
    const step = this.#one([
      () => this.#admit(),
      () => this.#turn(),
      () => this.#schedule(),
      () => this.#delayAct("in"),
    ])();
    if (step.kind !== "act") return step;
    const spoiled = [...step.args];
    const keys = [...step.keys];
    const at = this.#whole(0, spoiled.length - 1);
    switch (this.#whole(0, 3)) {
      case 0:
        spoiled.splice(at, 1);
        break;
      case 1:
        spoiled[at] = this.#one(["", "-1", "01", "1e3", "9007199254740992", "job"]);
        break;
      case 2:
        keys[this.#whole(0, keys.length - 1)] += this.#one(["x", ":"]);
        break;
      default:
        keys.pop();
    }
    return { ...step, keys, args: spoiled };
  }

  // What breaks the order that acts keep.

  #foreignDraws(): [number, Draw][] {
    const place = () => this.#one(["pending", "active", "schedule", "dead", `g:${this.#one(LANES)}:pending`]);
    const row = () => `job:${this.#id()}`;
    const lane = () => this.#one(LANES);
    return [
      [2, () => this.#command("DEL", row())],
      [2, () => this.#command("ZADD", place(), this.#one(["0", "1", "5", this.#instant()]), this.#id())],
      [2, () => this.#command("ZREM", place(), this.#id())],
      [
        1,
        () => this.#command("HSET", row(), "state", "pending", "attempts", String(this.#whole(0, 3)), "payload", "f"),
      ],
      [1, () => this.#command("HSET", row(), "group", lane())],
      [0.5, () => this.#command("HDEL", row(), this.#one(["group", "owner", "payload", "priority", "stalled"]))],
      [0.5, () => this.#command("HSET", row(), "lock", "w")],
      [0.5, () => this.#command("HSET", row(), "dedup", "d1")],
      [0.5, () => this.#command("SET", "de:d1", this.#id())],
      [0.5, () => this.#command("HSET", row(), this.#one(["alias", "next", "follows"]), this.#id())],
      [0.5, () => this.#command("DEL", `de:${this.#one([...DEDUPS, ...ALIASES])}`)],
      [0.5, () => this.#command("SET", `de:${this.#one([...DEDUPS, ...ALIASES])}`, this.#id())],
      [0.5, () => this.#command("HSET", row(), "cancel", "x")],
      [
        0.5,
        () => this.#command("HSET", row(), "state", this.#one(["awaiting_children", "completed", "active", "dead"])),
      ],
      [0.5, () => this.#command("SET", `${row()}:dependencies`, this.#one(["0", "1", "-2", "x"]))],
      [0.5, () => this.#command("DEL", `${row()}:${this.#one(["dependencies", "children", "processed", "parents"])}`)],
      [0.5, () => this.#command("HSET", `${row()}:children`, this.#id(), this.#one(["fp\0", "id\0far", "-", ""]))],
      [0.5, () => this.#command("HSET", `${row()}:parents`, this.#id(), this.#one(["fp\0", "id\0far", "x", ""]))],
      [0.5, () => this.#command("HSET", row(), this.#one(["parent", "parent_as", "failed_child"]), this.#id())],
      [0.5, () => this.#command("HSET", row(), this.#one(["parent_queue", "parent_policy", "eager"]), "id")],
      [0.5, () => this.#command(this.#one(["ZREM", "ZREM"]), "awaiting", this.#id())],
      [0.5, () => this.#command("ZADD", "awaiting", "1", this.#id())],
      [0.5, () => this.#command("ZADD", "completed", "1", this.#id())],
      [0.5, () => this.#command("ZADD", "ttl", this.#one(["1", this.#instant()]), this.#id())],
      [0.5, () => this.#command("HSET", row(), "expires", this.#one(["1", "x", this.#instant()]))],
      [0.5, () => this.#command("HSET", row(), "cost", this.#one(["0", "-1", "x", "3"]))],
      [0.3, () => this.#command("HSET", "workers", this.#one(WORKERS), this.#one(["x", "{}", '{"paused":true,']))],
      [0.3, () => this.#command("HSET", "meta", "keep_ms", "x")],
      [0.5, () => this.#command(this.#one(["SADD", "SREM"]), "paused", lane())],
      [0.3, () => this.#command(this.#one(["SADD", "SREM"]), "gordered", lane())],
      [0.3, () => this.#command("HSET", row(), "held", "1")],
      [0.3, () => this.#command("HSET", row(), "due", this.#one([this.#instant(), "x"]))],
      [0.5, () => this.#command("HSET", "glimit", lane(), String(this.#whole(0, 3)))],
      [0.5, () => this.#command("HDEL", this.#one(["glimit", "gactive", "gweight"]), lane())],
      [0.5, () => this.#command("HSET", "gweight", lane(), String(this.#whole(0, 5)))],
      [0.5, () => this.#command("HSET", "gactive", lane(), String(this.#whole(-1, 3)))],
      [1, () => this.#command(this.#one(["LPUSH", "RPUSH"]), "ring", lane())],
      [0.5, () => this.#command("LREM", "ring", "0", lane())],
      [
        0.5,
        () => this.#command("DEL", this.#one(["ring", "cursor", "gactive", "wake", "schedule", "active", "pending"])),
      ],
      [
        0.3,
        () =>
          this.#command(
            "HSET",
            "cursor",
            "passed",
            String(this.#whole(0, 9)),
            "credit",
            String(this.#whole(-9, 9)),
            "share",
            String(this.#whole(0, 9)),
          ),
      ],
      [0.3, () => this.#command("LPUSH", "wake", "1", "1", "1")],
      [0.3, () => this.#command("SET", `job:${this.#id()}:lock`, "w")],
      [0.4, () => this.#flood()],
      [0.5, () => this.#act("OBLITERATE", [this.#one(["", "force"]), String(this.#one([1, 3, 1000]))])],
      [0.3, () => this.#act("PURGE", [], { more: [place(), row(), this.#one(["ring", "paused", "glimit", "meta"])] })],
    ];
  }

  /** More ids without a row than one act may look at. */
  #flood(): Step {
    const members = Array.from({ length: FLOOD }, (_, at) => ["0", `JOB${String(at).padStart(11, "0")}`]);
    return this.#command("ZADD", this.#one(["pending", "schedule", "active"]), ...members.flat());
  }

  // Parts of a step.

  #act(verb: Verb, args: string[], place: { id?: string; more?: string[] } = {}): Step {
    return { kind: "act", verb, keys: callKeys(verb, args, { base: this.#base, ...place }), args };
  }

  #command(name: string, type: string, ...rest: string[]): Step {
    return { kind: "command", parts: [name, `emq:{${this.#queue}}:${type}`, ...rest] };
  }

  #clock(ms: number): Step {
    this.#elapsedMs += ms;
    return { kind: "clock", ms };
  }

  #id(): string {
    return this.#chance(0.01) ? this.#one(this.#orders) : this.#one(this.#ids);
  }

  /** An id that is held, or was once, most of the time. */
  #claimed(): string {
    if (this.#held.size > 0 && this.#chance(0.8)) return this.#one([...this.#held]);
    const claimed = [...this.#tokens.keys()];
    return claimed.length > 0 && this.#chance(0.8) ? this.#one(claimed) : this.#id();
  }

  #token(id: string): string {
    const token = this.#tokens.get(id) ?? 1;
    return String(this.#chance(0.85) ? token : this.#whole(0, token + 1));
  }

  #lease(): string {
    return String(this.#one([1, 200, 1000, 5000, 60_000]));
  }

  #delay(): string {
    return String(this.#one([0, 1, 40, 250, 5000, Number.MAX_SAFE_INTEGER]));
  }

  /** An instant before, at or after now, or a far one. */
  #instant(): string {
    const now = this.#now + this.#elapsedMs;
    return String(this.#one([0, now - 10, now, now + 40, now + 250, now + 5000, Number.MAX_SAFE_INTEGER]));
  }

  #text(): string {
    return this.#one(TEXTS);
  }

  /** Up to `most` values. */
  #some<T>(most: number, draw: () => T): T[] {
    return Array.from({ length: this.#whole(0, most) }, draw);
  }

  #one<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  #whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}
