/**
 * A storm over flows: random trees and graphs over three queues, on virtual time, while replies are lost, acts are
 * refused, processes with their pumps die at any moment and new ones come, and producers break half-way and add again.
 *
 * Each job is drawn with what its handler does, so what must become of every job follows from the flow alone. At each
 * step the count of each parent that waits must be that of its children which have not ended, and when the weather has
 * cleared, every job must have come to the one end that its children imply, and no key of a flow may be left.
 */

import { EchoMQError } from "../../src/protocol/errors.ts";
import type { ChildPolicy, FlowGraph } from "../../src/queue/flow-literal.ts";
import { FlowProducerCore } from "../../src/queue/flow-producer.ts";
import { dumpQueue } from "../../src/testing/dump.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { createRandom, createTestPorts } from "../../src/testing/test-ports.ts";
import type { Context } from "../../src/worker/context.ts";
import { UnrecoverableError } from "../../src/worker/control-error.ts";
import { FlowPumpCore } from "../../src/worker/flow-pump.ts";
import { WorkerCore } from "../../src/worker/worker.ts";
import type { WorkerJob } from "../../src/worker/worker-job.ts";
import { RemoteEngine } from "../unit/worker/remote-engine.ts";

const QUEUES = ["red", "green", "blue"] as const;
const POLICIES: readonly ChildPolicy[] = ["fail-parent", "ignore", "continue", "remove"];
const LEASE_MS = 600;

/** How a job can end. */
type End = "ok" | "dead";

/** One job of a drawn flow. */
interface Node {
  readonly name: string;
  readonly queueName: string;
  /** Whether its handler fails whenever it runs. */
  readonly fails: boolean;
  /** A job that its handler adds, and waits for; `undefined` for none. */
  readonly late: Node | undefined;
  readonly edges: readonly { readonly to: Node; readonly policy: ChildPolicy }[];
}

/** What a storm left behind. */
export interface FlowStormReport {
  readonly flows: number;
  readonly jobs: number;
  /** Jobs that came to an end that their children do not allow, with what was allowed. */
  readonly wrongEnds: readonly string[];
  /** Jobs whose handler found other results than those of its children. */
  readonly wrongResults: readonly string[];
  /** Jobs that ran although a child had to end them. */
  readonly ranInVain: readonly string[];
  /** Parents whose count was not that of their open children, at any step. */
  readonly wrongCounts: readonly string[];
  readonly violations: readonly unknown[];
  /** Keys of jobs and flows that were left. */
  readonly keys: readonly string[];
}

interface Process {
  readonly engine: RemoteEngine;
  readonly worker: WorkerCore;
}

class FlowStorm {
  readonly #random: () => number;
  readonly #ports = createTestPorts();
  readonly #first = new RemoteEngine(this.#ports);
  readonly #processes: Process[] = [];
  readonly #all: WorkerCore[] = [];
  readonly #pump: FlowPumpCore;
  readonly #producer: FlowProducerCore;
  readonly #nodes = new Map<string, Node>();
  readonly #completed = new Set<string>();
  readonly #ran = new Set<string>();
  readonly #wrongResults: string[] = [];
  readonly #wrongCounts: string[] = [];
  readonly #adds: Promise<unknown>[] = [];
  #isClear = false;
  #flows = 0;
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = createRandom(seed);
    this.#first.faultOf = () => this.#fault();
    const lease = { engine: this.#first, release: async () => {} };
    this.#producer = new FlowProducerCore(lease, { node: 7, retryOnDisconnect: "1h" });
    this.#pump = new FlowPumpCore(["red"], lease, { beat: 300 });
  }

