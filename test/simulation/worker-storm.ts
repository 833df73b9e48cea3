/**
 * A storm: several processes of workers on one store, on virtual time, with everything that may go wrong drawn from one
 * seed. Replies are lost, acts are refused, connections break, processes freeze and die, workers pause, close and are
 * started anew; of three lanes one has a limit, one is in strict order, and they are paused and resumed. Then the
 * weather clears, and what the queue promises must hold.
 */

import { EchoMQError } from "../../src/protocol/errors.ts";
import { createMinter } from "../../src/protocol/mint.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { Lanes } from "../../src/queue/lanes.ts";
import { askBehind } from "../../src/queue/near-workers.ts";
import { QueueKeys } from "../../src/queue/verb-call.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { createRandom, createTestPorts } from "../../src/testing/test-ports.ts";
import { snooze, UnrecoverableError } from "../../src/worker/control-error.ts";
import { WorkerCore } from "../../src/worker/worker.ts";
import { RemoteEngine } from "../unit/worker/remote-engine.ts";

const QUEUE = "storm";
const WAKE_KEY = new QueueKeys(QUEUE).wake;
const LEASE_MS = 900;

/** The lane in strict order. */
const ORDERED = "lane1";

/** What a storm left behind. */
export interface StormReport {
  readonly jobs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Jobs whose handler never began. */
  readonly neverRun: readonly string[];
  /** Jobs of the ordered lane that began before one that was added earlier. */
  readonly outOfOrder: readonly string[];
  /** Jobs that more than one worker, or one worker twice, was told to have completed. */
  readonly completedTwice: readonly string[];
  readonly violations: readonly unknown[];
  /** Timers that were left when everything was closed. */
  readonly timers: number;
  /** Starts in all; more than the jobs because of retries, crashes and lost leases. */
  readonly runs: number;
}

interface Process {
  readonly engine: RemoteEngine;
  readonly worker: WorkerCore;
}

