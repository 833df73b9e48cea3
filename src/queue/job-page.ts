/**
 * One page of jobs, read in slices.
 *
 * The states that are asked for are one list, in the order in which they are named, and a page is a window of it. A
 * page is bounded and its rows are read a hundred at a time, so that a dashboard that lists a million jobs never holds
 * the server, nor the connection, longer than one slice.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { isValidId } from "../protocol/id.ts";
import { PAGE_JOBS_DEFAULT, PAGE_JOBS_MAX, PAGE_ROWS_AT_ONCE } from "./defaults.ts";
import { type JobReader, type StoredJob, storedJob } from "./job.ts";
import type { Jobs } from "./jobs.ts";
import { assertWhole } from "./option-check.ts";
import { assertListedState, type ListedState } from "./read-verbs.ts";

/** What a page is read from. */
export interface PageSource extends JobReader {
  readonly jobs: Jobs;
  readonly queue: string;
}

/** Which page. */
export interface PageRequest {
  readonly states: readonly ListedState[];
  /** The first place, from 0. */
  readonly start: number;
  /** The last place, inclusive; default 100 places from `start` on. */
  readonly end: number | undefined;
  readonly ascending: boolean;
}

/**
 * The jobs of a page. A job that goes while the page is read is left out.
 *
 * @throws EchoMQError `unknown_state`; `invalid_option` for places that are no whole numbers or a page above 1000 jobs.
 */
export async function readJobPage(source: PageSource, request: PageRequest): Promise<StoredJob[]> {
  const end = checkedEnd(request);
  return await readJobs(source, await pageIds(source, request, end));
}

/**
 * The jobs of these ids, in their order; those that are gone are left out, and so is what cannot be an id, which
 * another speaker may have put into the list: the doctor tells of it.
 */
export async function readJobs(source: PageSource, members: readonly string[]): Promise<StoredJob[]> {
  const { jobs, queue } = source;
  const ids = members.filter((member) => isValidId(member));
  const stored: StoredJob[] = [];
  for (let at = 0; at < ids.length; at += PAGE_ROWS_AT_ONCE) {
    const slice = ids.slice(at, at + PAGE_ROWS_AT_ONCE);
    const rows = await Promise.all(slice.map((id) => jobs.getRow(queue, id)));
    for (const [index, row] of rows.entries()) {
      const id = slice[index];
      if (row !== undefined && id !== undefined) stored.push(await storedJob(source, id, row));
    }
  }
  return stored;
}

function checkedEnd({ states, start, end }: PageRequest): number {
  for (const state of states) assertListedState(state);
  assertWhole(start, "start", { min: 0, max: Number.MAX_SAFE_INTEGER - PAGE_JOBS_MAX });
  if (end === undefined) return start + PAGE_JOBS_DEFAULT - 1;
  if (end === -1) {
    throw new EchoMQError(
      "invalid_option",
      `end cannot be -1: read pages of at most ${PAGE_JOBS_MAX} jobs until one comes back short`,
      { details: { option: "end", value: end } },
    );
  }
  assertWhole(end, "end", { min: 0, max: start + PAGE_JOBS_MAX - 1 });
  return end;
}

async function pageIds({ jobs, queue }: PageSource, request: PageRequest, end: number): Promise<string[]> {
  const { states, start, ascending } = request;
  const first = states[0];
  if (first === undefined) return [];
  if (states.length === 1) return await jobs.getIds(queue, first, { start, end, ascending });
  const sizes = await jobs.getSizes(queue, states);
  const ids: string[] = [];
  let from = 0;
  for (const state of states) {
    const count = sizes[state];
    // The window, cut to this state's part of the list and counted from its first place.
    const range = { start: Math.max(start - from, 0), end: Math.min(end - from, count - 1), ascending };
    if (range.start <= range.end) ids.push(...(await jobs.getIds(queue, state, range)));
    from += count;
  }
  return ids;
}
