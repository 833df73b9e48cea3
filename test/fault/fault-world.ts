/**
 * One queue and one worker on a real server with a proxy in between, and what an outage may not change about them.
 *
 * The tests of this folder break the server or the way to it and then ask the same every time: is every job done, and
 * once; how soon did the backlog move; are there as many sockets and timers as before; and how many lines were written.
 * Times on a real server depend on the machine, so they are printed, and a test fails only at ten times what is
 * promised; the very numbers are proved on virtual time in `test/unit/`.
 */

import { expect, onTestFinished } from "vitest";
import type { Ports } from "../../src/engine/ports.ts";
import { bytesOf } from "../../src/protocol/bytes.ts";
import type { EchoMQError } from "../../src/protocol/errors.ts";
import { createMinter } from "../../src/protocol/mint.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { QueueCore } from "../../src/queue/queue.ts";
import type { QueueOptions } from "../../src/queue/queue-options.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import type { RecordingLogger } from "../../src/testing/test-ports.ts";
import type { ValkeyConnectionOptions } from "../../src/valkey/connection.ts";
import { SCRIPTS } from "../../src/valkey/scripts.generated.ts";
import type { ValkeyEngine } from "../../src/valkey/valkey-engine.ts";
import { WorkerCore } from "../../src/worker/worker.ts";
import type { Handler } from "../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../src/worker/worker-options.ts";
import { openEngine, recordingPorts } from "../integration/valkey/setup-engine.ts";
import { type FaultProxy, startFaultProxy } from "../server/fault-proxy.ts";
import type { TestServer } from "../server/start-server.ts";

/** What is promised after an outage, in ms. */
export const BACK_MS = 2000;

/** What a test waits for what was promised: ten times as long. */
export const PATIENCE = { timeout: 10 * BACK_MS, interval: 5 } as const;

/** Ports whose log a test can read. */
type RecordingPorts = Ports & { readonly logger: RecordingLogger };

export interface WorldOptions {
  /** The client library, its protocol and what else tells the engine how to connect. */
  readonly way?: ValkeyConnectionOptions;
  /** Where to connect in place of the proxy in front of the server. */
  readonly connection?: ValkeyConnectionOptions;
  /** The time of a call; default that of users, 5 s. */
  readonly commandTimeoutMs?: number;
  readonly queue?: QueueOptions;
  readonly worker?: WorkerOptions;
  readonly handler?: Handler;
  /** Default: real time. */
  readonly ports?: RecordingPorts;
}

/** What an idle queue and worker hold of the machine. */
export interface Footprint {
  readonly sockets: number;
  readonly timers: number;
}

/** Opens a world on an empty server, waiting for work if the server is there; everything ends with the test. */
export async function openWorld(server: TestServer, options: WorldOptions = {}): Promise<FaultWorld> {
  if (server.isRunning) {
    await server.command("FLUSHALL");
    // A reply that a test loses must be that of the act, and not of a script that was not there.
    for (const { text } of Object.values(SCRIPTS)) await server.command("SCRIPT", "LOAD", bytesOf(text));
  }
  const proxy = await startFaultProxy(server.port === undefined ? { path: server.socketPath } : { port: server.port });
  onTestFinished(() => proxy.close());
  const world = new FaultWorld(server, proxy, options);
  if (server.isRunning) await world.awake();
  return world;
}

/** A queue `mail`, a worker on it, and the way to their server. */
export class FaultWorld {
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  readonly ports: RecordingPorts;
  readonly engine: ValkeyEngine;
  readonly queue: QueueCore<Record<string, unknown>>;
  readonly worker: WorkerCore;
  /** How often each job was run, by its id. */
  readonly runs: Map<string, number> = new Map();
  /** The tokens under which jobs ran: 1 for a first claim. */
  readonly tokens: number[] = [];
  /** Ids of jobs whose completion was acknowledged, in that order. */
  readonly completed: string[] = [];
  /** Ids of adds that ended without an answer, so that their jobs may exist. */
  readonly doubtful = new Set<string>();
  readonly #timers = new Set<object>();
  readonly #mint = createMinter({ node: 1, clock: Date.now });

