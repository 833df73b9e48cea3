/**
 * The rules about one job: its row, its places, its scores, its side keys.
 *
 * They share no code with the acts, so an act that breaks one is seen and not excused.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { isValidId } from "../protocol/id.ts";
import { JOB_STATES, RECORD_FIELDS } from "../protocol/registry.generated.ts";
import { PARKED_AT, PRIORITY_MAX } from "../protocol/score.ts";
import { type JobEvidence, laneSuffix } from "./evidence.ts";
import type { Fault, FindingCode, RepairSubject } from "./finding.ts";

/** The score of a job that was begun and waits at the head of an ordered lane. */
const BEGUN_SCORE = -1;

/** The states of a job that may have a time to live. */
const WAITING_STATES: ReadonlySet<string> = new Set(["pending", "scheduled", "awaiting_children"]);

/** The states of a job that is yet to end. */
const OPEN_STATES: ReadonlySet<string> = new Set(["pending", "active", "scheduled", "awaiting_children"]);

/** What a claim may take from a rate, at most. */
const COST_MAX = 1_048_576;

const CANONICAL = /^(?:0|[1-9][0-9]*)$/;

/** The set that holds the jobs of each state, pending ones aside. */
const SETS: Readonly<Record<string, string>> = {
  active: "active",
  scheduled: "schedule",
  dead: "dead",
  completed: "completed",
  awaiting_children: "awaiting",
};

/** The fields that hold numbers, with the least that they may hold: a counter of nothing is absent. */
const NUMBERS: readonly (readonly [field: string, min: number, max: number])[] = [
  ["attempts", 0, Number.MAX_SAFE_INTEGER],
  ["priority", 1, PRIORITY_MAX],
  ["stalled", 1, Number.MAX_SAFE_INTEGER],
  ["deferred", 1, Number.MAX_SAFE_INTEGER],
  ["finished_at", 0, Number.MAX_SAFE_INTEGER],
  ["wait", 0, Number.MAX_SAFE_INTEGER],
  ["due", 0, Number.MAX_SAFE_INTEGER],
  ["expires", 0, Number.MAX_SAFE_INTEGER],
  ["cost", 1, COST_MAX],
];

const KNOWN_FIELDS: ReadonlySet<string> = new Set(RECORD_FIELDS);

const STATES: ReadonlySet<string> = new Set(JOB_STATES);

/** What a rule says of a job, before it is known of which. */
interface Say {
  readonly code: FindingCode;
  readonly detail: string;
  /** The part of a key after the base; default the row's. */
  readonly suffix?: Bytes;
  readonly member?: Bytes;
  readonly destroys?: boolean;
  /** Foreign fields to take out. */
  readonly more?: readonly Bytes[];
}

/** Everything that is wrong with one job. */
export function judgeJob(job: JobEvidence): Fault[] {
  return says(job).map((say) => faultOf(job, say));
}

function faultOf(job: JobEvidence, { code, detail, suffix, member = "", destroys = false, more = [] }: Say): Fault {
  const subject: RepairSubject = { kind: "job", name: job.id, lane: job.lane, more };
  return { code, detail, suffix: suffix ?? `job:${job.id}`, member, destroys, subject };
}

function says(job: JobEvidence): Say[] {
  if (job.names.length === 0) return ghostSays(job);
  if (!job.names.includes("payload")) return [{ code: "row-empty", detail: "has no payload", destroys: true }];
  const broken = fieldSays(job);
  // The rules below take a state for granted.
  return STATES.has(job.fields.get("state") ?? "") ? [...broken, ...numberSays(job), ...lifeSays(job)] : broken;
}

/** A member without a row, and what a row has left behind. */
function ghostSays({ id, places, isToGo, side }: JobEvidence): Say[] {
  const detail = isValidId(id) ? "has no row" : "is no branded id";
  const members = [...places.keys(), ...(isToGo ? ["expiry"] : [])].map(
    (suffix): Say => ({ code: "member-row", suffix, member: id, detail }),
  );
  const left = side.map(
    (type): Say => ({ code: "side-key", suffix: `job:${id}:${type}`, detail: "has no row", destroys: true }),
  );
  return [...members, ...left];
}

function fieldSays({ fields, names }: JobEvidence): Say[] {
  const found: Say[] = [];
  const missing = ["state", "attempts"].filter((field) => !names.includes(field));
  if (missing.length > 0)
    found.push({ code: "row-fields", member: missing[0] ?? "", detail: `lacks ${missing.join(", ")}` });
  const strange = names.filter((field) => !KNOWN_FIELDS.has(field));
  if (strange.length > 0) {
    const detail = `has the unknown field ${strange.join(", ")}`;
    found.push({ code: "row-fields", member: strange[0] ?? "", detail, destroys: true, more: strange });
  }
  const state = fields.get("state");
  if (state !== undefined && !STATES.has(state)) {
    found.push({ code: "row-fields", member: "state", detail: `state ${state}` });
  }
  return found;
}

function numberSays({ fields }: JobEvidence): Say[] {
  const found: Say[] = [];
  for (const [field, min, max] of NUMBERS) {
    const text = fields.get(field);
    if (text === undefined || (CANONICAL.test(text) && Number(text) >= min && Number(text) <= max)) continue;
    found.push({ code: "row-numbers", member: field, detail: `${field} is ${text}` });
  }
  return found;
}

