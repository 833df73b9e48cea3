/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Adds flows: jobs that wait for other jobs, in one queue or across several.
 *
 * A flow is checked whole before its first write. It is stored parents first, so a flow that broke half-way never runs
 * a job too early: its parents wait, and adding it again under the same ids goes on where it broke. Reading and
 * removing a flow go the same ways down, from what each parent knows of its children.
 *
 * This class sees an engine only. `FlowProducer` of the package is this class with a connection in front of it.
 */

import type { Logger } from "../engine/ports.ts";
import { assertOwnWire } from "../engine/shared-mode.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertValidId } from "../protocol/id.ts";
import { assertQueueName } from "../protocol/key.ts";
import { NODE_MAX } from "../protocol/mint.ts";
import { quote } from "../protocol/quote.ts";
import { ADD_RETRY_MS_DEFAULT, FLOW_DEPTH_DEFAULT, FLOW_DEPTH_MAX } from "./defaults.ts";
import { type Duration, durationMs } from "./duration.ts";
import { borrowed, type EngineLease } from "./engine-lease.ts";
import { type AddedFlowJob, FlowLanding, type Landed } from "./flow-landing.ts";
import type { AnyQueues, BatchCallback, FlowBatch, FlowGraph, FlowJob, FlowNodeLiteral } from "./flow-literal.ts";
import { type FlowItem, type FlowPlan, FlowPlanner, type FlowQueue, withIds } from "./flow-plan.ts";
import { type FlowProgress, readProgress } from "./flow-progress.ts";
import { type FlowRemoval, removeFlow } from "./flow-removal.ts";
import { type FlowReader, type FlowSource, type FlowTree, type FlowTreeOptions, readFlow } from "./flow-tree.ts";
import { Flows } from "./flows.ts";
import { AddedJob } from "./job.ts";
import { Drafter } from "./job-draft.ts";
import { JobPlanner, type SharedJobOptions } from "./job-options.ts";
import { Jobs } from "./jobs.ts";
import { type MintSource, mintThroughOutage, openMint } from "./mint-source.ts";
import { assertKnownOptions, assertWhole, checkedLogger } from "./option-check.ts";
import { type CodecOption, PayloadCodec } from "./payload-codec.ts";
import { QueueCore } from "./queue.ts";
import { NamedQueues } from "./queue-names.ts";
import { checkedSchemas, type StandardSchema } from "./schema.ts";
import { checkedTelemetry, type Telemetry } from "./telemetry.ts";

/** What the jobs of one queue have when a flow adds them: what its `Queue` has. */
export interface FlowQueueOptions {
  readonly defaultJobOptions?: SharedJobOptions;
  readonly schemas?: Readonly<Record<string, StandardSchema>>;
  readonly codec?: CodecOption;
}

/** Options of a flow producer. */
export interface FlowProducerOptions {
  /** By the name of a queue, the options of its jobs. Default: those of a queue that was given none. */
  readonly queues?: Readonly<Record<string, FlowQueueOptions>>;
  /** Levels of a flow, 1 to 1000. Default 8. */
  readonly maxDepth?: number;
  /** The node number of the mint, 0 to 1023, as of a `Queue`. Default: leased from the server. */
  readonly node?: number;
  /**
   * Whether a flow is tried again by itself, under the same ids, when an answer was lost or the server was away or
   * busy: `true` for up to 30 s from the call, a duration for up to so long. Default `false`: it rejects, and the
   * error's `details.flow` is what resumes it.
   */
  readonly retryOnDisconnect?: boolean | Duration;
  /**
   * Traces each flow as one add, and stores its trace context with all its jobs: `openTelemetry()` of
   * `echomq/opentelemetry`. Default: no tracing.
   */
  readonly telemetry?: Telemetry;
  /** Where warnings go. Default: one line each on stderr. */
  readonly logger?: Logger;
}

/** A job of a flow as it was added, with the jobs that it waits for. */
export interface AddedFlow {
  readonly job: AddedJob;
  readonly children: readonly AddedFlow[];
}

/** The jobs of a graph as they were added, by the names of their nodes. */
export type AddedGraph<Key extends string = string> = { readonly [Name in Key]: AddedJob };

