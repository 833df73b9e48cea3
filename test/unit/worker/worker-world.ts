/** One queue on one store, with as many workers as a test wants, all on virtual time. */

import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts, type TestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler, Handlers } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { RemoteEngine } from "./remote-engine.ts";

export const QUEUE = "mail";

/** Settings of a job that a test adds; all absent is a plain job. */
export interface Added {
  readonly data?: unknown;
  readonly payload?: string | Uint8Array;
  readonly name?: string;
  readonly lane?: string;
  readonly opts?: object;
  readonly dueInMs?: number;
  readonly cost?: number;
}

export class WorkerWorld {
  readonly ports: TestPorts;
  readonly engine: RemoteEngine;
  readonly jobs: Jobs;
  readonly workers: WorkerCore[] = [];
  releases = 0;
  readonly #mint: (namespace: string) => string;
  #seed = 1;

  constructor() {
    this.ports = createTestPorts();
    this.engine = new RemoteEngine(this.ports);
    this.jobs = new Jobs(this.engine.store);
    this.#mint = createMinter({ node: 1, clock: () => this.ports.clock.now() });
  }

  /** A worker of its own process on the same store. */
  worker(handler: Handler | Handlers, options: WorkerOptions = {}): WorkerCore {
    return this.workerOn(this.engine, handler, options);
  }

  /** An engine of another process that shares the store. */
  otherEngine(): RemoteEngine {
    this.#seed += 1;
    const ports = createTestPorts({ clock: this.ports.clock, seed: this.#seed });
    return new RemoteEngine(ports, this.engine.store);
  }

  workerOn(engine: RemoteEngine, handler: Handler | Handlers, options: WorkerOptions = {}): WorkerCore {
    const lease = {
      engine,
      release: async () => {
        this.releases += 1;
      },
    };
    const worker = new WorkerCore(QUEUE, handler, lease, options);
    this.workers.push(worker);
    return worker;
  }

  /** Adds jobs in one act; answers their ids. */
  async add(...jobs: readonly Added[]): Promise<string[]> {
    const rows = (jobs.length === 0 ? [{}] : jobs).map((job) => ({
      id: this.#mint("JOB"),
      payload: job.payload ?? JSON.stringify(job.data ?? {}),
      ...(job.name === undefined ? {} : { name: job.name }),
      ...(job.lane === undefined ? {} : { lane: job.lane }),
      ...(job.opts === undefined ? {} : { opts: JSON.stringify(job.opts) }),
      ...(job.dueInMs === undefined ? {} : { dueInMs: job.dueInMs }),
      ...(job.cost === undefined ? {} : { cost: job.cost }),
    }));
    await this.jobs.admit(QUEUE, rows);
    return rows.map((row) => row.id);
  }

  /** Adds so many plain jobs, their data the place. */
  async addMany(count: number): Promise<string[]> {
    return await this.add(...Array.from({ length: count }, (_, index) => ({ data: index })));
  }

  async counts(): Promise<Record<string, number>> {
    return await this.jobs.getCounts(QUEUE, ["pending", "active", "schedule", "dead", "completed", "failed"]);
  }

  /** Lets what needs no time happen. */
  async settle(): Promise<void> {
    await this.ports.clock.settle();
  }

  async advance(ms: number): Promise<void> {
    await this.ports.clock.advance(ms);
  }

  /** Milliseconds since the world began. */
  get elapsedMs(): number {
    return this.ports.clock.now() - this.#begunAt;
  }

  readonly #begunAt = 1_719_792_000_000;

  async violations(): Promise<unknown[]> {
    return await checkInvariants(this.engine.store, QUEUE);
  }

  /** A promise that passes after so much virtual time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.ports.clock.after(ms, resolve);
    });
  }

  /** Closes every worker and lets time pass until they are. */
  async closeAll(): Promise<void> {
    const ends = this.workers.map((worker) => worker.close({ timeout: 0 }));
    await this.advance(5000);
    await Promise.all(ends);
  }
}
