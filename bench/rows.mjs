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
const ADD_FLOORS = ["floor-client", "floor-benchmark"];
const WORK_FLOORS = ["floor-client", "floor-script"];

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
 * @property {boolean} [isIdle] Whether it waits for most of its time: then all columns wait side by side, each with a
 *   server of its own.
 */

/** @type {readonly Row[]} */
export const ROWS = [
  ...[1, 50, 200, 1000].map((concurrency) => ({
    name: `add-${concurrency}`,
    title: `add, ${concurrency} in flight`,
    work: "add",
    columns: [...QUEUES, ...ADD_FLOORS],
    ...JOBS,
    full: { concurrency, jobs: concurrency === 1 ? 20_000 : 100_000 },
    quick: { jobs: concurrency === 1 ? 2000 : 10_000 },
    isPinned: concurrency === 1,
  })),
  {
    name: "bulk-1000",
    title: "addBulk of 1000",
    work: "bulk",
    columns: [...QUEUES, ...ADD_FLOORS],
    ...JOBS,
    full: { jobs: 100_000 },
    quick: { jobs: 10_000 },
  },
  {
    name: "enqueue",
    title: "the verb ENQUEUE, 200 in flight",
    work: "enqueue",
    columns: OURS,
    ...JOBS,
    full: { concurrency: IN_FLIGHT, jobs: 100_000 },
    quick: { jobs: 10_000 },
  },
  ...[1, 10, 100, 1000].map((concurrency) => ({
    name: `process-${concurrency}`,
    title: `process, concurrency ${concurrency}`,
    work: "work",
    columns: [...QUEUES, ...WORK_FLOORS],
    ...JOBS,
    full: { concurrency, jobs: concurrency === 1 ? 20_000 : 80_000 },
    quick: { jobs: concurrency === 1 ? 3000 : 10_000 },
    isPinned: concurrency === 1,
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
    full: { jobs: 20_000, equalMs: 4000, shareMs: 1000 },
    quick: { jobs: 5000, equalMs: 500, shareMs: 500 },
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
    title: "from the end of an outage until 20 jobs of it have run",
    work: "outage",
    columns: ["lua", "native", "bullmq", "bee-queue"],
    ...TIME,
    full: { stillMs: 3000, awayMs: 20_000 },
    quick: { stillMs: 500, awayMs: 2000 },
    isIdle: true,
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
    full: { jobs: 50_000, sizes: [100, 1024, 10_240] },
    quick: { jobs: 2000 },
  },
  {
    name: "depth",
    title: "processor time of the server for a job, and for an act, beside many that wait",
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
