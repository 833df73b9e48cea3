/** What becomes of a job that is cancelled: while it waits, while it runs, and when its handler does not care. */

import { describe, expect, test } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import { STOP_GRACE_MS_DEFAULT } from "../../../src/queue/defaults.ts";
import type { Context } from "../../../src/worker/context.ts";
import { UnrecoverableError } from "../../../src/worker/control-error.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

const LEASE_MS = 3000;

/** Ends when its signal fires, by throwing what `thrown` makes of the reason. */
const obey = async (signal: Context["signal"], thrown: (reason: unknown) => unknown = (reason) => reason) =>
  await new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(thrown(signal.reason) as Error));
  });

function setup(handler: (context: Context, world: WorkerWorld) => unknown, options: WorkerOptions = {}) {
  const world = new WorkerWorld();
  const reasons: { code: string; message: string; at: number }[] = [];
  const failures: { error: unknown; outcome: string }[] = [];
  const stuck: { id: string; error: Error }[] = [];
  const worker = world.worker(
    async (_job, context) => {
      context.signal.addEventListener("abort", () => {
        const { code, message } = context.signal.reason as EchoMQError;
        reasons.push({ code, message, at: world.elapsedMs });
      });
      return await handler(context, world);
    },
    { lease: LEASE_MS, ...options },
  );
  worker.on("failed", (_job, error, outcome) => failures.push({ error, outcome }));
  worker.on("stuck", (_job, details) => stuck.push(details));
  const cancel = (id: string, reason = "wrong address") => world.jobs.cancel(QUEUE, id, reason);
  const row = async (id: string) => Object.fromEntries((await world.jobs.getRow(QUEUE, id)) ?? []);
  return { world, worker, reasons, failures, stuck, cancel, row };
}

