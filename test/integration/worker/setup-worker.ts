/**
 * A queue and workers on one real server. Each worker has an engine of its own, as if it were another process.
 */

import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Ports } from "../../../src/engine/ports.ts";
import { type Handler, type Handlers, Jobs, Queue, Worker, type WorkerOptions } from "../../../src/index.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import type { TestServer } from "../../server/start-server.ts";

export { pause };

/** Longest wait for what must come, in ms: many times what it takes, for machines with much else to do. */
export const DEADLINE_MS = 60_000;

/** Real ports whose host's clock is off by so many ms, and whose log can be read. */
export function portsOff(offMs: number): Ports & { readonly logger: RecordingLogger } {
  const ports = nodePorts();
  const clock = { ...ports.clock, now: () => ports.clock.now() + offMs };
  return { ...ports, clock, logger: new RecordingLogger() };
}

export class WorkerSetup {
  readonly server: TestServer;
  readonly name: string;
  readonly queue: Queue<Record<string, unknown>>;
  readonly engine: ValkeyEngine;
  readonly jobs: Jobs;

  /** Call it in a test. `ports` are those of the producer. */
  constructor(server: TestServer, name: string, ports: Ports = portsOff(0)) {
    this.server = server;
    this.name = name;
    this.engine = this.openEngine(ports);
    this.jobs = new Jobs(this.engine);
    this.queue = new Queue(name, { connection: this.engine });
    onTestFinished(() => this.queue.close());
  }

  /** An engine that ends with the test, whose calls a busy machine does not end. */
  openEngine(ports: Ports = portsOff(0), commandTimeoutMs = 30_000, beatMs = 1000): ValkeyEngine {
    const engine = new ValkeyEngine({ connection: this.server.url, ports, commandTimeoutMs, beatMs });
    onTestFinished(() => engine.close());
    return engine;
  }

  /** A worker on an engine of its own, closed with the test. */
  worker(handler: Handler | Handlers, options: WorkerOptions = {}, ports: Ports = portsOff(0)): Worker {
    const worker = new Worker(this.name, handler, { connection: this.openEngine(ports), beat: 100, ...options });
    onTestFinished(() => worker.close({ timeout: 0 }));
    return worker;
  }

  /** The server's clock, in ms. */
  async serverNow(): Promise<number> {
    const [seconds, micros] = (await this.engine.command(["TIME"])) as [string, string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }
}

/** Resolves when `isMet`; fails with what is missing after {@link DEADLINE_MS}. */
export async function until(isMet: () => boolean | Promise<boolean>, missing: string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`after ${DEADLINE_MS} ms: ${missing}`);
    await pause(5);
  }
}
