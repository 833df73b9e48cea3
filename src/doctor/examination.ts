/**
 * One pass over a queue: every key, every row, every member, every lane, each rule.
 *
 * The pass holds nothing of the queue but a page, the names of some lanes and what it found, so its memory does not
 * grow with the queue. A finding comes from one instant on the server, and its repair judges that anew in its own act;
 * so workers may go on meanwhile.
 */

import type { Engine } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { isValidId } from "../protocol/id.ts";
import { Clinic, isForeignType, type RepairMode } from "./clinic.ts";
import { holdsLane, type JobEvidence, type LaneEvidence, laneSuffix, listOf, textIn } from "./evidence.ts";
import { FaultList } from "./fault-list.ts";
import type { Fault } from "./finding.ts";
import { isLaneName, judgeJob } from "./judge-job.ts";
import {
  judgeCounter,
  judgeCursor,
  judgeDedup,
  judgeKeyKind,
  judgeLimiter,
  judgeRepeat,
  judgeSetting,
  judgeSize,
  judgeWake,
  NUMBER_SETTINGS,
  TOKENS_MAX,
} from "./judge-key.ts";
import { judgeLane, judgeLaneName } from "./judge-lane.ts";
import { type KeyKind, keyKind, SINGLE_KEYS } from "./key-kind.ts";
import { fieldPages, keyPages, listPages, memberPages, PAGE, setPages } from "./pages.ts";

/** Lanes that are remembered: as looked at, as having leased jobs, as held. Beyond that some are looked at twice. */
const LANES_KEPT_MAX = 20_000;

/** Looks at a lane whose counter is too high, each after a new search for a job that holds it. */
const HOLDER_SEARCHES = 3;

/** Tells of a lane whose holder may have changed during the pass, at most; further ones are left unchecked. */
const SUSPECTS_MAX = 100;

/** Lanes, or deduplication keys, that are looked at at the same time: enough to hide the way to the server. */
const AT_ONCE = 20;

/** The sets of repeats, and how many one act shows. */
const REPEAT_SETS = ["repeat", "cron"] as const;
const SHOWN_AT_ONCE = 100;

/** The sets whose members are jobs, lanes aside. */
const JOB_SETS = ["pending", "active", "schedule", "dead", "completed", "expiry", "awaiting"] as const;

/** How one pass is made. */
export interface ExaminationOptions {
  readonly mode: RepairMode;
  readonly findingsMax: number;
  /** A lease that lapsed longer ago is overdue. */
  readonly overdueMs: number;
  /** Nobody is at work: claimable work must have a token. */
  readonly isIdle: boolean;
  /** Without lanes only one token may lie in the list. */
  readonly isStrict: boolean;
}

/** One pass over the queue with this base key; it is used once. */
export class Examination {
  readonly faults: FaultList;
  readonly clinic: Clinic;
  keys = 0;
  readonly #engine: Engine;
  readonly #base: Bytes;
  readonly #options: ExaminationOptions;
  /** Lanes that have leased jobs; their counters are compared. */
  readonly #leasedLanes: Set<Bytes> = new Set();
  /** Lanes that were looked at already. */
  readonly #lanesSeen: Set<Bytes> = new Set();
  /** Scheduled jobs that hold a lane, by lane. */
  readonly #holders: Map<Bytes, Set<Bytes>> = new Map();
  /** Lanes whose counter is higher than what was counted, where a holder may have been missed. */
  readonly #suspects: Set<Bytes> = new Set();

  constructor(engine: Engine, base: Bytes, options: ExaminationOptions) {
    this.#engine = engine;
    this.#base = base;
    this.#options = options;
    this.faults = new FaultList(base, options.findingsMax);
    this.clinic = new Clinic(engine, base, options.mode);
  }

