/**
 * The dump: every key of one queue, sorted, whatever the queue is called and whatever it holds.
 */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { dumpQueue } from "../../../src/testing/dump.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

function setup() {
  const engine = new EmbeddedEngine({ ports: createTestPorts() });
  const run = (...parts: string[]) => engine.command(parts);
  return { engine, run };
}

describe("dumpQueue", () => {
  it("reads every type of key, in byte order", async () => {
    const { engine, run } = setup();
    await run("HSET", "emq:{q}:meta", "b", "2", "a", "1");
    await run("RPUSH", "emq:{q}:ring", "z", "y");
    await run("SADD", "emq:{q}:paused", "z", "y");
    await run("ZADD", "emq:{q}:pending", "5", "b", "0", "c", "5", "a");
    await run("SET", "emq:{q}:de:x", "id");
    expect(await dumpQueue(engine, "q")).toEqual([
      { key: "emq:{q}:de:x", suffix: "de:x", isExpiring: false, type: "string", value: "id" },
      {
        key: "emq:{q}:meta",
        suffix: "meta",
        isExpiring: false,
        type: "hash",
        fields: [
          ["a", "1"],
          ["b", "2"],
        ],
      },
      { key: "emq:{q}:paused", suffix: "paused", isExpiring: false, type: "set", items: ["y", "z"] },
      {
        key: "emq:{q}:pending",
        suffix: "pending",
        isExpiring: false,
        type: "zset",
        members: [
          ["c", 0],
          ["a", 5],
          ["b", 5],
        ],
      },
      { key: "emq:{q}:ring", suffix: "ring", isExpiring: false, type: "list", items: ["z", "y"] },
    ]);
  });

  it("takes no key of a neighbour, also when the name is a pattern", async () => {
    const { engine, run } = setup();
    for (const queue of ["*", "a*", "ab", "[ab]", "a?", "a\\", ""]) await run("SET", `emq:{${queue}}:limiter`, queue);
    for (const queue of ["*", "a*", "[ab]", "a?", "a\\", ""]) {
      expect((await dumpQueue(engine, queue)).map((key) => key.key)).toEqual([`emq:{${queue}}:limiter`]);
    }
  });

  it("finds the keys of a name beyond ASCII by its UTF-8", async () => {
    const { engine, run } = setup();
    await run("SET", "emq:{\u00c3\u00a9}:limiter", "1");
    expect(await dumpQueue(engine, "é")).toHaveLength(1);
  });

  it("keeps bytes as they are", async () => {
    const { engine, run } = setup();
    const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
    await run("HSET", "emq:{q}:job:x", "payload", bytes);
    expect(await dumpQueue(engine, "q")).toMatchObject([{ fields: [["payload", bytes]] }]);
  });

  it("says that a key expires, and leaves out one that has", async () => {
    const { engine, run } = setup();
    await run("SET", "emq:{q}:limiter", "1", "PX", "1000");
    expect(await dumpQueue(engine, "q")).toMatchObject([{ isExpiring: true }]);
    await (engine.ports as ReturnType<typeof createTestPorts>).clock.advance(1001);
    expect(await dumpQueue(engine, "q")).toEqual([]);
  });

  it("reads thousands of keys", async () => {
    const { engine, run } = setup();
    for (let key = 0; key < 2500; key++) await run("SET", `emq:{q}:de:${key}`, "x");
    expect(new Set((await dumpQueue(engine, "q")).map((dump) => dump.key)).size).toBe(2500);
  });
});
