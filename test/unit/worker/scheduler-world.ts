/** A queue with schedulers on one store, with any number of workers and firing services, all on virtual time. */

import type { Engine } from "../../../src/engine/engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { Repeats } from "../../../src/queue/repeats.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts, type TestPorts } from "../../../src/testing/test-ports.ts";
import { RepeatKeeper } from "../../../src/worker/repeat-keeper.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { RemoteEngine } from "./remote-engine.ts";

export const QUEUE = "mail";

/** 1 July 2024, 00:00 UTC: where the clock of a world begins. */
export const BEGIN_AT = 1_719_792_000_000;

/** A job as a world has seen it run. */
export interface Run {
  readonly id: string;
  readonly name: string;
  /** Its slot, and when it ran, in ms since the world began. */
  readonly slot: number;
  readonly at: number;
}

export class SchedulerWorld {
  readonly ports: TestPorts;
  readonly engine: RemoteEngine;
  readonly queue: QueueCore;
  readonly repeats: Repeats;
  readonly workers: WorkerCore[] = [];
  readonly keepers: RepeatKeeper[] = [];
  readonly runs: Run[] = [];
  #seed = 1;

  constructor() {
    this.ports = createTestPorts();
    this.engine = new RemoteEngine(this.ports);
    this.queue = new QueueCore(QUEUE, { engine: this.engine.store, release: async () => {} });
    this.repeats = new Repeats(this.engine.store);
  }

  /** Milliseconds since the world began. */
  get now(): number {
    return this.ports.clock.now() - BEGIN_AT;
  }

  /** An engine of another process, whose own clock is wrong by so much. */
  otherEngine(skewMs = 0): RemoteEngine {
    this.#seed += 1;
    const ports = createTestPorts({ clock: this.ports.clock, seed: this.#seed });
    if (skewMs === 0) return new RemoteEngine(ports, this.engine.store);
    const { clock } = ports;
    const skewed = { now: () => clock.now() + skewMs, after: clock.after.bind(clock) } as unknown as TestPorts["clock"];
    return new RemoteEngine({ ...ports, clock: skewed }, this.engine.store);
  }

  /** A worker whose handler notes each run, and then does `handler`. */
  worker(options: WorkerOptions = {}, handler: Handler = () => undefined, engine = this.engine): WorkerCore {
    const note: Handler = (job, context) => {
      const slot = (job.slotAt?.getTime() ?? Number.NaN) - BEGIN_AT;
      this.runs.push({ id: job.id, name: job.name, slot, at: this.now });
      return handler(job, context);
    };
    const worker = new WorkerCore(QUEUE, note, { engine, release: async () => {} }, options);
    this.workers.push(worker);
    return worker;
  }

  /** A firing service alone, which nobody tells anything but what it finds. */
  keeper(engine: Engine = this.engine): RepeatKeeper {
    const keeper = new RepeatKeeper({
      engine,
      clock: engine.ports.clock,
      queue: QUEUE,
      logger: engine.ports.logger,
      onError: () => {},
    });
    this.keepers.push(keeper);
    keeper.start();
    return keeper;
  }

  async advance(ms: number): Promise<void> {
    await this.ports.clock.advance(ms);
  }

  /** The slots of the jobs that wait, flat or in the lane of a scheduler, in ms since the world began. */
  async waitingSlots(): Promise<number[]> {
    const jobs = await this.queue.getJobs(["pending", "scheduled"], 0, 999, true);
    return jobs.map((job) => (job.slotAt?.getTime() ?? Number.NaN) - BEGIN_AT);
  }

  /** The next slot of a scheduler in ms since the world began. */
  async nextOf(id: string): Promise<number | undefined> {
    const at = (await this.queue.getJobScheduler(id))?.nextAt?.getTime();
    return at === undefined ? undefined : at - BEGIN_AT;
  }

  async violations(): Promise<unknown[]> {
    return await checkInvariants(this.engine.store, QUEUE);
  }

  /** A promise that passes after so much virtual time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.ports.clock.after(ms, resolve);
    });
  }

  async closeAll(): Promise<void> {
    const ends = [
      ...this.workers.map((worker) => worker.close({ timeout: 0 })),
      ...this.keepers.map((keeper) => keeper.stop()),
    ];
    await this.advance(10_000);
    await Promise.all(ends);
  }
}
