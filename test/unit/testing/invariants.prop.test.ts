/**
 * Whatever acts do in whatever order, the invariants hold after each: lanes, priorities, lapses and stale tokens
 * included. This tests the acts as much as the check.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { checkInvariants, violationText } from "../../../src/testing/invariants.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

const QUEUE = "q";
const LEASE_MS = 50;

interface Held {
  readonly id: string;
  readonly token: number;
}

class Play {
  readonly #engine = new EmbeddedEngine({ ports: createTestPorts() });
  readonly #ports = this.#engine.ports as ReturnType<typeof createTestPorts>;
  readonly #jobs = new Jobs(this.#engine);
  readonly #mint = createMinter({ node: 1, clock: () => this.#ports.clock.now() });
  readonly #ids: string[] = [];
  readonly #held: Held[] = [];

  /** One step: what to do, and a number that picks among jobs and lanes. */
  async step(kind: number, pick: number): Promise<void> {
    const jobs = this.#jobs;
    const id = this.#ids[pick % Math.max(1, this.#ids.length)] ?? this.#mint("JOB");
    const held = this.#held[pick % Math.max(1, this.#held.length)] ?? { id, token: 1 };
    const steps: readonly (() => Promise<unknown>)[] = [
      () => jobs.enqueue(QUEUE, this.#fresh(), "p"),
      () => jobs.enqueueIn(QUEUE, this.#fresh(), "p", pick % 100),
      () => jobs.admit(QUEUE, [{ id: this.#fresh(), payload: "p", lane: `lane-${pick % 3}` }]),
      () => jobs.admit(QUEUE, [{ id: this.#fresh(), payload: "p", priority: pick % 4, name: "n" }]),
      () => jobs.admit(QUEUE, [{ id: this.#fresh(), payload: "p", lane: `lane-${pick % 3}`, dueInMs: pick % 60 }]),
      async () => this.#keep(await jobs.claim(QUEUE, LEASE_MS)),
      () => this.#turn(pick),
      () => jobs.complete(QUEUE, held.id, held.token),
      () => jobs.retry(QUEUE, held.id, held.token, { delayMs: pick % 40, maxAttempts: 3, error: "boom" }),
      () => jobs.delay(QUEUE, held.id, held.token, pick % 40),
      () => jobs.giveBack(QUEUE, held.id, held.token),
      () => jobs.promote(QUEUE, 10),
      () => jobs.reap(QUEUE),
      () => jobs.sweep(QUEUE, { maxStalled: 2 }),
      () => jobs.extendLock(QUEUE, held.id, held.token, LEASE_MS),
      () => jobs.cancel(QUEUE, id, "no more"),
      () => jobs.removeJob(QUEUE, id),
      () => jobs.reprocessJob(QUEUE, id),
      () => jobs.addLog(QUEUE, id, "line"),
      () => (pick % 2 === 0 ? jobs.pause(QUEUE) : jobs.resume(QUEUE)),
      () => this.#ports.clock.advance(pick % 80),
    ];
    await steps[kind % steps.length]?.();
  }

  async violations(): Promise<string> {
    return violationText(await checkInvariants(this.#engine, QUEUE));
  }

  #fresh(): string {
    const id = this.#mint("JOB");
    this.#ids.push(id);
    return id;
  }

  #keep(job: { id: string; attempts: number } | undefined): void {
    if (job !== undefined) this.#held.push({ id: job.id, token: job.attempts });
  }

  async #turn(pick: number): Promise<void> {
    const { jobs } = await this.#jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: pick % 4 });
    for (const job of jobs) this.#held.push({ id: job.id, token: job.token });
  }
}

it("no order of acts breaks an invariant", async () => {
  const steps = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { minLength: 50, maxLength: 120, size: "max" });
  const property = fc.asyncProperty(steps, async (list) => {
    const play = new Play();
    for (const [kind, pick] of list) {
      await play.step(kind, pick);
      expect(await play.violations()).toBe("");
    }
  });
  await fc.assert(property, { numRuns: 30 });
});
