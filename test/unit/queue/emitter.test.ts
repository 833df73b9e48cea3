import { describe, expect, it } from "vitest";
import { Emitter } from "../../../src/queue/emitter.ts";

interface Events {
  error: [error: unknown];
  moved: [from: string, to: string];
}

function setup() {
  const failures: unknown[] = [];
  return { failures, emitter: new Emitter<Events>((error) => failures.push(error)) };
}

describe("Emitter", () => {
  it("calls listeners in the order of registration with the event's arguments", () => {
    const { emitter } = setup();
    const calls: string[] = [];
    emitter.on("moved", (from, to) => calls.push(`1 ${from} ${to}`));
    emitter.on("moved", (from, to) => calls.push(`2 ${from} ${to}`));
    expect(emitter.emit("moved", "a", "b")).toBe(true);
    expect(calls).toEqual(["1 a b", "2 a b"]);
  });

  it("says that nobody listened instead of throwing an error event", () => {
    expect(setup().emitter.emit("error", new Error("lost"))).toBe(false);
  });

  it("calls a listener of once only once", () => {
    const { emitter } = setup();
    let calls = 0;
    emitter.once("error", () => calls++);
    emitter.emit("error", 1);
    emitter.emit("error", 2);
    expect(calls).toBe(1);
  });

  it("forgets a removed listener and ignores one that it does not know", () => {
    const { emitter } = setup();
    let calls = 0;
    const listener = () => {
      calls++;
    };
    emitter.on("error", listener);
    emitter.off("error", () => undefined);
    emitter.off("moved", listener);
    expect(emitter.has("error")).toBe(true);
    emitter.off("error", listener);
    emitter.emit("error", 1);
    expect(calls).toBe(0);
    expect(emitter.has("error")).toBe(false);
  });

  it("goes on after a listener that throws, and tells of it", () => {
    const { emitter, failures } = setup();
    const calls: number[] = [];
    emitter.on("error", () => {
      throw new Error("bad listener");
    });
    emitter.on("error", () => calls.push(1));
    emitter.emit("error", 0);
    expect(calls).toEqual([1]);
    expect(failures).toHaveLength(1);
  });

  it("does not call a listener that was added while the event was under way", () => {
    const { emitter } = setup();
    const calls: string[] = [];
    emitter.on("error", () => emitter.on("error", () => calls.push("late")));
    emitter.emit("error", 1);
    expect(calls).toEqual([]);
  });
});