  /** Use {@link openWorld}. */
  constructor(server: TestServer, proxy: FaultProxy, options: WorldOptions) {
    this.server = server;
    this.proxy = proxy;
    this.ports = countingPorts(options.ports ?? recordingPorts(), this.#timers);
    const { way, commandTimeoutMs = 5000, handler } = options;
    this.engine = openEngine({
      connection: options.connection ?? { ...way, url: proxy.url },
      ports: this.ports,
      commandTimeoutMs,
    });
    const lease = { engine: this.engine, release: () => Promise.resolve() };
    this.queue = new QueueCore("mail", lease, { node: 7, ...options.queue });
    const run: Handler = async (job, context) => {
      this.runs.set(job.id, (this.runs.get(job.id) ?? 0) + 1);
      this.tokens.push(job.token);
      return await handler?.(job, context);
    };
    this.worker = new WorkerCore("mail", run, lease, options.worker ?? {});
    this.worker.on("completed", (job) => void this.completed.push(job.id));
    onTestFinished(async () => {
      await this.worker.close({ timeout: 0 });
      await this.queue.close({ timeout: 0 });
    });
  }

  /** Resolves when the worker waits for work at the blocking connection, and nobody else is at the server. */
  async awake(): Promise<void> {
    await expect.poll(() => this.worker.health().state, PATIENCE).toBe("running");
    await expect.poll(() => this.clients().then((list) => list.includes("cmd=blpop")), PATIENCE).toBe(true);
    // The sockets of a test before may take a moment to be gone, and must not count as ours.
    // Our own come one after the other, so both sides are counted anew each time.
    await expect.poll(async () => (await this.#socketCount()) - this.proxy.links().length, PATIENCE).toBe(0);
  }

  /** Adds so many jobs and resolves with their ids when all are stored. */
  async add(count: number): Promise<string[]> {
    const jobs = await Promise.all(Array.from({ length: count }, (_, at) => this.queue.add("letter", at)));
    return jobs.map(({ id }) => id);
  }

  /**
   * Adds so many jobs that are to be refused; resolves with the errors. What was on its way when its time was up may
   * have been stored, as its error says, and is {@link doubtful} then.
   */
  async refusedAdds(count: number): Promise<EchoMQError[]> {
    const errors: EchoMQError[] = [];
    const adds = Array.from({ length: count }, async (_, at) => {
      const id = this.newId();
      const error = (await this.queue.add("letter", at, { id }).catch((reason: unknown) => reason)) as EchoMQError;
      if (error.details?.["sent"] === true) this.doubtful.add(id);
      if (error instanceof Error) errors.push(error);
    });
    await Promise.all(adds);
    return errors;
  }

  /** An id for an add that is to be repeated. */
  newId(): string {
    return this.#mint("JOB");
  }

  /** Stores jobs past the proxy, as another process does. */
  async addElsewhere(count: number, delay = 0): Promise<string[]> {
    const engine = openEngine({ connection: { path: this.server.socketPath }, commandTimeoutMs: 60_000 });
    const queue = new QueueCore("mail", { engine, release: () => engine.close() }, { node: 8 });
    const adds = Array.from({ length: count }, (_, at) => queue.add("letter", at, { delay }));
    const jobs = await Promise.all(adds);
    await queue.close();
    return jobs.map(({ id }) => id);
  }

  /** Resolves when so many jobs are completed in all. */
  async untilCompleted(count: number, patience: typeof PATIENCE | { timeout: number } = PATIENCE): Promise<void> {
    await expect.poll(() => this.completed.length, { ...PATIENCE, ...patience }).toBeGreaterThanOrEqual(count);
  }

  /** Every job that was stored is done, each in one run, and the queue's keys are in order where they lie now. */
  async expectAllDone(ids: readonly string[], server: TestServer = this.server): Promise<void> {
    await expect.poll(() => ids.filter((id) => !this.completed.includes(id)), PATIENCE).toEqual([]);
    expect([...this.runs].filter(([, times]) => times !== 1)).toEqual([]);
    // Past the proxy and with more patience than a call of the world may have.
    const engine = openEngine({ connection: { path: server.socketPath }, commandTimeoutMs: 60_000 });
    const counts = () => new Jobs(engine).getCounts("mail", ["pending", "active", "schedule", "dead"]);
    await expect.poll(counts, PATIENCE).toEqual({ pending: 0, active: 0, schedule: 0, dead: 0 });
    const sure = this.completed.filter((id) => !this.doubtful.has(id));
    expect(sure.sort()).toEqual(ids.filter((id) => !this.doubtful.has(id)).sort());
    expect(await checkInvariants(engine, "mail")).toEqual([]);
    await engine.close();
  }

  /** A line for each client that came over TCP, as the world does; a test's own questions go by the unix socket. */
  async clients(): Promise<string> {
    const list = String(await this.server.command("CLIENT", "LIST"));
    const remote = list.split("\n").filter((line) => line !== "" && !/ flags=[a-zA-Z]*U/.test(line));
    return remote.join("\n");
  }

  /** What the idle world holds: the most of some looks, since timers come and go. */
  async footprint(): Promise<Footprint> {
    let timers = 0;
    for (let looks = 0; looks < 20; looks++) {
      await this.server.command("PING");
      timers = Math.max(timers, this.#timers.size);
    }
    return { sockets: await this.#socketCount(), timers };
  }

  /** What an outage left behind is taken down again, soon if not at once. */
  async expectFootprint({ sockets, timers }: Footprint): Promise<void> {
    await expect.poll(() => this.#socketCount(), PATIENCE).toBe(sockets);
    await expect.poll(() => this.#timers.size, PATIENCE).toBeLessThanOrEqual(timers);
  }

  async #socketCount(): Promise<number> {
    return (await this.clients()).split("\n").filter((line) => line !== "").length;
  }

  /** Lines that a program without listeners would show of what goes wrong. */
  troubles(): string[] {
    return [...this.ports.logger.messages("warn"), ...this.ports.logger.messages("error")];
  }

  /** At most a line for each step of the back-off, whatever the length of the outage. */
  expectFewLines(): void {
    const lines = this.troubles();
    expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(20);
    expect(this.ports.logger.messages("error")).toEqual([]);
  }
}

/** The same ports with a mark in `timers` for each timer that is set. */
function countingPorts(ports: RecordingPorts, timers: Set<object>): RecordingPorts {
  return {
    ...ports,
    clock: {
      now: () => ports.clock.now(),
      after: (ms, action, options) => {
        const mark = {};
        timers.add(mark);
        const fire = (): void => {
          timers.delete(mark);
          action();
        };
        const timer = ports.clock.after(ms, fire, options);
        return {
          cancel: () => {
            timers.delete(mark);
            timer.cancel();
          },
        };
      },
    },
  };
}

/** Prints what was measured, beside the promise that it belongs to. */
export function report(what: string, ms: number, promisedMs = BACK_MS): void {
  console.info(`measured: ${what} ${Math.round(ms)} ms (promised ${promisedMs} ms)`);
}

/** Passes after so much real time: the length of an outage, whose end nothing else tells. */
export function last(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
