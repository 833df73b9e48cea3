import { describe, expect, it } from "vitest";
import { Emitter } from "../../../src/queue/emitter.ts";
import { errorOf } from "./scripted-engine.ts";

interface Events {
  error: [error: unknown];
  moved: [from: string, to: string];
}

function setup() {
  const failures: unknown[] = [];
  return { failures, emitter: new Emitter<Events>(["error", "moved"], (error) => failures.push(error)) };
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

  it("tells what an async listener rejects with, and lets no rejection go unhandled", async () => {
    const { emitter, failures } = setup();
    emitter.on("error", () => Promise.reject(new Error("first")));
    emitter.once("error", async () => await Promise.reject(new Error("second")));
    emitter.emit("error", 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures).toEqual([new Error("first"), new Error("second")]);
  });

  it("refuses an event that there is not with the nearest one, and a listener that is no function", async () => {
    const { emitter } = setup();
    const misspelt = await errorOf(() => emitter.on("movd" as "moved", () => {}));
    expect(misspelt).toMatchObject({ code: "unknown_option" });
    expect(misspelt.message).toContain("did you mean moved?");
    expect((await errorOf(() => emitter.once("colour" as "moved", () => {}))).message).toContain("error, moved");
    expect(await errorOf(() => emitter.on("constructor" as "moved", () => {}))).toMatchObject({
      code: "unknown_option",
    });
    for (const add of [() => emitter.on("moved", 5 as never), () => emitter.once("moved", undefined as never)]) {
      expect(await errorOf(add)).toMatchObject({ code: "invalid_option" });
    }
  });

  it("says what to do in place of an event that other queues have, rather than the nearest name", async () => {
    const { emitter } = setup();
    const asked = async (name: string) => (await errorOf(() => emitter.on(name as "moved", () => {}))).message;
    expect(await asked("stalled")).toMatch(/^There is no event "stalled" here: QueueEvents tells it, .*onPoison/);
    expect(await asked("progress")).toContain("queue.getJob(id)");
    expect(await asked("completed")).toContain("QueueEvents");
  });

  it("takes back a listener of once before its event, and of two registrations only one", () => {
    const { emitter } = setup();
    let calls = 0;
    const listener = () => calls++;
    emitter.once("error", listener);
    emitter.on("error", listener);
    emitter.off("error", listener);
    emitter.emit("error", 1);
    emitter.emit("error", 2);
    expect(calls).toBe(2);
    emitter.off("error", listener);
    expect(emitter.has("error")).toBe(false);
  });

  it("calls a listener of once only once, also when another one causes the event again", () => {
    const { emitter } = setup();
    const calls: unknown[] = [];
    emitter.on("error", (error) => {
      if (error === 1) emitter.emit("error", 2);
    });
    emitter.once("error", (error) => calls.push(error));
    emitter.emit("error", 1);
    emitter.emit("error", 3);
    expect(calls).toEqual([2]);
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