  /** Makes the pass. */
  async run(): Promise<void> {
    if (!(await this.#examineSingleKeys())) {
      this.clinic.noteUnchecked("jobs and lanes: a key that every act reads is of a foreign type");
      return;
    }
    for await (const page of keyPages(this.#engine, this.#base)) await this.#examineKeys(page);
    for (const set of JOB_SETS) {
      for await (const page of memberPages(this.#engine, this.#base + set)) await this.#examineMembers(page, "");
    }
    await this.#examineLanes();
    for (const set of REPEAT_SETS) {
      for await (const page of memberPages(this.#engine, this.#base + set)) await this.#examineRepeats(set, page);
    }
    await this.#examineSettings();
  }

  // Keys.

  /** The keys that a queue has one of; answers whether acts can work with them. */
  async #examineSingleKeys(): Promise<boolean> {
    const types = await this.#typesOf(SINGLE_KEYS);
    let isSound = true;
    for (const [at, suffix] of SINGLE_KEYS.entries()) {
      const faults = judgeKeyKind(suffix, types[at] ?? "none", keyKind(suffix)?.valkey);
      for (const fault of faults) if ((await this.#take(fault)) === "left") isSound = false;
    }
    return isSound;
  }

  async #examineKeys(keys: readonly Bytes[]): Promise<void> {
    this.keys += keys.length;
    const suffixes = keys.map((key) => key.slice(this.#base.length));
    const types = await this.#typesOf(suffixes);
    const ids: Bytes[] = [];
    const dedups: Bytes[] = [];
    const repeats: Record<"repeat" | "cron", Bytes[]> = { repeat: [], cron: [] };
    for (const [at, suffix] of suffixes.entries()) {
      const kind = keyKind(suffix);
      const faults = judgeKeyKind(suffix, types[at] ?? "none", kind?.valkey);
      for (const fault of faults) await this.#take(fault);
      if (faults.length > 0 || kind === undefined) continue;
      const id = rowOf(kind);
      if (id !== undefined) ids.push(id);
      else if (kind.type === "repeat:<name>") repeats.repeat.push(kind.name);
      else if (kind.type === "cron:<name>") repeats.cron.push(kind.name);
      else if (kind.type === "de:<dedup>") dedups.push(kind.name);
    }
    await eachAtOnce(dedups, (dedup) => this.#examineDedup(dedup));
    for (const set of REPEAT_SETS) await this.#examineRepeats(set, repeats[set]);
    await this.#examineMembers([...new Set(ids)], "");
  }

  /** Looks at repeats of one set, by its members or by the records that there are. */
  async #examineRepeats(set: "repeat" | "cron", names: readonly Bytes[]): Promise<void> {
    for (let at = 0; at < names.length; at += SHOWN_AT_ONCE) {
      const some = names.slice(at, at + SHOWN_AT_ONCE);
      const shown = await this.clinic.showRepeats(set, some);
      for (const [index, name] of some.entries()) {
        await this.#takeAll(judgeRepeat(set, name, listOf(shown[index] ?? null).map(String)));
      }
    }
  }

  async #typesOf(suffixes: readonly Bytes[]): Promise<Bytes[]> {
    const replies = suffixes.map((suffix) => this.#engine.command(["TYPE", this.#base + suffix]));
    return (await Promise.all(replies)).map(String);
  }

  async #examineDedup(dedup: Bytes): Promise<void> {
    if (!isLaneName(dedup)) return;
    const seen = await this.clinic.examineDedup(dedup);
    if (seen !== undefined) await this.#takeAll(judgeDedup(seen));
  }

  // Jobs.

  /** Looks at members of a set, or at rows by their ids. `lane` is the lane whose set it is. */
  async #examineMembers(ids: readonly Bytes[], lane: Bytes): Promise<void> {
    for (const job of await this.clinic.examineJobs(ids, lane)) {
      this.#noteLane(job);
      const faults = judgeJob(job);
      if (faults.length > 0) await this.#takeAll(faults);
      else if (job.places.has("active")) await this.#judgeLease(job);
    }
  }

  #noteLane(job: JobEvidence): void {
    const lane = job.fields.get("group");
    if (lane === undefined || !isLaneName(lane)) return;
    if (job.fields.get("state") === "active") keepBounded(this.#leasedLanes, lane);
    if (!holdsLane(job)) return;
    const holders = this.#holders.get(lane) ?? new Set();
    if (holders.size < PAGE) holders.add(job.id);
    if (this.#holders.size < LANES_KEPT_MAX) this.#holders.set(lane, holders);
  }

  async #judgeLease(job: JobEvidence): Promise<void> {
    const lateMs = this.clinic.nowMs - (job.places.get("active") ?? this.clinic.nowMs);
    if (lateMs <= this.#options.overdueMs) return;
    const fault = { code: "lease-overdue", suffix: "active", member: job.id, destroys: false } as const;
    await this.#take({ ...fault, detail: `lapsed ${lateMs} ms ago`, subject: { kind: "lease", name: job.id } });
  }

  // Lanes.

  async #examineLanes(): Promise<void> {
    const base = this.#base;
    for await (const page of keyPages(this.#engine, base, "g:*:pending")) {
      const lanes = page.flatMap((key) => {
        const kind = keyKind(key.slice(base.length));
        return kind?.type === "g:<group>:pending" ? [kind.name] : [];
      });
      await eachAtOnce(lanes, (lane) => this.#examineLaneMembers(lane));
    }
    for await (const page of listPages(this.#engine, `${base}ring`)) await this.#examineNames(page, "ring");
    for (const hash of ["glimit", "gweight", "gactive"]) {
      for await (const page of fieldPages(this.#engine, base + hash)) await this.#examineNames(page, hash);
    }
    for (const set of ["paused", "gordered"]) {
      for await (const page of setPages(this.#engine, base + set)) await this.#examineNames(page, set);
    }
    await eachAtOnce([...this.#leasedLanes], (lane) => this.#examineLane(lane, { isCounted: true }));
    await this.#examineSuspects();
  }

  async #examineLaneMembers(lane: Bytes): Promise<void> {
    await this.#examineLane(lane);
    try {
      const key = this.#base + laneSuffix(lane);
      for await (const page of memberPages(this.#engine, key)) await this.#examineMembers(page, lane);
    } catch (error) {
      // Its type has been told with the keys.
      if (!isForeignType(error)) throw error;
    }
  }

  /** Looks at the lanes that a list names. */
  async #examineNames(names: readonly Bytes[], suffix: Bytes): Promise<void> {
    const isCounted = suffix === "gactive";
    await eachAtOnce(names, async (name) => {
      if (!isLaneName(name)) await this.#take(judgeLaneName(name, suffix));
      else if (isCounted && keepBounded(this.#leasedLanes, name)) return;
      else if (isCounted || !this.#lanesSeen.has(name)) await this.#examineLane(name, { isCounted });
    });
  }

  async #examineLane(lane: Bytes, { isCounted = false }: { readonly isCounted?: boolean } = {}): Promise<void> {
    keepBounded(this.#lanesSeen, lane);
    const evidence = await this.clinic.examineLane(lane, { isCounted, holders: this.#holdersOf(lane) });
    if (evidence === undefined) return;
    if (isCounted && evidence.leased === undefined) {
      this.clinic.noteUnchecked(`gactive: more than ${PAGE} jobs are leased, which one act cannot count`);
    }
    if (mayHideHolder(evidence)) this.#suspect(evidence);
    else await this.#takeAll(judgeLane(evidence));
  }

  #holdersOf(lane: Bytes): Bytes[] {
    return [...(this.#holders.get(lane) ?? [])].slice(0, PAGE);
  }

  #suspect({ lane }: LaneEvidence): void {
    if (this.#suspects.size < SUSPECTS_MAX) this.#suspects.add(lane);
    else this.clinic.noteUnchecked(`gactive: more than ${SUSPECTS_MAX} lanes may be held by a job that was not found`);
  }

  /**
   * Looks again at lanes that seem to count a job too many. In an ordered lane that job may be one that went into the
   * schedule during the pass, so the schedule is searched for it first; only what three searches leave is a finding.
   */
  async #examineSuspects(): Promise<void> {
    for (let search = 1; search <= HOLDER_SEARCHES && this.#suspects.size > 0; search++) {
      for await (const page of memberPages(this.#engine, `${this.#base}schedule`)) {
        for (const job of await this.clinic.examineJobs(page)) this.#noteLane(job);
      }
      for (const lane of this.#suspects) {
        const evidence = await this.clinic.examineLane(lane, { isCounted: true, holders: this.#holdersOf(lane) });
        const isOpen = evidence !== undefined && mayHideHolder(evidence);
        if (isOpen && search < HOLDER_SEARCHES) continue;
        this.#suspects.delete(lane);
        if (evidence !== undefined) await this.#takeAll(judgeLane(evidence));
      }
    }
  }

  // What a queue has one of.

  async #examineSettings(): Promise<void> {
    const read = async (...parts: readonly Bytes[]): Promise<ReturnType<typeof listOf>> => {
      const [name = "", suffix = "", ...rest] = parts;
      return listOf(await this.#engine.command([name, this.#base + suffix, ...rest]));
    };
    await this.#examineWake();
    const [passed, credit, share] = await read("HMGET", "cursor", "passed", "credit", "share");
    await this.#takeAll(judgeCursor(textIn(passed), textIn(credit), textIn(share)));
    for (const which of ["completed", "failed"]) {
      const [count] = await read("HMGET", `metrics:${which}`, "count");
      await this.#takeAll(judgeCounter(which, textIn(count)));
    }
    const settings = await read("HMGET", "meta", ...NUMBER_SETTINGS);
    for (const [at, field] of NUMBER_SETTINGS.entries()) await this.#takeAll(judgeSetting(field, textIn(settings[at])));
    const count = textIn(await this.#engine.command(["GET", `${this.#base}limiter`]));
    const lifeMs = Number(await this.#engine.command(["PTTL", `${this.#base}limiter`]));
    await this.#takeAll(judgeLimiter(count, lifeMs));
    const tokens = Number(await this.#engine.command(["ZCARD", `${this.#base}tokens`]));
    const tokensMs = Number(await this.#engine.command(["PTTL", `${this.#base}tokens`]));
    await this.#takeAll(judgeSize("tokens", tokens, tokensMs));
    const workers = Number(await this.#engine.command(["HLEN", `${this.#base}workers`]));
    await this.#takeAll(judgeSize("workers", workers, -1));
  }

  async #examineWake(): Promise<void> {
    const key = `${this.#base}wake`;
    const length = Number(await this.#engine.command(["LLEN", key]));
    const tokens = listOf(await this.#engine.command(["LRANGE", key, "0", String(TOKENS_MAX)])).map(String);
    const { isStrict, isIdle } = this.#options;
    const most = isStrict && !(await this.#hasLanes()) ? 1 : TOKENS_MAX;
    await this.#takeAll(judgeWake(length, tokens, most));
    if (!isIdle || length > 0 || !(await this.#isClaimable())) return;
    const fault = { code: "wake-idle", suffix: "wake", member: "", detail: "work waits and no token" } as const;
    await this.#take({ ...fault, destroys: false, subject: { kind: "wake", name: "" } });
  }

  async #hasLanes(): Promise<boolean> {
    if (this.#lanesSeen.size > 0) return true;
    const keys = ["ring", "paused", "gactive"].map((suffix) => this.#base + suffix);
    return Number(await this.#engine.command(["EXISTS", ...keys])) > 0;
  }

  /** Not paused, below its ceiling, its rate neither spent nor at rest, and flat work or a lane on the ring waits. */
  async #isClaimable(): Promise<boolean> {
    const base = this.#base;
    const meta = listOf(await this.#engine.command(["HMGET", `${base}meta`, "paused", "concurrency", "max"]));
    const [paused, concurrency, max] = meta.map(textIn);
    const active = Number(await this.#engine.command(["ZCARD", `${base}active`]));
    const claims = textIn(await this.#engine.command(["GET", `${base}limiter`]));
    if (paused !== undefined) return false;
    if (concurrency !== undefined && active >= Number(concurrency)) return false;
    if (claims !== undefined && max !== undefined && Number(claims) >= Number(max)) return false;
    const restsUntil = textIn(await this.#engine.command(["ZSCORE", `${base}rest`, ""]));
    if (restsUntil !== undefined && Number(restsUntil) > (await this.clinic.askClock())) return false;
    return Number(await this.#engine.command(["EXISTS", `${base}pending`, `${base}ring`])) > 0;
  }

  // Findings.

  /** Takes what was found at one subject. A repair of a subject puts all of it right, so later ones find it done. */
  async #takeAll(faults: readonly Fault[]): Promise<void> {
    let isMended = false;
    for (const fault of faults) {
      const outcome = await this.clinic.repair(fault);
      this.faults.add(fault, isMended && outcome === "gone" ? "mended" : outcome);
      isMended ||= outcome === "mended";
    }
  }

  async #take(fault: Fault): Promise<"left" | "mended" | "gone"> {
    const outcome = await this.clinic.repair(fault);
    this.faults.add(fault, outcome);
    return outcome;
  }
}

/** The job that a row, or a side key of one, belongs to; `undefined` for any other key. */
function rowOf({ type, name }: KeyKind): Bytes | undefined {
  return type.startsWith("job:") && isValidId(name) ? name : undefined;
}

/** Whether a counter is higher than what was counted in a lane that a scheduled job may hold. */
function mayHideHolder({ active, leased, holders, isOrdered }: LaneEvidence): boolean {
  if (leased === undefined || active === undefined || (!isOrdered && holders.length === 0)) return false;
  return Number(active) > leased + holders.length;
}

/** Remembers a name while there is room; answers whether it is remembered. */
function keepBounded(names: Set<Bytes>, name: Bytes): boolean {
  if (names.size < LANES_KEPT_MAX) names.add(name);
  return names.has(name);
}

/** Does something for each item, for some at the same time. */
async function eachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(act));
}
