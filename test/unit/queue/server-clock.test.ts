/** The server's clock, as hosts read it. */

import { describe, expect, it } from "vitest";
import type { Engine, Reply } from "../../../src/engine/engine.ts";
import { readServerNow } from "../../../src/queue/server-clock.ts";

function setup(reply: Reply): Engine {
  return { command: () => Promise.resolve(reply) } as unknown as Engine;
}

describe("readServerNow", () => {
  it("answers whole milliseconds, rounded down", async () => {
    expect(await readServerNow(setup(["1700000000", "123999"]))).toBe(1_700_000_000_123);
  });

  it.each([[null], [[]], [["1700000000"]], [["x", "1"]]])("throws for a reply that is no time: %j", async (reply) => {
    await expect(readServerNow(setup(reply))).rejects.toMatchObject({ code: "internal" });
  });
});
