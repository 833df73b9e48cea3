/**
 * From the literal of a flow to its checked jobs, in an order in which each stands behind all its parents.
 *
 * Whatever can be found wrong without asking the server is found here, before the first write: a cycle, a name or id
 * that stands twice, a bad queue name, too many levels or jobs, and everything that a job by itself can be refused for.
 * Each fault has a code of its own, and `details.at` says where in the literal it lies.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { CALLBACK_KEPT_MS_DEFAULT, FLOW_GROUPS_MAX, FLOW_JOBS_MAX } from "./defaults.ts";
import {
  BATCH_CALLBACKS,
  type BatchCallback,
  type ChildPolicy,
  checkedPolicy,
  type FlowJobOptions,
  splitOptions,
} from "./flow-literal.ts";
import type { Draft, Drafter } from "./job-draft.ts";
import type { BatchEnd } from "./job-options.ts";
import { assertKnownOptions, assertName } from "./option-check.ts";
import { type CheckedSchemas, validated } from "./schema.ts";
import { withStoredOptions } from "./with-stored-options.ts";

/** What the jobs of one queue are checked and encoded with. */
export interface FlowQueue {
  readonly drafter: Drafter;
  readonly schemas: CheckedSchemas | undefined;
}

/** What a {@link FlowPlanner} works with. */
export interface FlowPlannerOptions {
  readonly queueOf: (name: string) => FlowQueue;
  /** Levels of a flow, at most. */
  readonly maxDepth: number;
}

/** The way from a child to one of its parents. */
export interface FlowLink {
  readonly parent: FlowItem;
  readonly policy: ChildPolicy;
}

/** One job of a flow: checked, and not yet with an id of its own unless it was given one. */
export interface FlowItem {
  /** Where it stands in the literal: `children[0].children[2]`, or the name of a node; empty for the root of a tree. */
  readonly at: string;
  /** The name by which its parents know it: that of its node; empty in a tree. */
  readonly key: string;
  readonly queue: string;
  readonly draft: Draft;
  readonly payload: Bytes;
  /** What its failure does to parents that do not say so themselves. */
  readonly policy: ChildPolicy | undefined;
  readonly parents: readonly FlowLink[];
  readonly children: readonly FlowItem[];
}

/** A flow that has passed its checks. */
export interface FlowPlan {
  /** Each stands behind all its parents. */
  readonly items: readonly FlowItem[];
  /** The first one of {@link FlowPlan.items}: the root of a tree. */
  readonly root: FlowItem;
}

/** A job of a flow whose children are still being collected. */
interface OpenItem {
  readonly at: string;
  readonly key: string;
  readonly queue: string;
  readonly draft: Draft;
  readonly policy: ChildPolicy | undefined;
  readonly validated: Promise<void> | undefined;
  readonly parents: { parent: OpenItem; policy: ChildPolicy }[];
  readonly children: OpenItem[];
  /** Whether it is one to wait for others, also where there are none. */
  readonly isCallback?: boolean;
  payload: Bytes;
}

/** A literal whose members are not yet known to be right. */
interface UncheckedJob {
  readonly name: string;
  readonly queueName: string;
  readonly data?: unknown;
  readonly opts?: FlowJobOptions;
  readonly children?: readonly UncheckedJob[];
}

/** A graph whose members are not yet known to be right. */
export interface UncheckedGraph {
  readonly nodes: Readonly<Record<string, UncheckedJob>>;
  readonly deps?: Readonly<Record<string, readonly unknown[] | undefined>>;
}

/** A batch whose members are not yet known to be right. */
export interface UncheckedBatch extends Readonly<Partial<Record<BatchCallback, UncheckedJob>>> {
  readonly jobs: readonly UncheckedJob[];
}

/** What the failure of a job does to each callback, and the end of the batch with which that is run. */
const CALLBACK_RULES: Readonly<Record<BatchCallback, { readonly policy: ChildPolicy; readonly runsIf?: BatchEnd }>> = {
  onComplete: { policy: "ignore" },
  onSuccess: { policy: "ignore", runsIf: "success" },
  onDeath: { policy: "continue", runsIf: "failure" },
};

/** The letters of a job that waits for others, and of one that others wait for (docs/protocol/flows.md). */
const PARENT_LETTERS = "npgoixc";
const CHILD_LETTERS = "npgoaidtjxc";

/** The options behind the letters that are refused somewhere. */
const OPTION_OF_LETTER: Readonly<Record<string, string>> = {
  i: "delay",
  d: "deduplication",
  m: "deduplication",
  w: "deduplication",
  t: "deduplication",
  j: "jobId",
  k: "replaceFinished",
  l: "deduplication.policy",
};

