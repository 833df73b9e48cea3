/** Results on a real server: by several connections, for jobs whose rows go, and when connections or waiters go too. */

import { describe, expect, it, onTestFinished } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import type { Handler } from "../../../src/worker/worker-events.ts";
import type { WorkerOptions } from "../../../src/worker/worker-options.ts";
import { useServer } from "../../server/use-server.ts";
import { openEngine, until, WAYS } from "./setup-engine.ts";

describe.each(WAYS)("results by %s", (_name, way) => {
  const server = useServer();

  /** A queue with a connection of its own, as another process has it. */
  const openQueue = () => {
    const engine = openEngine({ connection: { ...way, url: server().url } });
    const queue = new QueueCore<Record<string, unknown>>("q", { engine, release: async () => {} });
    onTestFinished(() => queue.close());
    return queue;
  };
  const openWorker = (handler: Handler, options: WorkerOptions = {}) => {
    const engine = openEngine({ connection: { ...way, url: server().url } });
    const worker = new WorkerCore("q", handler, { engine, release: async () => {} }, options);
    onTestFinished(() => worker.close({ timeout: 0 }));
    return worker;
  };
  const setup = async () => {
    await server().command("FLUSHALL");
    return openQueue();
  };
  const keys = async () => ((await server().command("KEYS", "emq:{q}:job:*")) as string[]).sort();

  const isMarked = async (id: string) => (await server().command("HEXISTS", `emq:{q}:job:${id}`, "wait")) === 1;

  it("reach a thousand of a thousand callers, although the rows go at once", async () => {
    const queue = await setup();
    openWorker((job) => (job.data as number) + 1, { concurrency: 100 });
    const numbers = Array.from({ length: 1000 }, (_, n) => n);
    const results = await Promise.all(numbers.map((n) => queue.addAndWait("a", n)));
    expect(results).toEqual(numbers.map((n) => n + 1));
    expect((await keys()).filter((key) => !key.endsWith(":result"))).toEqual([]);
  });

  it("reach whoever waits in other processes, for jobs of every ending", async () => {
    const [queue, other] = [await setup(), openQueue()];
    const [done, fails, removed] = [
      await queue.add("a", "ok"),
      await queue.add("a", "bad"),
      await queue.add("a", "gone"),
    ];
    const waits = [done, fails, removed].flatMap(({ id }) => [queue.result(id), other.result(id)]);
    const ends = Promise.allSettled(waits);
    for (const { id } of [done, fails, removed]) await until(() => isMarked(id));
    expect(await queue.remove(removed.id)).toBe("ok");
    openWorker(
      (job) => {
        if (job.data === "bad") throw new Error("no such card");
        return { text: "ü\u0000", data: job.data };
      },
      { attempts: 1 },
    );
    const told = (await ends).map((end) =>
      end.status === "fulfilled" ? end.value : (end.reason as { code: string }).code,
    );
    const value = { text: "ü\u0000", data: "ok" };
    expect(told).toEqual([value, value, "job_failed", "job_failed", "job_removed", "job_removed"]);
  });

  it("are found by a waiter whose connections were all cut meanwhile", async () => {
    const queue = await setup();
    const { id } = await queue.add("a", 1);
    const wait = queue.result(id);
    await until(() => isMarked(id));
    await server().command("CLIENT", "KILL", "TYPE", "pubsub");
    await server().command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    openWorker(() => "after all");
    expect(await wait).toBe("after all");
  });

  it("of a waiter that is gone leave nothing for good", async () => {
    const queue = await setup();
    const { id } = await queue.add("a", 1);
    // What a process does that waits for a second and dies.
    expect(await queue.jobs.outcome("q", id, 1000)).toBeUndefined();
    openWorker(() => "for nobody");
    await until(async () => (await queue.getState(id)) === "absent");
    await until(async () => (await keys()).length === 0);
  });

  it("are not published or left for jobs that nobody waits for", async () => {
    const queue = await setup();
    const heard: string[] = [];
    const listener = openEngine({ connection: { ...way, url: server().url } });
    await listener.subscribe("emq:{q}:results", (id) => heard.push(id));
    openWorker(() => "unasked");
    for (let n = 0; n < 20; n++) await queue.add("a", n);
    await until(async () => (await queue.getJobCounts("completed")).completed === 20);
    await queue.pause();
    const waited = await queue.add("a", "waited");
    const wait = waited.result();
    await until(() => isMarked(waited.id));
    await queue.resume();
    expect(await wait).toBe("unasked");
    await until(() => heard.length > 0);
    expect([heard, await keys()]).toEqual([[waited.id], [`emq:{q}:job:${waited.id}:result`]]);
  });
});