/** The holder, the place and the score. */
function lifeSays(job: JobEvidence): Say[] {
  const found: Say[] = [];
  const state = job.fields.get("state") ?? "";
  const owner = job.fields.get("owner");
  // The holder stands in an active row, the mark of a lapse (the empty text) in a pending one.
  if (owner !== undefined && state !== "active" && !(state === "pending" && owner === "")) {
    found.push({ code: "row-owner", member: "owner", detail: `owner ${JSON.stringify(owner)} in state ${state}` });
  }
  if (job.isToGo && state !== "dead" && state !== "completed") {
    found.push({ code: "row-place", suffix: "expiry", member: job.id, detail: `is to go although it is ${state}` });
  }
  const group = job.fields.get("group");
  if (group !== undefined && !isLaneName(group)) {
    found.push({ code: "row-fields", member: "group", detail: `group ${JSON.stringify(group)} can name no lane` });
    return found;
  }
  const wanted = state === "pending" ? waitingSuffix(group) : (SETS[state] ?? "");
  // A parent that waits for a time at most lies in the schedule as well.
  const isTime = (suffix: Bytes): boolean => state === "awaiting_children" && suffix === "schedule";
  const places = [...job.places.keys()].filter((suffix) => !isTime(suffix));
  if (wanted === "" ? places.length > 0 : places.length !== 1 || places[0] !== wanted) {
    found.push({ code: "row-place", detail: placeDetail(state, wanted, places) });
  } else if (wanted !== "") found.push(...scoreSays(job, wanted, job.places.get(wanted) ?? Number.NaN));
  return [...found, ...followSays(job), ...timeSays(job), ...familySays(job)];
}

/**
 * A parent that counts wrongly, or waits for nobody. A foreign speaker's list of children is none, so it is believed.
 */
function familySays({ id, fields, family }: JobEvidence): Say[] {
  const waits = fields.get("state") === "awaiting_children";
  const suffix = `job:${id}:dependencies`;
  if (family === undefined) {
    return waits ? [{ code: "flow-count", suffix, detail: "waits for children and has no count of them" }] : [];
  }
  const { count, open, children } = family;
  if (children > 0 && open !== undefined && count !== String(open)) {
    return [{ code: "flow-count", suffix, detail: `counts ${count} open children of ${open}` }];
  }
  if (!waits || (CANONICAL.test(count) && count !== "0")) return [];
  return [{ code: "flow-count", suffix, detail: `waits although it counts ${count} open children` }];
}

/** A time to live that nobody will find over in silence: it is not listed, or too late. */
function timeSays({ id, fields, timedAt }: JobEvidence): Say[] {
  const expires = fields.get("expires");
  const mayExpire = WAITING_STATES.has(fields.get("state") ?? "");
  if (!mayExpire || expires === undefined || !CANONICAL.test(expires)) return [];
  if (timedAt !== undefined && timedAt <= Number(expires)) return [];
  const detail = timedAt === undefined ? "is not listed" : `is looked at ${timedAt - Number(expires)} ms too late`;
  return [{ code: "row-expires", suffix: "ttl", member: id, detail }];
}

/** A job that is parked behind one that will never let it run. */
function followSays({ id, fields, places, leader }: JobEvidence): Say[] {
  if (leader === undefined || fields.get("state") !== "scheduled" || places.get("schedule") !== PARKED_AT) return [];
  const { state, next } = leader;
  const isLed = state !== undefined && OPEN_STATES.has(state) && next === id;
  if (isLed) return [];
  const why = state === undefined ? "is gone" : OPEN_STATES.has(state) ? "does not know of it" : `is ${state}`;
  return [{ code: "row-follows", member: "follows", detail: `is to run after a job that ${why}` }];
}

function placeDetail(state: string, wanted: Bytes, places: readonly Bytes[]): string {
  const found = places.length === 0 ? "nowhere" : `in ${places.join(" and ")}`;
  return `state ${state} belongs ${wanted === "" ? "nowhere" : `in ${wanted}`} and lies ${found}`;
}

function scoreSays({ id, fields }: JobEvidence, suffix: Bytes, score: number): Say[] {
  if (isRightScore(fields, suffix, score)) return [];
  return [{ code: "member-score", suffix, member: id, detail: `has the score ${score}` }];
}

function isRightScore(fields: ReadonlyMap<Bytes, Bytes>, suffix: Bytes, score: number): boolean {
  switch (suffix) {
    case "active":
    case "schedule":
    case "awaiting":
      return Number.isSafeInteger(score) && score >= 0;
    case "dead":
      return score === 0;
    case "completed":
      return score === Number(fields.get("finished_at") ?? Number.NaN);
    default: {
      if (score === BEGUN_SCORE && fields.has("held") && suffix !== "pending") return true;
      const priority = fields.get("priority") ?? "0";
      // A priority that is none is told by its own rule.
      return !CANONICAL.test(priority) || score === Number(priority);
    }
  }
}

function waitingSuffix(group: Bytes | undefined): Bytes {
  return group === undefined ? "pending" : laneSuffix(group);
}

/** Whether bytes may name a lane: 1 to 256 of them, no brace, no NUL. */
export function isLaneName(name: Bytes): boolean {
  return name.length > 0 && name.length <= 256 && !/[{}\0]/.test(name);
}
