/**
 * What must be true of every key of a queue at rest, whoever wrote it and by which engine.
 *
 * A job is in one place and its row says which; what is counted twice agrees; nothing is left over; and nobody sleeps
 * over claimable work. The rules are judged on a dump, so they share no code with the acts and hold for all engines.
 * Each rule has a name, so that a test which breaks one on purpose can expect just that one.
 */

import type { Engine } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { isValidId } from "../protocol/id.ts";
import {
  BIRTH_FIELDS,
  JOB_STATES,
  KEY_TYPES,
  KEY_VALKEY_TYPES,
  RECORD_FIELDS,
} from "../protocol/registry.generated.ts";
import { dumpQueue, type KeyDump } from "./dump.ts";
import { QueuePicture, type Row } from "./queue-picture.ts";

/** What a rule found. */
export interface Violation {
  readonly rule: Rule;
  /** The part of the key after `emq:{q}:`. */
  readonly suffix: Bytes;
  readonly detail: string;
}

/** The rules, by name. */
export type Rule =
  | "key-known"
  | "key-type"
  | "row-fields"
  | "row-numbers"
  | "row-owner"
  | "row-place"
  | "member-row"
  | "member-place"
  | "member-score"
  | "lane-active"
  | "lane-ring"
  | "lane-settings"
  | "side-key"
  | "wake-tokens"
  | "wake-idle";

export interface InvariantOptions {
  /** No act is under way and no worker holds a token: then claimable work needs one in the list. Off by default. */
  readonly idle?: boolean;
}

/** Tokens that the list may hold where foreign speakers or lane entry push them. */
const FOREIGN_TOKENS_MAX = 64;

/** Priorities go up to 2^21. */
const PRIORITY_MAX = 2_097_152;

const CANONICAL = /^(?:0|[1-9][0-9]*)$/;

/** The set that holds the jobs of each state; the others lie in none. */
const PLACES: Readonly<Record<string, string>> = {
  active: "active",
  scheduled: "schedule",
  dead: "dead",
  completed: "completed",
};

/**
 * Reads all keys of a queue by plain commands and resolves to what is wrong with them; an empty list is good. `queue`
 * is text, as for `Queue`. Let the queue rest meanwhile: the reading takes several commands.
 */
export async function checkInvariants(
  engine: Engine,
  queue: string,
  options: InvariantOptions = {},
): Promise<Violation[]> {
  return violationsOf(await dumpQueue(engine, queue), options);
}

/** The same for a dump that was taken before. */
export function violationsOf(dump: readonly KeyDump[], options: InvariantOptions = {}): Violation[] {
  const violations = dump.flatMap(judgeKey);
  // What is judged next takes types for granted; with foreign ones it would only repeat what was said.
  if (violations.length > 0) return violations;
  const picture = new QueuePicture(dump);
  return [
    ...[...picture.rows.values()].flatMap((row) => judgeRow(picture, row)),
    ...judgeMembers(picture),
    ...judgeLanes(picture),
    ...judgeSideKeys(dump, picture),
    ...judgeWake(picture, options.idle === true),
  ];
}

/** One line for each violation, for messages of tests. */
export function violationText(violations: readonly Violation[]): string {
  return violations.map(({ rule, suffix, detail }) => `${rule} ${suffix}: ${detail}`).join("\n");
}

// Keys.

type KeyType = (typeof KEY_TYPES)[number];

/** Longer types first: `job:<id>:logs` before `job:<id>`, so that a name is never taken for more than it is. */
const KEY_PATTERNS: readonly (readonly [KeyType, RegExp])[] = [...KEY_TYPES]
  .sort((a, b) => b.length - a.length)
  .map((type) => [type, patternOf(type)]);

function patternOf(type: KeyType): RegExp {
  const escaped = type.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const source = escaped.replaceAll(/<(\w+)>/g, (_, part) => (part === "id" ? "[A-Z]{3}[0-9A-Za-z]{11}" : "[^{}\\0]+"));
  return new RegExp(`^${source}$`, "s");
}

