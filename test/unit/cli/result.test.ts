/** `echomq result`, and `add --wait`: the result to the output, every other ending as a word and a code. */

import { describe, expect, it } from "vitest";
import { setupStore } from "./store.ts";

const ABSENT = "JOB0Nb1VTbfnu4";

function setup() {
  const store = setupStore();
  const claim = async () => {
    const job = await store.jobs.claim("mail", 30_000);
    return { id: job?.id ?? "", token: job?.attempts ?? 0 };
  };
  /** Ends the next job as soon as it is there and somebody waits for it. */
  const endNext = async (end: (id: string, token: number) => Promise<unknown>) => {
    for (;;) {
      const [id] = (await store.engine.command(["ZRANGE", "emq:{mail}:pending", "0", "0"])) as string[];
      if (id !== undefined && (await store.engine.command(["HEXISTS", `emq:{mail}:job:${id}`, "wait"])) === 1) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { id, token } = await claim();
    await end(id, token);
  };
  return { ...store, claim, endNext };
}

describe("result", () => {
  it("prints the result of a kept job as JSON and nothing else", async () => {
    const { run, runJson, queue, jobs, claim } = setup();
    const { id } = await queue.add("welcome", {});
    const { token } = await claim();
    await jobs.complete("mail", id, token, '{"sent":[1,"ü"]}', { count: 1, ms: 0 });
    expect(await run(["result", "mail", id])).toEqual({ code: 0, out: '{"sent":[1,"ü"]}\n', err: "" });
    const { json } = await runJson(["result", "mail", id]);
    expect(json).toEqual({ queue: "mail", id, outcome: "completed", result: { sent: [1, "ü"] } });
  });

  it("tells of a dead job by its error, and ends with 1", async () => {
    const { run, runJson, addDead } = setup();
    const id = await addDead();
    const { code, out, err } = await run(["result", "mail", id]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(`dead  ${id} no such address\n`);
    expect((await runJson(["result", "mail", id])).json).toMatchObject({ outcome: "dead", error: "no such address" });
  });

  it("does not wait unless it is asked to", async () => {
    const { runJson, queue } = setup();
    const { id } = await queue.add("welcome", {});
    expect(await runJson(["result", "mail", id])).toMatchObject({ code: 1, json: { outcome: "unfinished" } });
    expect(await runJson(["result", "mail", ABSENT])).toMatchObject({ code: 1, json: { outcome: "gone" } });
  });

  it("waits with --wait, and finds the result although the row goes", async () => {
    const { run, jobs, queue, endNext } = setup();
    const { id } = await queue.add("welcome", {});
    const running = run(["result", "mail", id, "--wait"]);
    await endNext((own, token) => jobs.complete("mail", own, token, "7"));
    expect(await running).toEqual({ code: 0, out: "7\n", err: "" });
  });

  it("gives up after its timeout", async () => {
    const { runJson, queue } = setup();
    const { id } = await queue.add("welcome", {});
    const { code, json } = await runJson(["result", "mail", id, "--wait", "--timeout", "10ms"]);
    expect([code, json]).toEqual([1, { queue: "mail", id, outcome: "unfinished" }]);
  });

  it("refuses a time to wait where it is not told to wait", async () => {
    const { run } = setup();
    const { code, err } = await run(["result", "mail", ABSENT, "--timeout", "5s"]);
    expect([code, err]).toEqual([2, expect.stringContaining("--timeout goes with --wait")]);
  });
});

describe("add --wait", () => {
  it("prints what the handler returned, and null for nothing", async () => {
    const { run, jobs, endNext } = setup();
    const running = run(["add", "mail", "welcome", '{"to":"ada"}', "--wait"]);
    await endNext((id, token) => jobs.complete("mail", id, token, '"sent"'));
    expect(await running).toEqual({ code: 0, out: '"sent"\n', err: "" });
    const second = run(["add", "mail", "welcome", "--wait", "--timeout", "1m"]);
    await endNext((id, token) => jobs.complete("mail", id, token));
    expect(await second).toEqual({ code: 0, out: "null\n", err: "" });
  });

  it("ends with 1 when the job dies", async () => {
    const { runJson, jobs, endNext } = setup();
    const running = runJson(["add", "mail", "welcome", "--wait"]);
    await endNext((id, token) => jobs.retry("mail", id, token, { delayMs: 0, maxAttempts: 1, error: "no" }));
    expect(await running).toMatchObject({ code: 1, json: { queue: "mail", outcome: "dead", error: "no" } });
  });

  it.each([
    [["--wait", "--file", "-"], "--wait is of one job"],
    [["--timeout", "5s"], "--timeout goes with --wait"],
    [["--file", "-", "--timeout", "5s"], "--timeout goes with --wait"],
    [["--wait", "--timeout", "soon"], "--timeout must be"],
  ])("refuses %j", async (options, text) => {
    const { run } = setup();
    const { code, err } = await run(["add", "mail", "welcome", ...options]);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});
