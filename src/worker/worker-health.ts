/**
 * How a worker fares: whether it takes part in its queue, why not, and whether a restart would help.
 *
 * The judgement rests on consumption, on having asked for work and been answered, and not on an open socket: a worker
 * may hold a good connection and be deaf. Two questions are kept apart because supervisors act on them differently.
 * `reason` says that it does not work now, which is often nothing that a restart cures; `needsRestart` says that only a
 * restart is left.
 */

import type { EngineState } from "../engine/engine.ts";
import { causeText } from "../protocol/cause-text.ts";
import type { WorkerState } from "./worker-state.ts";

/**
 * Why a worker does not consume.
 *
 * - `idle`: `run` was not called. `starting`: the server has not answered yet. `paused`, `closing`: it was asked to; a
 *   worker that is closed says `closing` too.
 * - `away`: there is no connection to the server. `refused`: the server answers and does not take its turns; the text
 *   of the refusal is in `lastError`.
 * - `failed`: the server will never serve it: a wrong password, another wire version.
 * - `silent`: the connection stands, a slot is free, and no answer has come for three beats.
 * - `stuck`: every slot is held by a handler that was told to stop and goes on.
 */
export type NotConsuming =
  | "idle"
  | "starting"
  | "paused"
  | "closing"
  | "away"
  | "refused"
  | "failed"
  | "silent"
  | "stuck";

/** What a worker says of itself. Instants are Unix ms of this host; `undefined` is never. */
export interface WorkerHealth {
  readonly state: WorkerState;
  readonly engine: EngineState;
  /** When the server was last asked for work, and when it last answered. */
  readonly lastAskedAt: number | undefined;
  readonly lastAnsweredAt: number | undefined;
  /**
   * Whether the worker takes part in the queue: it has a free slot and was answered within the last three beats, or all
   * its slots are busy and the server does not fail it.
   */
  readonly isConsuming: boolean;
  /** Why it does not; `undefined` while it does. */
  readonly reason: NotConsuming | undefined;
  /** The same as a sentence without a full stop. */
  readonly reasonText: string | undefined;
  /** Since when it should consume and does not; `undefined` while it does, and where it was told not to. */
  readonly notConsumingSince: number | undefined;
  /**
   * Whether only a restart is left: it failed for good, every slot is stuck, or a connection that stands has brought no
   * answer for sixty beats. Never because the server is away: that ends by itself.
   */
  readonly needsRestart: boolean;
  readonly concurrency: number;
  /** Handlers that run now. */
  readonly running: number;
  /** Those of them that were told to stop and have not ended. */
  readonly stuck: number;
  /** Jobs that are leased and have not begun. */
  readonly buffered: number;
  /** Settlements that the server has not acknowledged. */
  readonly unsettled: number;
  /** Why the last try to ask the server failed, or to connect to it; `undefined` once it has answered again. */
  readonly lastError: unknown;
}

/** What a judgement is made of. Instants are 0 for never. */
export interface HealthFacts {
  readonly state: WorkerState;
  readonly engine: EngineState;
  readonly now: number;
  readonly beatMs: number;
  readonly begunAt: number;
  readonly lastAskedAt: number;
  readonly lastAnsweredAt: number;
  /** The last try to ask failed. */
  readonly isFailing: boolean;
  readonly lastError: unknown;
  readonly concurrency: number;
  readonly running: number;
  readonly stuck: number;
  readonly buffered: number;
  readonly unsettled: number;
}

/** Beats without an answer after which a worker with a free slot counts as deaf. */
const DEAF_BEATS = 3;

/** Beats without an answer over a standing connection after which a restart is all that is left. */
const HOPELESS_BEATS = 60;

/** Judges the facts of one moment. */
export function judgeHealth(facts: HealthFacts): WorkerHealth {
  const { state, engine, lastAskedAt, lastAnsweredAt, concurrency, running, stuck, buffered, unsettled } = facts;
  const since = Math.max(lastAnsweredAt, facts.begunAt);
  const reason = reasonOf(facts, since);
  const isWilled = reason === undefined || reason === "idle" || reason === "paused" || reason === "closing";
  const isHopeless = reason === "silent" && facts.now - since > HOPELESS_BEATS * facts.beatMs;
  return {
    state,
    engine,
    lastAskedAt: lastAskedAt === 0 ? undefined : lastAskedAt,
    lastAnsweredAt: lastAnsweredAt === 0 ? undefined : lastAnsweredAt,
    isConsuming: reason === undefined,
    reason,
    reasonText: reason === undefined ? undefined : wordsOf(reason, facts, since),
    notConsumingSince: isWilled ? undefined : since,
    needsRestart: reason === "failed" || reason === "stuck" || isHopeless,
    concurrency,
    running,
    stuck,
    buffered,
    unsettled,
    lastError: facts.lastError,
  };
}

function reasonOf(facts: HealthFacts, since: number): NotConsuming | undefined {
  switch (facts.state) {
    case "idle":
    case "starting":
    case "paused":
    case "failed":
      return facts.state;
    case "closing":
    case "closed":
      return "closing";
    case "running":
      return lackOf(facts, since);
  }
}

/** What a worker that should consume lacks. Until its first answer it is about to begin. */
function lackOf(facts: HealthFacts, since: number): NotConsuming | undefined {
  const { engine, now, beatMs, running, stuck, buffered, concurrency } = facts;
  if (engine !== "ready") return "away";
  if (facts.isFailing) return "refused";
  if (stuck >= concurrency) return "stuck";
  const isSilent = now - since > DEAF_BEATS * beatMs;
  if (!isSilent && facts.lastAnsweredAt === 0) return "starting";
  return isSilent && running + buffered < concurrency ? "silent" : undefined;
}

function wordsOf(reason: NotConsuming, facts: HealthFacts, since: number): string {
  const { state, lastError, stuck, lastAnsweredAt } = facts;
  const because = lastError === undefined ? "" : `: ${causeText(lastError)}`;
  const answered = lastAnsweredAt === 0 ? "it has never answered" : `it last answered at ${instant(since)}`;
  switch (reason) {
    case "idle":
      return "the worker has not begun";
    case "starting":
      return because.includes(NO_ANSWER) ? causeText(lastError) : `${NO_ANSWER}${because}`;
    case "paused":
      return "the worker is paused";
    case "closing":
      return state === "closed" ? "the worker is closed" : "the worker is closing";
    case "away":
      return `there is no connection to the server, ${answered}${because}`;
    case "refused":
      return `the server does not take the turns of this worker, ${answered}${because}`;
    case "failed":
      return `the server will not serve this worker${because}`;
    case "silent":
      return `the server was asked for work and ${answered}`;
    case "stuck":
      return `all slots are taken by ${stuck} handlers that were told to stop and go on`;
  }
}

/** Also how the error of a first connection begins that is still being opened. */
const NO_ANSWER = "the server has not answered yet";

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
