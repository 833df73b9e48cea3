import { describe, expect, it } from "vitest";
import { nodePorts } from "../../src/node-ports.ts";

describe("the ports of a Node.js process", () => {
  it("run a timer once, after its time, unless it was taken back", async () => {
    const { clock } = nodePorts();
    const fired: string[] = [];
    clock.after(1, () => fired.push("taken back")).cancel();
    const startedAt = clock.now();
    await new Promise<void>((resolve) => {
      const timer = clock.after(20, () => {
        fired.push("kept");
        timer.cancel();
        resolve();
      });
    });
    expect(fired).toEqual(["kept"]);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(19);
  });

  it("do not fire a timer at once that is longer than the host can count", async () => {
    const { clock } = nodePorts();
    let isFired = false;
    const timer = clock.after(2 ** 40, () => {
      isFired = true;
    });
    await new Promise<void>((resolve) => clock.after(5, resolve));
    timer.cancel();
    expect(isFired).toBe(false);
  });

  it("run what is soon before what is later", async () => {
    const ports = nodePorts();
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      ports.later(() => {
        order.push("later");
        resolve();
      });
      ports.soon(() => order.push("soon"));
      order.push("now");
    });
    expect(order).toEqual(["now", "soon", "later"]);
  });

  it("name the process by host, number and start, always the same", () => {
    expect(nodePorts().processName).toMatch(new RegExp(`^[^:]+:${process.pid}:[0-9a-z]+$`));
    expect(nodePorts().processName).toBe(nodePorts().processName);
  });
});