class Storm {
  readonly #random: () => number;
  readonly #ports = createTestPorts();
  readonly #first = new RemoteEngine(this.#ports);
  readonly #jobs = new Jobs(this.#first.store);
  readonly #lanes = new Lanes(this.#first.store);
  readonly #mint = createMinter({ node: 3, clock: () => this.#ports.clock.now() });
  readonly #processes: Process[] = [];
  readonly #everyWorker: WorkerCore[] = [];
  readonly #ids: string[] = [];
  readonly #runs: Map<string, number> = new Map();
  readonly #completed: Map<string, number> = new Map();
  /** Jobs of the ordered lane that have not begun yet, in the order of adding. */
  readonly #ordered: string[] = [];
  readonly #outOfOrder: string[] = [];
  #isClear = false;
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = createRandom(seed);
  }

  async run(steps: number): Promise<StormReport> {
    await this.#lanes.limit(QUEUE, "lane0", 2);
    await this.#lanes.order(QUEUE, ORDERED, true);
    await this.#lanes.weight(QUEUE, "lane2", 3);
    for (let count = 0; count < 3; count++) this.#startProcess();
    for (let step = 0; step < steps; step++) {
      await this.#happen();
      await this.#ports.clock.advance(this.#below(60));
    }
    await this.#clearUp();
    return await this.#report();
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #startProcess(): void {
    this.#seed += 1000;
    const engine = new RemoteEngine(createTestPorts({ clock: this.#ports.clock, seed: this.#seed }), this.#first.store);
    engine.latencyMs = this.#below(4);
    engine.faultOf = () => this.#fault();
    const worker = new WorkerCore(
      QUEUE,
      (job) => this.#handle(job.id),
      { engine, release: async () => {} },
      {
        concurrency: 1 + this.#below(6),
        lease: LEASE_MS,
        beat: 300,
        backoff: 40,
        attempts: 4,
        crashLimit: 1000,
      },
    );
    worker.on("completed", (job) => this.#completed.set(job.id, (this.#completed.get(job.id) ?? 0) + 1));
    this.#processes.push({ engine, worker });
    this.#everyWorker.push(worker);
  }

  #fault() {
    if (this.#isClear) return undefined;
    const chance = this.#random();
    if (chance < 0.02) return { error: new EchoMQError("disconnected", "cut"), when: "before" } as const;
    if (chance < 0.04) return { error: new EchoMQError("timeout", "late"), when: "after" } as const;
    if (chance < 0.05) return { error: new EchoMQError("server_busy", "BUSY"), when: "before" } as const;
    return undefined;
  }

  async #handle(id: string): Promise<unknown> {
    this.#runs.set(id, (this.#runs.get(id) ?? 0) + 1);
    this.#noteBegin(id);
    const chance = this.#isClear ? 0.5 : this.#random();
    if (chance < 0.05) throw snooze(this.#below(200));
    if (chance < 0.3) return chance;
    await this.#wait(this.#below(chance < 0.9 ? 20 : 1500));
    if (chance > 0.95) throw new UnrecoverableError();
    if (chance > 0.85) throw new Error("failed");
    return undefined;
  }

  /** Each first begin of a job of the ordered lane must be that of the one that was added first. */
  #noteBegin(id: string): void {
    const at = this.#ordered.indexOf(id);
    if (at > 0) this.#outOfOrder.push(id);
    if (at >= 0) this.#ordered.splice(at, 1);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#ports.clock.after(ms, resolve, { background: true });
    });
  }

  async #happen(): Promise<void> {
    const chance = this.#random();
    const process = this.#processes[this.#below(this.#processes.length)];
    if (chance < 0.35) await this.#add(process);
    if (process === undefined) return;
    if (chance > 0.97) this.#die(process);
    else if (chance > 0.94) this.#breakConnection(process);
    else if (chance > 0.92) await this.#pauseQueue();
    else if (chance > 0.9) this.#pauseWorker(process);
    else if (chance > 0.88) this.#closeWorker(process);
    else if (chance > 0.85) process.worker.concurrency = 1 + this.#below(8);
    else if (chance > 0.83) await this.#pauseLane();
    if (this.#processes.length < 3) this.#startProcess();
  }

  /** Adds some jobs, and the worker of a process may ask behind the act as if that process had added them. */
  async #add(process: Process | undefined): Promise<void> {
    const rows = Array.from({ length: 1 + this.#below(12) }, () => {
      const chance = this.#random();
      const lane = chance < 0.2 ? `lane${this.#below(3)}` : undefined;
      return {
        id: this.#mint("JOB"),
        payload: "{}",
        ...(lane === undefined ? {} : { lane }),
        ...(chance > 0.8 || chance < 0.05 ? { dueInMs: this.#below(400) } : {}),
        ...(chance > 0.5 && chance < 0.6 ? { priority: this.#below(5) } : {}),
      };
    });
    // Noted before it is added, since a worker may begin it at once.
    for (const { id, lane } of rows) if (lane === ORDERED) this.#ordered.push(id);
    const admitted = this.#jobs.admit(QUEUE, rows);
    if (process !== undefined) askBehind(process.engine, WAKE_KEY);
    await admitted;
    for (const { id } of rows) this.#ids.push(id);
  }

  /** A process that is gone: nothing reaches it and nothing comes from it any more. */
  #die(process: Process): void {
    process.engine.setState("closed");
    this.#forget(process);
  }

  #breakConnection({ engine }: Process): void {
    if (engine.state === "ready") engine.goDown();
    const comeBack = () => {
      if (engine.state === "down") engine.comeBack();
    };
    this.#ports.clock.after(this.#below(2000), comeBack, { background: true });
  }

  async #pauseQueue(): Promise<void> {
    await this.#jobs.pause(QUEUE);
    this.#ports.clock.after(this.#below(500), () => void this.#jobs.resume(QUEUE), { background: true });
  }

  async #pauseLane(): Promise<void> {
    const lane = `lane${this.#below(3)}`;
    await this.#lanes.pause(QUEUE, lane);
    const resume = () => void this.#lanes.resume(QUEUE, lane);
    this.#ports.clock.after(this.#below(500), resume, { background: true });
  }

  #pauseWorker({ worker }: Process): void {
    void worker.pause();
    this.#ports.clock.after(this.#below(500), () => worker.resume(), { background: true });
  }

  #closeWorker(process: Process): void {
    void process.worker.close({ timeout: this.#below(500) });
    this.#forget(process);
  }

  #forget(process: Process): void {
    this.#processes.splice(this.#processes.indexOf(process), 1);
  }

  /** The weather clears: no more faults, and time for everything to end. */
  async #clearUp(): Promise<void> {
    this.#isClear = true;
    this.#startProcess();
    await this.#ports.clock.advance(60_000);
  }

  async #report(): Promise<StormReport> {
    const counts = await this.#jobs.getCounts(QUEUE, ["pending", "active", "schedule", "dead", "completed"]);
    const violations = await checkInvariants(this.#first.store, QUEUE);
    const ends = this.#everyWorker.map((worker) => worker.close({ timeout: 0 }));
    await this.#ports.clock.advance(5000);
    await Promise.all(ends);
    return {
      counts,
      violations,
      jobs: this.#ids.length,
      neverRun: this.#ids.filter((id) => !this.#runs.has(id)),
      outOfOrder: this.#outOfOrder,
      completedTwice: [...this.#completed].filter(([, times]) => times > 1).map(([id]) => id),
      timers: this.#ports.clock.timerCount,
      runs: [...this.#runs.values()].reduce((sum, times) => sum + times, 0),
    };
  }
}

/** Runs one storm of so many steps. */
export async function storm(seed: number, steps: number): Promise<StormReport> {
  return await new Storm(seed).run(steps);
}
