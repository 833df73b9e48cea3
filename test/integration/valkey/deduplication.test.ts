/** Names of jobs on a real server: over a crash of it, between processes that race, and under many adds at once. */

import { expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../../src/index.ts";
import { useServer } from "../../server/use-server.ts";

const server = useServer({ config: { appendonly: "yes", appendfsync: "always" }, tcp: true });

async function setup(name: string) {
  await server().command("FLUSHALL");
  const open = () => {
    // A crash of the server may be noticed only by the next call.
    const queue = new Queue(name, { connection: server().url, retryOnDisconnect: true });
    onTestFinished(() => queue.close());
    return queue;
  };
  /** Runs what there is and resolves with the data of each run once `count` jobs are completed. */
  const work = async (count: number): Promise<unknown[]> => {
    const ran: unknown[] = [];
    await new Promise<void>((resolve) => {
      const worker = new Worker(name, (job) => void ran.push(job.data), { connection: server().url });
      let done = 0;
      worker.on("completed", () => {
        done++;
        if (done === count) resolve();
      });
      onTestFinished(() => worker.close());
    });
    return ran;
  };
  return { open, work };
}

/** A promise and what resolves it. */
function gate(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((pass) => {
    resolve = pass;
  });
  return { promise, resolve };
}

it("is free after a crash of the server exactly when its job is gone (PB-122)", async () => {
  const { open, work } = await setup("crash");
  const queue = open();
  const options = { deduplication: { id: "x" } } as const;
  const first = await queue.add("job", 1, options);
  await server().kill();
  await server().restart();
  const survived = await queue.add("job", 2, options);
  expect(survived).toMatchObject({ outcome: "deduplicated", existing: { id: first.id, state: "pending" } });
  // The job alone is lost, as by a foreign speaker that knows of no names.
  await server().command("DEL", `emq:{crash}:job:${first.id}`);
  await server().command("ZREM", "emq:{crash}:pending", first.id);
  await server().kill();
  await server().restart();
  expect((await queue.add("job", 3, options)).outcome).toBe("added");
  expect(await work(1)).toEqual([3]);
});

it("admits one of many adds from two processes at once, and tells all others which (PB-131)", async () => {
  const { open, work } = await setup("race");
  const [left, right] = [open(), open()];
  const options = { deduplication: { id: "x" }, jobId: "the one" } as const;
  const adds = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? left : right).add("job", at, options));
  const jobs = await Promise.all(adds);
  const added = jobs.filter(({ outcome }) => outcome === "added");
  expect(added.length).toBe(1);
  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([added[0]?.id]));
  expect(await work(1)).toEqual([added[0]?.data]);
  expect(await left.getJob("the one")).toBeUndefined();
  expect(await server().command("KEYS", "emq:{race}:de:*")).toEqual([]);
});

it("runs in a lane what replaced and what came after, and keeps one job of many debounced (PB-133)", async () => {
  const { open, work } = await setup("many");
  const queue = open();
  const debounced = { lane: "k", debounce: { id: "x", wait: "1h" } } as const;
  await queue.add("job", 1, debounced);
  const second = await queue.add("job", 2, debounced);
  await queue.add("job", 3, { lane: "k" });
  expect(await queue.promote(second.id)).toBe("ok");
  expect((await work(2)).toSorted()).toEqual([2, 3]);
  const adds = Array.from({ length: 10_000 }, (_, at) => queue.add("job", at, debounced));
  const outcomes = (await Promise.all(adds)).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "added").length).toBe(1);
  expect(outcomes.filter((outcome) => outcome === "replaced").length).toBe(9999);
  const [job] = await queue.getJobs("scheduled");
  expect(job?.data).toBe(9999);
  expect(await queue.getJobCounts("pending", "schedule")).toEqual({ pending: 0, schedule: 1 });
});

it("lets the last job that came while one ran run after it, in every way in which that one ends (PB-124)", async () => {
  const { open } = await setup("follow");
  const queue = open();
  const options = { deduplication: { id: "x", keepLastIfActive: true }, jobId: "report" } as const;
  const ran: unknown[] = [];
  const begun = gate();
  const mayEnd = gate();
  const over = gate();
  const worker = new Worker(
    "follow",
    async (job) => {
      ran.push(job.data);
      if (job.data === 1) {
        begun.resolve();
        await mayEnd.promise;
      } else over.resolve();
    },
    { connection: server().url },
  );
  onTestFinished(() => worker.close());
  await queue.add("job", 1, options);
  await begun.promise;
  const second = await queue.add("job", 2, options);
  const third = await queue.add("job", 3, options);
  expect([second.outcome, third.outcome, third.id]).toEqual(["added", "replaced", second.id]);
  mayEnd.resolve();
  await over.promise;
  expect(ran).toEqual([1, 3]);
});
