/** Scores that mean something by themselves (docs/protocol/jobs.md, docs/protocol/lanes.md). */

/** The largest priority, which is the score of a job that waits: 2^21. 0 is first. */
export const PRIORITY_MAX = 2 ** 21;

/** The score in `schedule` of a job that runs after another: an instant that never comes. */
export const PARKED_AT = Number.MAX_SAFE_INTEGER;
