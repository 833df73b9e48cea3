/** What random commands cannot show: ids by the clock, and trims by whole nodes. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";

function setup() {
  const ports = createTestPorts({ now: 1_750_000_000_000 });
  const engine = new EmbeddedEngine({ ports });
  const run = (...parts: string[]) => engine.command(parts);
  const fill = async (count: number) => {
    for (let at = 1; at <= count; at++) await run("XADD", "s", `${at}-0`, "n", String(at));
  };
  return { ports, run, fill };
}

describe("streams", () => {
  it("gives ids by the clock that rise within a millisecond and when the clock steps back", async () => {
    const { ports, run } = setup();
    expect(await run("XADD", "s", "*", "f", "v")).toBe("1750000000000-0");
    expect(await run("XADD", "s", "*", "f", "v")).toBe("1750000000000-1");
    await ports.clock.advance(5);
    expect(await run("XADD", "s", "*", "f", "v")).toBe("1750000000005-0");
    await run("XADD", "s", "1750000009999-7", "f", "v");
    expect(await run("XADD", "s", "*", "f", "v")).toBe("1750000009999-8");
  });

  it.each([
    { before: 250, trim: ["MAXLEN", "~", "10"], removed: 200 },
    { before: 8, trim: ["MAXLEN", "~", "3"], removed: 0 },
    { before: 250, trim: ["MINID", "~", "150"], removed: 100 },
    { before: 250, trim: ["MAXLEN", "~", "10", "LIMIT", "150"], removed: 100 },
    { before: 250, trim: ["MAXLEN", "=", "10"], removed: 240 },
    { before: 250, trim: ["MINID", "=", "150"], removed: 149 },
  ])("trims $trim of $before entries by $removed", async ({ before, trim, removed }) => {
    const { run, fill } = setup();
    await fill(before);
    expect(await run("XTRIM", "s", ...trim)).toBe(removed);
    expect(await run("XLEN", "s")).toBe(before - removed);
  });

  it("keeps the highest id of a stream without entries", async () => {
    const { run, fill } = setup();
    await fill(3);
    expect(await run("XTRIM", "s", "MAXLEN", "0")).toBe(3);
    expect(await run("TYPE", "s")).toBe("stream");
    await expect(run("XADD", "s", "3-0", "f", "v")).rejects.toThrow(
      "ERR The ID specified in XADD is equal or smaller than the target stream top item",
    );
  });
});
