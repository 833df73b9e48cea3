/**
 * The rules about keys that a queue has one of, and about deduplication keys. Each is judged from one command or act,
 * so no two halves of a change are compared.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { DedupEvidence } from "./evidence.ts";
import type { Fault } from "./finding.ts";

/** Tokens that the list may hold where foreign speakers or lane entry push them. */
export const TOKENS_MAX = 64;

/** Tokens of removed jobs that are remembered. */
const TOKENS_KEPT_MAX = 10_000;

/** Entries of the hash of workers: 1000, and the instant of the last pruning. */
const WORKERS_MAX = 1001;

const WHOLE = /^(?:0|[1-9][0-9]*)$/;

/** The settings of `meta` that are numbers. */
export const NUMBER_SETTINGS = [
  "concurrency",
  "max",
  "duration",
  "burst",
  "keep_n",
  "keep_ms",
  "events_bytes",
  "events_ms",
] as const;

/** A key of no known type, or of another kind of value than its type has (`wanted`). */
export function judgeKeyKind(suffix: Bytes, type: Bytes, wanted: Bytes | undefined): Fault[] {
  if (type === wanted || type === "none") return [];
  const subject = { kind: "key", name: type, more: [suffix] } as const;
  const fault = { suffix, member: "", destroys: true, subject } as const;
  if (wanted === undefined) return [{ ...fault, code: "key-known", detail: "no type of spec/keys.json" }];
  return [{ ...fault, code: "key-type", detail: `is a ${type}, not a ${wanted}` }];
}

/** The wake list, of which the first {@link TOKENS_MAX} tokens are looked at. `most` is how many it may hold. */
export function judgeWake(length: number, tokens: readonly Bytes[], most: number): Fault[] {
  const fault = {
    code: "wake-tokens",
    suffix: "wake",
    member: "",
    destroys: false,
    subject: { kind: "wake", name: "" },
  } as const;
  if (length > most) return [{ ...fault, detail: `holds ${length} tokens, at most ${most} are ours` }];
  const strange = tokens.find((token) => token !== "1");
  return strange === undefined ? [] : [{ ...fault, detail: `holds ${JSON.stringify(strange)}` }];
}

/** The place of the round. */
export function judgeCursor(passed: Bytes | undefined, credit: Bytes | undefined, share: Bytes | undefined): Fault[] {
  const numbers = [passed, credit?.replace(/^-/, ""), share];
  if (numbers.every((number) => WHOLE.test(number ?? "0"))) return [];
  const detail = `passed is ${passed ?? "absent"}, credit ${credit ?? "absent"}, share ${share ?? "absent"}`;
  const subject = { kind: "cursor", name: "" } as const;
  return [{ code: "cursor-value", suffix: "cursor", member: "", detail, destroys: false, subject }];
}

/** The counter `completed` or `failed`. */
export function judgeCounter(which: Bytes, count: Bytes | undefined): Fault[] {
  if (count === undefined || isWhole(count)) return [];
  const fault = { suffix: `metrics:${which}`, member: "count", detail: `is ${count}`, destroys: true } as const;
  return [{ ...fault, code: "counter-value", subject: { kind: "counter", name: which } }];
}

/** The rate window; `lifeMs` is -1 when it has no end. */
export function judgeLimiter(count: Bytes | undefined, lifeMs: number): Fault[] {
  if (count === undefined || lifeMs === -2) return [];
  const detail = isWhole(count) ? "never ends" : `is ${count}`;
  if (isWhole(count) && lifeMs !== -1) return [];
  const subject = { kind: "limiter", name: "" } as const;
  return [{ code: "limiter-stuck", suffix: "limiter", member: "", detail, destroys: false, subject }];
}

/** How much a key holds of what is bounded; `lifeMs` is -1 for a key that never ends, and matters where it should. */
export function judgeSize(kind: "tokens" | "workers", size: number, lifeMs: number): Fault[] {
  const most = kind === "tokens" ? TOKENS_KEPT_MAX : WORKERS_MAX;
  const staysForEver = kind === "tokens" && lifeMs === -1;
  if (size <= most && !staysForEver) return [];
  const detail = size > most ? `holds ${size}, at most ${most} are kept` : "never ends";
  return [{ code: "size-bound", suffix: kind, member: "", detail, destroys: false, subject: { kind, name: "" } }];
}

/** A setting of `meta` that is a number. */
export function judgeSetting(field: Bytes, text: Bytes | undefined): Fault[] {
  if (text === undefined || isWhole(text)) return [];
  const subject = { kind: "setting", name: field } as const;
  return [{ code: "setting-value", suffix: "meta", member: field, detail: `is ${text}`, destroys: true, subject }];
}

/** One repeat, as `SHOW` tells it: its score, empty for none, then fields and values of its record. */
export function judgeRepeat(set: Bytes, name: Bytes, shown: readonly Bytes[]): Fault[] {
  const [score = "", ...record] = shown;
  if (score === "" && record.length === 0) return [];
  const hasRecord = record.some((field, at) => at % 2 === 0 && field === "template");
  if (hasRecord && isWhole(score)) return [];
  const subject = { kind: "repeat", name, lane: set } as const;
  const place = score === "" ? "has no next occurrence" : `has the next occurrence ${score}`;
  const detail = hasRecord ? place : "has no record";
  return [{ code: "repeat-place", suffix: set, member: name, detail, destroys: false, subject }];
}

/** A deduplication key. One that expires goes by itself; any other goes with its job. */
export function judgeDedup(dedup: DedupEvidence): Fault[] {
  if (dedup.isAlive || dedup.isExpiring) return [];
  const subject = { kind: "dedup", name: dedup.dedup } as const;
  const detail = `its holder ${dedup.holder} has no row`;
  return [
    { code: "dedup-holder", suffix: `de:${dedup.dedup}`, member: dedup.holder, detail, destroys: false, subject },
  ];
}

function isWhole(text: Bytes): boolean {
  return WHOLE.test(text) && Number.isSafeInteger(Number(text));
}
