/**
 * One soak: jobs at a steady rate, faults at random every few seconds, and the accounts at the end.
 *
 * The server keeps its data through every restart (it writes each change to disk before it answers), so jobs that went
 * in can be held against jobs that came out, one by one. The rate is bounded, and so are adds on their way. One process
 * lives through the whole run and adds all jobs: its heap is what must stay flat.
 */

import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../../src/connect.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { createRandom } from "../../src/testing/test-ports.ts";
import { type FaultProxy, startFaultProxy } from "../server/fault-proxy.ts";
import { startServer, type TestServer } from "../server/start-server.ts";
import { type FaultSubjects, SOAK_FAULTS } from "./soak-fault.ts";
import { SoakLedger } from "./soak-ledger.ts";
import { SoakProcess } from "./soak-process.ts";

const QUEUE = "soak";

/** Jobs added a second. */
const RATE = 100;

/** Workers beside the resident. */
const MORTALS = 3;

/** Time between two faults, in ms. */
const CALM_MS_MIN = 500;
const CALM_MS_MAX = 4000;

/** How long the rest may take once nothing is broken any more, in ms. */
const DRAIN_MS_MAX = 120_000;

/** What the heap may have grown by between a quarter of the run and its end, in bytes. */
export const HEAP_GROWTH_MAX = 20 * 2 ** 20;

/** How often a line tells how far it is, in ms. */
const TELL_EVERY_MS = 10_000;

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Told how it goes. */
  readonly say: (line: string) => void;
}

/** How a soak ended. */
export interface SoakResult {
  readonly added: number;
  readonly completed: number;
  readonly dead: number;
  /** Adds whose first answer was lost, each of which may have run its job once more. */
  readonly repeated: number;
  readonly faults: number;
  /** What cannot be explained; empty when all is well. */
  readonly findings: readonly string[];
  /** What is wrong with the keys of the queue. */
  readonly violations: readonly unknown[];
  readonly heapGrowthBytes: number;
}

