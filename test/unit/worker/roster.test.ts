/** One worker is paused from anywhere: it takes nothing, goes on telling of itself, and hears when it is over. */

import { describe, expect, test } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup() {
  const world = new WorkerWorld();
  const queue = new QueueCore(QUEUE, { engine: world.engine.store, release: () => Promise.resolve() });
  const paused = async () => (await queue.workers()).filter(({ isPaused }) => isPaused).map(({ id }) => id);
  return { world, queue, paused };
}

describe("a worker that is paused from elsewhere", () => {
  test("takes no further jobs at once, while others go on, and takes jobs again when it is resumed", async () => {
    const { world, queue, paused } = setup();
    const ran = { first: 0, second: 0 };
    const first = world.worker(() => {
      ran.first += 1;
    });
    await world.advance(100);
    expect(await queue.pauseWorker(first.id)).toBe("ok");
    await world.settle();
    expect(first.isPausedRemotely()).toBe(true);
    await world.addMany(5);
    await world.advance(30_000);
    expect([ran.first, await paused()]).toEqual([0, [first.id]]);
    const [id = ""] = await world.add();
    expect((await queue.explain(id)).reasons.map(({ kind }) => kind)).toContain("workers-paused");
    world.workerOn(world.otherEngine(), () => {
      ran.second += 1;
    });
    await world.advance(100);
    expect(ran).toEqual({ first: 0, second: 6 });
    expect(await queue.pauseWorker(first.id)).toBe("unchanged");
    expect(await queue.resumeWorker(first.id)).toBe("ok");
    await world.settle();
    expect([first.isPausedRemotely(), await paused()]).toEqual([false, []]);
    await world.closeAll();
  });

  test("hears it within two beats where no message comes through", async () => {
    const { world, queue } = setup();
    let ran = 0;
    const worker = world.worker(() => {
      ran += 1;
    });
    world.engine.losesMessages = true;
    await world.advance(100);
    await queue.pauseWorker(worker.id);
    await world.advance(2100);
    expect(worker.isPausedRemotely()).toBe(true);
    await world.addMany(3);
    await world.advance(5000);
    expect(ran).toBe(0);
    await queue.resumeWorker(worker.id);
    await world.advance(2100);
    expect(ran).toBe(3);
    await world.closeAll();
  });

  test("finishes what runs and gives back what has not begun", async () => {
    const { world, queue } = setup();
    let ended = 0;
    const worker = world.worker(async () => {
      await world.pause(1);
      ended += 1;
    });
    await world.addMany(50);
    while (worker.health().buffered === 0) await world.advance(1);
    await queue.pauseWorker(worker.id);
    await world.advance(100);
    expect(await world.counts()).toMatchObject({ active: 0, pending: 50 - ended });
    expect(ended).toBeLessThan(50);
    await world.closeAll();
    expect(await world.violations()).toEqual([]);
  });

  test("stays paused through an outage in which others have not heard of it for long", async () => {
    const { world, queue, paused } = setup();
    let ran = 0;
    const worker = world.worker(
      () => {
        ran += 1;
      },
      { beat: 100 },
    );
    world.workerOn(world.otherEngine(), { other: () => {} }, { beat: 100 });
    await world.advance(1000);
    await queue.pauseWorker(worker.id);
    await world.settle();
    world.engine.goDown();
    await world.advance(60_000);
    expect(await paused()).toEqual([worker.id]);
    world.engine.comeBack();
    await world.addMany(2);
    await world.advance(5000);
    expect([ran, worker.isPausedRemotely()]).toEqual([0, true]);
    await worker.close();
    expect(await paused()).toEqual([]);
    await world.closeAll();
  });
});

test("only a worker that is listed can be paused, and an id that none can have is refused", async () => {
  const { world, queue } = setup();
  expect(await queue.pauseWorker("nobody")).toBe("gone");
  for (const id of ["", "x".repeat(1025), 5]) {
    await expect(queue.pauseWorker(id as string)).rejects.toMatchObject({ code: "invalid_option" });
    await expect(queue.resumeWorker(id as string)).rejects.toMatchObject({ code: "invalid_option" });
  }
  for (const reason of ["x".repeat(4097), 5]) {
    await expect(queue.cancel("JOB0Nb1VTbfnu4", reason as string)).rejects.toMatchObject({ code: "invalid_option" });
  }
  await expect(queue.cancel("JOB0Nb1VTbfnu")).resolves.toBe("gone");
  await world.closeAll();
});

test("a time to live is an option of add and of the queue's jobs, by either word, and refused when it is none", async () => {
  const { world, queue } = setup();
  const long = await queue.add("welcome", {}, { expireIn: "1h" });
  const other = await queue.add("welcome", {}, { ttl: 50, delay: 100 });
  const score = (id: string) => world.engine.store.command(["ZSCORE", `emq:{${QUEUE}}:ttl`, id]);
  const now = world.ports.clock.now();
  expect([Number(await score(long.id)), Number(await score(other.id))]).toEqual([now + 3_600_000, now + 150]);
  for (const options of [{ expireIn: 0 }, { expireIn: "soon" }, { ttl: -1 }, { expireIn: 1, ttl: 1 }]) {
    await expect(queue.add("welcome", {}, options as object)).rejects.toMatchObject({ code: "invalid_option" });
  }
  await world.advance(200);
  world.worker(() => {});
  await world.advance(100);
  const job = await queue.getJob(other.id);
  expect([job?.deathReason, job?.lastError]).toEqual(["expired", "expired"]);
  expect((await queue.explain(other.id)).text).toContain("did not begin in its time to live");
  await world.closeAll();
});
