import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";

describe("ZADD with INCR", () => {
  it("leaves a member that NX protects as it is before it reckons, and refuses a sum that is no number", async () => {
    const engine = new EmbeddedEngine({ ports: createTestPorts() });
    const ask = async (...parts: string[]) => await engine.command(parts);
    await ask("ZADD", "z", "inf", "a");
    expect(await ask("ZADD", "z", "NX", "INCR", "-inf", "a")).toBeNull();
    await expect(ask("ZADD", "z", "INCR", "-inf", "a")).rejects.toThrow("ERR resulting score is not a number (NaN)");
    expect(await ask("ZSCORE", "z", "a")).toBe("inf");
  });
});