/** Runs a soak from start to end; every server and process ends with it, whatever comes of it. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const server = await startServer({ tcp: true, config: { appendonly: "yes", appendfsync: "always" } });
  const proxy = await startFaultProxy({ port: server.port ?? 0 });
  const run = new SoakRun(options, server, proxy);
  try {
    return await run.run();
  } finally {
    await run.end();
    await proxy.close();
    await server.stop();
  }
}

class SoakRun {
  readonly #options: SoakOptions;
  readonly #ledger = new SoakLedger();
  readonly #processes = new Set<SoakProcess>();
  readonly #mortals: SoakProcess[] = [];
  readonly #resident: SoakProcess;
  readonly #subjects: FaultSubjects;
  /** Errors that ended a process. */
  readonly #breaks: string[] = [];
  #seed: number;
  #faults = 0;

  constructor(options: SoakOptions, server: TestServer, proxy: FaultProxy) {
    const random = createRandom(options.seed);
    this.#options = options;
    this.#seed = options.seed;
    this.#resident = this.#start(proxy, RATE);
    for (let at = 0; at < MORTALS; at++) this.#mortals.push(this.#start(proxy, 0));
    this.#subjects = {
      server,
      proxy,
      random,
      mortals: this.#mortals,
      resident: this.#resident,
      replace: (gone) => this.#mortals.splice(this.#mortals.indexOf(gone), 1, this.#start(proxy, 0)),
    };
  }

  async run(): Promise<SoakResult> {
    const { seconds, say } = this.#options;
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1000;
    let toldAt = startedAt;
    let heapBytes = 0;
    await Promise.all([this.#resident, ...this.#mortals].map(({ ready }) => ready));
    while (performance.now() < endsAt) {
      await pause(CALM_MS_MIN + this.#subjects.random() * (CALM_MS_MAX - CALM_MS_MIN));
      await this.#fault();
      if (heapBytes === 0 && performance.now() > startedAt + seconds * 250)
        heapBytes = await this.#resident.heapBytes();
      if (performance.now() - toldAt < TELL_EVERY_MS) continue;
      toldAt = performance.now();
      const { added, settled } = this.#ledger;
      say(`${Math.round((toldAt - startedAt) / 1000)} s: ${added} added, ${settled} done, ${this.#faults} faults`);
    }
    return await this.#account(heapBytes);
  }

  /** Ends every process that is left. */
  async end(): Promise<void> {
    for (const one of this.#processes) one.kill();
    await Promise.all([...this.#processes].map(({ ended }) => ended));
  }

  #start(proxy: FaultProxy, perSecond: number): SoakProcess {
    this.#seed += 1;
    const started = new SoakProcess({
      url: proxy.url,
      queue: QUEUE,
      seed: this.#seed,
      perSecond,
      onLine: (words, from) => {
        if (words[0] === "broke") this.#breaks.push(words.join(" "));
        else this.#ledger.note(words, from);
      },
    });
    this.#processes.add(started);
    void started.ended.then(() => this.#processes.delete(started));
    return started;
  }

  async #fault(): Promise<void> {
    const names = Object.keys(SOAK_FAULTS);
    const name = names[Math.floor(this.#subjects.random() * names.length)] ?? "";
    this.#faults += 1;
    try {
      await SOAK_FAULTS[name]?.(this.#subjects);
    } catch (error) {
      throw new Error(`the fault that ${name} failed`, { cause: error });
    }
  }

  /** Lets all jobs end and holds them against those that went in. */
  async #account(heapBytes: number): Promise<SoakResult> {
    const { server } = this.#subjects;
    const lease = connect(`unix:${server.socketPath}`);
    const jobs = new Jobs(lease.engine);
    try {
      await within(this.#resident.stopAdding(), "the last adds");
      await this.#untilEmpty(jobs);
      const heapGrowthBytes = (await this.#resident.heapBytes()) - heapBytes;
      const codes = await within(
        Promise.all([this.#resident, ...this.#mortals].map((one) => one.close())),
        "the close of the workers",
      );
      const { completed, dead } = await jobs.getCounts(QUEUE, ["completed", "dead"]);
      const { added, repeated } = this.#ledger;
      const findings = [...this.#breaks, ...this.#ledger.findings(await deadIds(jobs, dead))];
      if (codes.some((code) => code !== 0)) findings.push(`workers ended with ${codes.join(", ")}`);
      if (completed + dead < added || completed + dead > added + repeated) {
        findings.push(`${added} jobs in (${repeated} adds repeated), ${completed} done and ${dead} dead`);
      }
      const violations = await checkInvariants(lease.engine, QUEUE, { idle: true });
      return { added, completed, dead, repeated, faults: this.#faults, findings, violations, heapGrowthBytes };
    } finally {
      await lease.release();
    }
  }

  /** Resolves when no job is left; other processes do the work, so there is nothing to wait for but the counts. */
  async #untilEmpty(jobs: Jobs): Promise<void> {
    const deadline = performance.now() + DRAIN_MS_MAX;
    for (;;) {
      const { active, schedule } = await jobs.getCounts(QUEUE, ["active", "schedule"]);
      const { completed, dead } = await jobs.getCounts(QUEUE, ["completed", "dead"]);
      if (active + schedule === 0 && completed + dead >= this.#ledger.added) return;
      if (performance.now() > deadline) {
        throw new Error(`${active} active and ${schedule} scheduled, ${completed} done of ${this.#ledger.added}`);
      }
      await pause(50);
    }
  }
}

async function deadIds(jobs: Jobs, count: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let start = 0; start < count; start += 1000) {
    for (const id of await jobs.getIds(QUEUE, "dead", { start, end: start + 999, ascending: true })) ids.add(id);
  }
  return ids;
}

/** The promise, or an error once it has taken too long. */
async function within<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  const end = new AbortController();
  const late = pause(DRAIN_MS_MAX, undefined, { signal: end.signal }).then(() => {
    throw new Error(`${what} took longer than ${DRAIN_MS_MAX} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    end.abort();
    late.catch(() => {});
  }
}
