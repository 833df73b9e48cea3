/**
 * Adds children to a job that runs.
 *
 * The parent is told of them first, then they are stored: a crash in between leaves children that the parent knows and
 * nobody has, and the run after it stores them, since it adds the same keys again.
 */

import type { Engine } from "../engine/engine.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { carryEnds } from "./carry-ends.ts";
import { FLOW_JOBS_MAX } from "./defaults.ts";
import { type Child, readChildren } from "./flow-children.ts";
import { type AddedFlowJob, childExists, FlowLanding } from "./flow-landing.ts";
import { type FlowItem, type FlowPlan, FlowPlanner, type FlowQueue } from "./flow-plan.ts";
import { Flows, type KnownChild, POLICY_WORDS } from "./flows.ts";
import { Jobs } from "./jobs.ts";
import { type MintSource, mintAll, openMint } from "./mint-source.ts";
import { assertName } from "./option-check.ts";
import { NamedQueues } from "./queue-names.ts";
import type { Telemetry } from "./telemetry.ts";

/** What a {@link ChildAdder} works with. */
export interface ChildAdderOptions {
  readonly engine: Engine;
  readonly queueOf: (name: string) => FlowQueue;
  readonly maxDepth: number;
  readonly telemetry: Telemetry | undefined;
  /** Told of the jobs of each child that was stored. */
  readonly onAdded: (jobs: readonly AddedFlowJob[]) => void;
  /** Told of a renewal of the mint that failed. */
  readonly onError: (error: unknown) => void;
}

/** What is to be added to which job. */
export interface ChildAddition {
  readonly id: string;
  readonly queue: string;
  /** Literals by their keys. */
  readonly children: Readonly<Record<string, unknown>>;
  /** The children that the job has, by their keys. */
  readonly known: ReadonlyMap<string, Child>;
  /** Tells the job of its new children, under its token. */
  readonly expect: (children: readonly KnownChild[]) => Promise<void>;
}

/** A child that is to be stored, under the id by which its parent knows it. */
interface Planned {
  readonly key: string;
  readonly plan: FlowPlan;
  readonly known: Child | undefined;
}

/** Adds children to the jobs that one worker runs. */
export class ChildAdder {
  readonly #options: ChildAdderOptions;
  readonly #planner: FlowPlanner;
  readonly #jobs: Jobs;
  readonly #flows: Flows;
  readonly #names: NamedQueues;
  /** Opened by the first job that adds children: most workers never do. */
  #mint: MintSource | undefined;

  constructor(options: ChildAdderOptions) {
    this.#options = options;
    this.#planner = new FlowPlanner(options);
    this.#jobs = new Jobs(options.engine);
    this.#flows = new Flows(options.engine);
    this.#names = new NamedQueues(options.engine);
  }