function judgeKey({ suffix, type }: KeyDump): Violation[] {
  const known = KEY_PATTERNS.find(([, pattern]) => pattern.test(suffix))?.[0];
  if (known === undefined) return [{ rule: "key-known", suffix, detail: "no type of spec/keys.json" }];
  const wanted = KEY_VALKEY_TYPES[known];
  return type === wanted ? [] : [{ rule: "key-type", suffix, detail: `is a ${type}, not a ${wanted}` }];
}

// Rows.

function judgeRow(picture: QueuePicture, row: Row): Violation[] {
  const fault = (rule: Rule, detail: string): Violation => ({ rule, suffix: row.suffix, detail });
  const missing = BIRTH_FIELDS.filter((field) => !row.fields.has(field));
  if (missing.length > 0) return [fault("row-fields", `lacks ${missing.join(", ")}`)];
  const strange = [...row.fields.keys()].filter((field) => !(RECORD_FIELDS as readonly string[]).includes(field));
  if (strange.length > 0) return [fault("row-fields", `has the unknown field ${strange.join(", ")}`)];
  if (!(JOB_STATES as readonly string[]).includes(row.state)) return [fault("row-fields", `state ${row.state}`)];
  return [
    ...numberFaults(row).map((detail) => fault("row-numbers", detail)),
    ...ownerFaults(row).map((detail) => fault("row-owner", detail)),
    ...placeFaults(picture, row).map((detail) => fault("row-place", detail)),
  ];
}

function numberFaults({ fields }: Row): string[] {
  const faults: string[] = [];
  const judge = (field: string, min: number, max: number): void => {
    const text = fields.get(field);
    if (text === undefined) return;
    const isGood = CANONICAL.test(text) && Number(text) >= min && Number(text) <= max;
    if (!isGood) faults.push(`${field} is ${text}`);
  };
  judge("attempts", 0, Number.MAX_SAFE_INTEGER);
  judge("priority", 1, PRIORITY_MAX);
  // A counter of nothing is absent.
  judge("stalled", 1, Number.MAX_SAFE_INTEGER);
  judge("deferred", 1, Number.MAX_SAFE_INTEGER);
  judge("finished_at", 0, Number.MAX_SAFE_INTEGER);
  judge("wait", 0, Number.MAX_SAFE_INTEGER);
  return faults;
}

/** The holder stands in an active row, the mark of a lapse (the empty text) in a pending one. */
function ownerFaults({ state, fields }: Row): string[] {
  const owner = fields.get("owner");
  if (owner === undefined || state === "active") return [];
  if (state === "pending" && owner === "") return [];
  return [`owner ${JSON.stringify(owner)} in state ${state}`];
}

function placeFaults(picture: QueuePicture, row: Row): string[] {
  const places = picture.placesOf(row.id);
  const wanted = row.state === "pending" ? picture.waitingPlace(row) : (PLACES[row.state] ?? "");
  if (wanted === "" ? places.length === 0 : places.length === 1 && places[0] === wanted) return [];
  const found = places.length === 0 ? "nowhere" : `in ${places.join(" and ")}`;
  return [`state ${row.state} belongs ${wanted === "" ? "nowhere" : `in ${wanted}`} and lies ${found}`];
}

// Members.

function judgeMembers(picture: QueuePicture): Violation[] {
  const violations: Violation[] = [];
  for (const { suffix, id, score } of picture.members) {
    const row = picture.rows.get(id);
    const fault = (rule: Rule, detail: string): number => violations.push({ rule, suffix, detail: `${id} ${detail}` });
    if (!isValidId(id)) fault("member-row", "is no branded id");
    else if (row === undefined) fault("member-row", "has no row");
    else if (score !== wantedScore(suffix, row, score)) fault("member-score", `has the score ${score}`);
  }
  return violations;
}

