/**
 * Operators beside workers on a real server: pauses, large queues in slices, and a queue that is taken away.
 */

import { describe, expect, it, onTestFinished } from "vitest";
import { bytes } from "../../../src/codec/index.ts";
import { Queue, Worker } from "../../../src/index.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import { useServer } from "../../server/use-server.ts";
import { until } from "../valkey/setup-engine.ts";

const server = useServer();

/** A queue of a name that no other test uses, with its keys. */
function setup(name: string) {
  const connection = server().url;
  const queue = new Queue(name, { connection });
  onTestFinished(() => queue.close());
  const worker = (handler: (data: unknown) => unknown, options: object = {}) => {
    const made = new Worker(name, async (job) => await handler(job.data), {
      connection,
      beat: 50,
      logger: new RecordingLogger(),
      ...options,
    });
    onTestFinished(() => made.close());
    return made;
  };
  const keys = async () => {
    const found = (await server().command("KEYS", "emq:{*")) as string[];
    return found.filter((key) => key.startsWith(`emq:{${name}}:`)).sort();
  };
  return { queue, worker, keys };
}

/** Adds many jobs without holding them all in one call. */
async function addMany(queue: Queue, count: number, laneOf?: (at: number) => string): Promise<void> {
  const part = 5000;
  for (let from = 0; from < count; from += part) {
    const items = Array.from({ length: Math.min(part, count - from) }, (_, at) => ({
      name: "job",
      data: from + at,
      ...(laneOf === undefined ? {} : { opts: { lane: laneOf(from + at) } }),
    }));
    await queue.addBulk(items);
  }
}

describe("a pause", () => {
  it("that has resolved lets nothing start that is added afterwards, until the queue is resumed (PB-160)", async () => {
    const { queue, worker } = setup("pb-160");
    const started: unknown[] = [];
    const workers = [1, 2, 3].map(() => worker((data) => started.push(data), { concurrency: 5 }));
    await Promise.all(workers.map((each) => each.waitUntilReady()));
    await queue.add("before", -1);
    await until(() => started.length === 1);
    await queue.pause();
    await addMany(queue, 10);
    // Every worker has asked for work several times since, and has been answered.
    const from = Date.now();
    await until(() => workers.every((each) => (each.health().lastAnsweredAt ?? 0) > from + 200));
    expect(started).toEqual([-1]);
    expect(await queue.getJobCounts("pending", "active")).toEqual({ pending: 10, active: 0 });
    await queue.resume();
    await until(() => started.length === 11);
  });

  it("and a resume ten times in a second leave the event loop free (PB-161)", async () => {
    const { queue, worker } = setup("pb-161");
    const one = worker(() => undefined, { concurrency: 5, beat: 30_000 });
    await one.waitUntilReady();
    let longestMs = 0;
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted) {
        const from = performance.now();
        await new Promise<void>((resolve) => setTimeout(resolve, 0));
        longestMs = Math.max(longestMs, performance.now() - from);
      }
    })();
    for (let time = 0; time < 10; time++) {
      await queue.pause();
      await one.pause();
      one.resume();
      await queue.resume();
    }
    over.abort();
    await watch;
    // An idle machine needs less than 20 ms. What would block waits for a beat, so a third of one tells them apart even
    // where others take the processor.
    expect(longestMs).toBeLessThan(10_000);
  });
});

describe("a large queue", () => {
  it("is listed by page, and the whole at once is refused with the way to do it (PB-169)", async () => {
    const { queue } = setup("pb-169");
    const count = 20_000;
    await addMany(queue, count);
    await expect(queue.getJobs("pending", 0, -1)).rejects.toMatchObject({ code: "invalid_option" });
    await expect(queue.listIds("pending", { limit: 1001 })).rejects.toMatchObject({ code: "invalid_option" });
    const seen = new Set<string>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await queue.listIds("pending", { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.ids.length).toBeLessThanOrEqual(1000);
      for (const id of page.ids) seen.add(id);
      cursor = page.cursor;
      pages++;
    } while (cursor !== undefined);
    expect([seen.size, pages]).toEqual([count, count / 1000 + 1]);
  });

  it("is obliterated while workers run, and no key is left when they have closed (PB-173)", async () => {
    const { queue, worker, keys } = setup("pb-173");
    const neighbour = setup("pb-17?");
    await neighbour.queue.add("stays", 1);
    await addMany(queue, 2000);
    await addMany(queue, 2000, (at) => `lane-${at % 100}`);
    for (let at = 0; at < 100; at++) await queue.add("later", at, { delay: "1h" });
    let running = 0;
    const hold: (() => void)[] = [];
    const workers = [1, 2].map(() =>
      worker(
        async () => {
          running++;
          await new Promise<void>((resolve) => hold.push(resolve));
        },
        { concurrency: 10 },
      ),
    );
    await until(() => running >= 20);
    await queue.obliterate({ force: true });
    expect((await keys()).filter((key) => !/:(?:workers|wake)$/.test(key))).toEqual([]);
    for (const end of hold) end();
    await Promise.all(workers.map((each) => each.close()));
    expect(await keys()).toEqual([]);
    // A neighbour whose name is a pattern that fits has lost nothing.
    expect(await neighbour.queue.getJobCounts("pending")).toEqual({ pending: 1 });
    await neighbour.queue.obliterate({ force: true });
    expect(await neighbour.keys()).toEqual([]);
  });
});

describe("a large payload", () => {
  it("of bytes is stored as it is, without growing by an encoding (PB-175)", async () => {
    const connection = server().url;
    const queue = new Queue<{ file: Uint8Array }>("pb-175", { connection, codec: bytes });
    onTestFinished(() => queue.close());
    const size = 1_100_000;
    const job = await queue.add("file", new Uint8Array(size).fill(7));
    const key = `emq:{pb-175}:job:${job.id}`;
    expect(await server().command("HSTRLEN", key, "payload")).toBeLessThanOrEqual(1_150_000);
    const read = (await queue.getJob(job.id))?.data;
    expect([read?.length, read?.every((byte) => byte === 7)]).toEqual([size, true]);
  });

  it("above its limit is refused with a code, and nothing reaches the server (PB-175)", async () => {
    const { queue } = setup("pb-175-limit");
    await queue.waitUntilReady();
    const calls = async () =>
      String(await server().command("INFO", "commandstats"))
        .split("\n")
        .filter((line) => /cmdstat_(?:evalsha|eval|set|hset|zadd|sadd)/.test(line));
    const before = await calls();
    const data = { text: "x".repeat(10 * 2 ** 20) };
    await expect(queue.add("big", data, { sizeLimit: 2 ** 20 })).rejects.toMatchObject({ code: "payload_too_large" });
    expect(await calls()).toEqual(before);
    expect(await queue.getJobCounts("pending")).toEqual({ pending: 0 });
  });
});