const FOREIGN = {
  prefix: "the keyspace is the protocol, so every key begins with emq:; use another database or queue name",
  queue: "it is called queueName",
  options: "it is called opts",
  jobId: "it is an option of the job: give opts: { jobId }",
};

const JOB_TABLE = {
  owner: "a job of a flow",
  known: ["name", "queueName", "data", "opts", "children"],
  foreign: { ...FOREIGN, deps: "a job that several wait for needs addDAG({ nodes, deps })" },
  example: "{ name, queueName, data, opts, children }",
};

const NODE_TABLE = {
  owner: "a node of a graph",
  known: ["name", "queueName", "data", "opts"],
  foreign: { ...FOREIGN, children: "what a node waits for stands in deps", deps: "deps stand beside nodes" },
  example: "{ name, queueName, data, opts }",
};

const GRAPH_TABLE = {
  owner: "addDAG",
  known: ["nodes", "deps"],
  foreign: { edges: "give deps: { node: [what it waits for] }", jobs: "they are called nodes" },
  example: "addDAG({ nodes: { a: { name, queueName } }, deps: { a: [] } })",
};

const BATCH_TABLE = {
  owner: "addBatch",
  known: ["jobs", ...BATCH_CALLBACKS],
  foreign: { children: "they are called jobs", onFailure: "it is called onDeath", callbacks: "they stand beside jobs" },
  example: "addBatch({ jobs: [{ name, queueName, data }], onComplete: { name, queueName } })",
};

const MEMBER_TABLE = {
  owner: "a job of a batch",
  known: ["name", "queueName", "data", "opts"],
  foreign: { ...FOREIGN, children: "a job of a batch waits for nothing", deps: "a job of a batch waits for nothing" },
  example: "{ name, queueName, data, opts }",
};

const DEPENDENCY_TABLE = { owner: "a dependency", known: ["node", "onFailure"], example: "{ node, onFailure }" };

/** Checks flows. Writes nothing. */
export class FlowPlanner {
  readonly #options: FlowPlannerOptions;

  constructor(options: FlowPlannerOptions) {
    this.#options = options;
  }

  /**
   * The plan of a tree. Under a `key` it is that of a job for which another one waits, which knows it by that name.
   *
   * @throws EchoMQError `flow_cycle`, `flow_too_deep`, `flow_too_large`, `flow_duplicate_id`, `flow_parent_as_child`,
   *   `invalid_queue`, and what a job alone is refused for.
   */
  async tree(literal: unknown, key = ""): Promise<FlowPlan> {
    const items: OpenItem[] = [];
    this.#grow(literal, { items, path: [], at: key, key, parent: undefined });
    return await closed(items, key !== "");
  }

