/**
 * The rows of the bench: what is measured, with how much, and for whom.
 *
 * The counts are chosen so that the slower side of each row runs for one to three seconds on two small cores: long
 * enough that start-up does not count. What is not about speed has what its question needs.
 */

/** Adds that are on their way at once in the row `add-200`. */
export const IN_FLIGHT = 200;

/** Jobs of one bulk when a queue is filled before a process row. */
export const BULK = 1000;

/** Share of a run that is done before the clock starts. */
export const WARM_UP = 0.2;

/** The name of every job; all queues with names store it. */
export const JOB_NAME = "welcome";

/** What every job carries: 52 bytes as JSON. */
export const PAYLOAD = Object.freeze({ to: "ada@example.com", locale: "en", campaign: 18 });

const OURS = ["lua", "native", "embedded", "serve"];
const QUEUES = [...OURS, "bullmq", "bee-queue"];
const WITH_FLOWS = [...OURS, "bullmq"];
const FLOORS = ["floor-client", "floor-benchmark"];

/** What figures are counted in, and whether more of it is better. */
const JOBS = { unit: "jobs/s", isMoreBetter: true };
const TIME = { unit: "ms", isMoreBetter: false };

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} title What people read.
 * @property {string} work A function of work/.
 * @property {readonly string[]} columns Whom it is measured for; nobody else has it.
 * @property {string} unit
 * @property {boolean} isMoreBetter
 * @property {object} full Its counts.
 * @property {object} quick What other counts `--quick` takes.
 * @property {boolean} [isPinned] Whether client and server get a core each, because chance would decide otherwise.
 * @property {Readonly<Record<string, number>>} [targets] The least ratio to BullMQ by column; where less is better, the
 *   greatest.
 */

/** @type {readonly Row[]} */
export const ROWS = [
  ...[1, 50, 200, 1000].map((concurrency) => ({
    name: `add-${concurrency}`,
    title: `add, ${concurrency} in flight`,
    work: "add",
    columns: [...QUEUES, ...FLOORS],
    ...JOBS,
    full: { concurrency, jobs: concurrency === 1 ? 20_000 : 100_000 },
    quick: { jobs: concurrency === 1 ? 2000 : 10_000 },
    isPinned: concurrency === 1,
    ...(concurrency === 200 ? { targets: { lua: 4.5 } } : {}),
  })),
  {
    name: "bulk-1000",
    title: "addBulk of 1000",
    work: "bulk",
    columns: [...QUEUES, ...FLOORS],
    ...JOBS,
    full: { jobs: 100_000 },
    quick: { jobs: 10_000 },
    targets: { lua: 6.5 },
  },
  ...[1, 10, 100, 1000].map((concurrency) => ({
    name: `process-${concurrency}`,
    title: `process, concurrency ${concurrency}`,
    work: "work",
    columns: QUEUES,
    ...JOBS,
    full: { concurrency, jobs: concurrency === 1 ? 20_000 : 80_000 },
    quick: { jobs: concurrency === 1 ? 3000 : 10_000 },
    isPinned: concurrency === 1,
    targets: {
      1: { lua: 4.5, native: 6 },
      10: { lua: 4.5, native: 6.5 },
      100: { lua: 5.8, native: 10 },
      1000: { lua: 7.5 },
    }[concurrency],
  })),
  {
    name: "process-kept",
    title: "process, concurrency 100, the newest 1000 results kept",
    work: "work",
    columns: WITH_FLOWS,
    ...JOBS,
    full: { concurrency: 100, jobs: 80_000, isKept: true },
    quick: { jobs: 10_000 },
  },
  ...[1, 100, 10_000].map((lanes) => ({
    name: `lanes-${lanes}`,
    title: `process, concurrency 100, ${lanes === 1 ? "1 lane" : `${lanes.toLocaleString("en-US")} lanes`}`,
    work: "work",
    columns: OURS,
    ...JOBS,
    full: { concurrency: 100, jobs: 80_000, lanes },
    quick: { jobs: 10_000 },
  })),
  {
    name: "delayed",
    title: "delayed jobs: start after the due time",
    work: "delayed",
    columns: QUEUES,
    ...TIME,
    full: { jobs: 10_000, durationMs: 10_000 },
    quick: { jobs: 1000, durationMs: 1000 },
  },
  {
    name: "latency",
    title: "from add to the start of the handler, at 250/s and at shares of the most",
    work: "latency",
    columns: QUEUES,
    ...TIME,
    full: { jobs: 40_000, durationMs: 3000 },
    quick: { jobs: 5000, durationMs: 500 },
    targets: { lua: 0.6 },
  },
  {
    name: "retries",
    title: "retry storm: 30 % fail once, concurrency 100",
    work: "retries",
    columns: QUEUES,
    ...JOBS,
    full: { concurrency: 100, jobs: 50_000 },
    quick: { jobs: 5000 },
  },
  {
    name: "flows",
    title: "flows of 10 children, from add to the end of the parent",
    work: "flows",
    columns: WITH_FLOWS,
    unit: "flows/s",
    isMoreBetter: true,
    full: { jobs: 3000, children: 10 },
    quick: { jobs: 300 },
  },
  {
    name: "outage",
    title: "20 jobs of an outage have run, after its end",
    work: "outage",
    columns: ["lua", "native", "bullmq", "bee-queue"],
    ...TIME,
    full: { durationMs: 3000 },
    quick: { durationMs: 500 },
  },
  {
    name: "stall",
    title: "longest time that a call on a full queue keeps the server to itself",
    work: "stall",
    columns: ["lua", "native", "embedded", "bullmq", "bee-queue"],
    ...TIME,
    full: { jobs: 200_000 },
    quick: { jobs: 10_000 },
  },
  {
    name: "memory",
    title: "memory of a waiting job by the size of its payload",
    work: "memory",
    columns: QUEUES,
    unit: "bytes",
    isMoreBetter: false,
    full: { jobs: 20_000, sizes: [64, 1024, 10_240] },
    quick: { jobs: 2000 },
  },
  {
    name: "depth",
    title: "processor time of the server for a job beside many that wait",
    work: "depth",
    columns: QUEUES,
    unit: "us",
    isMoreBetter: false,
    full: { depths: [1000, 10_000, 100_000, 1_000_000] },
    quick: { depths: [1000, 10_000] },
  },
  {
    name: "fairness",
    title: "error of the shares of four lanes of weights 1, 2, 4 and 8",
    work: "fairness",
    columns: OURS,
    unit: "%",
    isMoreBetter: false,
    full: { jobs: 15_000, concurrency: 10 },
    quick: { jobs: 6000 },
  },
];
