import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";

function setup() {
  const engine = new EmbeddedEngine({ ports: createTestPorts() });
  const names = (count: number) => Array.from({ length: count }, (_, at) => `name-${at}`);
  const scan = async (parts: readonly string[], between = async () => {}) => {
    const [command = "", key = "", ...options] = parts;
    const found: string[] = [];
    let cursor = "0";
    let steps = 0;
    do {
      const [next, members] = (await engine.command([command, key, cursor, ...options])) as [string, string[]];
      found.push(...members);
      cursor = next;
      steps++;
      await between();
    } while (cursor !== "0");
    return { found, steps };
  };
  return { engine, names, scan };
}

describe("SSCAN and HSCAN", () => {
  it("answer a small collection at once, in its own order, as a server does", async () => {
    const { engine, names, scan } = setup();
    await engine.command(["SADD", "s", ...names(128)]);
    expect(await scan(["SSCAN", "s", "COUNT", "5"])).toEqual({ found: names(128), steps: 1 });
    await engine.command(["HSET", "h", "a", "1", "b", "2"]);
    expect(await scan(["HSCAN", "h"])).toEqual({ found: ["a", "1", "b", "2"], steps: 1 });
    expect(await scan(["SSCAN", "nothing"])).toEqual({ found: [], steps: 1 });
  });

  it("find each member that stays exactly once, while others come and go", async () => {
    const { engine, names, scan } = setup();
    await engine.command(["SADD", "s", ...names(3000)]);
    let step = 0;
    const { found, steps } = await scan(["SSCAN", "s", "COUNT", "100"], async () => {
      await engine.command(["SREM", "s", ...names(3000).filter((_, at) => at % 2 === 1 && at % 29 === step % 29)]);
      await engine.command(["SADD", "s", `new-${step}`]);
      step++;
    });
    expect(steps).toBeGreaterThan(10);
    expect(new Set(found).size).toBe(found.length);
    const stayed = names(3000).filter((_, at) => at % 2 === 0);
    expect(stayed.filter((name) => !found.includes(name))).toEqual([]);
  });

  it("give fields with their values, in parts of the size asked for, and only those that match", async () => {
    const { engine, names, scan } = setup();
    await engine.command(["HSET", "h", ...names(500).flatMap((name, at) => [name, String(at)])]);
    const { found, steps } = await scan(["HSCAN", "h", "COUNT", "50", "MATCH", "name-1*"]);
    expect(steps).toBe(10);
    expect(found).toHaveLength(2 * names(500).filter((name) => name.startsWith("name-1")).length);
    expect(found[1]).toBe(found[0]?.slice("name-".length));
  });

  it.each([
    [["SSCAN", "s", "x"], "ERR invalid cursor"],
    [["SSCAN", "s", "0", "COUNT"], "ERR syntax error"],
    [["SSCAN", "s", "0", "COUNT", "0"], "ERR syntax error"],
    [["HSCAN", "s", "0"], "WRONGTYPE"],
  ])("refuse %j", async (parts, text) => {
    const { engine } = setup();
    await engine.command(["SADD", "s", "a"]);
    await expect(engine.command(parts)).rejects.toThrow(text);
  });
});
