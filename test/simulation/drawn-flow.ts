/**
 * Flows that are drawn at random, with what each of their jobs does, and the ends that each job may come to by it.
 *
 * A job's handler ends well or fails, and may add trees of jobs and wait for them. So what must become of every job
 * follows from the flow alone, whatever goes wrong while it runs.
 */

import type { ChildPolicy, FlowGraph, FlowJob } from "../../src/queue/flow-literal.ts";

/** How a job can end. */
export type End = "ok" | "dead";

/** That a job waits for another. */
export interface Edge {
  readonly to: Node;
  readonly policy: ChildPolicy;
}

/** Children that a handler adds when it runs, each perhaps with a tree below it, and how it waits for them. */
export interface Stage {
  readonly edges: readonly Edge[];
  /** In one call, in two, or not at all. */
  readonly how: "run" | "add-wait" | "add";
  /** `undefined` for a wait without limit. */
  readonly timeoutMs: number | undefined;
  /** What the handler does when the time is over: it ends well, fails for good, or fails some times and ends well. */
  readonly late: "end" | "die" | "again";
}

/** One job of a drawn flow. */
export interface Node {
  readonly name: string;
  readonly queueName: string;
  /** Whether its handler fails whenever it runs to its end. */
  readonly fails: boolean;
  /** What its handler adds, one after the other. */
  readonly stages: readonly Stage[];
  readonly edges: readonly Edge[];
  /** Whether it is added by a handler: then it may never be stored, as the job above may end before. */
  readonly isAdded: boolean;
}

export interface FlowDrawerOptions {
  readonly random: () => number;
  readonly queues: readonly string[];
  /** Whether some waits have a limit. */
  readonly mayBeLate: boolean;
}

const POLICIES: readonly ChildPolicy[] = ["fail-parent", "ignore", "continue", "remove"];

/** Draws flows. */
export class FlowDrawer {
  readonly #random: () => number;
  readonly #queues: readonly string[];
  readonly #mayBeLate: boolean;

  constructor({ random, queues, mayBeLate }: FlowDrawerOptions) {
    this.#random = random;
    this.#queues = queues;
    this.#mayBeLate = mayBeLate;
  }