/** The one right score, or the score itself where any instant is right. */
function wantedScore(suffix: Bytes, row: Row, score: number): number {
  switch (suffix) {
    case "active":
    case "schedule":
      return Number.isSafeInteger(score) && score >= 0 ? score : Number.NaN;
    case "dead":
      return 0;
    case "completed":
      return Number(row.fields.get("finished_at") ?? Number.NaN);
    default:
      return Number(row.fields.get("priority") ?? 0);
  }
}

// Lanes.

function judgeLanes(picture: QueuePicture): Violation[] {
  return [...judgeLaneActive(picture), ...judgeLaneSettings(picture), ...judgeRing(picture)];
}

function judgeLaneActive({ gactive, rows }: QueuePicture): Violation[] {
  const counted = new Map<Bytes, number>();
  for (const { state, group } of rows.values()) {
    if (state === "active" && group !== undefined) counted.set(group, (counted.get(group) ?? 0) + 1);
  }
  const lanes = new Set([...counted.keys(), ...gactive.keys()]);
  return [...lanes]
    .filter((lane) => gactive.get(lane) !== (counted.has(lane) ? String(counted.get(lane)) : undefined))
    .map((lane) => {
      const detail = `${lane} says ${gactive.get(lane) ?? "nothing"}, ${counted.get(lane) ?? 0} are active`;
      return { rule: "lane-active", suffix: "gactive", detail };
    });
}

function judgeLaneSettings({ glimit, gweight }: QueuePicture): Violation[] {
  const judge = (suffix: Bytes, settings: ReadonlyMap<Bytes, Bytes>): Violation[] =>
    [...settings]
      .filter(([, text]) => !CANONICAL.test(text) || text === "0")
      .map(([lane, text]) => ({ rule: "lane-settings", suffix, detail: `${lane} has ${text}` }));
  return [...judge("glimit", glimit), ...judge("gweight", gweight)];
}

function judgeRing(picture: QueuePicture): Violation[] {
  const fault = (detail: string): Violation => ({ rule: "lane-ring", suffix: "ring", detail });
  const servable = new Set(picture.laneNames().filter((lane) => picture.isServable(lane)));
  const seen = new Set<Bytes>();
  const violations: Violation[] = [];
  for (const lane of picture.ring) {
    if (seen.has(lane)) violations.push(fault(`${lane} stands on it twice`));
    else if (!servable.has(lane)) violations.push(fault(`${lane} cannot be served: ${picture.whyNotServable(lane)}`));
    seen.add(lane);
  }
  for (const lane of servable) if (!seen.has(lane)) violations.push(fault(`${lane} can be served and is not on it`));
  return violations;
}

// Side keys and wake.

function judgeSideKeys(dump: readonly KeyDump[], { rows }: QueuePicture): Violation[] {
  const violations: Violation[] = [];
  for (const { suffix, isExpiring } of dump) {
    const [, id, kind] = /^job:(.{14}):(.+)$/s.exec(suffix) ?? [];
    if (id === undefined || rows.has(id)) continue;
    // A result outlives its row for whoever waits for it, and then goes by itself.
    if (kind === "result" && isExpiring) continue;
    violations.push({ rule: "side-key", suffix, detail: "has no row" });
  }
  return violations;
}

function judgeWake(picture: QueuePicture, isIdle: boolean): Violation[] {
  const { wake } = picture;
  const fault = (rule: Rule, detail: string): Violation => ({ rule, suffix: "wake", detail });
  const max = picture.hasLanes ? FOREIGN_TOKENS_MAX : 1;
  const violations: Violation[] = [];
  if (wake.length > max) violations.push(fault("wake-tokens", `holds ${wake.length} tokens, at most ${max} are ours`));
  const strange = wake.filter((token) => token !== "1");
  if (strange.length > 0) violations.push(fault("wake-tokens", `holds ${JSON.stringify(strange[0])}`));
  if (isIdle && wake.length === 0 && picture.isClaimable)
    violations.push(fault("wake-idle", "work waits and no token"));
  return violations;
}
