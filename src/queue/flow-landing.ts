/**
 * Stores the jobs of a flow, each behind all its parents, so that whatever breaks in between leaves parents that wait
 * and never a job without those that wait for it.
 *
 * A parent is told of all its children before the first of them lands. When a parent is there already, it is asked
 * which of them it still waits for, and only those are sent: so a flow that broke half-way is resumed by adding it
 * again, and one that ran is a duplicate. A flow of one level in one queue is a single act.
 */

import type { Engine } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { isOutage, isUncertain } from "./admission.ts";
import type { AdmitBytesRow, AdmitOutcome } from "./admit-rows.ts";
import { carryEnds } from "./carry-ends.ts";
import { FLOW_ACT_BYTES_MAX, FLOW_ACT_CHILDREN_MAX, FLOW_ACTS_AT_ONCE, FLOW_GROUPS_MAX } from "./defaults.ts";
import { readChildren } from "./flow-children.ts";
import type { ChildPolicy } from "./flow-literal.ts";
import type { FlowItem, FlowLink, FlowPlan } from "./flow-plan.ts";
import { type ChildOutcome, type Flows, type KnownChild, type ParentLink, POLICY_WORDS } from "./flows.ts";
import { rowOf } from "./job-draft.ts";
import type { Jobs } from "./jobs.ts";
import { beginAdd, type Telemetry, type TraceCarrier, tracedDraft, unlessThrown } from "./telemetry.ts";

/** What a landing works with. */
export interface FlowLandingOptions {
  readonly engine: Engine;
  readonly jobs: Jobs;
  readonly flows: Flows;
  /** The id of each job of the plan. */
  readonly idOf: (item: FlowItem) => string;
  /** A parent that is there already, and waits for the jobs of the plan that have no parent in it. */
  readonly anchor?: { readonly id: string; readonly queue: string };
  /** An earlier run has stored the first job of the plan: only what lies below it may be missing. */
  readonly isRootStored?: boolean;
  /** Until when an act is tried again that an outage undid, by the host's clock; 0 for never. */
  readonly retryUntil: number;
  /** Traces the landing as one add, and stores its trace context with each job. */
  readonly telemetry: Telemetry | undefined;
  /** Told of the jobs once all have landed. */
  readonly onAdded: (jobs: readonly AddedFlowJob[]) => void;
}

/** One job of a flow that has been added, for monitoring. */
export interface AddedFlowJob {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly outcome: AdmitOutcome["outcome"];
}

/** What became of one job of a flow. */
export interface Landed {
  readonly outcome: AdmitOutcome["outcome"];
  /** The job that was there, for anything but `added`. */
  readonly existing: { readonly id: string; readonly state: string | undefined } | undefined;
}

/** First and longest rest before an act is tried again, in ms; each is twice the one before. */
const REST_MS_MIN = 50;
const REST_MS_MAX = 1000;

const ADDED: Landed = Object.freeze({ outcome: "added", existing: undefined });

/** Letters of a job that is admitted by one act with its parent (docs/protocol/flows.md). */
const FLAT_LETTERS = /^[npgoaixc]*$/;

/** One flow on its way to the server. */
export class FlowLanding {
  readonly #options: FlowLandingOptions;
  readonly #landed = new Map<FlowItem, Landed>();
  /** The parents that still wait for a job; a job that is not in here is not sent. */
  readonly #wanted = new Map<FlowItem, FlowLink[]>();
  /**
   * Jobs that an earlier try has stored, under ids that nobody else has. They are not sent again: each may come to its
   * end at any moment, and whoever stores it then runs it again.
   */
  readonly #stored = new Set<FlowItem>();
  #carrier: TraceCarrier | undefined;
  /** An act may have been done without our knowing, so what is found may be ours. */
  #mayHaveLanded = false;

  constructor(options: FlowLandingOptions) {
    this.#options = options;
  }

