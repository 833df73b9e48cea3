/**
 * Jobs as they were added, and the search for one that is like a pattern.
 *
 * A miss says which job came nearest and where it differs, because that is the next question.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import type { Duration } from "../queue/duration.ts";
import { durationMs } from "../queue/duration.ts";
import type { StoredJob } from "../queue/job.ts";
import type { JobOverrides } from "../queue/job-options.ts";
import { assertKnownOptions, nearestName } from "../queue/option-check.ts";
import { type Difference, differences, shown } from "./near-match.ts";

/** Jobs that a message lists. */
const LISTED_MAX = 5;

/** One job as it was added, whatever became of it since. */
export interface AddedJobRecord<Data = unknown, Name extends string = string> {
  readonly queue: string;
  readonly id: string;
  readonly name: Name;
  readonly data: Data;
  /** How long it was to wait, in ms by the store's clock; 0 for one that could run at once. */
  readonly delayMs: number;
  /** Where it was: `pending`, `scheduled`, `awaiting_children`. */
  readonly state: string;
  readonly priority: number;
  readonly lane: string | undefined;
  readonly jobId: string | undefined;
  readonly deduplicationId: string | undefined;
  /** The scheduler that made it; `undefined` for none. */
  readonly schedulerId: string | undefined;
  /** What it overrides for its worker. */
  readonly options: JobOverrides;
  /** The row as it was; its verbs act on what is there now. */
  readonly job: StoredJob<Data, Name>;
}

/** A value of which only some members are named, at any depth. */
export type PartOf<Value> = Value extends readonly unknown[] | Date
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: PartOf<Value[Name]> }
    : Value;

/**
 * What a job is to be like. Whatever is not named may be anything. Members of `data` may be matchers of a test
 * framework; give it a type of its own then: `data: expect.objectContaining({ … })` is of type `any`.
 */
export interface AddedPattern<Data = unknown, Name extends string = string> {
  readonly name?: Name;
  readonly data?: PartOf<Data>;
  /** How long it was to wait. */
  readonly delay?: Duration;
  readonly id?: string;
  readonly state?: string;
  readonly priority?: number;
  readonly lane?: string;
  readonly jobId?: string;
  readonly deduplicationId?: string;
  readonly schedulerId?: string;
}

const PATTERN_TABLE = {
  owner: "what a job is to be like",
  example: '{ name: "welcome", data: { to: "ada@example.com" } }',
  known: ["name", "data", "delay", "id", "state", "priority", "lane", "jobId", "deduplicationId", "schedulerId"],
  foreign: { opts: "name what is meant itself: delay, priority, lane, jobId", queue: "it is the first argument" },
};

/** What an assertion throws: an `AssertionError` by name, as test frameworks show them. */
export class AddedAssertionError extends Error {
  override readonly name = "AssertionError";
}

/** The jobs that are like a pattern. */
export function likePattern(jobs: readonly AddedJobRecord[], pattern: AddedPattern): AddedJobRecord[] {
  const plain = checkedPattern(pattern);
  return jobs.filter((job) => differences(plain, job, "").length === 0);
}

/** The message that none of these jobs, or not as many as asked for, are like a pattern. */
export function missText(queue: string, jobs: readonly AddedJobRecord[], miss: Miss): string {
  const wanted = `${miss.found.length === 0 ? "no job" : `${miss.found.length} jobs`} of queue ${queue}`;
  const asked = miss.times === undefined ? "was added like" : `and not ${miss.times} were added like`;
  const lines = [`${wanted} ${asked} ${shown(miss.pattern)}`];
  if (jobs.length === 0) return `${lines[0]}: none was added to it at all`;
  if (miss.found.length > 0) return [...lines, ...list(miss.found)].join("\n");
  const [nearest, found] = nearestOf(jobs, checkedPattern(miss.pattern));
  lines.push(`${jobs.length === 1 ? "1 was added" : `${jobs.length} were added`}, the nearest is ${title(nearest)}:`);
  for (const { path, expected, actual } of found)
    lines.push(`  ${path}: ${shown(expected)} wanted, ${shown(actual)} is`);
  return lines.join("\n");
}

/** The message that there are jobs like a pattern although there must be none. */
export function hitText(queue: string, pattern: AddedPattern, found: readonly AddedJobRecord[]): string {
  const count = found.length === 1 ? "a job was" : `${found.length} jobs were`;
  return [`${count} added to queue ${queue} like ${shown(pattern)}:`, ...list(found)].join("\n");
}

export interface Miss {
  readonly pattern: AddedPattern;
  /** How many were asked for; `undefined` for one or more. */
  readonly times: number | undefined;
  readonly found: readonly AddedJobRecord[];
}

/** The states in which a job is when it was just added. */
const ADDED_STATES = ["pending", "scheduled", "awaiting_children"] as const;

/** No job is like one of a state that there is not, so an assertion that none was added would hold for ever. */
function assertAddedState(state: unknown): void {
  if (typeof state !== "string" || (ADDED_STATES as readonly string[]).includes(state)) return;
  const nearest = nearestName(state, ADDED_STATES);
  const advice = nearest === undefined ? `use one of ${ADDED_STATES.join(", ")}` : `did you mean ${nearest}?`;
  throw new EchoMQError("unknown_state", `A job was never ${quote(state)} when it was added: ${advice}`, {
    details: { state },
  });
}

/** The pattern with the duration as the records have it. */
function checkedPattern(pattern: AddedPattern): Record<string, unknown> {
  assertKnownOptions(pattern, PATTERN_TABLE);
  if (pattern === undefined) throw new EchoMQError("invalid_option", "say what the job is to be like, or {} for any");
  const { delay, ...rest } = pattern;
  assertAddedState(rest.state);
  return delay === undefined ? rest : { ...rest, delayMs: durationMs(delay, "delay") };
}

function nearestOf(
  jobs: readonly AddedJobRecord[],
  pattern: Record<string, unknown>,
): [AddedJobRecord | undefined, Difference[]] {
  let nearest: AddedJobRecord | undefined;
  let fewest: Difference[] = [];
  for (const job of jobs) {
    const found = differences(pattern, job, "");
    if (nearest !== undefined && distance(found) >= distance(fewest)) continue;
    nearest = job;
    fewest = found;
  }
  return [nearest, fewest];
}

/** A job of another name is further away than one that differs in some of its data. */
function distance(found: readonly Difference[]): number {
  return found.reduce((sum, { path }) => sum + (path === "name" ? 100 : 1), 0);
}

function list(jobs: readonly AddedJobRecord[]): string[] {
  const lines = jobs.slice(0, LISTED_MAX).map((job) => `  ${title(job)}: ${shown(job.data)}`);
  return jobs.length > LISTED_MAX ? [...lines, `  … and ${jobs.length - LISTED_MAX} more`] : lines;
}

function title(job: AddedJobRecord | undefined): string {
  return job === undefined ? "none" : `${job.id} (${job.name}, ${job.state})`;
}
