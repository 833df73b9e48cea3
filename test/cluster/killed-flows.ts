/**
 * Random trees and graphs over queues of a real cluster, whose workers and pumps are killed at random points.
 *
 * All jobs are kept, so that afterwards the state of each can be compared with those that its children imply, and the
 * count of each parent with its open children. When they are cleaned away, nothing may be left.
 */

import { onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { FlowProducer, Queue } from "../../src/index.ts";
import type { CleanedState } from "../../src/queue/operator-verbs.ts";
import { dumpQueue, type KeyDump } from "../../src/testing/dump.ts";
import { createRandom } from "../../src/testing/test-ports.ts";
import { until } from "../crash/setup-crash.ts";
import { openEngine } from "../integration/valkey/setup-engine.ts";
import { abandonedJobs } from "../simulation/abandoned-jobs.ts";
import { allOf, type End, endsOf, FlowDrawer, graphOf, literalOf, type Node } from "../simulation/drawn-flow.ts";
import { type FlowLine, FlowProcess } from "./flow-process.ts";

/** Processes that are alive at once, each with a worker and a pump on every queue. */
const PROCESSES = 2;

/** Lines from one kill to the next, as many at least, and so many more at random. */
const LINES_BETWEEN = [5, 20] as const;

const ENDS: ReadonlyMap<string, End> = new Map([
  ["completed", "ok"],
  ["dead", "dead"],
]);

const CLEANED: readonly CleanedState[] = ["completed", "dead", "awaiting_children"];

export interface KilledFlowsOptions {
  readonly connection: string;
  readonly queues: readonly string[];
  readonly seed: number;
  readonly flows: number;
  readonly kills: number;
}

/** One job as it is stored. */
interface Row {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

export class KilledFlows {
  readonly #options: KilledFlowsOptions;
  readonly #random: () => number;
  readonly #engine: Engine;
  readonly #processes = new Set<FlowProcess>();
  readonly #killed: Promise<void>[] = [];
  readonly #nodes = new Map<string, Node>();
  /** The latest claim under which each job ran, and that under which it ended, as far as it was told. */
  readonly #ran = new Map<string, number>();
  readonly #ended = new Map<string, number>();
  readonly #endedTwice: string[] = [];
  #lines = 0;
  #nextKill = 0;

  /** Call it in a test. */
  constructor(options: KilledFlowsOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
    this.#engine = openEngine({ connection: options.connection });
    onTestFinished(async () => void (await Promise.all([...this.#processes].map((one) => one.kill()))));
  }

  /** How many processes were killed. */
  get kills(): number {
    return this.#killed.length;
  }

  /** Adds the flows and resolves when all have come to the ends that their children imply; fails when they do not. */
  async run(): Promise<void> {
    const { connection, queues, flows } = this.#options;
    this.#setNextKill();
    const first = Array.from({ length: PROCESSES }, () => this.#start());
    await Promise.all(first.map(({ ready }) => ready));
    const producer = new FlowProducer({ connection, retryOnDisconnect: true });
    onTestFinished(() => producer.close());
    const drawer = new FlowDrawer({ random: this.#random, queues, mayBeLate: false });
    for (let at = 0; at < flows; at++) {
      const nodes = drawer.flow(`f${at}`);
      for (const node of allOf(nodes)) this.#nodes.set(node.name, node);
      await producer.addDAG(graphOf(nodes, this.#dataOf));
    }
    let lacks = "";
    const isOver = async () => {
      lacks = await this.#lacks();
      return lacks === "";
    };
    await until(isOver, () => lacks);
    await Promise.all(this.#killed);
  }

  /** Removes all jobs, and answers the keys of jobs and flows that are left. */
  async clean(): Promise<string[]> {
    await Promise.all([...this.#processes].map((one) => one.kill()));
    const { connection, queues } = this.#options;
    for (const name of queues) {
      const queue = new Queue(name, { connection });
      onTestFinished(() => queue.close());
      for (const state of CLEANED) await queue.clean({ state });
    }
    const dumps = await Promise.all(queues.map((queue) => dumpQueue(this.#engine, queue)));
    return dumps.flat().flatMap(({ key }) => (/\}:(?:job:|flow:|awaiting)/.test(key) ? [key] : []));
  }

  readonly #dataOf = ({ fails, stages }: Node): unknown => ({
    ms: this.#below(30),
    fails,
    stages: stages.map(({ how, edges }) => ({
      how,
      literals: Object.fromEntries(edges.map((edge) => [edge.to.name, literalOf(edge, this.#dataOf)])),
    })),
  });

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #setNextKill(): void {
    const [least, more] = LINES_BETWEEN;
    this.#nextKill = this.#lines + least + this.#below(more);
  }

  #start(): FlowProcess {
    const { connection, queues } = this.#options;
    const started = new FlowProcess(connection, queues, (line, from) => this.#hear(line, from));
    this.#processes.add(started);
    return started;
  }

  /** A process is killed in the middle of whatever it does at a line; a fresh one takes its place. */
  #hear({ event, id, token }: FlowLine, from: FlowProcess): void {
    this.#lines += 1;
    if (event === "start") this.#ran.set(id, Math.max(token, this.#ran.get(id) ?? 0));
    else if (this.#ended.has(id)) this.#endedTwice.push(id);
    else this.#ended.set(id, token);
    if (this.#lines < this.#nextKill || this.kills === this.#options.kills || !this.#processes.delete(from)) return;
    this.#killed.push(from.kill());
    this.#setNextKill();
    this.#start();
  }

  /** What is not yet as it must be in the end; empty for nothing. */
  async #lacks(): Promise<string> {
    const gone = [...this.#processes].flatMap(({ whyGone }) => (whyGone === undefined ? [] : [whyGone]));
    if (gone.length > 0) throw new Error(gone.join("; "));
    const whyBusy = await this.#whyBusy();
    if (whyBusy !== "") return whyBusy;
    const { queues } = this.#options;
    const dumps = await Promise.all(queues.map((queue) => dumpQueue(this.#engine, queue)));
    const rows = dumps.flatMap((dump, at) => rowsOf(queues[at] ?? "", dump));
    const isAdded = (name: string) => this.#nodes.get(name)?.isAdded === true;
    const abandoned = await abandonedJobs(this.#engine, queues, { ranAs: new Set(this.#ran.keys()), isAdded });
    const faults = [
      ...this.#endFaults(rows.filter(({ id }) => !abandoned.has(id))),
      ...countFaults(dumps.flat()),
      ...this.#endedTwice.map((id) => `${id} ended twice`),
      ...[...this.#ended].filter(([id, token]) => (this.#ran.get(id) ?? 0) > token).map(([id]) => `${id} ran again`),
    ];
    return faults.join("; ");
  }

  /** Why more is going to happen, as far as a look at each queue by itself can tell. */
  async #whyBusy(): Promise<string> {
    for (const queue of this.#options.queues) {
      const base = `emq:{${queue}}:`;
      for (const key of ["pending", "active", "schedule"]) {
        const ids = (await this.#engine.command(["ZRANGE", `${base}${key}`, "0", "9"])) as string[];
        if (ids.length > 0) return `${queue} has jobs ${key}: ${ids.join()}`;
      }
      if ((await this.#engine.command(["LLEN", `${base}flow:outbox`])) !== 0) return `${queue} has signals`;
    }
    return "";
  }

  /** Jobs that have not come to an end that their children allow, and those that are not there or there twice. */
  #endFaults(rows: readonly Row[]): string[] {
    const byName = new Map(rows.map((row) => [row.name, row]));
    const faults = rows.filter((row) => byName.get(row.name) !== row).map(({ name }) => `${name} is stored twice`);
    for (const node of this.#nodes.values()) {
      const state = byName.get(node.name)?.state;
      if (state === undefined && node.isAdded) continue;
      const end = ENDS.get(state ?? "");
      const allowed = endsOf(node);
      if (end === undefined || !allowed.has(end))
        faults.push(`${node.name} is ${state}, allowed ${[...allowed].join()}`);
    }
    return faults;
  }
}

function rowsOf(queue: string, dump: readonly KeyDump[]): Row[] {
  return dump.flatMap((entry) => {
    const id = /^job:([^:]+)$/.exec(entry.suffix)?.[1];
    if (id === undefined || entry.type !== "hash") return [];
    const fields = new Map(entry.fields);
    return [{ queue, id, name: fields.get("name") ?? "", state: fields.get("state") ?? "" }];
  });
}

/** Parents that do not count what they hold for open. */
function countFaults(dump: readonly KeyDump[]): string[] {
  const keys = new Map(dump.map((entry) => [entry.key, entry]));
  const hash = (key: string) => {
    const entry = keys.get(key);
    return new Map(entry?.type === "hash" ? entry.fields : []);
  };
  return dump.flatMap(({ key }) => {
    const row = /^(.*\}:job:[^:]+):children$/.exec(key)?.[1];
    if (row === undefined) return [];
    const [done, ignored] = [hash(`${row}:processed`), hash(`${row}:unsuccessful`)];
    const children = [...hash(key)].filter(([, known]) => !known.startsWith("-"));
    const open = children.filter(([id]) => !done.has(id) && !ignored.has(id)).length;
    const count = keys.get(`${row}:dependencies`);
    const counted = count?.type === "string" ? Number(count.value) : 0;
    return counted === open ? [] : [`${row} counts ${counted}, and ${open} are open`];
  });
}