  /**
   * Stores the jobs of a plan; answers what became of each.
   *
   * @throws EchoMQError `flow_child_exists`, before anything is stored, and what the server or the way to it causes.
   */
  async land(plan: FlowPlan): Promise<ReadonlyMap<FlowItem, Landed>> {
    const { telemetry, onAdded } = this.#options;
    const drafts = plan.items.map(({ draft }) => draft);
    const span = beginAdd(telemetry, plan.root.queue, drafts);
    this.#carrier = span?.carrier;
    try {
      await this.#landAll(plan);
    } catch (error) {
      unlessThrown(() => span?.end({ jobs: [], error }));
      throw error;
    }
    const jobs = plan.items.map((item) => this.#addedOf(item));
    unlessThrown(() => span?.end({ jobs, error: undefined }));
    onAdded(jobs);
    return this.#landed;
  }

  #addedOf(item: FlowItem): AddedFlowJob {
    const { outcome, existing } = this.#landed.get(item) ?? ADDED;
    const { queue, draft } = item;
    return { queue, id: existing?.id ?? this.#options.idOf(item), name: draft.name, outcome };
  }

  async #landAll(plan: FlowPlan): Promise<void> {
    if (this.#options.anchor === undefined) {
      const isOneAct = isFlat(plan);
      if (!isOneAct) await this.#refuseExisting(plan);
      else if (await this.#landFlat(plan.root)) return;
    }
    if (this.#options.isRootStored === true) this.#markStored(plan.root);
    await this.#landLevels(plan.items);
  }

  /** Level by level, parents first; the jobs of a level in any order. */
  async #landLevels(items: readonly FlowItem[]): Promise<void> {
    for (const item of items) if (item.parents.length === 0) this.#wanted.set(item, []);
    for (const level of levelsOf(items)) {
      for (let at = 0; at < level.length; at += FLOW_ACTS_AT_ONCE) {
        await Promise.all(level.slice(at, at + FLOW_ACTS_AT_ONCE).map((item) => this.#landItem(item)));
      }
    }
  }

  /** Throws when a job that is given by its id is there and none of those that wait for it is. */
  async #refuseExisting({ items }: FlowPlan): Promise<void> {
    const named = items.filter(({ draft, parents }) => draft.plan.id !== undefined && parents.length > 0);
    if (named.length === 0) return;
    for (const root of items.filter(({ parents }) => parents.length === 0)) if (await this.#exists(root)) return;
    for (let at = 0; at < named.length; at += FLOW_ACTS_AT_ONCE) {
      const slice = named.slice(at, at + FLOW_ACTS_AT_ONCE);
      const found = await Promise.all(slice.map((item) => this.#exists(item)));
      const item = slice[found.indexOf(true)];
      if (item !== undefined) throw childExists(this.#options.idOf(item), item.at);
    }
  }

  async #exists(item: FlowItem): Promise<boolean> {
    return (await this.#stateOf(item.queue, this.#options.idOf(item))) !== "absent";
  }

  /** One act for a parent and its children. Answers `false` when the parent is there already. */
  async #landFlat(root: FlowItem): Promise<boolean> {
    const children = root.children.map((child) => ({
      policy: policyOf(child, root),
      row: this.#rowOf(child),
    }));
    let isNew: boolean;
    try {
      isNew = (await this.#insist(() => this.#options.flows.flow(root.queue, this.#rowOf(root), children))) > 0;
    } catch (error) {
      const id = /^EMQSTATE child exists (.+)$/.exec(isEchoMQError(error, "state") ? error.message : "")?.[1];
      if (id === undefined) throw error;
      const at = root.children.find((child) => this.#options.idOf(child) === id)?.at ?? "";
      throw childExists(id, at);
    }
    if (isNew) for (const item of [root, ...root.children]) this.#landed.set(item, ADDED);
    return isNew;
  }

  async #landItem(item: FlowItem): Promise<void> {
    const links = this.#wanted.get(item);
    if (links === undefined) {
      // Nobody waits for it any more: it has ended in an earlier try.
      this.#landed.set(item, await this.#found(item));
    } else if (this.#stored.has(item)) await this.#resume(item);
    else if (item.children.length > 0) await this.#hold(item, links);
    else if (this.#linksOf(item, links).length > 0) await this.#landChild(item, links);
    else await this.#admit(item);
  }

  /** Stores a job that waits for others, and finds out for which of them it waits. */
  async #hold(item: FlowItem, links: readonly FlowLink[]): Promise<void> {
    const { flows } = this.#options;
    const known = item.children.map((child) => this.#knownOf(child, item));
    const parents = this.#linksOf(item, links);
    const first = known.slice(0, FLOW_GROUPS_MAX - parents.length);
    // A try without an answer may be repeated: what it has stored waits for children that are stored after it.
    const isNew = await this.#insist(() => flows.hold(item.queue, this.#rowOf(item), { children: first, parents }));
    if (!isNew) {
      await this.#resume(item);
      return;
    }
    this.#landed.set(item, ADDED);
    const wanted = new Set(first.map(({ id }) => id));
    for (let at = first.length; at < known.length; at += FLOW_GROUPS_MAX) {
      for (const id of await this.#expected(item, known.slice(at, at + FLOW_GROUPS_MAX))) wanted.add(id);
    }
    this.#want(item, wanted);
  }

  /** Goes on below a job that waits for others and is there, or was. */
  async #resume(item: FlowItem): Promise<void> {
    this.#landed.set(item, await this.#found(item));
    if (item.children.length === 0) return;
    const known = item.children.map((child) => this.#knownOf(child, item));
    const wanted = new Set<string>();
    for (let at = 0; at < known.length; at += FLOW_GROUPS_MAX) {
      for (const id of await this.#awaited(item, known.slice(at, at + FLOW_GROUPS_MAX))) wanted.add(id);
    }
    this.#want(item, wanted);
  }

  /** Has those children of a job looked at whose ids these are. */
  #want(item: FlowItem, ids: ReadonlySet<string>): void {
    for (const child of item.children) {
      if (!ids.has(this.#options.idOf(child))) continue;
      const link = child.parents.find(({ parent }) => parent === item);
      if (link !== undefined) this.#wanted.set(child, [...(this.#wanted.get(child) ?? []), link]);
    }
  }

  /** Has a job not sent again, unless others may have stored it under its id: then it may lack its parents. */
  #markStored(item: FlowItem): void {
    if (item.draft.plan.id === undefined) this.#stored.add(item);
  }

  /**
   * Which of these children a parent that was there waits for, and those that wait themselves, for jobs that may never
   * have been stored. A child that has no row was never stored, or it is over and its parent has not heard of it: what
   * is on its way is carried over first, or the job would run again. The order is what makes it sure: a child that had
   * no row before its parent has heard of all ends and holds it for open was never stored.
   */
  async #awaited(item: FlowItem, children: readonly KnownChild[]): Promise<readonly string[]> {
    const { engine, jobs, idOf } = this.#options;
    const open = new Set(await this.#expected(item, children));
    const asked = new Set(children.map(({ id }) => id));
    const items = item.children.filter((child) => {
      const id = idOf(child);
      return asked.has(id) && (open.has(id) || child.children.length > 0);
    });
    const places = items.map((child) => ({ id: idOf(child), queueName: child.queue }));
    const states = await this.#insist(() => carryEnds(engine, jobs, places));
    const wanted: string[] = [];
    for (const child of items) {
      const [id, state] = [idOf(child), states.get(idOf(child))];
      if (state === "absent") continue;
      this.#markStored(child);
      if (open.has(id) || state === "awaiting_children") wanted.push(id);
    }
    const lacking = children.filter(({ id }) => open.has(id) && states.get(id) === "absent");
    return lacking.length === 0 ? wanted : [...wanted, ...(await this.#expected(item, lacking))];
  }

  /** Which of these children a parent that is there waits for; none when it is over or gone. */
  async #expected(item: FlowItem, children: readonly KnownChild[]): Promise<readonly string[]> {
    const { flows, idOf } = this.#options;
    const answer = await this.#insist(() => flows.expect(item.queue, idOf(item), children));
    return typeof answer === "string" ? [] : answer;
  }

  async #landChild(item: FlowItem, links: readonly FlowLink[]): Promise<void> {
    const { flows } = this.#options;
    const parents = this.#linksOf(item, links);
    const outcome = await this.#insist(
      () => flows.child(item.queue, this.#rowOf(item), parents),
      // A try without an answer may have stored it, and it may be over by now: to store it again would run it again.
      async () => await this.#isNeeded(item, links),
    );
    if (outcome === undefined) {
      this.#landed.set(item, ADDED);
      return;
    }
    this.#landed.set(item, outcome.outcome === "added" ? ADDED : await this.#found(item, outcome));
    if (outcome.id === undefined) return;
    // The child is known under an id that no job has: whoever reads the tree is told which job stands for it.
    const stands = outcome.id;
    for (const { parent } of links) await this.#expected(parent, [{ ...this.#knownOf(item, parent), stands }]);
  }

  /**
   * Whether a job still has to be stored of which a try had no answer: it has no row, and one of its parents holds it
   * for open once it has heard of what is on its way. A parent that went on or died without it says so as long as its
   * own row is there; by one that is gone nobody can tell, and then the job has most likely ended.
   */
  async #isNeeded(item: FlowItem, links: readonly FlowLink[]): Promise<boolean> {
    const { engine, jobs, idOf } = this.#options;
    if (links.length === 0) return true;
    const id = idOf(item);
    const states = await this.#insist(() => carryEnds(engine, jobs, [{ id, queueName: item.queue }]));
    // One that others may have stored under its id may lack its parents.
    if (states.get(id) !== "absent") return item.draft.plan.id !== undefined;
    for (const { parent } of links) {
      const children = await this.#insist(() => readChildren(engine, parent.queue, idOf(parent)));
      if (children.some((child) => child.id === id && child.state === "open")) return true;
    }
    return false;
  }

  /** A job for which nobody waits and which waits for nobody. */
  async #admit(item: FlowItem): Promise<void> {
    const [outcome] = await this.#insist(() => this.#options.jobs.admitBytes(item.queue, [this.#rowOf(item)]));
    const isNew = outcome === undefined || outcome.outcome === "added";
    this.#landed.set(item, isNew ? ADDED : await this.#found(item, outcome));
  }

  /** What to tell of a job that was not stored, because it, or one in its place, was there. */
  async #found(item: FlowItem, met?: AdmitOutcome | ChildOutcome): Promise<Landed> {
    const own = this.#options.idOf(item);
    const id = met?.id ?? own;
    // Nobody else has an id that was minted for this flow: what lies there is what an earlier try stored.
    if (this.#mayHaveLanded && item.draft.plan.id === undefined && id === own) return ADDED;
    const state = met?.state ?? (await this.#stateOf(item.queue, id));
    return { outcome: met?.outcome ?? "duplicate", existing: { id, state } };
  }

  /** The state word of a job's row, `absent` for none: a command that whoever adds may send. */
  async #stateOf(queue: string, id: string): Promise<string> {
    const states = await this.#insist(() => this.#options.jobs.getStates(queue, [id]));
    return states.get(id) ?? "absent";
  }

  /**
   * Runs an act until it has an answer, as long as it may be tried again. Once a try may have been done although no
   * answer came, `isNeeded` is asked before each further one; what it denies is left, and answered `undefined`.
   */
  async #insist<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  async #insist<Answer>(act: () => Promise<Answer>, isNeeded: () => Promise<boolean>): Promise<Answer | undefined>;
  async #insist<Answer>(act: () => Promise<Answer>, isNeeded?: () => Promise<boolean>): Promise<Answer | undefined> {
    const { clock } = this.#options.engine.ports;
    let mayBeDone = false;
    for (let restMs = REST_MS_MIN; ; restMs = Math.min(restMs * 2, REST_MS_MAX)) {
      try {
        return await act();
      } catch (error) {
        this.#mayHaveLanded ||= isOutage(error);
        mayBeDone ||= isUncertain(error);
        if (!isOutage(error) || clock.now() >= this.#options.retryUntil) throw error;
      }
      await new Promise<void>((resolve) => clock.after(restMs, resolve));
      if (mayBeDone && isNeeded !== undefined && !(await isNeeded())) return undefined;
    }
  }

  #rowOf(item: FlowItem): AdmitBytesRow {
    return rowOf(tracedDraft(item.draft, this.#carrier), this.#options.idOf(item), item.payload);
  }

  /** A child as its parent is told of it. */
  #knownOf(child: FlowItem, parent: FlowItem): KnownChild {
    return {
      id: this.#options.idOf(child),
      queue: queueBytes(child.queue, parent.queue),
      policy: policyOf(child, parent),
      key: bytesOf(child.key),
    };
  }

  /** The parents that still wait for a job, as it is told of them. */
  #linksOf(child: FlowItem, links: readonly FlowLink[]): ParentLink[] {
    const { anchor, idOf } = this.#options;
    const parents = links.map(({ parent, policy }) => ({
      id: idOf(parent),
      queue: queueBytes(parent.queue, child.queue),
      policy: POLICY_WORDS[policy],
    }));
    if (anchor === undefined || child.parents.length > 0) return parents;
    const policy = POLICY_WORDS[child.policy ?? "fail-parent"];
    return [{ id: anchor.id, queue: queueBytes(anchor.queue, child.queue), policy }];
  }
}

/** A queue as a job of another one, or of the same, names it: empty for its own. */
function queueBytes(queue: string, own: string): Bytes {
  return queue === own ? "" : bytesOf(queue);
}

function policyOf(child: FlowItem, parent: FlowItem): Bytes {
  const policy: ChildPolicy = child.parents.find((link) => link.parent === parent)?.policy ?? "fail-parent";
  return POLICY_WORDS[policy];
}

/**
 * Whether one act can store the whole flow: one parent, and children of its queue without names of their own. That act
 * knows no keys of children.
 */
function isFlat({ items, root }: FlowPlan): boolean {
  if (root.children.length === 0 || root.children.length > FLOW_ACT_CHILDREN_MAX) return false;
  if (items.length !== root.children.length + 1) return false;
  const isPlain = ({ queue, draft }: FlowItem) => queue === root.queue && FLAT_LETTERS.test(draft.plan.shape);
  if (!items.every(isPlain) || root.children.some(({ key }) => key !== "")) return false;
  return items.reduce((bytes, { payload }) => bytes + payload.length, 0) <= FLOW_ACT_BYTES_MAX;
}

/** The jobs by their longest way from a root. */
function levelsOf(items: readonly FlowItem[]): FlowItem[][] {
  const depths = new Map<FlowItem, number>();
  const levels: FlowItem[][] = [];
  for (const item of items) {
    const depth = item.parents.reduce((deepest, { parent }) => Math.max(deepest, (depths.get(parent) ?? 0) + 1), 0);
    depths.set(item, depth);
    const level = levels[depth] ?? [];
    level.push(item);
    levels[depth] = level;
  }
  return levels;
}

/** The refusal of a new flow whose child is a job already. */
export function childExists(id: string, at: string): EchoMQError {
  const message = `${at === "" ? "A child" : `The job ${at}`} exists already as job ${id}, so nothing was stored`;
  return new EchoMQError("flow_child_exists", message, { details: { id, at } });
}
