/** Several queues on one store, with flow producers, workers and their pumps, all on virtual time. */

import { FlowProducerCore, type FlowProducerOptions } from "../../../src/queue/flow-producer.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { dumpQueue } from "../../../src/testing/dump.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler, Handlers } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import type { RemoteEngine } from "./remote-engine.ts";
import { VirtualWorld } from "./virtual-world.ts";

export class FlowWorld extends VirtualWorld {
  readonly jobs = new Jobs(this.engine.store);
  readonly #producers: FlowProducerCore[] = [];

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

  async violations(...queues: readonly string[]): Promise<unknown[]> {
    return (await Promise.all(queues.map((queue) => checkInvariants(this.engine.store, queue)))).flat();
  }

  /** The keys of jobs and of flows that a queue has. */
  async flowKeys(queue: string): Promise<string[]> {
    const keys = (await dumpQueue(this.engine.store, queue)).map(({ key }) => key.slice(`emq:{${queue}}:`.length));
    return keys.filter((key) => /^(?:job:|flow:|awaiting)/.test(key)).sort();
  }

  protected override closeOthers(): Promise<void>[] {
    return this.#producers.map((producer) => producer.close());
  }
}
