import { describe, expect, it } from "vitest";
import type { Reply } from "../../../src/engine/engine.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Admission } from "../../../src/queue/admission.ts";
import type { AdmitBytesRow } from "../../../src/queue/admit-rows.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { type Ask, away, errorOf, later, ScriptedEngine } from "./scripted-engine.ts";

function setup(pendingMax = 10_000) {
  const engine = new ScriptedEngine();
  const errors: unknown[] = [];
  const admission = new Admission({
    jobs: new Jobs(engine),
    queue: "q",
    ports: engine.ports,
    pendingMax,
    onError: (error) => errors.push(error),
  });
  const mint = createMinter({ node: 1, clock: () => engine.ports.clock.now() });
  const settled: string[] = [];
  const failed: EchoMQError[] = [];
  const add = (row: Partial<AdmitBytesRow> = {}, retryUntil = 0) => {
    const id = mint("JOB");
    admission.push({
      retryUntil,
      id,
      payload: "x",
      shape: "",
      values: [],
      ...row,
      settle: (outcome) => settled.push(`${id} ${outcome.outcome}`),
      fail: (error) => failed.push(error as EchoMQError),
    });
    return id;
  };
  const addMany = (count: number) => Array.from({ length: count }, () => add());
  return { engine, admission, errors, add, addMany, settled, failed, settle: () => engine.ports.clock.settle() };
}

/** Rows of an act whose rows all have one shape. */
const rowsOf = (ask: Ask | undefined) => Number(ask?.args[1]);

/** An engine that answers when it is told to. */
function held(engine: ScriptedEngine) {
  const answers: ReturnType<typeof later>[] = [];
  engine.answer = () => {
    const answer = later();
    answers.push(answer);
    return answer.promise;
  };
  return answers;
}

/** The first acts of what is added in one step, with more behind them. */
const FOUR_ACTS = [100, 100, 200, 200];

