/** Several queues on one store, with flow producers, workers and their pumps, all on virtual time. */

import { FlowProducerCore, type FlowProducerOptions } from "../../../src/queue/flow-producer.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { dumpQueue } from "../../../src/testing/dump.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts, type TestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler, Handlers } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { RemoteEngine } from "./remote-engine.ts";

export class FlowWorld {
  readonly ports: TestPorts = createTestPorts();
  readonly engine = new RemoteEngine(this.ports);
  readonly jobs = new Jobs(this.engine.store);
  readonly workers: WorkerCore[] = [];
  readonly #producers: FlowProducerCore[] = [];
  #seed = 1;

  /** An engine of another process that shares the store. */
  otherEngine(): RemoteEngine {
    this.#seed += 1;
    return new RemoteEngine(createTestPorts({ clock: this.ports.clock, seed: this.#seed }), this.engine.store);
  }

  producer(options: FlowProducerOptions = {}, engine: RemoteEngine = this.engine): FlowProducerCore {
    const producer = new FlowProducerCore({ engine, release: async () => {} }, { node: 1, ...options });
    this.#producers.push(producer);
    return producer;
  }

  /** A worker of its own process. */
  worker(queue: string, handler: Handler | Handlers, options: WorkerOptions = {}, engine = this.engine): WorkerCore {
    const worker = new WorkerCore(queue, handler, { engine, release: async () => {} }, options);
    this.workers.push(worker);
    return worker;
  }

  queue(name: string): QueueCore {
    return new QueueCore(name, { engine: this.engine.store, release: async () => {} }, { node: 2 });
  }

  async advance(ms: number): Promise<void> {
    await this.ports.clock.advance(ms);
  }

  async settle(): Promise<void> {
    await this.ports.clock.settle();
  }

  /** Milliseconds since the world began. */
  get elapsedMs(): number {
    return this.ports.clock.now() - 1_719_792_000_000;
  }

  /** A promise that passes after so much virtual time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.ports.clock.after(ms, resolve);
    });
  }

  async violations(...queues: readonly string[]): Promise<unknown[]> {
    return (await Promise.all(queues.map((queue) => checkInvariants(this.engine.store, queue)))).flat();
  }

  /** The keys of jobs and of flows that a queue has. */
  async flowKeys(queue: string): Promise<string[]> {
    const keys = (await dumpQueue(this.engine.store, queue)).map(({ key }) => key.slice(`emq:{${queue}}:`.length));
    return keys.filter((key) => /^(?:job:|flow:|awaiting)/.test(key)).sort();
  }

  /** Closes every worker and producer and lets time pass until they are. */
  async closeAll(): Promise<void> {
    const ends = [
      ...this.workers.map((worker) => worker.close({ timeout: 0 })),
      ...this.#producers.map((p) => p.close()),
    ];
    await this.advance(5000);
    await Promise.all(ends);
  }
}
