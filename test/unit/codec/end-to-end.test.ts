/** Codecs between a queue and a worker on the embedded engine, in real time: threads pack and encrypt. */

import { describe, expect, it, onTestFinished } from "vitest";
import { withCompression } from "../../../src/codec/compression.ts";
import { withEncryption } from "../../../src/codec/encryption.ts";
import { Queue, type QueueOptions, Worker, type WorkerOptions } from "../../../src/index.ts";
import { bytesFrom } from "../../../src/protocol/bytes.ts";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import { bytes, type Codec, json } from "../../../src/queue/payload-codec.ts";
import { headerOf } from "../../../src/queue/payload-header.ts";
import { errorOf } from "../queue/scripted-engine.ts";

const long = { text: "lorem ipsum ".repeat(1000) };
const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });
const encrypted = (...keys: ReturnType<typeof key>[]) => withEncryption(json, { keys });

/** A store in memory that no other test has. */
const ownStore = () => `memory:${crypto.randomUUID()}`;

/** A queue on a store of its own, and workers on the same. */
function setup(options: QueueOptions = {}) {
  const connection = ownStore();
  const queue = new Queue("q", { connection, node: 1, ...options });
  onTestFinished(() => queue.close());
  const ended: { kind: "completed" | "failed"; name: string; data: unknown; outcome: unknown }[] = [];
  /** Runs jobs until so many have ended. */
  const run = async (count: number, workerOptions: WorkerOptions = {}, handler = (data: unknown): unknown => data) => {
    const worker = new Worker("q", (job) => handler(job.data), { connection, attempts: 1, ...workerOptions });
    const left = count + ended.length;
    await new Promise<void>((resolve) => {
      const end = (kind: "completed" | "failed", name: string, data: unknown, outcome: unknown) => {
        ended.push({ kind, name, data, outcome });
        if (ended.length === left) resolve();
      };
      worker.on("completed", (job, result) => end("completed", job.name, job.data, result));
      worker.on("failed", (job, error) => end("failed", job.name, job.data, error));
    });
    await worker.close();
    return ended.splice(0);
  };
  return { queue, run };
}

describe("a queue with a codec", () => {
  it("stores what the codec made, and gives the data back to the handler and to readers", async () => {
    const codec = withCompression(json);
    const { queue, run } = setup({ codec });
    const job = await queue.add("welcome", long);
    expect(job.data).toBe(long);
    const stored = await queue.getJob(job.id);
    expect(bytesFrom(stored!.payload).startsWith(headerOf("deflate json"))).toBe(true);
    expect(stored!.data).toEqual(long);
    expect((await queue.getJobs("pending")).map(({ data }) => data)).toEqual([long]);
    expect(await run(1, { codec })).toMatchObject([{ kind: "completed", data: long, outcome: long }]);
  });

  it("takes bytes and hands bytes over", async () => {
    const { queue, run } = setup({ codec: bytes });
    const array = Uint8Array.of(0, 255, 1);
    const job = await queue.add("scan", array);
    expect((await queue.jobs.getRow("q", job.id))?.get("payload")).toBe("\u0000\u00ff\u0001");
    const seen = await run(1, { codec: bytes }, (data) => ({ size: (data as Uint8Array).length }));
    expect(seen).toMatchObject([{ kind: "completed", data: array, outcome: { size: 3 } }]);
  });

  it("keeps the order of its adds, however long each takes to encode", async () => {
    const slowly: Codec<number> = {
      name: "slowly",
      // The later it is added the fewer turns it takes.
      encode: async (data) => {
        for (let turn = 0; turn < 50 - data; turn++) await Promise.resolve();
        return String(data);
      },
      decode: (array) => Number(new TextDecoder().decode(array)),
    };
    const { queue, run } = setup({ codec: slowly as Codec });
    await Promise.all(Array.from({ length: 50 }, async (_, place) => queue.add("count", place)));
    const seen = await run(50, { codec: slowly as Codec });
    expect(seen.map(({ data }) => data)).toEqual(Array.from({ length: 50 }, (_, place) => place));
  });

  it("waits at its close for adds that are being encoded, and counts them in its bound", async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const gated: Codec = {
      name: "gated",
      encode: async (data) => {
        await gate;
        return JSON.stringify(data);
      },
      decode: (array) => JSON.parse(new TextDecoder().decode(array)) as unknown,
    };
    const { queue, run } = setup({ codec: gated, maxPending: 2 });
    const adds = [queue.add("a", 1), queue.add("b", 2)];
    expect((await errorOf(() => queue.add("c", 3))).code).toBe("overloaded");
    const closing = queue.close();
    go();
    await closing;
    expect((await Promise.all(adds)).map(({ outcome }) => outcome)).toEqual(["added", "added"]);
    expect(await run(2, { codec: gated })).toMatchObject([{ data: 1 }, { data: 2 }]);
  });

  it("refuses what the codec refuses, alone and in a bulk, and stores nothing", async () => {
    const { queue } = setup({ codec: bytes });
    expect((await errorOf(() => queue.add("scan", "text"))).code).toBe("invalid_payload");
    const items = [
      { name: "scan", data: Uint8Array.of(1) },
      { name: "scan", data: "text" },
    ];
    const error = await errorOf(() => queue.addBulk(items));
    expect(error).toMatchObject({ code: "invalid_bulk", details: { index: 1 }, cause: { code: "invalid_payload" } });
    expect(await queue.count()).toBe(0);
  });

  it("encodes bulks and replaced data too", async () => {
    const codec = encrypted(key("k", 1));
    const { queue, run } = setup({ codec });
    const [first, second] = await queue.addBulk([
      { name: "a", data: 1 },
      { name: "b", data: 2 },
    ]);
    expect(await queue.updateData(first!.id, 3)).toBe("ok");
    for (const { id } of [first!, second!]) {
      const payload = (await queue.jobs.getRow("q", id))?.get("payload");
      expect(payload?.startsWith(headerOf("aes-gcm:k json"))).toBe(true);
    }
    expect(await run(2, { codec })).toMatchObject([{ data: 3 }, { data: 2 }]);
  });
});

