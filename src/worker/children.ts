/**
 * What a handler sees of the children of its job, and how it adds some and waits for them.
 *
 * A handler that waits does not stand still: its job is put to rest until the children have ended, its slot and lease
 * are free meanwhile, and then the handler runs again from its beginning. So a child is added under a key, and one that
 * is there already is not added again: the parent is told of its children, under the token of the claim, before the
 * first of them is stored, and a run that finds one open stores it again under the same id, which changes nothing.
 */

import type { Engine } from "../engine/engine.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { isOutage, isUncertain } from "../queue/admission.ts";
import { carryEnds, type JobPlace } from "../queue/carry-ends.ts";
import { FLOW_GROUPS_MAX, MS_MAX } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import type { ChildAdder } from "../queue/flow-child-adder.ts";
import { type Child, childResult, openChildren, readChildren } from "../queue/flow-children.ts";
import type { ChildPolicy, FlowJob } from "../queue/flow-literal.ts";
import type { Flows, KnownChild } from "../queue/flows.ts";
import { Jobs } from "../queue/jobs.ts";
import { assertKnownOptions, assertWhole } from "../queue/option-check.ts";
import type { PayloadCodec } from "../queue/payload-codec.ts";
import type { Terms } from "../queue/retention.ts";
import { readServerNow } from "../queue/server-clock.ts";
import { numberReply, QueueKeys } from "../queue/verb-call.ts";
import type { Attempt } from "./attempt.ts";
import { ParkedError } from "./control-error.ts";

/** A child, by the names that its parent has for it. */
export interface ChildName {
  readonly id: string;
  readonly queueName: string;
  /** The name of its node in a graph, or that under which a handler added it; `undefined` for none. */
  readonly key: string | undefined;
}

/** A child whose handler returned. */
export interface ChildResult<Result = unknown> extends ChildName {
  /** What it returned; `undefined` when that was nothing. */
  readonly result: Result;
}

/** A child that ended otherwise. */
export interface ChildFailure extends ChildName {
  /** The error of its last attempt; `removed` when it was taken away. */
  readonly error: string;
  readonly policy: ChildPolicy;
}

/** Options of {@link Children.wait} and {@link Children.run}. */
export interface WaitOptions {
  /** How long to wait at most, from 1 ms on. Default: without limit. */
  readonly timeout?: Duration;
}

/** The children of a job, as its handler has them. All lists are in the order in which the children were added. */
export interface Children {
  /** The children whose handlers returned, with what they returned. */
  results<Result = unknown>(): Promise<ChildResult<Result>[]>;
  /** The children that ended otherwise and did not end this job: of the policies `ignore` and `continue`. */
  failures(): Promise<ChildFailure[]>;
  /** The children that have not ended. */
  pending(): Promise<ChildName[]>;
  /**
   * Adds children, each under a key of this job. One whose key is there already is not added again, so this may stand
   * at the beginning of a handler that runs more than once. The job does not wait for them unless it is told to.
   *
   * @throws EchoMQError what `FlowProducer.add` throws; `lease_lost` when this claim is over.
   */
  add(children: Readonly<Record<string, FlowJob>>): Promise<void>;
  /**
   * Lets the job rest until its children have ended, and run again then. Returns at once when none is open, and once
   * when one of the policy `continue` has failed while the job ran or rested; otherwise it never returns: it throws
   * what ends the handler, so let it pass. The rest takes no slot and no attempt, and the job keeps its lane and its
   * priority. After a crash that came while children were added, it returns at once where a child of a later `add` is
   * not stored yet, so that the handler comes to it.
   *
   * @throws EchoMQError `children_timeout` in the run after the time is over, with `details.pending`; `lease_lost`.
   */
  wait(options?: WaitOptions): Promise<void>;
  /**
   * Adds children, waits for them, and resolves to what they returned, by their keys; `undefined` for one that failed,
   * and for one that is open because another of the policy `continue` has failed.
   *
   * @throws EchoMQError what {@link Children.add} and {@link Children.wait} throw.
   * @example
   * const { pages, images } = await context.children.run({
   *   pages: { name: "fetch", queueName: "files", data: { url } },
   *   images: { name: "scan", queueName: "files", data: { url } },
   * });
   */
  run<Results extends Readonly<Record<string, unknown>> = Record<string, unknown>>(
    children: { readonly [Key in keyof Results]: FlowJob },
    options?: WaitOptions,
  ): Promise<{ readonly [Key in keyof Results]: Results[Key] | undefined }>;
}

