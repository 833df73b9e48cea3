/**
 * The rows of the bench: what is measured, with how many jobs, and what the ratio should be.
 *
 * The counts are chosen so that the slower side of each row runs for one to three seconds on two small cores: long
 * enough that start-up does not count, short enough that five rounds of everything end within four minutes.
 */

/** Adds that are on their way at once in the row `add`. */
export const IN_FLIGHT = 200;

/** Jobs of one bulk when a queue is filled before a process row. */
export const BULK = 1000;

/** Share of a run that is done before the clock starts. */
export const WARM_UP = 0.2;

/** The name of every job; both queues store it. */
export const JOB_NAME = "welcome";

/** What every job carries: 52 bytes as JSON. */
export const PAYLOAD = Object.freeze({ to: "ada@example.com", locale: "en", campaign: 18 });

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {"add" | "process"} work
 * @property {number} concurrency Handlers at once, or adds in flight.
 * @property {number} jobs Jobs of one run.
 * @property {boolean} isPinned Whether client and server get a core each, because chance would decide otherwise.
 * @property {number} target The least ratio to BullMQ.
 */

/** @type {readonly Row[]} */
export const ROWS = [
  { name: "add", work: "add", concurrency: IN_FLIGHT, jobs: 100_000, isPinned: false, target: 3 },
  { name: "process-1", work: "process", concurrency: 1, jobs: 20_000, isPinned: true, target: 3 },
  { name: "process-10", work: "process", concurrency: 10, jobs: 80_000, isPinned: false, target: 3 },
  { name: "process-100", work: "process", concurrency: 100, jobs: 80_000, isPinned: false, target: 3 },
];
