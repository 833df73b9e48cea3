/**
 * The low-level verbs of the operator plane, one method a verb, one act a call.
 *
 * What is larger than an act is for the caller to repeat: a method that takes a budget says by its answer whether there
 * may be more. `Queue` repeats them (`operator.ts`); docs/protocol/operator.md says what each does.
 */

import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertValidId } from "../protocol/id.ts";
import { quote } from "../protocol/quote.ts";
import { LANE_LIMIT_MAX } from "./defaults.ts";
import { type Rate, rateArguments } from "./rate.ts";
import { LISTED_STATES, ReadVerbs } from "./read-verbs.ts";
import { actOrRefusal, decimal, numberReply, unexpected } from "./verb-call.ts";

/** Jobs of one act of an operator, unless told otherwise: three milliseconds of a slow server at most. */
export const OPERATOR_BUDGET_DEFAULT = 100;

/** The states whose jobs {@link OperatorVerbs.clean} removes. */
export type CleanedState = "pending" | "scheduled" | "awaiting_children" | "dead" | "completed";

/** All of them. */
export const CLEANED_STATES: readonly CleanedState[] = LISTED_STATES.filter((state) => state !== "active");

/** The verbs of the operator plane. */
export class OperatorVerbs extends ReadVerbs {
  /** Pauses the queue: nothing is claimed from now on. Pausing twice is pausing once. */
  async pause(queue: string): Promise<void> {
    await this.engine.act("QPAUSE", [this.keysOf(queue).meta], []);
  }

  /** Resumes the queue and wakes workers. */
  async resume(queue: string): Promise<void> {
    const { meta, wake } = this.keysOf(queue);
    await this.engine.act("QRESUME", [meta, wake], []);
  }

  /**
   * Pauses or resumes one worker, by the id that it is listed under. `unchanged`: it was so already; `gone`: no such
   * worker is listed.
   */
  async pauseWorker(queue: string, worker: string, isPaused: boolean): Promise<"ok" | "unchanged" | "gone"> {
    const { workers, base } = this.keysOf(queue);
    const reply = await this.engine.act("WPAUSE", [workers, base], [bytesOf(worker), isPaused ? "on" : "off"]);
    if (reply === 1) return "ok";
    if (reply === 0) return "unchanged";
    if (reply === -1) return "gone";
    throw unexpected(reply);
  }

  /**
   * Sets the limits of the queue: `concurrency` (1 to 2^31) jobs active at once, `rate` jobs started in a time; `null`
   * removes one, and what is not named stays. Wakes workers when they may go on.
   *
   * @throws EchoMQError `invalid_limit`, `invalid_rate`, `invalid_option`, `unknown_option`.
   */
  async setLimits(
    queue: string,
    { concurrency, rate }: { readonly concurrency?: number | null; readonly rate?: Rate | null },
  ): Promise<void> {
    if (concurrency === undefined && rate === undefined) return;
    const { meta, wake, base } = this.keysOf(queue);
    const ceiling = concurrency === undefined ? "0" : ceilingText(concurrency);
    const part = concurrency === undefined ? "rate" : rate === undefined ? "concurrency" : "both";
    const args = [ceiling, ...rateArguments(rate ?? null), part];
    await this.engine.act("LIMITS", [meta, `${base}limiter`, wake, base], args);
  }

  /**
   * Removes up to `budget` (0 to 1000, default 100) jobs that wait: flat ones, those of the schedule with `schedule`,
   * those of lanes with `lanes`. Answers how many; as many as the budget means that there may be more.
   */
  async drain(
    queue: string,
    options: { readonly lanes?: boolean; readonly schedule?: boolean; readonly budget?: number } = {},
  ): Promise<number> {
    const { pending, base, schedule } = this.keysOf(queue);
    const { lanes = false, budget = OPERATOR_BUDGET_DEFAULT } = options;
    const keys = options.schedule === true ? [pending, base, schedule] : [pending, base];
    return numberReply(await this.engine.act("DRAIN", keys, [decimal(budget, "budget"), lanes ? "1" : "0"]));
  }

