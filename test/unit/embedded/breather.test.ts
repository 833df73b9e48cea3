/** A process on the embedded engine hears its timers, requests and signals while acts come without a pause. */

import { describe, expect, it } from "vitest";
import { BREATH_ANSWERS, BREATH_MS, LOOK_MS } from "../../../src/embedded/breather.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Ports } from "../../../src/engine/ports.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";

/** An engine whose time passes and whose event loop turns when the test says so. */
function setup() {
  const turns: (() => void)[] = [];
  const time = { now: 1000 };
  const base = createTestPorts();
  const ports: Ports = {
    ...base,
    clock: { now: () => time.now, after: (ms, action) => base.clock.after(ms, action) },
    later: (action) => void turns.push(action),
  };
  let whileItRuns = () => {};
  const COUNTS = () => {
    whileItRuns();
    return [];
  };
  const engine = new EmbeddedEngine({ ports, transitions: { COUNTS } });
  const act = (action: () => void) => {
    whileItRuns = action;
    return engine.act("COUNTS", [], []);
  };
  const answers: string[] = [];
  const ask = (text: string) => {
    const note = (end: string) => () => void answers.push(`${text} ${end}`);
    void engine.command(text === "bad" ? ["NONSENSE"] : ["PING", text]).then(note("ok"), note("refused"));
  };
  const microtasks = async () => {
    for (let steps = 0; steps < 10; steps++) await Promise.resolve();
  };
  return { turns, time, ask, act, answers, microtasks, turn: () => turns.splice(0).forEach((action) => action()) };
}

/** A queue on an engine whose slices take a millisecond each; `slices` counts those of each turn of the loop. */
function setupSlices() {
  const base = createTestPorts();
  const time = { now: base.clock.now() };
  const ports: Ports = {
    ...base,
    clock: { now: () => time.now, after: (ms, action) => base.clock.after(ms, action) },
    later: nodePorts().later,
  };
  const engine = new EmbeddedEngine({ ports });
  const slices: number[] = [];
  let inTurn = 0;
  const act = engine.act.bind(engine);
  engine.act = (...call) => {
    if (inTurn === 0) {
      setImmediate(() => {
        slices.push(inTurn);
        inTurn = 0;
      });
    }
    inTurn += 1;
    time.now += 1;
    return act(...call);
  };
  const queue = new QueueCore("q", { engine, release: () => Promise.resolve() });
  return { queue, slices, engine };
}

describe("answers of the embedded engine", () => {
  it("wait for a turn of the event loop once it has not turned for some milliseconds, and keep their order", async () => {
    const { time, turns, ask, answers, microtasks, turn } = setup();
    ask("first");
    time.now += BREATH_MS - 1;
    ask("second");
    await microtasks();
    expect(answers).toEqual(["first ok", "second ok"]);
    time.now += 1;
    ask("third");
    // Time may stand still or step back: whoever comes after one that waits does so as well.
    time.now -= BREATH_MS;
    ask("bad");
    ask("fifth");
    await microtasks();
    expect([answers.length, turns.length]).toEqual([2, 1]);
    turn();
    await microtasks();
    expect(answers.slice(2)).toEqual(["third ok", "bad refused", "fifth ok"]);
    ask("sixth");
    await microtasks();
    expect(answers.at(-1)).toBe("sixth ok");
  });

  it("wait for a turn as soon as one act by itself was long", async () => {
    const { time, turns, ask, answers, microtasks, act } = setup();
    ask("first");
    void act(() => (time.now += BREATH_MS)).then(() => answers.push("long"));
    await microtasks();
    expect([answers, turns.length]).toEqual([["first ok"], 1]);
  });

  it("come at once as long as the loop turns, with one look at it in so many milliseconds", async () => {
    const { time, turns, ask, answers, microtasks, turn } = setup();
    let looks = 0;
    for (let ms = 0; ms < 100; ms++) {
      ask(String(ms));
      ask(`again ${ms}`);
      looks += turns.length;
      turn();
      await microtasks();
      expect(answers).toHaveLength(2 * (ms + 1));
      time.now += 1;
    }
    expect(looks).toBe(100 / LOOK_MS);
  });

  it("wait for a turn where no time passes, too, once there were many", async () => {
    const { ask, answers, microtasks, turns, turn } = setup();
    for (let count = 0; count < 3 * BREATH_ANSWERS; count++) ask("more");
    await microtasks();
    expect(answers.length).toBeLessThan(3 * BREATH_ANSWERS);
    expect(turns).toHaveLength(1);
    turn();
    await microtasks();
    expect(answers).toHaveLength(3 * BREATH_ANSWERS);
  });

  it("leave the loop its turn after a few slices of a long work, however often it turned before", async () => {
    const { queue, slices, engine } = setupSlices();
    const jobs = Array.from({ length: 250 * 24 }, () => ({ name: "quick", data: 1 }));
    for (const work of [
      () => queue.clean({ state: "pending", limit: 250 * 12 }),
      () => queue.drain(),
      () => queue.obliterate({ force: true }),
    ]) {
      await queue.addBulk(jobs);
      slices.length = 0;
      await work();
      // Each slice takes a millisecond: no more may follow one another than make a turn, and the one that passes it.
      expect(Math.max(...slices)).toBeLessThanOrEqual(LOOK_MS + BREATH_MS + 1);
      expect(slices.length).toBeGreaterThan(1);
    }
    await engine.close();
  });

  it("let a timer fire long before a worker with quick handlers has done its backlog", async () => {
    const engine = new EmbeddedEngine({ ports: nodePorts() });
    const lease = { engine, release: () => Promise.resolve() };
    const queue = new QueueCore("q", lease);
    const jobs = 40_000;
    await queue.addBulk(Array.from({ length: jobs }, () => ({ name: "quick", data: 1 })));
    let done = 0;
    const worker = new WorkerCore("q", () => {}, lease, { concurrency: 100 });
    const all = new Promise<void>((resolve) => {
      worker.on("completed", () => {
        done += 1;
        if (done === jobs) resolve();
      });
    });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await all;
    clearInterval(timer);
    await worker.close();
    await engine.close();
    // Without a pause there would be none.
    expect(ticks).toBeGreaterThan(0);
  });
});
