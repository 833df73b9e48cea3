/**
 * A test's ports: one seed, one sequence of chance.
 */

import { describe, expect, it } from "vitest";
import { createRandom, createTestPorts, LOG_LINES_MAX } from "../../../src/testing/test-ports.ts";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";

describe("createRandom", () => {
  it("gives one sequence for one seed and another for another", () => {
    const draw = (seed: number) => Array.from({ length: 50 }, createRandom(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("spreads evenly from 0 inclusive to 1 exclusive", () => {
    const random = createRandom(3);
    const buckets = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 20_000; draw++) {
      const value = random();
      expect(value >= 0 && value < 1).toBe(true);
      buckets[Math.floor(value * 10)]! += 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });
});

describe("createTestPorts", () => {
  it("starts where it is told and names the process", () => {
    const ports = createTestPorts({ seed: 4, now: 1_000 });
    expect(ports.clock.now()).toBe(1_000);
    expect(ports.processName).toBe("test:1:4");
  });

  it("shares a clock between the processes of one test", async () => {
    const clock = new VirtualClock();
    const [one, two] = [createTestPorts({ clock, seed: 1 }), createTestPorts({ clock, seed: 2 })];
    await one.clock.advance(5);
    expect(two.clock.now()).toBe(one.clock.now());
    expect(two.processName).not.toBe(one.processName);
  });

  it("runs soon before later, and both without a move of the clock", async () => {
    const ports = createTestPorts();
    const order: string[] = [];
    ports.later(() => order.push("later"));
    ports.soon(() => order.push("soon"));
    order.push("now");
    await ports.clock.settle();
    expect(order).toEqual(["now", "soon", "later"]);
  });

  it("keeps what is logged, the newest lines only", () => {
    const { logger } = createTestPorts();
    for (let line = 0; line <= LOG_LINES_MAX; line++) logger.debug(`line ${line}`);
    logger.warn("careful", { code: "timeout" });
    expect(logger.lines).toHaveLength(LOG_LINES_MAX);
    expect(logger.lines.at(-1)).toEqual({ level: "warn", message: "careful", fields: { code: "timeout" } });
    expect(logger.messages("debug")[0]).toBe("line 2");
  });
});
