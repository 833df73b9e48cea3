/** `queue.doctor()`: its options, its report, and that both are bounded. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

function setup() {
  const engine = new EmbeddedEngine({ ports: createTestPorts() });
  const queue = new QueueCore("mail", { engine, release: () => Promise.resolve() });
  const seed = async (count: number) => {
    const members = Array.from({ length: count }, (_, at) => ["0", `JOB${String(at).padStart(11, "0")}`]);
    await engine.command(["ZADD", "emq:{mail}:pending", ...members.flat()]);
  };
  return { engine, queue, seed };
}

describe("options", () => {
  it.each([
    [{ repairs: true }, "unknown_option"],
    [{ repair: "yes" }, "invalid_option"],
    [{ destroy: true }, "invalid_option"],
    [{ repair: true, destroy: 1 }, "invalid_option"],
    [{ limit: 0 }, "invalid_option"],
    [{ limit: 10_001 }, "invalid_option"],
    [{ overdue: "soon" }, "invalid_option"],
  ])("%j are refused with a code", async (options, code) => {
    const { queue } = setup();
    await expect(queue.doctor(options as object)).rejects.toMatchObject({ code });
  });

  it("are refused by a closed queue", async () => {
    const { queue } = setup();
    await queue.close();
    await expect(queue.doctor()).rejects.toMatchObject({ code: "closed" });
  });

  it("say from when on a lease is overdue", async () => {
    const { engine, queue } = setup();
    const { id } = await queue.add("welcome", {});
    await queue.jobs.claim("mail", 1000);
    const ports = engine.ports as ReturnType<typeof createTestPorts>;
    await ports.clock.advance(62_000);
    expect((await queue.doctor()).isClean).toBe(true);
    const { findings } = await queue.doctor({ overdue: "1m" });
    expect(findings).toMatchObject([{ code: "lease-overdue", member: id, detail: "lapsed 61000 ms ago" }]);
    expect((await queue.doctor({ overdue: "1m", repair: true })).isClean).toBe(true);
    expect(await queue.getState(id)).toBe("pending");
  });
});

describe("a report", () => {
  it("of a clean queue is empty", async () => {
    const { queue } = setup();
    expect(await queue.doctor()).toMatchObject({ queue: "mail", isClean: true, findings: [], counts: {}, passes: 1 });
    await queue.add("welcome", {}, { lane: "a" });
    const { looked } = await queue.doctor();
    expect(looked.lanes).toBe(1);
    expect(looked.jobs).toBeGreaterThan(0);
  });

  it("lists a bounded number of findings, counts the rest, and all are repaired", async () => {
    const { engine, queue, seed } = setup();
    await seed(2500);
    const found = await queue.doctor();
    expect(found).toMatchObject({ counts: { "member-row": 2500 }, omitted: 1500 });
    expect(found.findings).toHaveLength(1000);
    const mended = await queue.doctor({ repair: true, limit: 10 });
    expect(mended).toMatchObject({ isClean: true, counts: { "member-row": 2500 }, omitted: 2490 });
    expect(mended.findings).toHaveLength(10);
    expect(await engine.command(["ZCARD", "emq:{mail}:pending"])).toBe(0);
  });
});
