import { describe, expect, test } from "vitest";
import {
  HANDLER_NAMES_MAX,
  HandlerTable,
  UNKNOWN_DELAY_MS_MAX,
  unknownDelayMs,
} from "../../../src/worker/handler-table.ts";
import { WorkerWorld } from "./worker-world.ts";

function setup() {
  return new WorkerWorld();
}

describe("a table of handlers", () => {
  const tooMany = Object.fromEntries(Array.from({ length: HANDLER_NAMES_MAX + 1 }, (_, at) => [`n${at}`, () => {}]));

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "send"],
    ["a list", [() => {}]],
    ["an empty object", {}],
    ["an object with something else", { welcome: () => {}, digest: 7 }],
    ["an empty name", { "": () => {} }],
    ["a name that no job can have", { ["x".repeat(257)]: () => {} }],
    ["more than it keeps", tooMany],
    ["a generator, whose body would never run", function* () {}],
    ["such a one that is async, under a name", { welcome: async function* () {} }],
  ])("refuses %s", (_name, handler) => {
    expect(() => new HandlerTable(handler)).toThrow(expect.objectContaining({ code: "invalid_handler" }));
  });

  test.each(["./send.mjs", new URL("file:///app/send.mjs")])("says of a file what to do instead: %s", (file) => {
    expect(() => new HandlerTable(file)).toThrow(/import it and give what it exports, or let echomq work QUEUE MODULE/);
  });

  test("knows every name with one function, and its own names with several", () => {
    expect(new HandlerTable(() => {}).has("toString")).toBe(true);
    expect(new HandlerTable(() => {}).names).toBeUndefined();
    const table = new HandlerTable({ welcome: () => {}, default: () => {} });
    expect(table.names).toEqual(["welcome", "default"]);
    expect(["welcome", "default", "", "toString", "constructor"].map((name) => table.has(name))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("lets an unknown job wait twice as long each time, up to half a minute", () => {
    expect([0, 1, 2, 3, 4, 5, 1000].map(unknownDelayMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(unknownDelayMs(Number.MAX_SAFE_INTEGER)).toBe(UNKNOWN_DELAY_MS_MAX);
  });
});

describe("a worker with a handler for each name", () => {
  test("runs each job by its name", async () => {
    const world = setup();
    const seen: unknown[] = [];
    world.worker({
      welcome: (job: { data: unknown }) => void seen.push(["welcome", job.data]),
      default: (job: { data: unknown }) => void seen.push(["default", job.data]),
    });
    await world.add({ name: "welcome", data: 1 }, { data: 2 });
    await world.advance(10);
    expect(seen).toEqual([
      ["welcome", 1],
      ["default", 2],
    ]);
    await world.closeAll();
  });

  test("gives back what it does not know, which spends nothing, for whoever knows it (PB-044)", async () => {
    const world = setup();
    const seen: unknown[] = [];
    // A job of the other kind whose holder died: a sweeps it, and may get it first.
    const engine = world.otherEngine();
    const doomed = world.workerOn(engine, { b: () => new Promise(() => {}) }, { lease: 500 });
    const [id = ""] = await world.add({ name: "b" });
    await world.advance(50);
    engine.setState("closed");
    world.worker({ a: () => void seen.push("a") });
    await world.advance(2600);
    const row = await world.jobs.getRow("mail", id);
    expect(row?.get("stalled")).toBe("1");
    world.workerOn(world.otherEngine(), { b: (job: { attempt: number }) => void seen.push(["b", job.attempt]) });
    await world.add({ name: "a" });
    await world.advance(40_000);
    expect(seen).toHaveLength(2);
    expect(seen).toContainEqual(["b", 1]);
    expect(await world.counts()).toMatchObject({ completed: 2, dead: 0, failed: 0 });
    await doomed.close({ timeout: 0 });
    await world.closeAll();
  });

  test("says once for each name that it does not know it, and does not spin", async () => {
    const world = setup();
    const worker = world.worker({ a: () => {} });
    const told: unknown[] = [];
    worker.on("unknown-name", ({ name }) => told.push(name));
    await world.add({ name: "b" }, { name: "b" }, { name: "c" });
    await world.advance(120_000);
    expect(told).toEqual(["b", "c"]);
    const lines = world.ports.logger.messages("warn").filter((line) => line.includes("no handler for jobs named"));
    expect(lines).toHaveLength(2);
    // Two minutes of waits that double up to 30 s: eight times for each, and not once a beat.
    const row = (await world.jobs.getIds("mail", "scheduled", { start: 0, end: 9, ascending: true })).length;
    expect(row).toBe(3);
    expect(world.engine.sent("TURN").filter(({ args }) => args.includes("d")).length).toBeLessThanOrEqual(24);
    expect(await world.counts()).toMatchObject({ dead: 0, failed: 0, schedule: 3 });
    await world.closeAll();
  });

  test("tells of a thousand names and then no more", async () => {
    const world = setup();
    const worker = world.worker({ a: () => {} }, { concurrency: 50 });
    let told = 0;
    worker.on("unknown-name", () => {
      told += 1;
    });
    for (const part of [0, 1]) {
      await world.add(...Array.from({ length: 600 }, (_, at) => ({ name: `n${part * 600 + at}` })));
    }
    await world.advance(500);
    expect(told).toBe(1001);
    expect(world.ports.logger.messages("warn").at(-1)).toContain("further names are not told");
    await world.closeAll();
  });
});
