/**
 * Jobs of an age, out of lists that are in another order.
 *
 * A list is walked page by page until enough are found. How many jobs one command looks at is bounded, so a page may be
 * short, even empty, before the end; its cursor goes on behind the last one that was looked at.
 */

import type { Engine } from "../engine/engine.ts";
import type { StoredJob } from "../queue/job.ts";
import { readServerNow } from "../queue/server-clock.ts";

/** Jobs that one page looks at before it answers with what it has. */
const LOOKED_MAX = 10_000;

/** A page of a list. */
interface JobPart {
  readonly jobs: readonly StoredJob[];
  readonly cursor: string | undefined;
}

/** Bounds of an age in ms; `undefined` is none. */
export interface AgeRange {
  readonly olderThan: number | undefined;
  readonly newerThan: number | undefined;
}

/**
 * A test of jobs by age: since the end of one that is dead or completed, else since it was added, by the clock of the
 * server. `undefined` when there is no bound, and then nobody is asked.
 */
export async function isOfAge(engine: Engine, range: AgeRange): Promise<((job: StoredJob) => boolean) | undefined> {
  const { olderThan = 0, newerThan = Number.POSITIVE_INFINITY } = range;
  if (range.olderThan === undefined && range.newerThan === undefined) return undefined;
  const nowMs = await readServerNow(engine);
  return ({ finishedAt, createdAt }) => {
    const ageMs = nowMs - (finishedAt ?? createdAt).getTime();
    return ageMs >= olderThan && ageMs < newerThan;
  };
}

/** What is looked for in a list. */
export interface AgedRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** `undefined`: every job. */
  readonly isWanted: ((job: StoredJob) => boolean) | undefined;
}

/** Walks a list until `limit` jobs are found, {@link LOOKED_MAX} were looked at, or it ends. */
export async function readAgedJobs(
  readPart: (part: { readonly limit: number; readonly cursor?: string }) => Promise<JobPart>,
  { limit, cursor: from, isWanted = () => true }: AgedRequest,
): Promise<JobPart> {
  const jobs: StoredJob[] = [];
  let cursor = from;
  let looked = 0;
  do {
    // No more than are still wanted, so that the cursor never stands behind one that was found and left out.
    const size = limit - jobs.length;
    const part = await readPart({ limit: size, ...(cursor === undefined ? {} : { cursor }) });
    jobs.push(...part.jobs.filter(isWanted));
    cursor = part.cursor;
    looked += size;
  } while (cursor !== undefined && jobs.length < limit && looked < LOOKED_MAX);
  return { jobs, cursor };
}