  /**
   * The plan of a graph.
   *
   * @throws EchoMQError `flow_unknown_node` and what {@link FlowPlanner.tree} throws.
   */
  async graph(literal: unknown): Promise<FlowPlan> {
    assertKnownOptions(literal, GRAPH_TABLE);
    const { nodes, deps = {} } = (literal ?? {}) as UncheckedGraph;
    if (typeof nodes !== "object" || nodes === null || Object.keys(nodes).length === 0) {
      throw new EchoMQError("invalid_option", "addDAG takes { nodes, deps } with at least one node");
    }
    assertRoom(Object.keys(nodes).length);
    const open = new Map<string, OpenItem>();
    for (const [name, node] of Object.entries(nodes)) {
      assertKnownOptions(node, NODE_TABLE);
      assertName(name, "name of a node", { mayBeEmpty: false });
      open.set(name, this.#item(node, name, name));
    }
    link(open, deps);
    return await closed(ordered(open, this.#options.maxDepth), false);
  }

  /**
   * The plan of a batch: its callbacks, and behind them the jobs for which they wait.
   *
   * @throws EchoMQError what {@link FlowPlanner.tree} throws.
   */
  async batch(literal: unknown): Promise<FlowPlan> {
    assertKnownOptions(literal, BATCH_TABLE);
    const batch = (literal ?? {}) as Partial<UncheckedBatch>;
    const { jobs } = batch;
    if (!Array.isArray(jobs)) throw new EchoMQError("invalid_option", "addBatch takes { jobs: [], … } with callbacks");
    const names = BATCH_CALLBACKS.filter((name) => batch[name] !== undefined);
    if (names.length === 0) {
      const message = "A batch has onComplete, onSuccess or onDeath: add jobs that nobody waits for with addBulk";
      throw new EchoMQError("invalid_option", message);
    }
    assertRoom(names.length + jobs.length);
    const callbacks = names.map((name) => this.#callback(batch[name] as UncheckedJob, name));
    const members = (jobs as readonly UncheckedJob[]).map((job, at) => this.#member(job, `jobs[${at}]`));
    for (const member of members) {
      for (const callback of callbacks) tie(member, callback, CALLBACK_RULES[callback.at as BatchCallback].policy);
    }
    return await closed([...callbacks, ...members], false);
  }

  #callback(literal: UncheckedJob, name: BatchCallback): OpenItem {
    const opts = literal?.opts ?? {};
    const kept = typeof opts === "object" ? { removeOnComplete: { age: CALLBACK_KEPT_MS_DEFAULT }, ...opts } : opts;
    const item = this.#member({ ...literal, opts: kept }, name);
    const { runsIf } = CALLBACK_RULES[name];
    const draft = runsIf === undefined ? item.draft : withStoredOptions(item.draft, { runsIf });
    return { ...item, draft, isCallback: true };
  }

  #member(literal: UncheckedJob, at: string): OpenItem {
    assertKnownOptions(literal, { ...MEMBER_TABLE, owner: at });
    const item = this.#item(literal, at);
    if (item.policy === undefined) return item;
    const message = `${where(at)} cannot have onFailure: which callbacks a batch has says what the end of a job does`;
    throw new EchoMQError("invalid_option", message, { details: { at, option: "onFailure" } });
  }

  /** Adds a job and, level by level, its children. The depth is bounded, and so is the recursion. */
  #grow(
    literal: unknown,
    place: {
      readonly items: OpenItem[];
      readonly path: readonly unknown[];
      readonly at: string;
      readonly key: string;
      readonly parent: OpenItem | undefined;
    },
  ): void {
    const { items, path, at, key, parent } = place;
    if (path.includes(literal)) {
      throw new EchoMQError("flow_cycle", `${where(at)} is its own ancestor`, { details: { at } });
    }
    assertDepth(path.length + 1, this.#options.maxDepth, at);
    assertRoom(items.length + 1);
    assertKnownOptions(literal, JOB_TABLE);
    const item = this.#item(literal as UncheckedJob, at, key);
    if (parent !== undefined) tie(item, parent, item.policy);
    items.push(item);
    const { children = [] } = literal as UncheckedJob;
    if (!Array.isArray(children)) {
      throw new EchoMQError("invalid_option", `${where(at)}: children must be an array, not ${quote(children)}`);
    }
    for (const [index, child] of children.entries()) {
      const below = `${at === "" ? "" : `${at}.`}children[${index}]`;
      this.#grow(child, { items, path: [...path, literal], at: below, key: "", parent: item });
    }
  }

  #item(literal: UncheckedJob | undefined, at: string, key = ""): OpenItem {
    if (literal === undefined) {
      throw new EchoMQError("invalid_option", `${where(at)} must be { name, queueName, data, opts, children }`);
    }
    const { name, queueName, data = {}, opts } = literal;
    try {
      assertQueueName(queueName);
      const { drafter, schemas } = this.#options.queueOf(queueName);
      const { options, policy } = splitOptions(opts);
      const draft = drafter.draft(name, data, options);
      const schema = schemas?.[draft.name];
      const judged = schema === undefined ? undefined : validated(schema, data).then(() => {});
      // It is awaited once the whole literal has been looked at.
      judged?.catch(() => {});
      if (typeof draft.payload !== "string") draft.payload.catch(() => {});
      return { at, key, queue: queueName, draft, policy, validated: judged, parents: [], children: [], payload: "" };
    } catch (cause) {
      throw placed(cause, at);
    }
  }
}

/** Writes a child and a parent on each other. */
function tie(child: OpenItem, parent: OpenItem, policy: ChildPolicy = "fail-parent"): void {
  child.parents.push({ parent, policy });
  parent.children.push(child);
}

/** Ties the nodes of a graph as `deps` say. */
function link(open: ReadonlyMap<string, OpenItem>, deps: Required<UncheckedGraph>["deps"]): void {
  for (const [name, children] of Object.entries(deps)) {
    const parent = named(open, name, "deps");
    if (children === undefined) continue;
    if (!Array.isArray(children)) {
      throw new EchoMQError("invalid_option", `deps.${name} must be an array of nodes, not ${quote(children)}`);
    }
    const tied = new Set<OpenItem>();
    for (const dependency of children as readonly unknown[]) {
      const { node, policy } = dependencyOf(dependency, name);
      const child = named(open, node, `deps.${name}`);
      if (child === parent) throw asOwnChild(name);
      if (tied.has(child)) {
        const message = `deps.${name} names ${quote(node)} twice`;
        throw new EchoMQError("flow_duplicate_id", message, { details: { at: name, node } });
      }
      tied.add(child);
      tie(child, parent, policy ?? child.policy);
    }
  }
}

function dependencyOf(dependency: unknown, of: string): { node: string; policy: ChildPolicy | undefined } {
  if (typeof dependency === "string") return { node: dependency, policy: undefined };
  assertKnownOptions(dependency, { ...DEPENDENCY_TABLE, owner: `a dependency of ${of}` });
  const { node, onFailure } = (dependency ?? {}) as { readonly node?: unknown; readonly onFailure?: unknown };
  if (typeof node !== "string") {
    throw new EchoMQError("invalid_option", `deps.${of} must name nodes, or be of { node, onFailure }`);
  }
  return { node, policy: onFailure === undefined ? undefined : checkedPolicy(onFailure) };
}

function named(open: ReadonlyMap<string, OpenItem>, name: string, where: string): OpenItem {
  const item = open.get(name);
  if (item !== undefined) return item;
  throw new EchoMQError("flow_unknown_node", `${where} names ${quote(name)}, which is not among the nodes`, {
    details: { node: name },
  });
}

/**
 * The nodes of a graph, each behind all its parents, level by level.
 *
 * @throws EchoMQError `flow_cycle`, `flow_too_deep`.
 */
function ordered(open: ReadonlyMap<string, OpenItem>, maxDepth: number): OpenItem[] {
  const waiting = new Map([...open.values()].map((item) => [item, item.parents.length]));
  const order: OpenItem[] = [];
  let level = [...open.values()].filter((item) => item.parents.length === 0);
  for (let depth = 1; level.length > 0; depth++) {
    assertDepth(depth, maxDepth, level[0]?.at ?? "");
    const next: OpenItem[] = [];
    for (const item of level) {
      order.push(item);
      for (const child of item.children) {
        const left = (waiting.get(child) ?? 1) - 1;
        waiting.set(child, left);
        if (left === 0) next.push(child);
      }
    }
    level = next;
  }
  if (order.length < open.size) throw cycleOf([...open.values()].filter((item) => !order.includes(item)));
  return order;
}

/** The error that names one cycle among nodes of which each has a parent among them. */
function cycleOf(left: readonly OpenItem[]): EchoMQError {
  const path: OpenItem[] = [];
  let item = left[0];
  while (item !== undefined && !path.includes(item)) {
    path.push(item);
    item = item.parents.find(({ parent }) => left.includes(parent))?.parent;
  }
  const nodes = path.slice(item === undefined ? 0 : path.indexOf(item)).map(({ at }) => at);
  const text = [...nodes, nodes[0] ?? ""].reverse().join(" waits for ");
  return new EchoMQError("flow_cycle", `No node of a cycle can ever run: ${text}`, { details: { nodes } });
}

/**
 * The plan of jobs that stand in their order: payloads awaited, ids compared.
 *
 * @param hasParent whether a job that is not among them waits for those without a parent.
 */
async function closed(items: readonly OpenItem[], hasParent: boolean): Promise<FlowPlan> {
  assertUnlike(items);
  for (const item of items) {
    try {
      assertLetters(item, hasParent);
      assertParents(item);
      await item.validated;
      item.payload = await item.draft.payload;
    } catch (cause) {
      throw placed(cause, item.at);
    }
  }
  const root = items[0];
  if (root === undefined) throw new EchoMQError("invalid_option", "A flow has at least one job");
  return { items, root };
}

/**
 * Throws for options that a job cannot have in its place. A job that waits for others is stored before it is known when
 * it may run, and one that others wait for must be one job, now.
 */
function assertLetters({ draft, parents, children, isCallback = false }: OpenItem, hasParent: boolean): void {
  const isChild = hasParent || parents.length > 0;
  const isParent = isCallback || children.length > 0;
  const known = isParent ? PARENT_LETTERS : isChild ? CHILD_LETTERS : undefined;
  if (known === undefined) return;
  for (const letter of draft.plan.shape) {
    if (known.includes(letter)) continue;
    const option = OPTION_OF_LETTER[letter] ?? "an option";
    const who = isParent ? "a job that waits for others" : "a job that others wait for";
    const message = `${option} is nothing that ${who} can have${isParent ? "" : " in this form"}`;
    throw new EchoMQError("invalid_option", message, { details: { option } });
  }
}

/** Throws for a job that more jobs wait for than one act can name, beside a child of its own. */
function assertParents({ parents, at }: OpenItem): void {
  if (parents.length < FLOW_GROUPS_MAX) return;
  const message = `${where(at)} is waited for by ${parents.length} jobs, and may be by ${FLOW_GROUPS_MAX - 1} at most`;
  throw new EchoMQError("flow_too_large", message, { details: { at, max: FLOW_GROUPS_MAX - 1 } });
}

/** Throws when two jobs of one flow would be the same job. */
function assertUnlike(items: readonly OpenItem[]): void {
  const seen = new Map<string, OpenItem>();
  for (const item of items) {
    for (const name of namesOf(item)) {
      const other = seen.get(name);
      if (other === undefined) {
        seen.set(name, item);
        continue;
      }
      if (isAbove(other, item) || isAbove(item, other)) throw asOwnChild(item.at);
      const details = { at: item.at, other: other.at };
      const message = `${where(item.at)} and ${where(other.at)} are the same job by their options`;
      throw new EchoMQError("flow_duplicate_id", message, { details });
    }
  }
}

/** What tells a job from others: its id everywhere, its names in its queue. */
function namesOf({ queue, draft }: OpenItem): string[] {
  const { id, shape, values } = draft.plan;
  const names = id === undefined ? [] : [id];
  for (const [at, value] of values.entries()) {
    const letter = shape[at];
    if (letter === "d" || letter === "j" || letter === "k") names.push(`${queue}\0${value}`);
  }
  return names;
}

function isAbove(ancestor: OpenItem, item: OpenItem): boolean {
  const seen = new Set<OpenItem>([item]);
  for (const each of seen) {
    for (const { parent } of each.parents) {
      if (parent === ancestor) return true;
      seen.add(parent);
    }
  }
  return false;
}

function assertDepth(depth: number, maxDepth: number, at: string): void {
  if (depth <= maxDepth) return;
  const message = `${where(at)} lies on level ${depth}, and a flow has ${maxDepth} at most: raise maxDepth of the producer`;
  throw new EchoMQError("flow_too_deep", message, { details: { at, maxDepth } });
}

function assertRoom(count: number): void {
  if (count <= FLOW_JOBS_MAX) return;
  throw new EchoMQError("flow_too_large", `A flow has ${FLOW_JOBS_MAX} jobs at most: cut it into several`, {
    details: { max: FLOW_JOBS_MAX },
  });
}

function asOwnChild(at: string): EchoMQError {
  return new EchoMQError("flow_parent_as_child", `${where(at)} would wait for itself`, { details: { at } });
}

function where(at: string): string {
  return at === "" ? "The root of the flow" : `The job ${at}`;
}

/** The fault of a job with its place in the flow. */
function placed(cause: unknown, at: string): unknown {
  if (!isEchoMQError(cause)) return cause;
  return new EchoMQError(cause.code, `${where(at)}: ${cause.message}`, { cause, details: { ...cause.details, at } });
}

/** The literal of a flow with the ids under which it was sent, to be added again. */
export function withIds(literal: unknown, plan: FlowPlan, idOf: (item: FlowItem) => string): unknown {
  const { jobs } = literal as Partial<UncheckedBatch>;
  if (jobs !== undefined) return batchWithIds(literal as UncheckedBatch, plan, idOf);
  const { nodes } = literal as Partial<UncheckedGraph>;
  if (nodes === undefined) return withId(literal as UncheckedJob, plan.root, idOf);
  const named = plan.items.map((item) => [item.at, withOwnId(nodes[item.at] ?? {}, idOf(item))] as const);
  return { ...(literal as object), nodes: Object.fromEntries(named) };
}

function batchWithIds(literal: UncheckedBatch, { items }: FlowPlan, idOf: (item: FlowItem) => string): object {
  const ids = new Map(items.map((item) => [item.at, idOf(item)]));
  const callbacks: Partial<Record<BatchCallback, object>> = {};
  for (const name of BATCH_CALLBACKS) {
    const callback = literal[name];
    if (callback !== undefined) callbacks[name] = withOwnId(callback, ids.get(name) ?? "");
  }
  const jobs = literal.jobs.map((job, at) => withOwnId(job, ids.get(`jobs[${at}]`) ?? ""));
  return { ...callbacks, jobs };
}

function withId(literal: UncheckedJob, item: FlowItem, idOf: (item: FlowItem) => string): object {
  const children = item.children.map((child, at) => withId(literal.children?.[at] as UncheckedJob, child, idOf));
  return { ...withOwnId(literal, idOf(item)), ...(children.length === 0 ? {} : { children }) };
}

function withOwnId(literal: Partial<UncheckedJob>, id: string): object {
  return { ...literal, opts: { ...literal.opts, id } };
}