  /** A tree or a graph of two to eight jobs, besides those that handlers add. */
  flow(prefix: string): Node[] {
    const isTree = this.#random() < 0.5;
    const nodes: Node[] = [];
    const size = 2 + this.#below(7);
    const edgesOf = Array.from({ length: size }, () => new Set<number>());
    // Each job but the first is waited for by one that was drawn before it, and in a graph perhaps by more.
    for (let at = 1; at < size; at++) {
      edgesOf[this.#below(at)]?.add(at);
      if (!isTree && this.#random() < 0.5) edgesOf[this.#below(at)]?.add(at);
    }
    for (let at = size - 1; at >= 0; at--) {
      const name = `${prefix}n${at}`;
      nodes[at] = {
        name,
        queueName: this.#queue(),
        fails: this.#random() < 0.2,
        isAdded: false,
        stages: this.#stages(name, 0),
        edges: [...(edgesOf[at] ?? [])].flatMap((to) => {
          const node = nodes[to];
          return node === undefined ? [] : [{ to: node, policy: this.#policy() }];
        }),
      };
    }
    return nodes;
  }

  /** What the handler of a job adds: nothing as a rule, and nothing below the second level of added jobs. */
  #stages(name: string, level: number): Stage[] {
    if (level > 1 || this.#random() >= 0.15) return [];
    return Array.from({ length: 1 + this.#below(2) }, (_, stage) => ({
      edges: this.#added(`${name}s${stage}`, 1 + this.#below(3), level + 1),
      how: (["run", "add-wait", "run", "add"] as const)[this.#below(4)] ?? "run",
      timeoutMs: this.#mayBeLate && this.#random() < 0.3 ? 1 + this.#below(600) : undefined,
      late: (["end", "die", "again"] as const)[this.#below(3)] ?? "end",
    }));
  }

  /** Jobs that are added by a handler, some with jobs below them. */
  #added(name: string, count: number, level: number): Edge[] {
    return Array.from({ length: count }, (_, at) => {
      const own = `${name}c${at}`;
      const to: Node = {
        name: own,
        queueName: this.#queue(),
        fails: this.#random() < 0.2,
        isAdded: true,
        stages: this.#stages(own, level),
        edges: level < 3 && this.#random() < 0.3 ? this.#added(own, 1 + this.#below(2), level + 1) : [],
      };
      return { to, policy: this.#policy() };
    });
  }

  #queue(): string {
    return this.#queues[this.#below(this.#queues.length)] ?? "";
  }

  #policy(): ChildPolicy {
    return POLICIES[this.#below(POLICIES.length)] ?? "ignore";
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** The data of a job, for those of a storm that do not look them up by its name. */
type DataOf = (node: Node) => unknown;

const NO_DATA: DataOf = () => undefined;

/** A flow as a producer takes it. */
export function graphOf(nodes: readonly Node[], dataOf = NO_DATA): FlowGraph {
  const literals = nodes.map((node) => [node.name, { name: node.name, queueName: node.queueName, data: dataOf(node) }]);
  return {
    nodes: Object.fromEntries(literals),
    deps: Object.fromEntries(
      nodes.map(({ name, edges }) => [name, edges.map(({ to, policy }) => ({ node: to.name, onFailure: policy }))]),
    ),
  };
}

/** These jobs, and all that their handlers may add. */
export function allOf(nodes: Iterable<Node>): Node[] {
  const all = new Set<Node>();
  const take = (node: Node) => {
    if (all.has(node)) return;
    all.add(node);
    for (const { to } of [...node.edges, ...node.stages.flatMap(({ edges }) => edges)]) take(to);
  };
  for (const node of nodes) take(node);
  return [...all];
}

/** A job that a handler adds, with what lies below it. */
export function literalOf({ to, policy }: Edge, dataOf = NO_DATA): FlowJob {
  const { name, queueName, edges } = to;
  const children = edges.map((edge) => literalOf(edge, dataOf));
  return { name, queueName, data: dataOf(to), opts: { onFailure: policy }, children };
}

export function nameOf({ to }: Edge): string {
  return to.name;
}

/** The children that a job has when it waits for the last time in its first run. */
function awaitedBy({ edges, stages }: Node): readonly Edge[] {
  const last = stages.findLastIndex(({ how }) => how !== "add");
  return [...edges, ...stages.slice(0, last + 1).flatMap((stage) => stage.edges)];
}

/** The children that a job may have when it waits: a further run finds those of the stages behind the wait as well. */
function awaitableBy({ edges, stages }: Node): readonly Edge[] {
  return stages.some(({ how }) => how !== "add") ? [...edges, ...stages.flatMap((stage) => stage.edges)] : edges;
}

/** Whether a child may let a job run before the others have ended. */
export function isLetOn({ edges, stages }: Node): boolean {
  return [...edges, ...stages.flatMap((stage) => stage.edges)].some(
    ({ to, policy }) => policy === "continue" && endsOf(to).has("dead"),
  );
}

/** Whether one of these children certainly ends a job that waits for them. */
function isCertain(edges: readonly Edge[]): boolean {
  return edges.some(({ to, policy }) => policy === "fail-parent" && !endsOf(to).has("ok"));
}

/** Whether a child certainly ends a job before it can run. */
export function isEndedByChild(node: Node): boolean {
  return isCertain(node.edges) && !isLetOn(node);
}

const KNOWN_ENDS = new WeakMap<Node, ReadonlySet<End>>();

/** The ends that a job can come to, by those of its children and what its handler does. */
export function endsOf(node: Node): ReadonlySet<End> {
  const known = KNOWN_ENDS.get(node);
  if (known !== undefined) return known;
  const ends = new Set<End>();
  const awaited = awaitedBy(node);
  // That the time of a rest is over is told to the first wait of the next run, whichever of them has set it.
  const waits = node.stages.filter(({ how }) => how !== "add");
  const timed = waits.some(({ timeoutMs }) => timeoutMs !== undefined) ? waits : [];
  const mayBeEnded = awaitableBy(node).some(({ to, policy }) => policy === "fail-parent" && endsOf(to).has("dead"));
  if (mayBeEnded) ends.add("dead");
  if (isEndedByChild(node)) return remember(node, ends);
  if (timed.some(({ late }) => late === "die")) ends.add("dead");
  // Where it stops waiting before its children have ended, none of them ends it for certain.
  const goesOn = isLetOn(node) || timed.some(({ late }) => late !== "die") || !isCertain(awaited);
  if (goesOn) ends.add(node.fails ? "dead" : "ok");
  return remember(node, ends);
}

function remember(node: Node, ends: ReadonlySet<End>): ReadonlySet<End> {
  KNOWN_ENDS.set(node, ends);
  return ends;
}
