/** The commands that change jobs and queues: remove, promote, delay, priority, cancel, retry, pause, resume. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

const ABSENT = "JOB0Nb1VTbfnu4";

describe("one job", () => {
  it("is removed", async () => {
    const { run, runJson, queue } = setupStore();
    const { id } = await queue.add("welcome", {});
    expect(await run(["remove", "mail", id])).toEqual({ code: 0, out: `ok  ${id} is removed\n`, err: "" });
    expect(await runJson(["remove", "mail", id])).toEqual({
      code: 1,
      json: { queue: "mail", id, outcome: "gone" },
      err: "",
    });
  });

  it("that is locked is removed by force only", async () => {
    const { run, queue, engine } = setupStore();
    const { id } = await queue.add("welcome", {});
    await engine.command(["HSET", `emq:{mail}:job:${id}`, "lock", "1"]);
    await engine.command(["SET", `emq:{mail}:job:${id}:lock`, "1"]);
    const refused = await run(["remove", "mail", id]);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("locked");
    expect((await run(["remove", "mail", id, "--force"])).code).toBe(0);
  });

  it("is promoted when it is scheduled", async () => {
    const { run, runJson, queue } = setupStore();
    const { id } = await queue.add("welcome", {}, { delay: "1h" });
    expect(await run(["promote", "mail", id])).toEqual({ code: 0, out: `ok  ${id} is pending now\n`, err: "" });
    expect(await queue.getState(id)).toBe("pending");
    expect((await runJson(["promote", "mail", id])).json).toMatchObject({ outcome: "not_scheduled" });
  });

  it("that is scheduled falls due at another time", async () => {
    const { run, runJson, queue, jobs } = setupStore();
    const { id } = await queue.add("welcome", {}, { delay: "1h" });
    expect(await run(["delay", "mail", id, "1d"])).toEqual({ code: 0, out: `ok  ${id} falls due in 1d\n`, err: "" });
    expect(await jobs.promote("mail", 10)).toBe(0);
    expect((await runJson(["delay", "mail", id, "0ms"])).json).toEqual({ queue: "mail", id, outcome: "ok" });
    expect(await jobs.promote("mail", 10)).toBe(1);
    expect(await runJson(["delay", "mail", id, "5m"])).toMatchObject({ code: 1, json: { outcome: "not_scheduled" } });
  });

  it("that waits gets another priority, flat or in a lane", async () => {
    const { run, runJson, queue, jobs } = setupStore();
    const { id: first } = await queue.add("welcome", {});
    const { id: second } = await queue.add("welcome", {});
    const { id: laned } = await queue.add("welcome", {}, { lane: "acme" });
    expect((await run(["priority", "mail", first, "7"])).out).toBe(`ok  ${first} has the priority 7\n`);
    expect((await runJson(["priority", "mail", laned, "3"])).json).toEqual({ queue: "mail", id: laned, outcome: "ok" });
    expect((await queue.getJob(laned))?.priority).toBe(3);
    expect((await jobs.claim("mail", 30_000))?.id).toBe(second);
    const { code, json } = await runJson(["priority", "mail", second, "1"]);
    expect([code, json]).toEqual([1, { queue: "mail", id: second, outcome: "not_waiting" }]);
  });

  it.each([
    [["delay", "mail", ABSENT, "soon"], "invalid_option"],
    [["delay", "mail", ABSENT], "usage"],
    [["priority", "mail", ABSENT, "-1"], "usage"],
    [["priority", "mail", ABSENT, "2097153"], "usage"],
  ])("is not changed by %j", async (args, expected) => {
    const { runJson } = setupStore();
    expect(await runJson(args)).toMatchObject({ code: 2, json: { error: { code: expected } } });
  });

  it("is removed by cancel while it waits, and marked with the reason while it runs", async () => {
    const { run, runJson, queue, jobs } = setupStore();
    const first = await queue.add("welcome", {});
    expect((await run(["cancel", "mail", first.id])).out).toBe(`removed  ${first.id} had not begun and is removed\n`);
    const second = await queue.add("welcome", {});
    await jobs.claim("mail", 30_000);
    const { code, json } = await runJson(["cancel", "mail", second.id, "--reason", "wrong address"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ outcome: "marked" });
    expect((await jobs.getRow("mail", second.id))?.get("cancel")).toBe("wrong address");
  });

  it("is not cancelled for a reason that is too long", async () => {
    const { runJson, queue, jobs } = setupStore();
    const { id } = await queue.add("welcome", {});
    const told = await runJson(["cancel", "mail", id, "--reason", "x".repeat(5000)]);
    expect(told).toMatchObject({ code: 2, json: { error: { code: "invalid_option" } } });
    expect(await jobs.getState("mail", id)).toBe("pending");
  });

  it("that is dead waits again", async () => {
    const { run, queue, addDead } = setupStore();
    const id = await addDead();
    expect(await run(["retry", "mail", id])).toEqual({ code: 0, out: `ok  ${id} waits again\n`, err: "" });
    expect(await queue.getState(id)).toBe("pending");
    expect((await run(["retry", "mail", id])).code).toBe(1);
  });

  it.each([["remove"], ["promote"], ["cancel"], ["retry"], ["delay", "5m"], ["priority", "3"]])(
    "that is not there lets %s end with 1",
    async (command, ...rest) => {
      const { run, runJson } = setupStore();
      const { code, out } = await run([command, "mail", ABSENT, ...rest]);
      expect([code, out]).toEqual([1, `gone  ${ABSENT} is not there: it was completed or removed, or never added\n`]);
      expect((await runJson([command, "mail", ABSENT, ...rest])).json).toEqual({
        queue: "mail",
        id: ABSENT,
        outcome: "gone",
      });
    },
  );
});

describe("retry --all", () => {
  async function setupDead(count: number) {
    const store = setupStore();
    await store.queue.addBulk(Array.from({ length: count }, (_, n) => ({ name: "welcome", data: { n } })));
    for (let left = count; left > 0; left -= 1000) {
      const claimed = await store.jobs.claimBatch("mail", 1000, 30_000);
      const failure = { delayMs: 0, maxAttempts: 1, error: "no" };
      await Promise.all(claimed.map(({ id, attempts }) => store.jobs.retry("mail", id, attempts, failure)));
    }
    expect(await store.queue.getJobCounts("dead", "pending")).toEqual({ dead: count, pending: 0 });
    return store;
  }

  it("lets every dead job wait again, in slices, and tells how far it is", async () => {
    const { run, queue } = await setupDead(1700);
    const { code, out } = await run(["retry", "mail", "--all"]);
    expect(code).toBe(0);
    expect(out).toBe("1700 of 1700 jobs\nok  1700 dead jobs wait again\n");
    expect(await queue.getJobCounts("dead", "pending")).toEqual({ dead: 0, pending: 1700 });
  });

  it("is one JSON document, also when there is none", async () => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["retry", "mail", "--all"]);
    expect(code).toBe(0);
    expect(json).toEqual({ queue: "mail", retried: 0, isInterrupted: false });
  });

  it("takes up no job twice that dies again at once", async () => {
    const { runJson, jobs, openEngine } = await setupDead(700);
    const dying = openEngine({ url: "", isReadonly: false, wireVersion: undefined, logger: console });
    const act = dying.act.bind(dying);
    // Whatever is brought back is claimed and dies within the same step.
    dying.act = async (verb, keys, args) => {
      const reply = await act(verb, keys, args);
      if (verb === "REVIVE") {
        const failure = { delayMs: 0, maxAttempts: 1, error: "no" };
        for (const { id, attempts } of await jobs.claimBatch("mail", 700, 30_000)) {
          await jobs.retry("mail", id, attempts, failure);
        }
      }
      return reply;
    };
    const { json } = await runJson(["retry", "mail", "--all"], { openEngine: () => dying });
    expect(json).toMatchObject({ retried: 700 });
    expect(await jobs.getCounts("mail", ["dead"])).toEqual({ dead: 700 });
  });

  it("ends between two slices at Ctrl-C with 130", async () => {
    const { openEngine, queue } = await setupDead(1700);
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
    const engine = openEngine({ url: "", isReadonly: false, wireVersion: undefined, logger: console });
    const act = engine.act.bind(engine);
    engine.act = (verb, keys, args) => {
      if (verb === "REVIVE") host.interrupt();
      return act(verb, keys, args);
    };
    const once = { ...host, abandon: () => {} };
    expect(await runCli(["retry", "mail", "--all", "--json"], once, () => engine)).toBe(130);
    expect(JSON.parse(host.stdout())).toEqual({ queue: "mail", retried: 100, isInterrupted: true });
    expect((await queue.getJobCounts("dead")).dead).toBe(1600);
  });

  it.each([[[]], [["--all", ABSENT]]])("needs an id or --all, not %j", async (rest) => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["retry", "mail", ...rest]);
    expect(code).toBe(2);
    expect(json).toMatchObject({ error: { code: "usage" } });
  });
});

describe("a queue", () => {
  it("is paused and resumed", async () => {
    const { run, runJson, queue } = setupStore();
    expect((await run(["pause", "mail"])).out).toBe("paused: no job starts until it is resumed\n");
    expect(await queue.isPaused()).toBe(true);
    expect(await run(["resume", "mail"])).toEqual({ code: 0, out: "resumed\n", err: "" });
    expect(await queue.isPaused()).toBe(false);
    expect((await runJson(["pause", "mail"])).json).toEqual({ queue: "mail", isPaused: true });
    expect((await runJson(["resume", "mail"])).json).toEqual({ queue: "mail", isPaused: false });
  });
});
