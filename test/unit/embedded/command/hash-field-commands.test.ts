import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";

async function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const ask = async (...parts: string[]) => await engine.command(parts);
  await ask("HSET", "h", "a", "1", "b", "2");
  return { clock: ports.clock, ask };
}

describe("the expiry of a field", () => {
  it("takes the field away at its instant, and the hash with its last field", async () => {
    const { clock, ask } = await setup();
    expect(await ask("HPEXPIRE", "h", "1000", "FIELDS", "3", "a", "b", "none")).toEqual([1, 1, -2]);
    clock.shift(999);
    expect(await ask("HGETALL", "h")).toEqual(["a", "1", "b", "2"]);
    expect(await ask("HEXPIRE", "h", "5", "FIELDS", "1", "b")).toEqual([1]);
    clock.shift(1);
    expect([await ask("HGETALL", "h"), await ask("HLEN", "h")]).toEqual([["b", "2"], 1]);
    clock.shift(5000);
    expect(await ask("HGET", "h", "b")).toBeNull();
    expect(await ask("EXISTS", "h")).toBe(0);
  });

  it("is told in ms and s, and ends when the field is set or made to stay", async () => {
    const { ask } = await setup();
    await ask("HEXPIRE", "h", "30", "FIELDS", "2", "a", "b");
    expect(await ask("HPTTL", "h", "FIELDS", "2", "a", "none")).toEqual([30_000, -2]);
    expect(await ask("HTTL", "h", "FIELDS", "1", "a")).toEqual([30]);
    await ask("HINCRBY", "h", "a", "1");
    expect(await ask("HTTL", "h", "FIELDS", "1", "a")).toEqual([30]);
    await ask("HSET", "h", "a", "new");
    expect(await ask("HPERSIST", "h", "FIELDS", "2", "a", "b")).toEqual([-1, 1]);
    expect(await ask("HPTTL", "h", "FIELDS", "2", "a", "b")).toEqual([-1, -1]);
  });

  it("is set only under its condition, and an instant that has passed deletes", async () => {
    const { ask } = await setup();
    const expire = async (ms: string, condition: string) =>
      await ask("HPEXPIRE", "h", ms, condition, "FIELDS", "1", "a");
    expect(await expire("100", "XX")).toEqual([0]);
    expect(await expire("100", "GT")).toEqual([0]);
    expect(await expire("100", "NX")).toEqual([1]);
    expect(await expire("200", "LT")).toEqual([0]);
    expect(await expire("200", "GT")).toEqual([1]);
    expect(await ask("HPEXPIREAT", "h", "1", "FIELDS", "1", "a")).toEqual([2]);
    expect(await ask("HEXISTS", "h", "a")).toBe(0);
  });

  it.each([
    [["HEXPIRE", "h", "1", "a", "1", "a"], "FIELDS"],
    [["HEXPIRE", "h", "1", "FIELDS", "2", "a"], "numfields"],
    [["HEXPIRE", "h", "1", "FIELDS", "0", "a"], "numFields"],
    [["HEXPIRE", "h", "-1", "FIELDS", "1", "a"], "invalid expire"],
  ])("refuses %j", async (parts, text) => {
    const { ask } = await setup();
    await expect(ask(...parts)).rejects.toThrow(text);
  });
});