/** What the children of one attempt are reached by. */
export interface ChildrenSource {
  readonly engine: Engine;
  readonly flows: Flows;
  readonly queue: string;
  readonly adder: ChildAdder;
  readonly codec: PayloadCodec;
  readonly resultBytesMax: number;
  /** What is kept of jobs that end and do not say themselves. */
  readonly terms: Terms;
  /** The job rests, or is dead because a child has ended it: nothing of the attempt is to be settled any more. */
  readonly onParked: (attempt: Attempt, outcome: "parked" | "dead") => void;
}

/** Pause between two tries to put a job to rest while the server is away, in ms; its lease bounds their number. */
const OUTAGE_REST_MS = 100;

/** States of a job that waits for no child any more. */
const OVER: ReadonlySet<string> = new Set(["absent", "completed", "dead"]);

const WAIT_TABLE = { owner: "wait", known: ["timeout"], foreign: { ttl: "it is called timeout" } };

/** The children of the job of one attempt. */
export class AttemptChildren implements Children {
  readonly #source: ChildrenSource;
  readonly #attempt: Attempt;
  readonly #jobs: Jobs;
  /** The keys of the children that this run has stored, or found. */
  readonly #added = new Set<string>();

  constructor(source: ChildrenSource, attempt: Attempt) {
    this.#source = source;
    this.#attempt = attempt;
    this.#jobs = new Jobs(source.engine);
  }

