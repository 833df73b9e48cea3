/** A store with any number of engines and workers of several processes, all on virtual time. */

import { createTestPorts, type TestPorts } from "../../../src/testing/test-ports.ts";
import { VIRTUAL_EPOCH_MS } from "../../../src/testing/virtual-clock.ts";
import type { WorkerCore } from "../../../src/worker/worker.ts";
import { RemoteEngine } from "./remote-engine.ts";

export class VirtualWorld {
  readonly ports: TestPorts = createTestPorts();
  readonly engine: RemoteEngine = new RemoteEngine(this.ports);
  readonly workers: WorkerCore[] = [];
  #seed = 1;

  /** Ports of another process, by the same clock. */
  otherPorts(): TestPorts {
    this.#seed += 1;
    return createTestPorts({ clock: this.ports.clock, seed: this.#seed });
  }

  /** An engine of another process that shares the store. */
  otherEngine(): RemoteEngine {
    return new RemoteEngine(this.otherPorts(), this.engine.store);
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
    return this.ports.clock.now() - VIRTUAL_EPOCH_MS;
  }

  /** A promise that passes after so much virtual time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.ports.clock.after(ms, resolve);
    });
  }

  /** Closes every worker, and what a world has beside them, and lets time pass until all of it is. */
  async closeAll(): Promise<void> {
    const ends = [...this.workers.map((worker) => worker.close({ timeout: 0 })), ...this.closeOthers()];
    await this.advance(5000);
    await Promise.all(ends);
  }

  /** Closes what a world has beside its workers. */
  protected closeOthers(): Promise<void>[] {
    return [];
  }
}