  async run(steps: number): Promise<FlowStormReport> {
    for (const queue of QUEUES) this.#startProcess(queue);
    for (let step = 0; step < steps; step++) {
      this.#happen();
      await this.#ports.clock.advance(this.#below(60));
      await this.#checkCounts();
    }
    await this.#clearUp();
    return await this.#report();
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #startProcess(queue: string): void {
    this.#seed += 1000;
    const ports = createTestPorts({ clock: this.#ports.clock, seed: this.#seed });
    const engine = new RemoteEngine(ports, this.#first.store);
    engine.latencyMs = this.#below(4);
    engine.faultOf = () => this.#fault();
    engine.losesMessages = this.#random() < 0.3;
    const worker = new WorkerCore(
      queue,
      (job, context) => this.#handle(job, context),
      { engine, release: async () => {} },
      {
        concurrency: 1 + this.#below(5),
        lease: LEASE_MS,
        beat: 200,
        // A handler whose call got no answer is tried again; one that is drawn to fail ends at once.
        attempts: 1000,
        backoff: 20,
        crashLimit: 1000,
        removeOnFail: true,
      },
    );
    worker.on("completed", (job) => void this.#completed.add(job.name));
    this.#processes.push({ engine, worker });
    this.#all.push(worker);
  }

  #fault() {
    if (this.#isClear) return undefined;
    const chance = this.#random();
    if (chance < 0.02) return { error: new EchoMQError("disconnected", "cut"), when: "before" } as const;
    if (chance < 0.04) return { error: new EchoMQError("timeout", "late"), when: "after" } as const;
    if (chance < 0.05) return { error: new EchoMQError("server_busy", "BUSY"), when: "before" } as const;
    return undefined;
  }

  #happen(): void {
    const chance = this.#random();
    if (chance < 0.3) this.#addFlow();
    else if (chance < 0.45) this.#killOne();
    else if (chance < 0.6) this.#startProcess(QUEUES[this.#below(3)] ?? "red");
  }

  /** A process dies: nothing that it sends arrives any more. */
  #killOne(): void {
    const [dead] = this.#processes.splice(this.#below(this.#processes.length), 1);
    if (dead === undefined) return;
    dead.engine.goDown();
    void dead.worker.close({ timeout: 0 });
  }

  /** Draws a flow of up to eight jobs, a tree or a graph, and adds it. */
  #addFlow(): void {
    this.#flows += 1;
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
      const name = `f${this.#flows}n${at}`;
      nodes[at] = {
        name,
        queueName: QUEUES[this.#below(3)] ?? "red",
        fails: this.#random() < 0.2,
        late: this.#random() < 0.2 ? this.#lateNode(`${name}late`) : undefined,
        edges: [...(edgesOf[at] ?? [])].flatMap((to) => {
          const node = nodes[to];
          return node === undefined ? [] : [{ to: node, policy: POLICIES[this.#below(4)] ?? "ignore" }];
        }),
      };
    }
    for (const node of nodes) this.#nodes.set(node.name, node);
    const graph: FlowGraph = {
      nodes: Object.fromEntries(nodes.map(({ name, queueName }) => [name, { name, queueName }])),
      deps: Object.fromEntries(
        nodes.map(({ name, edges }) => [name, edges.map(({ to, policy }) => ({ node: to.name, onFailure: policy }))]),
      ),
    };
    this.#adds.push(this.#producer.addDAG(graph));
  }

  /** A job that is added by a handler; it does as it is told. */
  #lateNode(name: string): Node {
    const queueName = QUEUES[this.#below(3)] ?? "red";
    return { name, queueName, fails: false, late: undefined, edges: [] };
  }

  async #handle(job: WorkerJob, { children }: Context): Promise<string> {
    const node = this.#nodes.get(job.name);
    if (node === undefined) throw new Error(`nobody drew ${job.name}`);
    this.#ran.add(node.name);
    if (node.edges.length > 0) await this.#look(node, children);
    if (node.late !== undefined) await this.#grow(node, node.late, children);
    if (this.#random() < 0.5) await this.#wait(this.#below(this.#isClear ? 10 : 900));
    if (node.fails) throw new UnrecoverableError("drawn to fail");
    return node.name;
  }

  /** Adds a child, rests until it is done, and looks at what it returned. */
  async #grow(node: Node, late: Node, children: Context["children"]): Promise<void> {
    this.#nodes.set(late.name, late);
    const { name, queueName } = late;
    const results = await children.run({ [name]: { name, queueName } });
    // A child of its own with the policy continue may have failed meanwhile, which lets it go on at once.
    if (isLetOn(node) && results[name] === undefined) return;
    if (results[name] !== name) this.#wrongResults.push(`${name} gave ${String(results[name])}`);
  }

  /** Compares what the handler finds with the ends of its children, as far as they must be known. */
  async #look(node: Node, children: Context["children"]): Promise<void> {
    const results = await children.results<string>();
    const pending = (await children.pending()).filter(({ key }) => key !== node.late?.name);
    for (const { key, result } of results)
      if (key !== result) this.#wrongResults.push(`${node.name}: ${result} of ${key}`);
    if (isLetOn(node)) return;
    if (pending.length > 0) this.#wrongResults.push(`${node.name} ran with ${pending.length} open`);
    // A job that it added itself may be there already.
    const found = results.map(({ key }) => key).sort();
    const sure = node.edges.filter(({ to }) => endsOf(to).size === 1);
    const expected = sure.filter(({ to }) => endsOf(to).has("ok")).map(({ to }) => to.name);
    const missing = expected.filter((name) => !found.includes(name));
    if (missing.length > 0) this.#wrongResults.push(`${node.name} lacks ${missing.join()}`);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#ports.clock.after(ms, resolve, { background: true });
    });
  }