describe("a cancelled job", () => {
  test("that runs is told to stop at once, and is dead with the reason and not tried again", async () => {
    const { world, reasons, failures, cancel, row } = setup(({ signal }) => obey(signal));
    const [id = ""] = await world.add({ opts: { attempts: 10 } });
    await world.advance(100);
    expect(await cancel(id)).toBe("marked");
    await world.settle();
    expect(reasons).toMatchObject([{ code: "cancelled", at: 100 }]);
    expect(reasons[0]?.message).toContain("wrong address");
    await world.advance(10);
    expect(failures).toMatchObject([{ error: { code: "cancelled" }, outcome: "dead" }]);
    expect(await row(id)).toMatchObject({ state: "dead", last_error: "wrong address", cancel: "wrong address" });
    await world.advance(100_000);
    expect(await world.counts()).toMatchObject({ dead: 1, active: 0, schedule: 0 });
    await world.closeAll();
  });

  test("is told within one renewal where no message comes through (PB-163)", async () => {
    const { world, reasons, failures, cancel } = setup(({ signal }) => obey(signal));
    world.engine.losesMessages = true;
    const [id = ""] = await world.add();
    await world.advance(100);
    await cancel(id);
    await world.advance(LEASE_MS / 3);
    world.engine.losesMessages = false;
    expect(reasons).toMatchObject([{ code: "cancelled" }]);
    expect(failures).toMatchObject([{ outcome: "dead" }]);
    await world.closeAll();
  });

  test("is dead also when its handler throws something of its own, or asks for another run", async () => {
    for (const thrown of [() => new Error("cleaned up"), () => new UnrecoverableError("no"), () => undefined]) {
      const { world, cancel, row } = setup(({ signal }) => obey(signal, thrown));
      const [id = ""] = await world.add();
      await world.advance(100);
      await cancel(id);
      await world.advance(10);
      expect(await row(id)).toMatchObject({ state: "dead", last_error: "wrong address" });
      await world.closeAll();
    }
  });

  test("is completed by a handler that returns all the same", async () => {
    const { world, cancel } = setup(async (_context, { pause }) => await pause.call(world, 500));
    const [id = ""] = await world.add();
    await world.advance(100);
    await cancel(id);
    await world.advance(500);
    expect(await world.counts()).toMatchObject({ completed: 1, dead: 0 });
    await world.closeAll();
  });

  test("frees the slot of a handler that ignores it after the grace, and says so (PB-055)", async () => {
    let begun = 0;
    const { world, worker, stuck, cancel, row } = setup(() => {
      begun += 1;
      return begun === 1 ? new Promise(() => {}) : undefined;
    });
    const [id = ""] = await world.addMany(2);
    await world.advance(100);
    await cancel(id);
    await world.advance(STOP_GRACE_MS_DEFAULT - 10);
    expect([begun, worker.health().stuck]).toEqual([1, 1]);
    await world.advance(20);
    expect(stuck).toMatchObject([{ id, error: { code: "cancelled" } }]);
    expect(begun).toBe(2);
    expect(worker.health()).toMatchObject({ running: 0, stuck: 0 });
    expect(await row(id)).toMatchObject({ state: "dead", last_error: "wrong address" });
    expect(world.ports.logger.messages("warn").join()).toContain("was told to stop (cancelled) and still runs");
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test("has the grace that the worker gives, of which 0 is none", async () => {
    const { world, stuck, cancel } = setup(() => new Promise(() => {}), { stopGrace: 0 });
    const [id = ""] = await world.add();
    await world.advance(100);
    await cancel(id);
    await world.advance(1);
    expect(stuck).toHaveLength(1);
    await world.closeAll();
  });

  test("does not begin when it is still in the buffer", async () => {
    let begun = 0;
    const { world, cancel, row } = setup(async (_context, { ports }) => {
      begun += 1;
      await new Promise<void>((resolve) => void ports.clock.after(1, resolve));
    });
    await world.addMany(20);
    const held = () => world.jobs.getIds(QUEUE, "active", { start: 0, end: 99, ascending: true });
    while ((await held()).length < 2) await world.advance(1);
    const last = (await held()).at(-1) ?? "";
    expect(await cancel(last)).toBe("marked");
    await world.advance(1000);
    expect(await row(last)).toMatchObject({ state: "dead", last_error: "wrong address" });
    expect(begun).toBe(19);
    await world.closeAll();
  });

  test("is dead, and not given back, when its worker closes before its handler has ended", async () => {
    const { world, worker, cancel, row } = setup(() => new Promise(() => {}));
    const [id = ""] = await world.add();
    await world.advance(100);
    await cancel(id, "");
    await world.settle();
    void worker.close({ timeout: 0 });
    await world.advance(2000);
    expect(await row(id)).toMatchObject({ state: "dead", last_error: "no reason was given", cancel: "" });
  });

  test("that waits is removed, and a later claim of its id knows nothing of it", async () => {
    const { world, reasons, cancel } = setup(({ signal }) => obey(signal));
    const [first = "", second = ""] = await world.addMany(2);
    await world.advance(100);
    expect(await cancel(second)).toBe("removed");
    expect(await cancel(second)).toBe("gone");
    expect(reasons).toEqual([]);
    expect(await cancel(first)).toBe("marked");
    await world.advance(100);
    expect(reasons).toHaveLength(1);
    await world.closeAll();
  });
});

describe("time limits by name", () => {
  test("hold for jobs of that name, before that of the worker and behind that of the job", async () => {
    const world = new WorkerWorld();
    const ended: [string, number][] = [];
    world.worker(
      async (job, { signal }) => {
        try {
          await obey(signal);
        } finally {
          ended.push([`${job.name} ${(signal.reason as EchoMQError).code}`, world.elapsedMs]);
        }
      },
      { concurrency: 4, attempts: 1, timeout: 400, timeouts: { quick: 100, slow: "1s" }, lease: "1m" },
    );
    const added = [{ name: "quick" }, { name: "slow" }, { name: "other" }, { name: "quick", opts: { timeout: 200 } }];
    await world.add(...added);
    await world.advance(2000);
    expect(ended).toEqual([
      ["quick job_timeout", 100],
      ["quick job_timeout", 200],
      ["other job_timeout", 400],
      ["slow job_timeout", 1000],
    ]);
    expect(await world.counts()).toMatchObject({ dead: 4, failed: 4 });
    await world.closeAll();
  });

  test("are refused when they are none, and so is a grace beyond an hour", () => {
    const world = new WorkerWorld();
    const refused = (options: object) => {
      try {
        world.worker(() => {}, options);
      } catch (error) {
        return (error as EchoMQError).code;
      }
      return undefined;
    };
    expect(refused({ timeouts: 5 })).toBe("invalid_option");
    expect(refused({ timeouts: [] })).toBe("invalid_option");
    expect(refused({ timeouts: { mail: "soon" } })).toBe("invalid_option");
    expect(refused({ timeouts: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`n${at}`, 1])) })).toBe(
      "invalid_option",
    );
    expect(refused({ stopGrace: "2h" })).toBe("invalid_option");
    expect(refused({ stopGrace: -1 })).toBe("invalid_option");
    expect(refused({ timeOuts: {} })).toBe("unknown_option");
  });
});