describe("Admission", () => {
  it("sends what one step of the program adds as one act", async () => {
    const { engine, addMany, settled, settle } = setup();
    const ids = addMany(7);
    expect(engine.asks).toEqual([]);
    await settle();
    expect(engine.asks).toHaveLength(1);
    expect(engine.asks[0]).toMatchObject({ verb: "ADMIT", keys: ["emq:{q}:", "emq:{q}:pending"] });
    expect(settled).toEqual(ids.map((id) => `${id} added`));
  });

  it("does not wait for the end of the step once a hundred are gathered", () => {
    const { engine, addMany } = setup();
    addMany(99);
    expect(engine.asks).toHaveLength(0);
    addMany(1);
    expect(engine.asks).toHaveLength(1);
    expect(rowsOf(engine.asks[0])).toBe(100);
  });

  it("has at most four acts on their way, and gathers meanwhile", async () => {
    const { engine, admission, addMany, settled, settle } = setup();
    const answers = held(engine);
    addMany(700);
    await settle();
    expect(engine.asks.map(rowsOf)).toEqual(FOUR_ACTS);
    expect(admission.pendingCount).toBe(700);
    addMany(20);
    answers[0]?.give([]);
    await settle();
    expect(engine.asks.map(rowsOf)).toEqual([...FOUR_ACTS, 120]);
    for (const answer of answers) answer.give([]);
    await settle();
    expect(settled).toHaveLength(720);
    expect(admission.pendingCount).toBe(0);
  });

  it("sends no more than half of what has no answer as one act, so that the server always has another", async () => {
    const { engine, addMany, settle } = setup();
    const answers = held(engine);
    addMany(200);
    await settle();
    expect(engine.asks.map(rowsOf)).toEqual([100, 100]);
    for (const answer of answers.splice(0)) answer.give([]);
    await settle();
    addMany(200);
    await settle();
    expect(engine.asks.map(rowsOf)).toEqual([100, 100, 100, 100]);
    addMany(100);
    await settle();
    expect(rowsOf(engine.asks.at(-1))).toBe(100);
  });

  it("lets whoever was answered add again before the next act leaves", async () => {
    const { engine, addMany, add, admission, settle } = setup();
    const answers = held(engine);
    addMany(601);
    await settle();
    admission.push({
      id: "JOB00000000001",
      payload: "x",
      shape: "",
      values: [],
      settle: () => add(),
      fail: () => undefined,
    });
    answers[0]?.give([]);
    await settle();
    expect(rowsOf(engine.asks[4])).toBe(2);
    answers[4]?.give([]);
    await settle();
    expect(rowsOf(engine.asks[5])).toBe(1);
  });

  it("puts at most a mebibyte of payload into an act, one larger job excepted", async () => {
    const { engine, add, settle } = setup();
    const half = "x".repeat(2 ** 19);
    for (const payload of [half, half, "x", "y".repeat(2 ** 21), "z"]) add({ payload });
    await settle();
    expect(engine.asks.map(rowsOf)).toEqual([2, 1, 1, 1]);
  });

  it("tells a duplicate with the state of the job that is there", async () => {
    const { engine, addMany, settled, settle } = setup();
    engine.answer = () => [1, [0, "active"]];
    const [a, b, c] = addMany(3);
    await settle();
    expect(settled).toEqual([`${a} added`, `${b} duplicate`, `${c} added`]);
  });

  it("lets a row that the server refuses fail alone", async () => {
    const { engine, add, addMany, settled, failed, errors, settle } = setup();
    engine.answer = (ask): Reply => {
      if (ask.args.includes("bad")) throw new EchoMQError("refused", "WRONGTYPE a foreign key");
      return [];
    };
    addMany(40);
    const bad = add({ payload: "bad" });
    addMany(40);
    await settle();
    expect(settled).toHaveLength(80);
    expect(failed.map((error) => [error.code, error.details["id"]])).toEqual([["refused", bad]]);
    expect(errors).toHaveLength(1);
  });

  it("fails all adds of an act that was lost, each with its id, and tells of it once", async () => {
    const { engine, addMany, settled, failed, errors, settle } = setup();
    engine.answer = () => {
      throw away();
    };
    const ids = addMany(3);
    await settle();
    expect(settled).toEqual([]);
    expect(failed.map((error) => error.details["id"])).toEqual(ids);
    expect(failed.every((error) => error.retryable && error.code === "disconnected")).toBe(true);
    expect(errors).toHaveLength(1);
    engine.answer = () => [];
    addMany(1);
    await settle();
    expect(settled).toHaveLength(1);
  });

  it("has room for so many adds and no more, those on their way included", async () => {
    const { engine, admission, addMany, settle } = setup(150);
    const answers = held(engine);
    addMany(149);
    await settle();
    expect(() => admission.assertRoom(1)).not.toThrow();
    const error = await errorOf(() => admission.assertRoom(2));
    expect(error.code).toBe("overloaded");
    expect(error.retryable).toBe(true);
    for (const answer of answers) answer.give([]);
    await settle();
    expect(() => admission.assertRoom(150)).not.toThrow();
  });

  it("is idle when every add has its answer", async () => {
    const { engine, admission, addMany, settle } = setup();
    await admission.idle();
    const answers = held(engine);
    addMany(2);
    let isIdle = false;
    void admission.idle().then(() => {
      isIdle = true;
    });
    await settle();
    expect(isIdle).toBe(false);
    answers[0]?.give([]);
    await settle();
    expect(isIdle).toBe(true);
  });

  it("keeps the order of adds over many acts", async () => {
    const { engine, addMany, settled, settle } = setup();
    const ids = addMany(5000);
    await settle();
    expect(engine.asks).toHaveLength(26);
    expect(Math.max(...engine.asks.map(rowsOf))).toBe(200);
    expect(settled.map((line) => line.slice(0, 14))).toEqual(ids);
  });

  it("lets no add wait longer for its act than an act waits for its answer (PB-014)", async () => {
    const { engine, addMany, failed, settled, errors, settle } = setup();
    const answers = held(engine);
    const ids = addMany(950);
    await settle();
    await engine.ports.clock.advance(1000);
    const late = addMany(10);
    await engine.ports.clock.advance(1000);
    const notSent = { details: { sent: false } };
    for (const answer of answers.slice(0, 4)) answer.refuse(new EchoMQError("disconnected", "no way", notSent));
    await settle();
    // Those that came later wait for acts of their own.
    expect(failed.map((error) => error.details["id"]).sort()).toEqual(ids);
    expect(failed.every(({ code, details }) => code === "disconnected" && details["sent"] === false)).toBe(true);
    expect(errors.length).toBeLessThanOrEqual(5);
    expect(rowsOf(engine.asks.at(-1))).toBe(10);
    answers.at(-1)?.give([]);
    await settle();
    expect(settled).toEqual(late.map((id) => `${id} added`));
  });

  it("lets those behind an act whose connection broke leave with the next one", async () => {
    const { engine, addMany, failed, settled, settle } = setup();
    const answers = held(engine);
    const ids = addMany(700);
    await settle();
    await engine.ports.clock.advance(5);
    const cut = { details: { sent: true } };
    for (const answer of answers.slice(0, 4)) answer.refuse(new EchoMQError("disconnected", "cut", cut));
    await settle();
    expect(failed.map((error) => error.details["id"]).sort()).toEqual(ids.slice(0, 600));
    expect(engine.asks.map(rowsOf)).toEqual([...FOUR_ACTS, 100]);
    answers.at(-1)?.give([]);
    await settle();
    expect(settled).toEqual(ids.slice(600).map((id) => `${id} added`));
  });

  it("tries again what may be repeated, in growing steps up to a second, and nothing else", async () => {
    const { engine, admission, add, failed, settled, errors, settle } = setup();
    engine.answer = () => {
      throw away();
    };
    const { clock } = engine.ports;
    const [once, often] = [add(), add({}, clock.now() + 10_000)];
    await settle();
    expect([failed.map((error) => error.details["id"]), admission.pendingCount]).toEqual([[once], 1]);
    await clock.advance(5000);
    // 50, 100, 200, 400, 800 and then every second.
    expect(engine.asks).toHaveLength(9);
    expect([failed, errors]).toEqual([[expect.anything()], [expect.anything()]]);
    engine.answer = () => [];
    await clock.advance(1000);
    expect([settled, admission.pendingCount]).toEqual([[`${often} added`], 0]);
    expect(clock.timerCount).toBe(0);
  });

  it("tries nothing again after the deadline of an add, nor after an answer that waiting does not mend", async () => {
    const { engine, add, failed, settle } = setup();
    const { clock } = engine.ports;
    const reasons = ["disconnected", "timeout", "server_busy", "out_of_memory", "closed"] as const;
    for (const code of reasons) {
      engine.answer = () => {
        throw new EchoMQError(code, "it is so");
      };
      const asked = engine.asks.length;
      const id = add({}, clock.now() + 1000);
      await settle();
      await clock.advance(5000);
      expect(failed.at(-1)).toMatchObject({ code, details: { id } });
      expect(engine.asks.length - asked, code).toBe(code === "out_of_memory" || code === "closed" ? 1 : 6);
      engine.answer = () => [];
      add();
      await settle();
    }
    expect(clock.timerCount).toBe(0);
  });

  it("counts what rests as waiting, and ends it with its last error when it is told to stop", async () => {
    const { engine, admission, add, failed, errors, settle } = setup(2);
    engine.answer = () => {
      throw away();
    };
    const ids = [add({}, Number.MAX_SAFE_INTEGER), add({}, Number.MAX_SAFE_INTEGER)];
    await settle();
    expect((await errorOf(() => admission.assertRoom(1))).code).toBe("overloaded");
    let isIdle = false;
    void admission.idle().then(() => {
      isIdle = true;
    });
    admission.stopRetrying();
    await settle();
    expect(failed.map(({ code, details }) => [code, details["id"]])).toEqual(ids.map((id) => ["disconnected", id]));
    expect([isIdle, errors.length, engine.ports.clock.timerCount]).toEqual([true, 1, 0]);
  });
});
