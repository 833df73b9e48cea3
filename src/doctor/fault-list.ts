/**
 * The findings of one pass, each once, with a bound: what is beyond it is counted and repaired, but not kept.
 */

import { type Bytes, textOf } from "../protocol/bytes.ts";
import { type Fault, FINDINGS, type Finding, type FindingCode, type FindingOutcome } from "./finding.ts";

/** Findings that are known again when they are met again; one beyond them may be counted twice. */
const SEEN_MAX = 50_000;

/** What one pass found, and what became of it. */
export class FaultList {
  readonly #base: Bytes;
  readonly #most: number;
  readonly #seen: Set<string> = new Set();
  readonly #findings: Finding[] = [];
  /** How often each code was found and is wrong still. */
  readonly left: Map<FindingCode, number> = new Map();
  /** How often each code was found and was mended, or had gone. */
  readonly mended: Map<FindingCode, number> = new Map();
  /** Findings that are beyond the bound. */
  omitted = 0;

  /** Keeps at most `most` findings about the queue with this base key. */
  constructor(base: Bytes, most: number) {
    this.#base = base;
    this.#most = most;
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** Adds a fault with what became of it; one that is known already is left out. */
  add(fault: Fault, outcome: FindingOutcome): void {
    const { code, suffix, member, detail, destroys } = fault;
    const name = `${code} ${suffix} ${member}`;
    if (this.#seen.has(name)) return;
    if (this.#seen.size < SEEN_MAX) this.#seen.add(name);
    const counts = outcome === "left" ? this.left : this.mended;
    counts.set(code, (counts.get(code) ?? 0) + 1);
    if (this.#findings.length >= this.#most) {
      this.omitted += 1;
      return;
    }
    this.#findings.push({
      code,
      key: textOf(this.#base + suffix),
      member: textOf(member),
      detail: textOf(detail),
      mend: FINDINGS[code].mend,
      destroys,
      outcome,
    });
  }
}