  async results<Result = unknown>(): Promise<ChildResult<Result>[]> {
    const done = (await this.#read()).filter(({ state }) => state === "done");
    return await Promise.all(
      done.map(async (child) => ({ ...nameOf(child), result: await this.#decoded<Result>(child) })),
    );
  }

  async failures(): Promise<ChildFailure[]> {
    const ended = (await this.#read()).filter(({ state }) => state === "ignored" || state === "failed");
    return ended.map((child) => ({ ...nameOf(child), error: child.error ?? "", policy: child.policy }));
  }

  async pending(): Promise<ChildName[]> {
    return (await this.#read()).filter(({ state }) => state === "open").map(nameOf);
  }

  async add(children: Readonly<Record<string, FlowJob>>): Promise<void> {
    const { adder, queue } = this.#source;
    const known = new Map(
      (await this.#read()).flatMap((child) => (child.key === undefined ? [] : [[child.key, child]])),
    );
    const { id } = this.#attempt;
    await adder.add({ id, queue, children, known, expect: (told) => this.#expect(told) });
    for (const key of Object.keys(children)) this.#added.add(key);
  }

  async wait(options: WaitOptions = {}): Promise<void> {
    assertKnownOptions(options, WAIT_TABLE);
    const timeoutMs = timeoutOf(options);
    await this.#assertInTime();
    // A first run finds nothing that an earlier one has left.
    if (this.#attempt.claimed.token > 1 && (await this.#lacksOne())) return;
    const answer = await this.#park(timeoutMs);
    if (answer === "open") return;
    this.#source.onParked(this.#attempt, answer);
    throw new ParkedError();
  }

  async run<Results extends Readonly<Record<string, unknown>> = Record<string, unknown>>(
    children: { readonly [Key in keyof Results]: FlowJob },
    options: WaitOptions = {},
  ): Promise<{ readonly [Key in keyof Results]: Results[Key] | undefined }> {
    timeoutOf(options);
    await this.add(children);
    await this.wait(options);
    const byKey = new Map((await this.results()).map(({ key, result }) => [key, result]));
    const results = Object.keys(children).map((key) => [key, byKey.get(key)]);
    return Object.fromEntries(results) as { readonly [Key in keyof Results]: Results[Key] | undefined };
  }

  async #read(): Promise<Child[]> {
    const { engine, queue } = this.#source;
    return await readChildren(engine, queue, this.#attempt.id);
  }

  async #decoded<Result>(child: Child): Promise<Result> {
    const { codec, resultBytesMax } = this.#source;
    return (await childResult(child, codec, resultBytesMax)) as Result;
  }

  /** Tells the job of children, under the token of this claim. */
  async #expect(children: readonly KnownChild[]): Promise<void> {
    const { flows, queue } = this.#source;
    const { id, claimed } = this.#attempt;
    for (let at = 0; at < children.length; at += FLOW_GROUPS_MAX) {
      const answer = await flows.expect(queue, id, children.slice(at, at + FLOW_GROUPS_MAX), claimed.token);
      if (typeof answer === "string") throw leaseLost();
    }
  }

  /** Throws when an earlier run has let the job rest, and its time is over with children open. */
  async #assertInTime(): Promise<void> {
    const { engine, queue } = this.#source;
    const { id } = this.#attempt;
    const until = await engine.command(["HGET", new QueueKeys(queue).row(id), "wait_until"]);
    if (until === null || numberReply(until) > (await readServerNow(engine))) return;
    if ((await openChildren(engine, queue, id)) === 0) return;
    const children = await this.#read();
    // One that has failed meanwhile ends this job when it waits, in time or not.
    if (children.some(({ state }) => state === "failed")) return;
    const pending = children.filter(({ state }) => state === "open").map(nameOf);
    // The last of them has ended in between.
    if (pending.length === 0) return;
    const message = `The children of job ${id} have not ended in the time that it waited; ${pending.length} are open`;
    throw new EchoMQError("children_timeout", message, { details: { id, pending } });
  }

  /**
   * Whether a child is open that nobody has stored, because an earlier run broke while it added it, and that this run
   * has not come to yet. To rest until it has ended would be to rest for ever: it is stored when this run goes on.
   */
  async #lacksOne(): Promise<boolean> {
    return await this.#isOneLacking(async () => await this.#notAdded());
  }

  /**
   * Whether one of these children is not stored, or one of those that it waits for; `read` tells the open ones anew.
   */
  async #isOneLacking(read: () => Promise<readonly Child[]>): Promise<boolean> {
    const { engine } = this.#source;
    for (const child of await read()) {
      const { id, queueName } = placeOf(child);
      const state = await this.#jobs.getState(queueName, id);
      if (state === "absent") {
        // It was never stored, or it is over and that is on its way.
        await carryEnds(engine, this.#jobs, [{ id, queueName }]);
        if ((await read()).some((open) => open.id === child.id)) return true;
      }
      if (OVER.has(state)) continue;
      // One that was let on before all had ended may come to wait for the rest. Those under keys it stores itself.
      const isMeant = ({ key }: Child) => state === "awaiting_children" || key === undefined;
      const below = async () =>
        (await readChildren(engine, queueName, id)).filter((one) => one.state === "open" && isMeant(one));
      if (await this.#isOneLacking(below)) return true;
    }
    return false;
  }

  /** The open children under keys that this run has not added. */
  async #notAdded(): Promise<Child[]> {
    const children = await this.#read();
    return children.filter(({ key, state }) => state === "open" && key !== undefined && !this.#added.has(key));
  }

  /**
   * Puts the job to rest. What was sent may have been done although no answer came: then a refusal that follows is what
   * the success of the first try looks like, as nobody else can settle this claim.
   */
  async #park(timeoutMs: number): Promise<"parked" | "dead" | "open"> {
    const attempt = this.#attempt;
    if (attempt.isLost || attempt.phase !== "running") throw leaseLost();
    attempt.isParking = true;
    try {
      return await this.#insistOnPark(timeoutMs);
    } finally {
      attempt.isParking = false;
    }
  }

  async #insistOnPark(timeoutMs: number): Promise<"parked" | "dead" | "open"> {
    const { engine, flows, queue } = this.#source;
    const { id, claimed, phase, terms = this.#source.terms } = this.#attempt;
    let mayBeParked = false;
    while (this.#attempt.phase === phase) {
      try {
        const answer = await flows.park(queue, id, claimed.token, timeoutMs, terms);
        if (answer === "parked" || answer === "dead" || answer === "open") return answer;
        if (mayBeParked) return "parked";
        throw leaseLost();
      } catch (error) {
        if (!isOutage(error)) throw error;
        mayBeParked ||= isUncertain(error);
      }
      await new Promise<void>((resolve) => engine.ports.clock.after(OUTAGE_REST_MS, resolve));
    }
    throw leaseLost();
  }
}

function nameOf({ id, queueName, key }: Child): ChildName {
  return { id, queueName, key };
}

/** Where the row of a child lies, or of the job that stands for it. */
function placeOf({ id, standIn, queueName }: Child): JobPlace {
  return { id: standIn ?? id, queueName };
}

/** The time to wait in ms, 0 for no limit. */
function timeoutOf({ timeout }: WaitOptions): number {
  if (timeout === undefined) return 0;
  const ms = durationMs(timeout, "timeout");
  assertWhole(ms, "timeout", { min: 1, max: MS_MAX });
  return ms;
}

function leaseLost(): EchoMQError {
  return new EchoMQError("lease_lost", "The lease of this job is over; another worker may hold it");
}