  /** Each parent that waits counts its children that have not ended. */
  async #checkCounts(): Promise<void> {
    const { store } = this.#first;
    for (const queue of QUEUES) {
      const parents = (await store.command(["ZRANGE", `emq:{${queue}}:awaiting`, "0", "-1"])) as string[];
      for (const id of parents) {
        const row = `emq:{${queue}}:job:${id}`;
        const count = Number(await store.command(["GET", `${row}:dependencies`]));
        const entries = (await store.command(["HGETALL", `${row}:children`])) as string[];
        let open = 0;
        for (let at = 0; at < entries.length; at += 2) {
          const child = entries[at] ?? "";
          if (entries[at + 1]?.startsWith("-")) continue;
          const ends = await Promise.all(
            ["processed", "unsuccessful"].map((end) => store.command(["HEXISTS", `${row}:${end}`, child])),
          );
          if (!ends.includes(1)) open += 1;
        }
        if (open !== count) this.#wrongCounts.push(`${queue} ${id}: ${count} counted, ${open} open`);
      }
    }
  }

  async #clearUp(): Promise<void> {
    this.#isClear = true;
    for (const queue of QUEUES) this.#startProcess(queue);
    // Longer than the longest rest of anything that had failed, and several leases.
    await this.#ports.clock.advance(30_000);
    await Promise.all(this.#adds);
    await this.#ports.clock.advance(10_000);
    const ends = [
      ...this.#all.map((worker) => worker.close({ timeout: 0 })),
      this.#pump.close(),
      this.#producer.close(),
    ];
    await this.#ports.clock.advance(10_000);
    await Promise.all(ends);
  }

  async #report(): Promise<FlowStormReport> {
    const { store } = this.#first;
    const keys: string[] = [];
    const violations: unknown[] = [];
    for (const queue of QUEUES) {
      violations.push(...(await checkInvariants(store, queue)));
      for (const { key } of await dumpQueue(store, queue)) if (/\}:(?:job:|flow:|awaiting)/.test(key)) keys.push(key);
    }
    const nodes = [...this.#nodes.values()];
    return {
      flows: this.#flows,
      jobs: nodes.length,
      wrongEnds: nodes.flatMap((node) => {
        const ends = endsOf(node);
        const isOk = this.#completed.has(node.name);
        // A completion may be acknowledged to nobody; a job that must complete has run at least.
        const isRight = isOk ? ends.has("ok") : ends.has("dead") || this.#ran.has(node.name);
        return isRight ? [] : [`${node.name} is ${isOk ? "ok" : "dead"}, allowed ${[...ends].join()}`];
      }),
      wrongResults: this.#wrongResults,
      ranInVain: nodes.filter((node) => isEndedByChild(node) && this.#ran.has(node.name)).map(({ name }) => name),
      wrongCounts: this.#wrongCounts,
      violations,
      keys,
    };
  }
}

/** Whether a child may let a job run before the others have ended. */
function isLetOn({ edges }: Node): boolean {
  return edges.some(({ to, policy }) => policy === "continue" && endsOf(to).has("dead"));
}

/** Whether a child certainly ends a job before it can run. */
function isEndedByChild(node: Node): boolean {
  const isCertain = node.edges.some(({ to, policy }) => policy === "fail-parent" && !endsOf(to).has("ok"));
  return isCertain && !isLetOn(node);
}

const KNOWN_ENDS = new WeakMap<Node, ReadonlySet<End>>();

/** The ends that a job can come to, by those of its children and what its handler does. */
function endsOf(node: Node): ReadonlySet<End> {
  const known = KNOWN_ENDS.get(node);
  if (known !== undefined) return known;
  const ends = new Set<End>();
  const mayBeEnded = node.edges.some(({ to, policy }) => policy === "fail-parent" && endsOf(to).has("dead"));
  if (mayBeEnded) ends.add("dead");
  if (!isEndedByChild(node)) ends.add(node.fails ? "dead" : "ok");
  KNOWN_ENDS.set(node, ends);
  return ends;
}

/** One storm of so many steps. */
export async function flowStorm(seed: number, steps: number): Promise<FlowStormReport> {
  return await new FlowStorm(seed).run(steps);
}

/** What a storm must have left: nothing but the flows that it drew. */
export const CALM = {
  wrongEnds: [],
  wrongResults: [],
  ranInVain: [],
  wrongCounts: [],
  violations: [],
  keys: [],
} as const;
