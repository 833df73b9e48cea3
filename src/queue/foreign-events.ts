/**
 * Names of events that users bring from other queues, with what to use: a listener to a name that never comes is
 * silent, so it is refused, and the refusal says what to write instead.
 */

/** What to use, by the name in BullMQ. */
export const FOREIGN_EVENTS: Readonly<Record<string, string>> = {
  waiting: "added tells that a job waits",
  "waiting-children": "added tells the state of a job",
  delayed: "it is called scheduled",
  "retries-exhausted": "it is called dead",
  duplicated: "it is called deduplicated",
  cleaned: "removed tells each job that goes",
  paused: "pauses are no events of jobs: ask isPaused",
  resumed: "pauses are no events of jobs: ask isPaused",
};
