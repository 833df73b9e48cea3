/**
 * Counters under races: whatever meets whatever in one queue, each end counts once and no count falls below nothing.
 */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createRandom, createTestPorts } from "../../../src/testing/test-ports.ts";

const QUEUE = "q";
const LEASE_MS = 1000;
const ROUNDS = 10_000;

/** Jobs of a run, some of them in two lanes, and what has truly become of them. */
class Race {
  readonly ports = createTestPorts({ seed: 196 });
  readonly engine = new EmbeddedEngine({ ports: this.ports });
  readonly jobs = new Jobs(this.engine);
  readonly random = createRandom(196);
  readonly truth = { completed: 0, failed: 0 };
  readonly #mint = createMinter({ node: 1, clock: () => this.ports.clock.now() });
  /** Every lease that was ever given out, by id: its tokens, the old ones too. */
  readonly #leases: { readonly id: string; readonly token: number }[] = [];

  /** One random move; the lease that it is about may have been settled, reclaimed, revoked or lost long before. */
  async move(): Promise<void> {
    const { id, token } = this.#lease();
    const failure = { delayMs: 0, maxAttempts: 1 + this.#below(3), error: "e" };
    switch (this.#below(9)) {
      case 0:
        await this.add();
        return;
      case 1:
        return await this.claim();
      case 2:
        if ((await this.jobs.complete(QUEUE, id, token)) === "ok") this.truth.completed++;
        return;
      case 3:
        if ((await this.jobs.retry(QUEUE, id, token, failure)) === "dead") this.truth.failed++;
        return;
      case 4:
        this.truth.failed += (await this.jobs.sweep(QUEUE, { maxStalled: 2, limit: 10 })).dead.length;
        return;
      case 5:
        await this.jobs.cancel(QUEUE, id, "revoked");
        return;
      case 6:
        this.ports.clock.shift(this.#below(LEASE_MS));
        return;
      case 7:
        await this.jobs.promote(QUEUE, 10);
        return;
      default:
        await this.jobs.reprocessJob(QUEUE, id);
    }
  }

  async add(): Promise<string> {
    const id = this.#mint("JOB");
    const lane = this.#below(3);
    await this.jobs.admit(QUEUE, [{ id, payload: "p", ...(lane === 0 ? {} : { lane: `lane-${lane}` }) }]);
    return id;
  }

  async claim(): Promise<void> {
    const { jobs } = await this.jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: 1 + this.#below(3) });
    for (const { id, token } of jobs) this.#leases.push({ id, token });
  }

  async counts(): Promise<{ completed: number; failed: number }> {
    return await this.jobs.getCounts(QUEUE, ["completed", "failed"]);
  }

  /** The sum of all minutes that are kept. */
  async minutes(): Promise<{ completed: number; failed: number }> {
    const sum = async (which: "completed" | "failed") =>
      [...(await this.jobs.getMinutes(QUEUE, which)).values()].reduce((all, count) => all + count, 0);
    return { completed: await sum("completed"), failed: await sum("failed") };
  }

  /** A lease among the newest forty: most of them are over, and some are open. */
  #lease(): { readonly id: string; readonly token: number } {
    const from = Math.max(0, this.#leases.length - 40);
    return this.#leases[from + this.#below(this.#leases.length - from)] ?? { id: this.#mint("JOB"), token: 1 };
  }

  #below(count: number): number {
    return Math.floor(this.random() * count);
  }
}

describe("counters", () => {
  it("are never below nothing and always the truth, in ten thousand races of ends (PB-196)", async () => {
    const race = new Race();
    for (let round = 0; round < ROUNDS; round++) {
      await race.move();
      if (round % 250 !== 0) continue;
      expect(await race.counts()).toEqual(race.truth);
      // The counts of lanes too: each equals the leases that there are.
      expect(await checkInvariants(race.engine, QUEUE)).toEqual([]);
    }
    expect(await race.counts()).toEqual(race.truth);
    // A run of this length stays within the hours of which the minutes are kept.
    expect(await race.minutes()).toEqual(race.truth);
    expect(race.truth.completed).toBeGreaterThan(100);
    expect(race.truth.failed).toBeGreaterThan(100);
  });

  it("do not move when a job that is over is settled, failed or swept again (PB-197)", async () => {
    const race = new Race();
    const id = await race.add();
    await race.claim();
    expect(await race.jobs.complete(QUEUE, id, 1)).toBe("ok");
    const again = { delayMs: 0, maxAttempts: 1, error: "e" };
    for (let time = 0; time < 3; time++) {
      expect(await race.jobs.complete(QUEUE, id, 1)).toBe("gone");
      expect(await race.jobs.retry(QUEUE, id, 1, again)).toBe("gone");
      expect(await race.jobs.cancel(QUEUE, id, "x")).toBe("gone");
      race.ports.clock.shift(LEASE_MS * 2);
      expect(await race.jobs.sweep(QUEUE)).toEqual({ recovered: [], dead: [] });
    }
    expect(await race.counts()).toEqual({ completed: 1, failed: 0 });
    // The same id runs a second time, as a job of its own, in another lane.
    await race.jobs.admit(QUEUE, [{ id, payload: "p", lane: "second" }]);
    await race.claim();
    expect(await race.jobs.complete(QUEUE, id, 1)).not.toBe("gone");
    const row = await race.jobs.getRow(QUEUE, id);
    if (row !== undefined) await race.jobs.complete(QUEUE, id, Number(row.get("attempts")));
    expect(await race.counts()).toEqual({ completed: 2, failed: 0 });
    expect(await race.engine.command(["HGETALL", "emq:{q}:gactive"])).toEqual([]);
  });
});
