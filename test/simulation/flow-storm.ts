/**
 * A storm over flows: random trees and graphs over three queues, on virtual time, while replies are lost, acts are
 * refused, processes with their pumps die at any moment and new ones come, and producers break half-way and add again.
 *
 * Each job is drawn with what its handler does, which may add trees of jobs and wait for them, so what must become of
 * every job follows from the flow alone. At each step the count of each parent that waits must be that of its children
 * which have not ended, and when the weather has cleared, every job must have come to an end that its children imply,
 * none may have run again after its end, and no key of a flow may be left.
 */

import { EchoMQError } from "../../src/protocol/errors.ts";
import { FlowProducerCore } from "../../src/queue/flow-producer.ts";
import { dumpQueue } from "../../src/testing/dump.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { createRandom, createTestPorts } from "../../src/testing/test-ports.ts";
import type { Context } from "../../src/worker/context.ts";
import { ParkedError, UnrecoverableError } from "../../src/worker/control-error.ts";
import { FlowPumpCore } from "../../src/worker/flow-pump.ts";
import { WorkerCore } from "../../src/worker/worker.ts";
import type { WorkerJob } from "../../src/worker/worker-job.ts";
import { RemoteEngine, type SentAct } from "../unit/worker/remote-engine.ts";
import { abandonedJobs } from "./abandoned-jobs.ts";
import {
  allOf,
  endsOf,
  FlowDrawer,
  graphOf,
  isEndedByChild,
  isLetOn,
  literalOf,
  type Node,
  nameOf,
  type Stage,
} from "./drawn-flow.ts";

const QUEUES = ["red", "green", "blue"] as const;
const LEASE_MS = 600;

/** How the last wait of a job went, as far as its handler can tell, and in which of its runs. */
interface Waited {
  readonly token: number;
  readonly how: "passed" | "rests" | "rests-in-time" | "unknown";
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
  /** Jobs that ran again although their worker had heard that their end is stored. */
  readonly ranAgain: readonly string[];
  /** Jobs that were told that their time is over although they had set none, or nothing is open. */
  readonly wrongTimeouts: readonly string[];
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
  readonly #drawer: FlowDrawer;
  readonly #nodes = new Map<string, Node>();
  readonly #completed = new Set<string>();
  readonly #ran = new Set<string>();
  /** The ids of jobs that ran. */
  readonly #ranAs = new Set<string>();
  /** Jobs whose end a worker has told, so that it is stored. */
  readonly #settled = new Set<string>();
  /** Jobs of which a producer cannot know whether it has stored them. */
  readonly #unsure = new Set<string>();
  /** How often a job was told that its time is over, and failed. */
  readonly #lateTimes = new Map<string, number>();
  readonly #waited = new Map<string, Waited>();
  readonly #ranAgain: string[] = [];
  readonly #wrongTimeouts: string[] = [];
  readonly #wrongResults: string[] = [];
  readonly #wrongCounts: string[] = [];
  readonly #adds: Promise<unknown>[] = [];
  #isClear = false;
  #flows = 0;
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = createRandom(seed);
    this.#drawer = new FlowDrawer({ random: this.#random, queues: QUEUES, mayBeLate: true });
    this.#first.faultOf = (act) => this.#producerFault(act);
    const lease = { engine: this.#first, release: async () => {} };
    this.#producer = new FlowProducerCore(lease, { retryOnDisconnect: "1h" });
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
    worker.on("completed", (job) => {
      this.#completed.add(job.name);
      this.#settled.add(job.name);
    });
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

  /** A fault on the way of the producer, after which it may not know whether a job is stored. */
  #producerFault({ verb, args }: SentAct) {
    const fault = this.#fault();
    const name = verb === "CHILD" ? args[6] : undefined;
    if (fault !== undefined && fault.error.code !== "server_busy" && name !== undefined) this.#unsure.add(name);
    return fault;
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

  /** Draws a flow and adds it. */
  #addFlow(): void {
    this.#flows += 1;
    const nodes = this.#drawer.flow(`f${this.#flows}`);
    for (const node of allOf(nodes)) this.#nodes.set(node.name, node);
    this.#adds.push(this.#producer.addDAG(graphOf(nodes)));
  }

