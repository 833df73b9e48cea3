/** A queue with schedulers on one store, with any number of workers and firing services, all on virtual time. */

import type { Engine } from "../../../src/engine/engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { Repeats } from "../../../src/queue/repeats.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import type { TestPorts } from "../../../src/testing/test-ports.ts";
import { VIRTUAL_EPOCH_MS } from "../../../src/testing/virtual-clock.ts";
import { RepeatKeeper } from "../../../src/worker/repeat-keeper.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { RemoteEngine } from "./remote-engine.ts";
import { VirtualWorld } from "./virtual-world.ts";

export const QUEUE = "mail";

/** A job as a world has seen it run. */
export interface Run {
  readonly id: string;
  readonly name: string;
  /** Its slot, and when it ran, in ms since the world began. */
  readonly slot: number;
  readonly at: number;
}

export class SchedulerWorld extends VirtualWorld {
  readonly queue = new QueueCore(QUEUE, { engine: this.engine.store, release: async () => {} });
  readonly repeats = new Repeats(this.engine.store);
  readonly keepers: RepeatKeeper[] = [];
  readonly runs: Run[] = [];

  /** An engine of another process, whose own clock is wrong by so much. */
  override otherEngine(skewMs = 0): RemoteEngine {
    const ports = this.otherPorts();
    if (skewMs === 0) return new RemoteEngine(ports, this.engine.store);
    const { clock } = ports;
    const skewed = { now: () => clock.now() + skewMs, after: clock.after.bind(clock) } as unknown as TestPorts["clock"];
    return new RemoteEngine({ ...ports, clock: skewed }, this.engine.store);
  }

  /** A worker whose handler notes each run, and then does `handler`. */
  worker(options: WorkerOptions = {}, handler: Handler = () => undefined, engine = this.engine): WorkerCore {
    const note: Handler = (job, context) => {
      const slot = (job.slotAt?.getTime() ?? Number.NaN) - VIRTUAL_EPOCH_MS;
      this.runs.push({ id: job.id, name: job.name, slot, at: this.elapsedMs });
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

  /** The slots of the jobs that wait, flat or in the lane of a scheduler, in ms since the world began. */
  async waitingSlots(): Promise<number[]> {
    const jobs = await this.queue.getJobs(["pending", "scheduled"], 0, 999, true);
    return jobs.map((job) => (job.slotAt?.getTime() ?? Number.NaN) - VIRTUAL_EPOCH_MS);
  }

  /** The next slot of a scheduler in ms since the world began. */
  async nextOf(id: string): Promise<number | undefined> {
    const at = (await this.queue.getJobScheduler(id))?.nextAt?.getTime();
    return at === undefined ? undefined : at - VIRTUAL_EPOCH_MS;
  }

  async violations(): Promise<unknown[]> {
    return await checkInvariants(this.engine.store, QUEUE);
  }

  protected override closeOthers(): Promise<void>[] {
    return this.keepers.map((keeper) => keeper.stop());
  }
}