describe("a worker with a codec", () => {
  it("reads plain JSON of other producers and earlier jobs", async () => {
    const { queue, run } = setup();
    await queue.add("old", { to: "ada" });
    expect(await run(1, { codec: encrypted(key("k", 1)) })).toMatchObject([{ kind: "completed", data: { to: "ada" } }]);
  });

  it("fails the attempt, and names the key, when it lacks the key", async () => {
    const { queue, run } = setup({ codec: encrypted(key("new", 1)) });
    const job = await queue.add("secret", { iban: "DE00" });
    const [failed] = await run(1, { codec: encrypted(key("old", 2)) });
    expect(failed).toMatchObject({ kind: "failed", data: undefined, outcome: { code: "unknown_key" } });
    const dead = await queue.getJob(job.id);
    expect(dead).toMatchObject({ state: "dead", lastError: expect.stringContaining('"new"') });
    expect(dead!.data).toEqual({ iban: "DE00" });
    // Once the worker has the key, a retry is all that is needed.
    expect(await queue.retry(job.id)).toBe("ok");
    const codec = encrypted(key("old", 2), key("new", 1));
    expect(await run(1, { codec })).toMatchObject([{ kind: "completed", data: { iban: "DE00" } }]);
  });

  it("fails the attempt when it has no codec at all, and a queue without one can still look", async () => {
    const { queue, run } = setup({ codec: encrypted(key("k", 1)) });
    const job = await queue.add("secret", 1);
    expect(await run(1)).toMatchObject([{ kind: "failed", outcome: { code: "unknown_codec" } }]);
    const other = setup({ codec: encrypted(key("k", 2)) }).queue;
    await other.jobs.enqueue("q", job.id, (await queue.getJob(job.id))!.payload);
    const seen = await other.getJob(job.id);
    expect((await errorOf(() => seen!.data)).code).toBe("decryption_failed");
    expect(await seen!.remove()).toBe("ok");
  });

  it("unpacks no more than its sizeLimit", async () => {
    const codec = withCompression(json);
    const { queue, run } = setup({ codec });
    await queue.add("bomb", long);
    const [failed] = await run(1, { codec, sizeLimit: 1000 });
    expect(failed).toMatchObject({
      kind: "failed",
      outcome: { code: "payload_too_large" } satisfies Partial<EchoMQError>,
    });
  });

  it("fails the attempt when the result cannot be encoded", async () => {
    const codec: Codec = {
      name: "picky",
      encode: async (data) => {
        if (data === "bad") throw new Error("no such type");
        return JSON.stringify(data);
      },
      decode: async (array) => JSON.parse(new TextDecoder().decode(array)) as unknown,
    };
    const { queue, run } = setup({ codec });
    await queue.add("a", 1);
    const [failed] = await run(1, { codec }, () => "bad");
    expect(failed).toMatchObject({ kind: "failed", outcome: { code: "invalid_payload" } });
    expect((failed!.outcome as Error).message).toMatch(/handler returned.*picky.*no such type/);
  });

  it("replaces data for the next run in the same way", async () => {
    const codec = encrypted(key("k", 1));
    const connection = ownStore();
    const queue = new Queue<{ step: number }>("q", { connection, codec });
    onTestFinished(() => queue.close());
    const seen: unknown[] = [];
    const worker = new Worker<{ step: number }>(
      "q",
      async (job) => {
        seen.push(job.data);
        await job.updateProgress({ at: job.data });
        await job.updateData(job.data + 1);
        seen.push((await queue.getJob(job.id))?.progress);
        if (job.data === 1) throw new Error("once more");
      },
      { connection, codec, backoff: 0 },
    );
    onTestFinished(() => worker.close());
    const done = new Promise((resolve) => worker.once("completed", resolve));
    await queue.add("step", 1);
    await done;
    expect(seen).toEqual([1, { at: 1 }, 2, { at: 2 }]);
  });
});
