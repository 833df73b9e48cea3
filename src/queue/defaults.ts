/**
 * Every default of the options of jobs, queues and workers, and the bounds of what they take, each typed here only.
 *
 * The nearest word wins: what a job says, then what its queue says in `defaultJobOptions`, then what the worker says,
 * then these. Pages repeat the defaults for readers; `test/docs/defaults.test.ts` holds them to what stands here.
 */

/** Failures after which a job is dead. */
export const ATTEMPTS_DEFAULT = 3;

/** The largest number of attempts, as far as the wire counts (spec/job/retry.json). */
export const ATTEMPTS_MAX = 2 ** 31;

/** Wait between a failure and the next attempt, in ms, without a backoff of its own. */
export const BACKOFF_MS_DEFAULT = 1000;

/** How long a claim lasts unless it is renewed, in ms. */
export const LEASE_MS_DEFAULT = 30_000;

/** The shortest lease of a worker, in ms: one that could not be renewed in time would only cause second runs. */
export const LEASE_MS_MIN = 100;

/** The longest lease that the wire takes, in ms (spec/job/turn.json). */
export const LEASE_MS_MAX = 2 ** 31;

/** How long a worker waits for a wake token before it asks anyway, in ms (docs/protocol/wake.md, rule 4). */
export const BEAT_MS_DEFAULT = 1000;

/** The shortest beat, in ms: with a shorter one, workers that wait would keep the server busy. */
export const BEAT_MS_MIN = 10;

/** The longest beat, in ms: lapsed leases, and jobs of producers that wake nobody, lie no longer than this. */
export const BEAT_MS_MAX = 60_000;

/** Handlers that one worker runs at once. */
export const CONCURRENCY_DEFAULT = 1;

/** The most handlers that one worker runs at once. */
export const CONCURRENCY_MAX = 10_000;

/** Jobs leased beyond those that run, at most and by default; how many are used depends on how quick handlers are. */
export const LOOK_AHEAD_MAX = 256;

/** Lapsed leases after which a job is dead. */
export const CRASH_LIMIT_DEFAULT = 3;

/** Dead jobs that a queue keeps, the newest of them, unless `removeOnFail` says otherwise. */
export const DEAD_KEPT_DEFAULT = 10_000;

/** How long the outcome of a job that `addAndWait` added is left for its caller, in ms. */
export const RESULT_KEPT_MS_DEFAULT = 60_000;

/** The longest `keepResult`, in ms: one day. Beside the rows, outcomes live in memory until then. */
export const RESULT_KEPT_MS_MAX = 86_400_000;

/** How long `result` and `addAndWait` wait, in ms, unless `timeout` says otherwise. */
export const RESULT_TIMEOUT_MS_DEFAULT = 60_000;

/** The longest wait for a result, in ms: 24 days, as far as the wire's mark goes (spec/job/result.json). */
export const RESULT_TIMEOUT_MS_MAX = 2 ** 31 - 60_000;

/** Waits for results of one queue at once, at most. */
export const RESULT_WAITS_MAX = 10_000;

/** Leases that one act looks at when it takes back those that have lapsed (docs/protocol/calls.md, Budget). */
export const SWEEP_LIMIT_DEFAULT = 100;

/** Bytes of an encoded payload, at most, unless `sizeLimit` says otherwise: 16 MiB. */
export const PAYLOAD_BYTES_MAX_DEFAULT = 16 * 2 ** 20;

/** The largest `sizeLimit`: what a Valkey string holds, 512 MiB. */
export const PAYLOAD_BYTES_MAX = 512 * 2 ** 20;

/** Newest log lines that a job keeps. */
export const KEEP_LOGS_DEFAULT = 1000;

/** Log lines that a job can be told to keep. */
export const KEEP_LOGS_MAX = 1_000_000;

export { PRIORITY_MAX } from "../protocol/score.ts";

/** The longest delay, timeout or backoff in ms: what a score of the server holds exactly. */
export const MS_MAX = Number.MAX_SAFE_INTEGER;

/** Bytes of the name of a job or lane, at most. */
export const NAME_BYTES_MAX = 256;

/** The largest weight of a lane (spec/lane/gweight.json). */
export const LANE_WEIGHT_MAX = 1_000_000;

/** The largest limit of a lane (spec/lane/glimit.json). */
export const LANE_LIMIT_MAX = 2 ** 31;

/** Lanes of one page of `lanes`, at most. */
export const PAGE_LANES_MAX = 1000;

/** Lanes of one page of `lanes` unless `limit` says otherwise. */
export const PAGE_LANES_DEFAULT = 100;

/** Bytes of a `jobId` as it is stored, at most: what a name holds behind its mark. */
export const JOB_ID_BYTES_MAX = NAME_BYTES_MAX - 4;

