/**
 * The doctor: says what is wrong with the keyspace of a queue, and puts it right.
 *
 * It looks in slices while workers go on, reports only what it saw at one instant, and repairs only by an act that
 * finds the same wrong again. A repair may bring other things to light (a deleted key leaves rows that lie nowhere), so
 * with repairs the queue is gone through until a pass finds nothing new.
 */

import type { Engine } from "../engine/engine.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { assertValidQueue, baseKey } from "../protocol/key.ts";
import type { RepairMode } from "./clinic.ts";
import { Examination } from "./examination.ts";
import type { Finding, FindingCode } from "./finding.ts";

/** Passes of one repair, at most: keys, rows, lanes and what a last one confirms. */
const PASSES_MAX = 5;

/** Findings that a report lists unless told otherwise; further ones are counted. */
export const FINDINGS_MAX_DEFAULT = 1000;

/** The most findings that a report can be asked to list. */
export const FINDINGS_MAX = 10_000;

/** A lease that lapsed longer ago is overdue unless told otherwise, in ms: no sweep has come for minutes. */
export const OVERDUE_MS_DEFAULT = 300_000;

/** What {@link inspectQueue} does. */
export interface InspectOptions {
  /** Put right what can be put right without deleting anything of a caller's. Default false: nothing is written. */
  readonly repair?: boolean;
  /** Also delete what nothing can be done with: orphans, foreign keys, rows without payload. Takes `repair`. */
  readonly destroy?: boolean;
  /** Findings to list, 1 to 10,000; default 1000. The rest is counted in `omitted`. */
  readonly findingsMax?: number;
  /** A lease that lapsed longer ago is a finding, in ms; default five minutes. */
  readonly overdueMs?: number;
  /** Nobody is at work and no worker holds a token: claimable work without one is a finding. Default false. */
  readonly idle?: boolean;
  /** Where there are no lanes, a second wake token is a finding, although foreign speakers push some. Default false. */
  readonly strict?: boolean;
}

/** What the doctor says. */
export interface DoctorReport {
  readonly queue: string;
  /** Whether nothing is wrong any more. */
  readonly isClean: boolean;
  /** What was found, in the order of the search: what a repair mended, and what is left. */
  readonly findings: readonly Finding[];
  /** How often each code was found, the unlisted included. */
  readonly counts: Readonly<Partial<Record<FindingCode, number>>>;
  /** Findings that are not listed because there were too many. */
  readonly omitted: number;
  /** What could not be judged, in words; empty when everything was. */
  readonly unchecked: readonly string[];
  /** What the last pass looked at. A job is looked at as a row and as a member. */
  readonly looked: { readonly keys: number; readonly jobs: number; readonly lanes: number };
  /** How often the queue was gone through. */
  readonly passes: number;
}

/**
 * Goes through all keys of a queue and resolves to what is wrong, by plain reading commands and the verbs `EXAMINE` and
 * `REPAIR`. `queue` is text, as for `Queue`. Workers may go on.
 *
 * @throws EchoMQError `invalid_queue`, and what the way to the server causes.
 */
export async function inspectQueue(engine: Engine, queue: string, options: InspectOptions = {}): Promise<DoctorReport> {
  assertValidQueue(queue);
  const mode: RepairMode = options.repair !== true ? "none" : options.destroy === true ? "destroy" : "keep";
  const { findingsMax = FINDINGS_MAX_DEFAULT, overdueMs = OVERDUE_MS_DEFAULT } = options;
  const how = { mode, findingsMax, overdueMs, isIdle: options.idle === true, isStrict: options.strict === true };
  const summary = new Summary(queue, findingsMax);
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    const examination = new Examination(engine, baseKey(bytesOf(queue)), how);
    await examination.run();
    summary.add(examination);
    if (mode === "none" || examination.faults.mended.size === 0) break;
  }
  return summary.report();
}

/** Joins passes: what was mended in any, and what the last one left. */
class Summary {
  readonly #queue: string;
  readonly #findingsMax: number;
  readonly #mended: Finding[] = [];
  readonly #mendedCounts: Map<FindingCode, number> = new Map();
  #last: Examination | undefined;
  #passes = 0;

  constructor(queue: string, findingsMax: number) {
    this.#queue = queue;
    this.#findingsMax = findingsMax;
  }

  add(examination: Examination): void {
    const { findings, mended } = examination.faults;
    this.#last = examination;
    this.#passes += 1;
    for (const finding of findings) {
      if (finding.outcome !== "left" && this.#mended.length < this.#findingsMax) this.#mended.push(finding);
    }
    addCounts(this.#mendedCounts, mended);
  }

  report(): DoctorReport {
    const left = this.#last?.faults.left ?? new Map<FindingCode, number>();
    const leftFindings = this.#last?.faults.findings.filter(({ outcome }) => outcome === "left") ?? [];
    const findings = [...this.#mended, ...leftFindings].slice(0, this.#findingsMax);
    const counts = new Map(this.#mendedCounts);
    addCounts(counts, left);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const { keys = 0, clinic } = this.#last ?? {};
    return {
      queue: this.#queue,
      isClean: left.size === 0,
      findings,
      counts: Object.fromEntries(counts),
      omitted: total - findings.length,
      unchecked: [...(clinic?.unchecked ?? [])],
      looked: { keys, jobs: clinic?.looked.jobs ?? 0, lanes: clinic?.looked.lanes ?? 0 },
      passes: this.#passes,
    };
  }
}

function addCounts(to: Map<FindingCode, number>, from: ReadonlyMap<FindingCode, number>): void {
  for (const [code, count] of from) to.set(code, (to.get(code) ?? 0) + count);
}
