/**
 * Queues that hold something of everything that the wire knows, for tests that move them, and what is to be the same
 * afterwards.
 */

import type { Engine } from "../../../../src/engine/engine.ts";
import { bytesOf } from "../../../../src/protocol/bytes.ts";
import { baseKey } from "../../../../src/protocol/key.ts";
import { createMinter } from "../../../../src/protocol/mint.ts";
import { borrowed } from "../../../../src/queue/engine-lease.ts";
import { EventStreamCore } from "../../../../src/queue/event-stream.ts";
import { FlowProducerCore } from "../../../../src/queue/flow-producer.ts";
import { QueueCore } from "../../../../src/queue/queue.ts";
import { StreamGroup } from "../../../../src/queue/stream-group.ts";
import { isOfPresence } from "../../../../src/queue/transfer/queue-reader.ts";
import { dumpQueue } from "../../../../src/testing/dump.ts";

const LEASE_MS = 60_000;

/** Bytes that are no UTF-8, with NUL and a line feed among them. */
export const BINARY: Uint8Array = Uint8Array.from([0, 255, 10, 128, 34, 92, 193, 13, 123, 125]);

/** Names of the furnished queues: one with characters that patterns give a meaning to, and its partner. */
export const FURNISHED = ["mail*[1]", "files"] as const;

type AnyQueue = QueueCore<Record<string, unknown>>;

/** Fills two queues: jobs in every state, lanes, flows across both, repeats, streams, settings, side keys. */
export async function furnish(engine: Engine, names: readonly [string, string] = FURNISHED): Promise<void> {
  const [name, partner] = names;
  const queue: AnyQueue = new QueueCore(name, borrowed(engine));
  const { jobs } = queue;
  await queue.setLimits({
    concurrency: 5000,
    rate: { max: 1000, duration: "1h" },
    names: { slow: { max: 1, duration: "1h" } },
  });
  await queue.setRetention({ removeOnComplete: { count: 100, age: "1d" } });
  for (const [at, word] of ["dead", "done", "again", "held"].entries()) {
    await queue.add(word, { at, text: 'é€😀 \u0000 "quoted"\n' }, { keepResult: "1h" });
    const claimed = await jobs.claim(name, LEASE_MS);
    if (claimed === undefined) throw new Error("a flat job was added and must be there");
    const { id, attempts } = claimed;
    await queue.log(id, `line of ${word}`);
    if (word === "dead") await jobs.retry(name, id, attempts, { delayMs: 0, maxAttempts: 1, error: BINARY });
    if (word === "done")
      await jobs.complete(name, id, attempts, "42", { count: 100, ms: 86_400_000, resultMs: LEASE_MS });
    if (word === "again") await jobs.retry(name, id, attempts, { delayMs: 900_000, maxAttempts: 3, error: "later" });
  }
  await queue.addBulk(Array.from({ length: 30 }, (_, at) => ({ name: "flat", data: at, opts: { priority: at % 3 } })));
  await queue.add("late", {}, { delay: "1h", expireIn: "2h" });
  await queue.add("slow", 1);
  await queue.add("slow", 2);
  for (const lane of ["acme", "paused", "ordered", "übung"]) await queue.add("laned", lane, { lane });
  await queue.lane("acme").limit(2);
  await queue.lane("acme").weight(3);
  await queue.lane("ordered").ordered(true);
  await queue.lane("paused").pause();
  await queue.add("once", 1, { deduplication: { id: "for-ever" } });
  await queue.add("throttled", 1, { deduplication: { id: "a while", ttl: 3_600_000 } });
  await queue.upsertJobScheduler("nightly", { pattern: "0 3 * * *" }, { name: "report", data: { deep: [1, 2] } });
  const mint = createMinter({ node: 7, clock: () => engine.ports.clock.now() });
  await jobs.enqueue(name, mint("JOB"), BINARY);
  await furnishFlows(engine, [name, partner]);
  await furnishStreams(engine, name);
  await queue.pause();
  await queue.close();
}

async function furnishFlows(engine: Engine, [name, partner]: readonly [string, string]): Promise<void> {
  const flows = new FlowProducerCore(borrowed(engine));
  await flows.add({
    queueName: name,
    name: "parent",
    children: [
      { queueName: name, name: "near", data: 1, opts: { priority: 9 } },
      { queueName: partner, name: "far", children: [{ queueName: name, name: "leaf", opts: { priority: 9 } }] },
      { queueName: partner, name: "first" },
    ],
  });
  const files: AnyQueue = new QueueCore(partner, borrowed(engine));
  const claimed = await files.jobs.claim(partner, LEASE_MS);
  // Its signal waits in the outbox, since nobody delivers it.
  if (claimed !== undefined) await files.jobs.complete(partner, claimed.id, claimed.attempts, BINARY);
  await files.close();
  await flows.close();
}

async function furnishStreams(engine: Engine, name: string): Promise<void> {
  const stream = new EventStreamCore(name, "log", borrowed(engine));
  await stream.appendBatch(Array.from({ length: 250 }, (_, at) => ({ at: String(at), text: "ß" })));
  const group = new StreamGroup(engine, { queue: name, stream: "log", group: "readers", consumer: "one" });
  await group.create("start");
  const given = await group.readNew(120);
  await group.acknowledge(given.slice(0, 10).map(({ entryId }) => entryId));
  // The newest is gone, and ids go on behind it all the same.
  const key = `${baseKey(bytesOf(name))}stream:log`;
  const newest = (await engine.command(["XREVRANGE", key, "+", "-", "COUNT", "1"])) as [[string, unknown]];
  await engine.command(["XDEL", key, newest[0][0]]);
  const empty = new StreamGroup(engine, { queue: name, stream: "empty", group: "nobody", consumer: "one" });
  await empty.create("end");
  await stream.close();
}

/** All that a copy must have: keys, content, and the instants at which keys expire. */
export async function contentOf(engine: Engine, queue: string): Promise<Map<string, unknown>> {
  const content = new Map<string, unknown>();
  for (const { key, suffix, ...held } of await dumpQueue(engine, queue)) {
    if (isOfPresence(suffix)) continue;
    const expiresAt = await engine.command(["PEXPIRETIME", key]);
    const more = held.type === "stream" ? await streamFacts(engine, key) : undefined;
    content.set(suffix, { ...held, expiresAt, ...more });
  }
  return content;
}

async function streamFacts(engine: Engine, key: string): Promise<Record<string, unknown>> {
  const facts = (await engine.command(["XINFO", "STREAM", key])) as unknown[];
  const fact = (name: string) => facts[facts.indexOf(name) + 1];
  const groups = (await engine.command(["XINFO", "GROUPS", key])) as unknown[][];
  const pending = groups.map(async (group) => {
    const name = String(group[group.indexOf("name") + 1]);
    const rows = (await engine.command(["XPENDING", key, name, "-", "+", "1000"])) as unknown[][];
    // How long it is there goes on.
    return rows.map(([id, consumer, , count]) => [id, consumer, count]);
  });
  return {
    lastId: fact("last-generated-id"),
    added: fact("entries-added"),
    deleted: fact("max-deleted-entry-id"),
    groups: groups.map((group) => group.map(String)),
    pending: await Promise.all(pending),
  };
}
