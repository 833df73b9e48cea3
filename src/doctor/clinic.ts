/**
 * The doctor's two acts on one queue: looking at a few things at one instant, and putting one thing right.
 *
 * A key of a foreign type makes an act refuse whole. Such a look is repeated in halves until the one that the key
 * belongs to is alone, so that one spoiled lane hides nothing else; what could not be looked at is told.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { type Evidence, evidenceOf, type JobEvidence, type LaneEvidence, listOf } from "./evidence.ts";
import type { Fault, FindingOutcome } from "./finding.ts";

/** Jobs of one look: about a millisecond of the server. */
const JOBS_OF_ONE_ACT = 100;

/** Lapsed leases that one act takes back, and such acts of one repair. */
const REAP_LIMIT = 100;
const REAPS_MAX = 10_000;

/** Things that could not be judged, as told one by one. */
const UNCHECKED_MAX = 100;

/** Whether a caller's data may be deleted; without either nothing is written. */
export type RepairMode = "none" | "keep" | "destroy";

/** The looks and repairs of one pass over the queue with this base key. */
export class Clinic {
  readonly engine: Engine;
  readonly base: Bytes;
  readonly #mode: RepairMode;
  /** What could not be looked at, in words, each once. */
  readonly unchecked: Set<string> = new Set();
  /** Jobs and lanes that were looked at; one may be looked at twice. */
  readonly looked = { jobs: 0, lanes: 0 };
  /** The server's clock at the latest look, in Unix ms; 0 before the first. */
  nowMs = 0;

  constructor(engine: Engine, base: Bytes, mode: RepairMode) {
    this.engine = engine;
    this.base = base;
    this.#mode = mode;
  }

  get isRepairing(): boolean {
    return this.#mode !== "none";
  }

  /** Notes what could not be judged; beyond a bound only that there is more. */
  noteUnchecked(what: string): void {
    this.unchecked.add(this.unchecked.size < UNCHECKED_MAX ? what : "more than is listed here");
  }

  /** Looks at jobs; `lane` is where they were seen, empty for a set that has no lane. */
  async examineJobs(ids: readonly Bytes[], lane = ""): Promise<JobEvidence[]> {
    const slices: Promise<JobEvidence[]>[] = [];
    for (let at = 0; at < ids.length; at += JOBS_OF_ONE_ACT) {
      slices.push(this.#examineSlice(ids.slice(at, at + JOBS_OF_ONE_ACT), lane));
    }
    return (await Promise.all(slices)).flat();
  }

  /** Looks at one lane, with its leased jobs counted if asked for, and at jobs that may hold it. */
  async examineLane(
    lane: Bytes,
    options: { readonly isCounted?: boolean; readonly holders?: readonly Bytes[] } = {},
  ): Promise<LaneEvidence | undefined> {
    const ids = options.holders ?? [];
    const count = options.isCounted === true ? "1" : "0";
    try {
      const evidence = await this.#ask({ lane, dedup: "", ids }, count);
      this.looked.lanes += 1;
      return evidence.lane;
    } catch (error) {
      this.#skip(error, `lane ${lane}`);
      return undefined;
    }
  }

  /** Looks at one deduplication key; `undefined` when it is gone. */
  async examineDedup(dedup: Bytes): Promise<Evidence["dedup"]> {
    try {
      return (await this.#ask({ lane: "", dedup, ids: [] }, "0")).dedup;
    } catch (error) {
      this.#skip(error, `de:${dedup}`);
      return undefined;
    }
  }

  /** What stands of some repeats of one set, each a list; what could not be looked at is left out. */
  async showRepeats(set: Bytes, names: readonly Bytes[]): Promise<readonly Reply[]> {
    try {
      return listOf(await this.engine.act("SHOW", [`${this.base}${set}`, this.base], names));
    } catch (error) {
      this.#skip(error, `${set}: some repeats`);
      return [];
    }
  }

  /** The server's clock, in Unix ms. */
  async askClock(): Promise<number> {
    return (await this.#ask({ lane: "", dedup: "", ids: [] }, "0")).nowMs;
  }

  /** Puts right what a fault is about, if that is asked for and still wrong. */
  async repair(fault: Fault): Promise<FindingOutcome> {
    if (this.#mode === "none" || (fault.destroys && this.#mode === "keep")) return "left";
    try {
      if (fault.subject.kind === "lease") return await this.#reap();
      return await this.#repair(fault);
    } catch (error) {
      this.#skip(error, fault.suffix);
      return "left";
    }
  }

  async #repair({ subject }: Fault): Promise<FindingOutcome> {
    const { kind, name, lane = "", more = [] } = subject;
    // No act touches the base key, so nothing can have moved it, and no act can declare it.
    if (kind === "key" && more[0] === "") {
      return Number(await this.engine.command(["UNLINK", this.base])) === 1 ? "mended" : "gone";
    }
    const keys = [`${this.base}pending`, this.base];
    // The suffix of a further key stands where other subjects have ids.
    if (kind === "key") keys.push(this.base + (more[0] ?? ""));
    const rest = kind === "key" ? [] : more;
    const reply = await this.engine.act("REPAIR", keys, [kind, name, lane, this.#mode, ...rest]);
    return reply === 1 ? "mended" : reply === 0 ? "gone" : "left";
  }

  async #reap(): Promise<FindingOutcome> {
    const keys = [`${this.base}active`, `${this.base}pending`, this.base];
    for (let act = 0; act < REAPS_MAX; act++) {
      const taken = Number(await this.engine.act("REAP", keys, [String(REAP_LIMIT)]));
      if (taken < REAP_LIMIT) return "mended";
    }
    return "left";
  }

  async #examineSlice(ids: readonly Bytes[], lane: Bytes): Promise<JobEvidence[]> {
    try {
      const { jobs } = await this.#ask({ lane, dedup: "", ids }, "0");
      this.looked.jobs += jobs.length;
      return [...jobs];
    } catch (error) {
      if (!isForeignType(error) || ids.length <= 1) {
        this.#skip(error, `job:${ids[0] ?? ""}`);
        return [];
      }
      const half = ids.length >> 1;
      const first = await this.#examineSlice(ids.slice(0, half), lane);
      return [...first, ...(await this.#examineSlice(ids.slice(half), lane))];
    }
  }

  async #ask(question: { lane: Bytes; dedup: Bytes; ids: readonly Bytes[] }, count: Bytes): Promise<Evidence> {
    const { lane, dedup, ids } = question;
    const reply = await this.engine.act("EXAMINE", [`${this.base}pending`, this.base], [lane, dedup, count, ...ids]);
    const evidence = evidenceOf(question, reply);
    this.nowMs = evidence.nowMs;
    return evidence;
  }

  /** Notes what a foreign type kept from being looked at; any other error is the caller's. */
  #skip(error: unknown, what: string): void {
    if (!isForeignType(error)) throw error;
    this.noteUnchecked(`${what}: a key that belongs to it is of a foreign type`);
  }
}

/** Whether an act refused because a key holds another kind of value than it should. */
export function isForeignType(error: unknown): boolean {
  return isEchoMQError(error) && error.message.startsWith("WRONGTYPE");
}
