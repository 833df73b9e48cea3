/** Events that stay: what a late reader finds, within which bounds, and at what cost. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { EVENT_STREAM, type EventsOption } from "../../../src/queue/event-keeping.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { QueueEventsCore } from "../../../src/queue/queue-events.ts";
import { Streams } from "../../../src/queue/streams.ts";
import { checkInvariants } from "../../../src/testing/invariants.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";

function setup(events?: EventsOption) {
  const ports = createTestPorts({ now: 1_750_000_000_000 });
  const engine = new EmbeddedEngine({ ports });
  const lease = { engine, release: () => Promise.resolve() };
  const queue = new QueueCore("mail", lease, { node: 1, ...(events === undefined ? {} : { events }) });
  const streams = new Streams(engine);
  const kept = () => streams.read("mail", EVENT_STREAM);
  const work = async (handler: () => unknown, ms = 100) => {
    const worker = new WorkerCore("mail", handler, lease, { attempts: 1 });
    await ports.clock.advance(ms);
    await worker.close();
  };
  return { ports, engine, lease, queue, streams, kept, work };
}

/** Bytes of a record as they are counted: what two neighbours' sums differ by. */
function held(records: readonly { readonly fields: Readonly<Record<string, string>> }[]): number {
  const sums = records.map(({ fields }) => Number(fields["sum"]));
  return (sums.at(-1) ?? 0) - (sums[0] ?? 0);
}

describe("kept events", () => {
  it("tell a late reader everything in order, each with its fields and an id", async () => {
    const { queue, kept, work } = setup();
    await queue.keepEvents({});
    const { id } = await queue.add("welcome", {}, { jobId: "order 7", lane: "acme" });
    await work(() => Promise.reject(new Error("no")));
    const records = await kept();
    expect(records.map(({ fields }) => fields["event"])).toEqual(["added", "active", "drained", "failed", "dead"]);
    expect(records[0]).toMatchObject({
      id: expect.stringMatching(/^EVT/),
      at: 1_750_000_000_000,
      fields: { event: "added", job: id, state: "pending", name: "welcome", lane: "acme", alias: "%id:order 7" },
    });
    expect(records[3]?.fields["error"]).toMatch(/^Error: no/);
    expect(records[2]?.fields).not.toHaveProperty("job");
    await queue.close();
  });

  it("are kept although nobody listens, also after those who did have gone", async () => {
    const { ports, lease, queue, kept } = setup();
    await queue.keepEvents({});
    for (const results of [false, true]) {
      const events = new QueueEventsCore("mail", lease, { results });
      await events.waitUntilReady();
      await events.close();
      await ports.clock.advance(120_000);
      await queue.add("later", {});
    }
    expect((await kept()).map(({ fields }) => fields["event"])).toEqual(["added", "added"]);
    await queue.close();
  });

  it("are not kept before they are asked for, nor any more once they are not", async () => {
    const { ports, engine, queue, kept } = setup();
    await queue.add("before", {});
    expect(await queue.keptEvents()).toBeUndefined();
    await queue.keepEvents({ maxAge: "1d", maxBytes: 100_000 });
    expect(await queue.keptEvents()).toEqual({ maxBytes: 100_000, maxAge: 86_400_000 });
    await queue.add("within", {});
    await queue.keepEvents(null);
    await queue.add("after", {});
    await ports.clock.advance(60_000);
    expect((await kept()).map(({ fields }) => fields["name"])).toEqual(["within"]);
    expect(await engine.command(["EXISTS", "emq:{mail}:listeners"])).toBe(0);
    await queue.close();
  });

  it("never take more bytes than they may, whatever the size of results (PB-166)", async () => {
    const { queue, kept, work } = setup();
    const maxBytes = 200_000;
    await queue.keepEvents({ maxBytes, maxAge: 0 });
    for (let at = 0; at < 20; at++) {
      await queue.addBulk(Array.from({ length: 50 }, () => ({ name: "big", data: {} })));
      await work(() => "x".repeat(100_000));
      expect(held(await kept())).toBeLessThanOrEqual(maxBytes);
    }
    const records = await kept();
    expect(held(records)).toBeGreaterThan(maxBytes / 2);
    expect(records.at(-1)?.fields["event"]).toBe("completed");
    expect(records.every(({ fields }) => fields["result"] === undefined)).toBe(true);
    await queue.close();
  });

  it("go with their age when the next one comes", async () => {
    const { ports, queue, kept } = setup();
    await queue.keepEvents({ maxAge: "1h" });
    await queue.add("old", {});
    await ports.clock.advance(3_600_001);
    await queue.add("new", {});
    expect((await kept()).map(({ fields }) => fields["name"])).toEqual(["new"]);
    await queue.close();
  });

  it("go on after somebody has trimmed or removed them", async () => {
    const { queue, streams, kept } = setup();
    await queue.keepEvents({});
    await queue.add("a", {});
    await streams.trim("mail", EVENT_STREAM, { maxLength: 0 });
    await queue.add("b", {});
    await streams.remove("mail", EVENT_STREAM);
    await queue.add("c", {});
    expect((await kept()).map(({ fields }) => fields["name"])).toEqual(["c"]);
    await queue.close();
  });

  it("are asked for by an option of the queue, and leave the queue sound; obliterate takes them", async () => {
    const { ports, engine, queue, kept } = setup({ stream: true, maxBytes: 1_000_000 });
    await ports.clock.advance(0);
    expect(await queue.keptEvents()).toEqual({ maxBytes: 1_000_000, maxAge: 604_800_000 });
    await queue.add("a", {});
    expect(await kept()).toHaveLength(1);
    expect(await checkInvariants(engine, "mail")).toEqual([]);
    await queue.obliterate({ force: true });
    expect(await engine.command(["KEYS", "emq:{mail}:*"])).toEqual([]);
    await queue.close();
  });

  it.each<[object, string]>([
    [{ stream: false }, "invalid_option"],
    [{ stream: true, maxBytes: 65_535 }, "invalid_option"],
    [{ stream: true, maxAge: -1 }, "invalid_option"],
    [{ stream: true, bytes: 1 }, "unknown_option"],
  ])("refuse %j as an option", (events, code) => {
    expect(() => setup(events as EventsOption)).toThrow(expect.objectContaining({ code }));
  });
});
