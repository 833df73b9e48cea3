/** One queue on one store, with as many workers as a test wants, all on virtual time. */

import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler, Handlers } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import type { RemoteEngine } from "./remote-engine.ts";
import { VirtualWorld } from "./virtual-world.ts";

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

export class WorkerWorld extends VirtualWorld {
  readonly jobs = new Jobs(this.engine.store);
  releases = 0;
  readonly #mint = createMinter({ node: 1, clock: () => this.ports.clock.now() });

  /** A worker of its own process on the same store. */
  worker(handler: Handler | Handlers, options: WorkerOptions = {}): WorkerCore {
    return this.workerOn(this.engine, handler, options);
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

  async violations(): Promise<unknown[]> {
    return await checkInvariants(this.engine.store, QUEUE);
  }
}