  async #handle(job: WorkerJob, { children }: Context): Promise<string> {
    const node = this.#nodes.get(job.name);
    if (node === undefined) throw new Error(`nobody drew ${job.name}`);
    this.#ran.add(node.name);
    this.#ranAs.add(job.id);
    if (this.#settled.has(node.name) && (await this.#isHeld(node, job))) this.#ranAgain.push(node.name);
    if (node.edges.length > 0) await this.#look(node, children);
    for (const stage of node.stages) {
      if ((await this.#grow(node, stage, job.token, children)) === "late") break;
    }
    if (this.#random() < 0.5) await this.#wait(this.#below(this.#isClear ? 10 : 900));
    if (node.fails) throw new UnrecoverableError("drawn to fail");
    return node.name;
  }

  /** Whether the claim under which a job runs is the one that counts: others run late, and their end counts nothing. */
  async #isHeld({ queueName }: Node, { id, token }: WorkerJob): Promise<boolean> {
    const row = ["HMGET", `emq:{${queueName}}:job:${id}`, "state", "attempts"];
    const [state, attempts] = (await this.#first.store.command(row)) as unknown[];
    return state === "active" && Number(attempts) === token;
  }

  /** Adds children, rests until they have ended or the time is over, and looks at what they returned. */
  async #grow(node: Node, stage: Stage, token: number, children: Context["children"]): Promise<"passed" | "late"> {
    const literals = Object.fromEntries(stage.edges.map((edge) => [edge.to.name, literalOf(edge)]));
    if (stage.how !== "run") await children.add(literals);
    if (stage.how === "add") return "passed";
    const options = stage.timeoutMs === undefined ? {} : { timeout: stage.timeoutMs };
    const before = this.#waited.get(node.name);
    // Where nobody hears what comes of it, it may rest.
    this.#noteWait(node, token, "unknown");
    try {
      if (stage.how === "run") this.#compare(node, stage, await children.run(literals, options));
      else await children.wait(options);
    } catch (error) {
      this.#noteThrown(node, stage, token, error, before);
      if (!isLate(error)) throw error;
      if (stage.late === "again" && this.#failAgain(node)) throw error;
      if (stage.late === "die") throw new UnrecoverableError("too late");
      return "late";
    }
    this.#noteWait(node, token, "passed");
    // A run that broke while it added those of the next stage may have left some that are not stored.
    const next = new Set(node.stages.slice(node.stages.indexOf(stage) + 1).flatMap(({ edges }) => edges.map(nameOf)));
    const pending = (await children.pending()).filter(({ key }) => key === undefined || !next.has(key));
    if (!isLetOn(node) && pending.length > 0)
      this.#wrongResults.push(`${node.name} went on with ${pending.length} open`);
    return "passed";
  }

  /** Whether a job fails once more because its time is over: for ever it would leave its children no worker. */
  #failAgain({ name }: Node): boolean {
    const times = (this.#lateTimes.get(name) ?? 0) + 1;
    this.#lateTimes.set(name, times);
    return times <= 3;
  }

  /**
   * Remembers how a wait went, unless a later run of the job has waited since: an earlier one hears late of its end.
   */
  #noteWait({ name }: Node, token: number, how: Waited["how"]): void {
    if ((this.#waited.get(name)?.token ?? 0) <= token) this.#waited.set(name, { token, how });
  }

  /** Remembers what ended a wait, and that a time is over only where one was set. */
  #noteThrown(node: Node, stage: Stage, token: number, error: unknown, before: Waited | undefined): void {
    if (error instanceof ParkedError) {
      this.#noteWait(node, token, stage.timeoutMs === undefined ? "rests" : "rests-in-time");
    } else if (!isLate(error)) {
      this.#noteWait(node, token, "unknown");
    } else if ((this.#waited.get(node.name)?.token ?? 0) <= token) {
      const pending = (error as EchoMQError).details?.["pending"] as readonly unknown[];
      if (pending.length === 0) this.#wrongTimeouts.push(`${node.name}: nothing is open`);
      if (before?.how === "passed" || before?.how === "rests") {
        this.#wrongTimeouts.push(`${node.name} had ${before.how}`);
      }
    }
  }

  /** Compares what `run` gave with the ends of the children, as far as they must be known. */
  #compare(node: Node, stage: Stage, results: Readonly<Record<string, unknown>>): void {
    for (const { to, policy } of stage.edges) {
      const [result, ends] = [results[to.name], endsOf(to)];
      // A child with the policy continue may have failed meanwhile, which lets the job go on at once.
      const isOpen = result === undefined && isLetOn(node);
      const isRight = result === undefined ? ends.has("dead") && policy !== "fail-parent" : result === to.name;
      if (!isOpen && !isRight) this.#wrongResults.push(`${to.name} (${policy}) gave ${String(result)}`);
    }
  }

  /** Compares what the handler finds with the ends of its children, as far as they must be known. */
  async #look(node: Node, children: Context["children"]): Promise<void> {
    const results = await children.results<string>();
    const added = new Set(node.stages.flatMap(({ edges }) => edges.map(({ to }) => to.name)));
    const pending = (await children.pending()).filter(({ key }) => key === undefined || !added.has(key));
    for (const { key, result } of results)
      if (key !== undefined && key !== result) this.#wrongResults.push(`${node.name}: ${result} of ${key}`);
    if (isLetOn(node)) return;
    if (pending.length > 0) this.#wrongResults.push(`${node.name} ran with ${pending.length} open`);
    // A job that it added itself may be there already.
    const found = results.map(({ result }) => result);
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
      for (const { key } of await dumpQueue(store, queue)) if (/\}:(?:job:|flow:)/.test(key)) keys.push(key);
    }
    const isAdded = (name: string) => this.#nodes.get(name)?.isAdded === true;
    const abandoned = await abandonedJobs(store, QUEUES, { ranAs: this.#ranAs, isAdded });
    const nodes = [...this.#nodes.values()];
    return {
      flows: this.#flows,
      jobs: nodes.length,
      wrongEnds: nodes.flatMap((node) => {
        const ends = endsOf(node);
        const isOk = this.#completed.has(node.name);
        // A completion may be acknowledged to nobody; a job that must complete has run at least. One is not sent again
        // whose parents are gone, as it has most likely ended: another child may have ended them instead.
        const mayBeMissing = node.isAdded || this.#unsure.has(node.name);
        const isRight = isOk ? ends.has("ok") : ends.has("dead") || mayBeMissing || this.#ran.has(node.name);
        return isRight ? [] : [`${node.name} is ${isOk ? "ok" : "dead"}, allowed ${[...ends].join()}`];
      }),
      wrongResults: this.#wrongResults,
      ranInVain: nodes.filter((node) => isEndedByChild(node) && this.#ran.has(node.name)).map(({ name }) => name),
      ranAgain: this.#ranAgain,
      wrongTimeouts: this.#wrongTimeouts,
      wrongCounts: this.#wrongCounts,
      violations,
      keys: keys.filter((key) => !abandoned.has(/\}:job:([^:]+)/.exec(key)?.[1] ?? "")),
    };
  }
}

/** Whether it says that the time of a wait is over. */
function isLate(error: unknown): boolean {
  return error instanceof EchoMQError && error.code === "children_timeout";
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
  ranAgain: [],
  wrongTimeouts: [],
  wrongCounts: [],
  violations: [],
  keys: [],
} as const;
