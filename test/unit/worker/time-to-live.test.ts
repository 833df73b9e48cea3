/** Jobs that have not begun in their time to live: no worker runs them, and silence ends them too. */

import { expect, test } from "vitest";
import { createMinter } from "../../../src/protocol/mint.ts";
import { QUEUE, WorkerWorld } from "./worker-world.ts";

function setup() {
  const world = new WorkerWorld();
  const mint = createMinter({ node: 2, clock: () => world.ports.clock.now() });
  /** Adds so many jobs that must begin within `expireInMs`. */
  const add = async (count: number, expireInMs: number, lane?: string): Promise<string[]> => {
    const rows = Array.from({ length: count }, () => ({
      id: mint("JOB"),
      payload: "{}",
      expireInMs,
      ...(lane === undefined ? {} : { lane }),
    }));
    await world.jobs.admit(QUEUE, rows);
    return rows.map(({ id }) => id);
  };
  return { world, add };
}

test("a job that has waited too long for a slot does not run, and one that began in time does", async () => {
  const { world, add } = setup();
  const ran: string[] = [];
  world.worker(async (job) => {
    ran.push(job.id);
    await world.pause(1000);
  });
  const [first = ""] = await add(1, 500);
  await world.advance(10);
  const [late = ""] = await add(1, 500);
  await world.advance(5000);
  expect(ran).toEqual([first]);
  expect(Object.fromEntries((await world.jobs.getRow(QUEUE, late)) ?? [])).toMatchObject({
    state: "dead",
    last_error: "expired",
    attempts: "0",
  });
  expect(await world.counts()).toMatchObject({ completed: 1, dead: 1, failed: 1, pending: 0 });
  expect(await world.violations()).toEqual([]);
  await world.closeAll();
});

test("jobs expire in silence, in slices, while a worker takes none of them", async () => {
  const { world, add } = setup();
  await world.jobs.pause(QUEUE);
  world.worker(() => {});
  for (let part = 0; part < 3; part++) await add(1000, 1000, part === 0 ? "lane-a" : undefined);
  await world.advance(20_000);
  expect(await world.counts()).toMatchObject({ pending: 0, dead: 3000, failed: 3000 });
  const sweeps = world.engine.sent("SWEEP");
  expect(sweeps.every(({ args }) => args[1] === "100")).toBe(true);
  expect(world.ports.logger.messages("warn").join()).toContain("did not begin in time");
  expect(await world.violations()).toEqual([]);
  await world.closeAll();
});

test("a job that failed, lapsed or was given back does not expire, since it had begun", async () => {
  const { world, add } = setup();
  let runs = 0;
  world.worker(
    () => {
      runs += 1;
      if (runs < 3) throw new Error("again");
    },
    { backoff: 5000 },
  );
  await add(1, 1000);
  await world.advance(20_000);
  expect(runs).toBe(3);
  expect(await world.counts()).toMatchObject({ completed: 1, dead: 0 });
  await world.closeAll();
});