/** A batch as it was added: its callbacks, as far as it has them, and its jobs in the order given. */
export interface AddedBatch extends Readonly<Partial<Record<BatchCallback, AddedJob>>> {
  readonly jobs: readonly AddedJob[];
  /**
   * How far the jobs have come, in numbers: what {@link FlowProducerCore.getProgress} tells of `onComplete`, else of
   * `onSuccess`, else of `onDeath`. `undefined` once that callback is no longer kept.
   */
  progress(): Promise<FlowProgress | undefined>;
}

/** Which job, in which queue. */
export interface FlowPlace {
  readonly id: string;
  readonly queueName: string;
}

const PRODUCER_TABLE = {
  owner: "FlowProducer",
  known: ["connection", "queues", "maxDepth", "node", "retryOnDisconnect", "telemetry", "logger"],
  example: "new FlowProducer({ connection })",
  foreign: {
    prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
    defaultJobOptions: "give queues: { name: { defaultJobOptions } }",
    queuesOptions: "it is called queues",
    schemas: "give queues: { name: { schemas } }",
    codec: "give queues: { name: { codec } }",
    depth: "it is called maxDepth",
  },
};

const QUEUE_TABLE = { owner: "a queue of FlowProducer", known: ["defaultJobOptions", "schemas", "codec"] };

/** Flows of a bulk that are on their way at once. */
const FLOWS_AT_ONCE = 16;

/** What a producer keeps of a queue that it has added to. */
interface OpenQueue extends FlowQueue, FlowReader {}