  /** @throws EchoMQError what is wrong with a literal, before anything is written, `flow_child_exists`, and others. */
  async add(addition: ChildAddition): Promise<void> {
    const literals = await this.#plan(addition);
    const known = await this.#heard(addition);
    const planned = literals.map(({ key, plan }) => ({ key, plan, known: known.get(key) }));
    const open = planned.filter(({ known: one }) => one === undefined || one.state === "open");
    if (open.length === 0) return;
    const ids = await this.#idsOf(open);
    const isNew = open.filter(({ known: one }) => one === undefined);
    for (const { plan } of isNew) await this.#refuseExisting(plan.root);
    if (isNew.length > 0) await addition.expect(isNew.map(({ key, plan }) => knownOf(addition, key, plan.root, ids)));
    for (const { key, plan, known: one } of open) {
      const lacks = one === undefined ? "all" : await this.#lacks(addition, key, plan);
      if (lacks === "nothing") continue;
      for (const { queue } of plan.items) this.#names.note(queue);
      const idOf = (item: FlowItem) => ids.get(item) ?? "";
      const { engine, telemetry, onAdded } = this.#options;
      const anchor = { id: addition.id, queue: addition.queue };
      const place = { idOf, anchor, isRootStored: lacks === "below", retryUntil: 0 };
      const means = { engine, jobs: this.#jobs, flows: this.#flows, telemetry, onAdded };
      await new FlowLanding({ ...means, ...place }).land(plan);
    }
  }

  /**
   * The children that the job has, as they are once it has heard of those that have ended: one that is open and has no
   * row was never stored, or it is over, and would run again.
   */
  async #heard({ id, queue, children, known }: ChildAddition): Promise<ReadonlyMap<string, Child>> {
    const { engine } = this.#options;
    const open = [...known.values()].filter(({ key = "", state }) => state === "open" && Object.hasOwn(children, key));
    const places = open.map(({ id: own, standIn, queueName }) => ({ id: standIn ?? own, queueName }));
    const states = await carryEnds(engine, this.#jobs, places);
    if (![...states.values()].includes("absent")) return known;
    const heard = await readChildren(engine, queue, id);
    return new Map(heard.flatMap((child) => (child.key === undefined ? [] : [[child.key, child]])));
  }

  /**
   * What has still to be stored of a child that an earlier run has told of: `all` of it, perhaps jobs `below` it, or
   * `nothing`. It is asked right before each is: while those before it are stored it may come to its end, and to store
   * it then would run it again.
   */
  async #lacks(addition: ChildAddition, key: string, plan: FlowPlan): Promise<"all" | "below" | "nothing"> {
    const { engine } = this.#options;
    const find = async () => (await readChildren(engine, addition.queue, addition.id)).find((one) => one.key === key);
    const child = await find();
    if (child?.state !== "open") return "nothing";
    const { id, standIn, queueName } = child;
    const states = await carryEnds(engine, this.#jobs, [{ id: standIn ?? id, queueName }]);
    if (![...states.values()].includes("absent")) return plan.root.children.length > 0 ? "below" : "nothing";
    return (await find())?.state === "open" ? "all" : "nothing";
  }

  /** Gives the node number back. */
  async release(): Promise<void> {
    await this.#mint?.release();
  }

  async #plan({ children }: ChildAddition): Promise<Omit<Planned, "known">[]> {
    if (typeof children !== "object" || children === null || Array.isArray(children)) {
      const message = `Children are added under keys: give { key: { name, queueName } }, not ${quote(children)}`;
      throw new EchoMQError("invalid_option", message);
    }
    const planned: Omit<Planned, "known">[] = [];
    let count = 0;
    for (const [key, literal] of Object.entries(children)) {
      assertName(key, "key of a child", { mayBeEmpty: false });
      const plan = await this.#planner.tree(literal, key);
      planned.push({ key, plan });
      count += plan.items.length;
      if (count > FLOW_JOBS_MAX) {
        throw new EchoMQError(
          "flow_too_large",
          `A job adds ${FLOW_JOBS_MAX} jobs at once, at most: cut them into parts`,
        );
      }
    }
    return planned;
  }

  async #idsOf(open: readonly Planned[]): Promise<Map<FlowItem, string>> {
    const { engine, onError } = this.#options;
    this.#mint ??= openMint(engine, undefined, onError);
    const ids = new Map<FlowItem, string>();
    for (const { plan, known } of open) {
      for (const item of plan.items) if (item.draft.plan.id !== undefined) ids.set(item, item.draft.plan.id);
      if (known !== undefined) {
        ids.set(plan.root, known.id);
        await this.#recognize(plan.root, ids);
      }
      const lacking = plan.items.filter((item) => !ids.has(item));
      const minted = await mintAll(this.#mint, lacking.length);
      for (const item of lacking) ids.set(item, minted.shift() ?? "");
    }
    return ids;
  }

  /**
   * Gives the jobs below one that an earlier run has added the ids that they were given then. They have no keys, so
   * they are told by their queue and their place: ids of one flow are minted in the order of its jobs.
   */
  async #recognize(item: FlowItem, ids: Map<FlowItem, string>): Promise<void> {
    const id = ids.get(item);
    if (id === undefined || item.children.length === 0) return;
    const children = await readChildren(this.#options.engine, item.queue, id);
    const given = new Set(item.children.map((child) => ids.get(child)));
    const known = new Map<string, string[]>();
    for (const child of children) {
      const ofQueue = known.get(child.queueName);
      if (given.has(child.id)) continue;
      if (ofQueue === undefined) known.set(child.queueName, [child.id]);
      else ofQueue.push(child.id);
    }
    for (const child of item.children) {
      const earlier = ids.has(child) ? undefined : known.get(child.queue)?.shift();
      if (earlier !== undefined) ids.set(child, earlier);
      await this.#recognize(child, ids);
    }
  }

  async #refuseExisting({ queue, draft, at }: FlowItem): Promise<void> {
    const { id } = draft.plan;
    if (id !== undefined && (await this.#jobs.getState(queue, id)) !== "absent") throw childExists(id, at);
  }
}

function knownOf(
  { queue }: ChildAddition,
  key: string,
  item: FlowItem,
  ids: ReadonlyMap<FlowItem, string>,
): KnownChild {
  const policy = POLICY_WORDS[item.policy ?? "fail-parent"];
  return { id: ids.get(item) ?? "", queue: item.queue === queue ? "" : bytesOf(item.queue), policy, key: bytesOf(key) };
}