/** How long an `idempotencyKey` holds jobs back, in ms, unless `idempotencyKeyTTL` says otherwise: 30 days. */
export const IDEMPOTENCY_MS_DEFAULT = 30 * 86_400_000;

/** The name of a job that stores none. */
export const NAME_DEFAULT = "default";

/** Adds of one queue that wait for their act, at most, unless `maxPending` says otherwise. */
export const PENDING_ADDS_MAX_DEFAULT = 100_000;

/** How long an add with `retryOnDisconnect: true` is repeated while the server is away, in ms. */
export const ADD_RETRY_MS_DEFAULT = 30_000;

/** Acts of admission of one queue that are on their way at once. */
export const ADMIT_ACTS_MAX = 4;

/** Jobs of one act of admission, at most: with more of them each costs hardly less. */
export const ADMIT_ROWS_MAX = 200;

/** Jobs that suffice for an act of admission, so that the server works while the rest is built. */
export const ADMIT_ROWS_ENOUGH = 100;

/** Payload bytes of one act of admission, at most, unless a single job is larger (docs/protocol/calls.md, Budget). */
export const ADMIT_BYTES_MAX = 2 ** 20;

/** Minutes that `throughput` answers unless told otherwise. */
export const THROUGHPUT_MINUTES_DEFAULT = 60;

/** Minutes of which the ends of jobs are counted: four hours (src/transition/step/tally.ts). */
export const THROUGHPUT_MINUTES_MAX = 240;

/** Jobs of one page of `getJobs`, at most. */
export const PAGE_JOBS_MAX = 1000;

/** Jobs of one page of `getJobs` when no end is given. */
export const PAGE_JOBS_DEFAULT = 100;

/** Rows that one page reads at once, so that other calls of the connection get in between. */
export const PAGE_ROWS_AT_ONCE = 100;

/** How long `close` of a queue waits for adds that are on their way, in ms, unless `timeout` says otherwise. */
export const CLOSE_TIMEOUT_MS_DEFAULT = 5000;

/**
 * How long a handler may go on after it was told to stop before its slot is taken from it, in ms: what it is unless
 * `stopGrace` says otherwise, and what that may say at most.
 */
export const STOP_GRACE_MS_DEFAULT = 5000;
export const STOP_GRACE_MS_MAX = 3_600_000;

/** Bytes of the reason of a cancel, and of the id of a worker, at most. */
export const REASON_BYTES_MAX = 4096;
export const WORKER_ID_BYTES_MAX = 1024;

/** Names of jobs that `timeouts` of a worker may have, at most. */
export const TIMEOUT_NAMES_MAX = 1000;

/** How long `close` of a worker lets handlers finish, in ms, unless `timeout` says otherwise. */
export const WORKER_CLOSE_MS_DEFAULT = 30_000;

/** Levels of a flow, at most, unless `maxDepth` of its producer says otherwise, and what that may say at most. */
export const FLOW_DEPTH_DEFAULT = 8;
export const FLOW_DEPTH_MAX = 1000;

/** Jobs of one flow, at most: it is checked and held whole before its first job is sent. */
export const FLOW_JOBS_MAX = 10_000;

/** Children of a flow that one act stores with their parent, and the bytes of their payloads together, at most. */
export const FLOW_ACT_CHILDREN_MAX = 999;
export const FLOW_ACT_BYTES_MAX = 2 ** 20;

/** Parents and children that one act names, at most (docs/protocol/flows.md). */
export const FLOW_GROUPS_MAX = 1000;

/** How long a callback of a batch is kept once it has run, in ms, unless its `removeOnComplete` says otherwise. */
export const CALLBACK_KEPT_MS_DEFAULT = 3_600_000;

/** Signals of children that one pass delivers. */
export const FLOW_DELIVERY_MAX = 100;

/** Acts of one flow that are on their way at once. */
export const FLOW_ACTS_AT_ONCE = 64;

/** Children of a parent whose ends one command reads. */
export const FLOW_CHILDREN_AT_ONCE = 100;

/** Children of one job that `getFlow` reads unless `maxChildren` says otherwise. */
export const FLOW_CHILDREN_READ_DEFAULT = 100;

/** Fields of a record of a stream, at most, its id not counted. */
export const RECORD_FIELDS_MAX = 1000;

/** Bytes of the names and values of a record, at most. */
export const RECORD_BYTES_MAX = 2 ** 24;

/** Queues that one `FlowPump` looks after, at most. */
export const FLOW_PUMP_QUEUES_MAX = 1000;

/** How often a process that fires schedulers alone looks without being told, in ms. */
export const SCHEDULER_BEAT_MS_DEFAULT = 10_000;

/** Queues whose schedulers one `Scheduler` fires, at most. */
export const SCHEDULER_QUEUES_MAX = 1000;