/** A producer of flows on an engine. */
export class FlowProducerCore<Queues = AnyQueues> implements AsyncDisposable {
  readonly #lease: EngineLease;
  readonly #options: FlowProducerOptions;
  readonly #retryMs: number;
  readonly #logger: Logger;
  readonly #jobs: Jobs;
  readonly #flows: Flows;
  readonly #planner: FlowPlanner;
  readonly #mint: MintSource;
  readonly #telemetry: Telemetry | undefined;
  readonly #names: NamedQueues;
  /** One for each queue that flows have named: as many as the program has queues. */
  readonly #queues = new Map<string, OpenQueue>();
  /** Flows on their way, and who waits for their end. */
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /**
   * @param lease the share in an engine, which {@link FlowProducerCore.close} releases.
   * @throws EchoMQError `unknown_option`, `invalid_option` and what is wrong with the options of a queue; the lease is
   *   then the caller's to release.
   */
  constructor(lease: EngineLease, options: FlowProducerOptions = {}) {
    assertKnownOptions(options, PRODUCER_TABLE);
    const { maxDepth = FLOW_DEPTH_DEFAULT, node, queues = {}, retryOnDisconnect = false } = options;
    assertWhole(maxDepth, "maxDepth", { min: 1, max: FLOW_DEPTH_MAX });
    if (node !== undefined) assertWhole(node, "node", { min: 0, max: NODE_MAX });
    const { engine } = lease;
    this.#lease = lease;
    this.#options = options;
    this.#retryMs = retryMsOf(retryOnDisconnect);
    this.#telemetry = checkedTelemetry(options.telemetry);
    this.#logger = checkedLogger(options.logger, engine.ports.logger);
    this.#jobs = new Jobs(engine);
    this.#flows = new Flows(engine);
    this.#names = new NamedQueues(engine);
    this.#planner = new FlowPlanner({ queueOf: (name) => this.#queueOf(name), maxDepth });
    assertKnownOptions(queues, { owner: "queues of FlowProducer", known: Object.keys(queues) });
    for (const name of Object.keys(queues)) this.#queueOf(name);
    this.#mint = openMint(engine, node, (error) =>
      this.#logger.warn("The node number could not be renewed", { error }),
    );
  }

  /**
   * Adds a tree: each job waits for its children, and its handler finds what they returned in `context.children`.
   *
   * Nothing is stored unless the whole tree is right. Children in queues of their own are run by the workers of those
   * queues. Adding a tree whose root exists (give it an `id`) adds nothing but what an earlier try had left out, so it
   * may always be repeated.
   *
   * @throws EchoMQError `flow_cycle`, `flow_parent_as_child`, `flow_duplicate_id`, `flow_too_deep`, `flow_too_large`,
   *   `flow_child_exists`, `invalid_queue`, what `Queue.add` throws for a job, and what the server or the way to it
   *   causes: then `details.flow` is the tree with the ids that it was given, to be added again.
   * @example
   * const { job } = await flows.add({
   *   name: "report",
   *   queueName: "reports",
   *   data: { month: "May" },
   *   children: [{ name: "fetch", queueName: "files", data: { path: "may.csv" }, opts: { onFailure: "ignore" } }],
   * });
   */
  async add(flow: FlowJob<Queues>): Promise<AddedFlow> {
    return await this.#track(async (retryUntil) => {
      const plan = await this.#planner.tree(flow);
      return this.#told(plan.root, await this.#land(plan, flow, retryUntil));
    });
  }

  /**
   * Adds many trees; all are checked before the first is sent, and the answers are in the order given. The trees are
   * stored by themselves, 16 at a time and not together: when one fails, those behind its sixteen are not sent.
   *
   * @throws EchoMQError `invalid_bulk` with the place in `details.index` and the fault as `cause`, and what
   *   {@link FlowProducerCore.add} throws, with `details.index`.
   */
  async addBulk(flows: readonly FlowJob<Queues>[]): Promise<AddedFlow[]> {
    if (!Array.isArray(flows)) throw new EchoMQError("invalid_option", "addBulk takes an array of flows");
    return await this.#track(async (retryUntil) => {
      const plans: FlowPlan[] = [];
      for (const [index, flow] of (flows as readonly unknown[]).entries()) {
        plans.push(await this.#planOf(flow, index));
      }
      const added: AddedFlow[] = [];
      for (let at = 0; at < plans.length; at += FLOWS_AT_ONCE) {
        const slice = plans.slice(at, at + FLOWS_AT_ONCE);
        const landings = await Promise.allSettled(
          slice.map((plan, of) => this.#land(plan, flows[at + of], retryUntil)),
        );
        for (const [of, landing] of landings.entries()) {
          if (landing.status === "rejected") throw atIndex(landing.reason, at + of);
          const plan = slice[of];
          if (plan !== undefined) added.push(this.#told(plan.root, landing.value));
        }
      }
      return added;
    });
  }

  /**
   * Adds a graph: `deps` say which nodes each node waits for, and any number may wait for one. Its handler finds the
   * results of those nodes under their names.
   *
   * @throws EchoMQError `flow_unknown_node`, `shared_mode`, and what {@link FlowProducerCore.add} throws.
   * @example
   * const { publish } = await flows.addDAG({
   *   nodes: {
   *     fetch: { name: "fetch", queueName: "files" },
   *     resize: { name: "resize", queueName: "images" },
   *     index: { name: "index", queueName: "search" },
   *     publish: { name: "publish", queueName: "site" },
   *   },
   *   deps: { publish: ["resize", "index"], resize: ["fetch"], index: ["fetch"] },
   * });
   */
  async addDAG<const Key extends string>(graph: FlowGraph<Queues, Key>): Promise<AddedGraph<Key>> {
    return await this.#track(async (retryUntil) => {
      const plan = await this.#planner.graph(graph);
      const landed = await this.#land(plan, graph, retryUntil);
      const jobs = plan.items.map((item) => [item.at, this.#jobOf(item, landed)]);
      return Object.fromEntries(jobs) as AddedGraph<Key>;
    });
  }

  /**
   * Adds jobs that run one after the other, each when the one before it is done, and finds what that one returned in
   * `context.children`. Answers them in that order. A step that fails ends those behind it, unless it says otherwise.
   *
   * @throws EchoMQError what {@link FlowProducerCore.add} throws; a chain has as many levels as steps.
   */
  async chain(steps: readonly FlowNodeLiteral<Queues>[]): Promise<AddedJob[]> {
    if (!Array.isArray(steps) || steps.length === 0) {
      throw new EchoMQError("invalid_option", "chain takes an array with at least one { name, queueName, data, opts }");
    }
    let flow: unknown;
    for (const step of steps as readonly object[]) flow = flow === undefined ? step : { ...step, children: [flow] };
    const jobs: AddedJob[] = [];
    let node: AddedFlow | undefined = await this.add(flow as FlowJob<Queues>);
    for (; node !== undefined; node = node.children[0]) jobs.unshift(node.job);
    return jobs;
  }

  /**
   * Adds a batch: jobs, in any queues, and callbacks that run when they have ended, each once. `onComplete` runs when
   * all have ended, however; `onSuccess` when all are done; `onDeath` at the first that is dead. A callback whose time
   * cannot come any more goes without a run when the batch has ended. Their handlers find in `context.children` what
   * the jobs left. A batch without jobs is done at once.
   *
   * It is checked whole before it is stored, and adding it again goes on where it broke. A callback that has run is
   * kept for an hour, unless its own `removeOnComplete` says otherwise, and is not run again in that time.
   *
   * @throws EchoMQError `invalid_option` for a batch without callbacks, `shared_mode`, and what
   *   {@link FlowProducerCore.add} throws.
   * @example
   * const batch = await flows.addBatch({
   *   jobs: addresses.map((to) => ({ name: "mail", queueName: "mails", data: { to } })),
   *   onSuccess: { name: "all-sent", queueName: "reports" },
   *   onDeath: { name: "alarm", queueName: "reports" },
   * });
   * await batch.progress(); // { total: 500, done: 20, failed: 0, pending: 480 }
   */
  async addBatch(batch: FlowBatch<Queues>): Promise<AddedBatch> {
    return await this.#track(async (retryUntil) => {
      const plan = await this.#planner.batch(batch);
      // Programs of wire 3 would run a callback whose batch has ended otherwise.
      assertOwnWire(this.#lease.engine, "Batches with callbacks");
      const landing = await this.#land(plan, batch, retryUntil);
      const isCallback = ({ at }: FlowItem) => Object.hasOwn(batch, at);
      const callbacks = Object.fromEntries(
        plan.items.filter(isCallback).map((item) => [item.at, this.#jobOf(item, landing)]),
      ) as Partial<Record<BatchCallback, AddedJob>>;
      const jobs = plan.items.filter((item) => !isCallback(item)).map((item) => this.#jobOf(item, landing));
      const place = { id: landing.ids.get(plan.root) ?? "", queueName: plan.root.queue };
      return { ...callbacks, jobs, progress: () => this.getProgress(place) };
    });
  }

  /**
   * How far the children of a job, or the jobs of the batch whose callback it is, have come, in numbers; `undefined`
   * when there is no such job.
   *
   * @throws EchoMQError `invalid_id`, `invalid_queue`, `unknown_option`.
   */
  async getProgress(place: FlowPlace): Promise<FlowProgress | undefined> {
    this.#assertOpen();
    assertKnownOptions(place, { owner: "getProgress", known: ["id", "queueName"] });
    const { id, queueName } = place;
    assertQueueName(queueName);
    return await readProgress(this.#lease.engine, queueName, assertValidId(id));
  }

  /**
   * The flow below a job as it stands now; `undefined` when there is no such job and nobody knows of it. Jobs that have
   * ended and are not kept are told as their parents know them: done, or failed, with what they left.
   *
   * @throws EchoMQError `invalid_id`, `invalid_queue`, `unknown_option`, `invalid_option`.
   */
  async getFlow(place: FlowPlace & FlowTreeOptions): Promise<FlowTree | undefined> {
    this.#assertOpen();
    return await readFlow(this.#source, place);
  }

  /**
   * Removes a job and the jobs below it that nothing else waits for: the parent first, so that none of them is missed,
   * then its children, level by level. Those that run, or are locked, stay and are told. Answers the jobs removed.
   *
   * @throws EchoMQError `invalid_id`, `invalid_queue`, `unknown_option`.
   */
  async removeFlow(place: FlowPlace): Promise<FlowRemoval> {
    this.#assertOpen();
    return await removeFlow(this.#source, place);
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#lease.engine.ready();
  }

  /** Closes the producer: refuses new calls, waits for flows on their way, gives the connection back. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** {@link FlowProducerCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Told of the jobs of each flow that was added, for monitoring. */
  protected tellAdded(_jobs: readonly AddedFlowJob[]): void {}

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#queues.values()].map(({ core }) => core.close()));
    await this.#mint.release();
    await this.#lease.release();
  }

  /** Runs a call that {@link FlowProducerCore.close} waits for. */
  async #track<Answer>(call: (retryUntil: number) => Promise<Answer>): Promise<Answer> {
    this.#assertOpen();
    const now = this.#lease.engine.ports.clock.now();
    const running = call(this.#retryMs === 0 ? 0 : now + this.#retryMs);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ids, once a node number is held; an outage is waited for until the flow may be tried no more. */
  async #mintAll(count: number, retryUntil: number): Promise<string[]> {
    const { clock } = this.#lease.engine.ports;
    return await mintThroughOutage(this.#mint, count, { clock, mayWait: () => clock.now() < retryUntil });
  }

  /** The plan of one flow of a bulk. */
  async #planOf(flow: unknown, index: number): Promise<FlowPlan> {
    try {
      return await this.#planner.tree(flow);
    } catch (cause) {
      throw badItem(cause, index);
    }
  }

  async #land(plan: FlowPlan, literal: unknown, retryUntil: number): Promise<Landing> {
    if (plan.items.some(({ parents }) => parents.length > 1)) {
      assertOwnWire(this.#lease.engine, "Jobs that several jobs wait for");
    }
    const lacking = plan.items.filter(({ draft }) => draft.plan.id === undefined);
    const minted = await this.#mintAll(lacking.length, retryUntil);
    const ids = new Map(plan.items.map((item) => [item, item.draft.plan.id ?? minted.shift() ?? ""]));
    const idOf = (item: FlowItem) => ids.get(item) ?? "";
    for (const { queue } of plan.items) this.#names.note(queue);
    const { engine } = this.#lease;
    try {
      const onAdded = (jobs: readonly AddedFlowJob[]) => this.tellAdded(jobs);
      const means = { engine, jobs: this.#jobs, flows: this.#flows, telemetry: this.#telemetry, onAdded };
      return { ids, landed: await new FlowLanding({ ...means, idOf, retryUntil }).land(plan) };
    } catch (error) {
      throw isEchoMQError(error) ? resumable(error, withIds(literal, plan, idOf)) : error;
    }
  }

  #told(item: FlowItem, landing: Landing): AddedFlow {
    return { job: this.#jobOf(item, landing), children: item.children.map((child) => this.#told(child, landing)) };
  }

  #jobOf(item: FlowItem, { ids, landed }: Landing): AddedJob {
    const own = ids.get(item) ?? "";
    const { name, data } = item.draft;
    const { outcome = "added", existing } = landed.get(item) ?? {};
    const met = existing === undefined ? undefined : { id: existing.id, state: existing.state ?? "unknown" };
    const job = { id: met?.id ?? own, name, data, outcome, existing: met };
    return new AddedJob(this.#queueOf(item.queue).core, job);
  }

  #queueOf(name: string): OpenQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { queues = {}, node, logger } = this.#options;
    const options = Object.hasOwn(queues, name) ? queues[name] : undefined;
    assertKnownOptions(options, QUEUE_TABLE);
    const { defaultJobOptions, schemas, codec } = options ?? {};
    const core = new QueueCore(name, borrowed(this.#lease.engine), {
      ...(defaultJobOptions === undefined ? {} : { defaultJobOptions }),
      ...(schemas === undefined ? {} : { schemas }),
      ...(codec === undefined ? {} : { codec }),
      ...(node === undefined ? {} : { node }),
      ...(logger === undefined ? {} : { logger }),
    });
    const payloads = new PayloadCodec(codec);
    const drafter = new Drafter(new JobPlanner(defaultJobOptions), payloads);
    const open = { core, codec: payloads, drafter, schemas: checkedSchemas(schemas) };
    this.#queues.set(name, open);
    return open;
  }

  get #source(): FlowSource {
    return { engine: this.#lease.engine, queueOf: (name) => this.#queueOf(name) };
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new EchoMQError("closed", "The flow producer was closed: create a new one");
  }
}

/** What became of the jobs of a plan, and under which ids. */
interface Landing {
  readonly ids: ReadonlyMap<FlowItem, string>;
  readonly landed: ReadonlyMap<FlowItem, Landed>;
}

function retryMsOf(option: boolean | Duration): number {
  if (typeof option !== "boolean") return durationMs(option, "retryOnDisconnect");
  return option ? ADD_RETRY_MS_DEFAULT : 0;
}

/** The error with what resumes the flow. */
function resumable(error: EchoMQError, flow: unknown): EchoMQError {
  if (error.code.startsWith("flow_")) return error;
  const { code, message, details } = error;
  return new EchoMQError(code, `${message}; the flow may be stored in part: add details.flow again to resume it`, {
    cause: error,
    details: { ...details, flow },
  });
}

function badItem(cause: unknown, index: number): EchoMQError {
  const why = cause instanceof Error ? cause.message : quote(cause);
  return new EchoMQError("invalid_bulk", `Flow ${index} is bad and nothing was stored: ${why}`, {
    cause,
    details: { index },
  });
}

function atIndex(error: unknown, index: number): unknown {
  if (!isEchoMQError(error)) return error;
  const { code, message, details } = error;
  return new EchoMQError(code, `Flow ${index}: ${message}`, { cause: error, details: { ...details, index } });
}