  /**
   * Takes up to `budget` (1 to 1000, default 100) jobs and lanes out of a paused queue; active jobs only with `force`.
   * `more` asks to be called again; after `ok` sets and lanes are empty, and {@link OperatorVerbs.purge} ends the rest.
   */
  async obliterate(
    queue: string,
    options: { readonly force?: boolean; readonly budget?: number } = {},
  ): Promise<"ok" | "more" | "not_paused" | "active"> {
    const { meta, base } = this.keysOf(queue);
    const args = [options.force === true ? "force" : "", decimal(options.budget ?? OPERATOR_BUDGET_DEFAULT, "budget")];
    try {
      const reply = await this.engine.act("OBLITERATE", [meta, base], args);
      if (reply === 0) return "ok";
      if (reply === 1) return "more";
      throw unexpected(reply);
    } catch (error) {
      if (!isEchoMQError(error) || error.code !== "state") throw error;
      return error.message.startsWith("EMQSTATE active") ? "active" : "not_paused";
    }
  }

  /**
   * Unlinks up to 1000 keys of a paused queue, given as whole byte strings; answers how many there were.
   *
   * @throws EchoMQError `refused` for a key of another queue; nothing is unlinked then.
   */
  async purge(queue: string, keys: readonly Bytes[]): Promise<number | "not_paused"> {
    const { meta, base } = this.keysOf(queue);
    const reply = await actOrRefusal(this.engine, { verb: "PURGE", keys: [meta, base, ...keys], args: [] }, ["state"]);
    return reply === "state" ? "not_paused" : numberReply(reply);
  }

  /** Removes those of up to 1000 jobs that are in this state; locked ones stay. Answers how many were removed. */
  async clean(queue: string, state: CleanedState, ids: readonly string[]): Promise<number> {
    const { pending, schedule, dead, base } = this.keysOf(queue);
    const args = [bytesOf(state), ...ids.map(assertValidId)];
    return numberReply(await this.engine.act("CLEAN", [pending, schedule, dead, base], args));
  }

  /** Lets those of up to 1000 jobs that are dead wait again, with a fresh budget. Answers how many do. */
  async revive(queue: string, ids: readonly string[]): Promise<number> {
    const { dead, pending, base } = this.keysOf(queue);
    return numberReply(await this.engine.act("REVIVE", [dead, pending, base], ids.map(assertValidId)));
  }

  /** Gives a scheduled job another due time: `ms` from now, or with mode `at` the server instant `ms`. */
  async changeDelay(
    queue: string,
    id: string,
    ms: number,
    mode: "in" | "at" = "in",
  ): Promise<"ok" | "gone" | "not_scheduled"> {
    const keys = this.keysOf(queue);
    const args = [id, mode, decimal(ms, "ms")];
    const call = { verb: "RESCHEDULE", keys: [keys.row(id), keys.schedule, keys.base], args } as const;
    return changed(await actOrRefusal(this.engine, call, ["state"]), "not_scheduled");
  }

  /** Changes the priority (0, first, to 2097152) of a job that waits or is scheduled. */
  async changePriority(queue: string, id: string, priority: number): Promise<"ok" | "gone" | "not_waiting"> {
    const keys = this.keysOf(queue);
    const args = [id, decimal(priority, "priority")];
    const call = { verb: "PRIORITY", keys: [keys.row(id), keys.pending, keys.schedule, keys.base], args } as const;
    return changed(await actOrRefusal(this.engine, call, ["state"]), "not_waiting");
  }
}

/** A ceiling as an argument, `0` for none. */
function ceilingText(concurrency: number | null): Bytes {
  if (concurrency === null) return "0";
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= LANE_LIMIT_MAX) return String(concurrency);
  const rule = `The concurrency of a queue must be a whole number from 1 to ${LANE_LIMIT_MAX}, or null for none`;
  throw new EchoMQError("invalid_limit", `${rule}, not ${quote(concurrency)}`, { details: { value: concurrency } });
}

/** The outcome of a change of one job; `refused` is the word for a job in the wrong state. */
function changed<Word extends string>(reply: unknown, refused: Word): "ok" | "gone" | Word {
  if (reply === "state") return refused;
  if (reply === 1) return "ok";
  if (reply === -1) return "gone";
  throw unexpected(reply);
}
