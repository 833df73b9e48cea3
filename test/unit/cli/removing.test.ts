/** The commands that remove many jobs: drain, clean, obliterate, and the question before them. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

const NOBODY = {
  code: 2,
  json: { error: { code: "needs_yes", message: expect.stringContaining("--yes") as unknown } },
};

/** Two flat pending jobs, three in lanes, one scheduled, one dead. */
async function setupFull() {
  const store = setupStore();
  const { queue } = store;
  await store.addDead();
  for (let n = 0; n < 2; n++) await queue.add("welcome", { n });
  for (const lane of ["acme", "acme", "globex"]) await queue.add("welcome", {}, { lane });
  await queue.add("welcome", {}, { delay: "1h" });
  return { ...store, counts: () => queue.getJobCounts("pending", "lanes", "schedule", "dead") };
}

const FULL = { pending: 2, lanes: 3, schedule: 1, dead: 1 };

describe("the question", () => {
  it.each([
    [["drain", "mail"], "Remove 2 pending jobs of mail, for good? [y/N] "],
    [
      ["drain", "mail", "--lanes", "--schedule"],
      "Remove 6 jobs of mail (2 pending, 3 in lanes, 1 scheduled), for good? [y/N] ",
    ],
    [["drain", "mail", "--lane", "acme"], "Remove 2 pending jobs of the lane acme of mail, for good? [y/N] "],
    [["clean", "mail", "dead"], "Remove one dead job of mail, for good? [y/N] "],
    [
      ["clean", "mail", "--state", "pending", "--older-than", "0s", "--lane", "globex"],
      "Remove one pending job of the lane globex of mail, for good? [y/N] ",
    ],
    [
      ["obliterate", "mail", "--force"],
      "Remove the queue mail with 7 jobs (pending 2, lanes 3, schedule 1, dead 1), its settings and counters, " +
        "for good? [y/N] ",
    ],
  ])("of %j says what would go and how much of it, and no leaves everything", async (args, question) => {
    const { run, counts, queue } = await setupFull();
    for (const answer of ["", "n", "yeah", "mail"]) {
      expect(await run(args, { answer })).toEqual({ code: 1, out: "nothing was removed\n", err: question });
    }
    expect(await counts()).toEqual(FULL);
    expect(await queue.isPaused()).toBe(false);
  });

  it("is asked of nobody through a pipe or with --json, where --yes is needed", async () => {
    const { run, runJson, counts } = await setupFull();
    for (const args of [
      ["drain", "mail"],
      ["clean", "mail", "dead"],
      ["obliterate", "mail", "--force"],
    ]) {
      const piped = await run(args, { input: ["y\n"] });
      expect([piped.code, piped.out]).toEqual([2, ""]);
      expect(piped.err).toContain("--dry-run");
      expect(piped.err).toContain("[needs_yes]");
      expect(await runJson(args, { answer: "y" })).toMatchObject(NOBODY);
    }
    expect(await counts()).toEqual(FULL);
  });

  it("is refused before a server is asked for", async () => {
    const { runJson } = setupStore();
    const openEngine = () => {
      throw new Error("nobody should be connected to");
    };
    for (const args of [
      ["drain", "mail"],
      ["clean", "mail", "dead"],
      ["obliterate", "mail"],
    ]) {
      expect(await runJson(args, { openEngine, env: { ECHOMQ_URL: "valkey://store" } })).toMatchObject(NOBODY);
    }
  });

  it("is not asked when there is nothing to remove", async () => {
    const { run } = setupStore();
    const none = { code: 0, out: "nothing to remove\n", err: "" };
    expect(await run(["drain", "mail"], { answer: "n" })).toEqual(none);
    expect(await run(["clean", "mail", "dead"], { answer: "n" })).toEqual(none);
  });
});

describe("--dry-run", () => {
  it("tells what would go, asks nothing, needs the rights of a reader and removes nothing", async () => {
    const { run, runJson, counts, openEngine } = await setupFull();
    const asked: boolean[] = [];
    const options = {
      env: { ECHOMQ_URL: "valkey://store" },
      openEngine: (request: Parameters<typeof openEngine>[0]) => {
        asked.push(request.isReadonly);
        return openEngine(request);
      },
    };
    expect((await run(["drain", "mail", "--dry-run"], options)).out).toBe(
      "would remove 2 pending jobs of mail; 3 in lanes and 1 scheduled stay\n",
    );
    expect((await run(["clean", "mail", "dead", "--older-than", "7d", "--dry-run"], options)).out).toBe(
      "would remove 0 dead jobs of mail of at least 1w\n",
    );
    expect(await runJson(["obliterate", "mail", "--force", "--dry-run"], options)).toEqual({
      code: 0,
      json: {
        queue: "mail",
        force: true,
        outcome: "would-remove",
        found: 7,
        removed: 0,
        jobs: { pending: 2, lanes: 3, active: 0, schedule: 1, awaiting: 0, dead: 1, completed: 0 },
      },
      err: "",
    });
    expect(asked).toEqual([true, true, true]);
    expect(await counts()).toEqual(FULL);
  });
});

describe("drain", () => {
  it("takes the flat jobs, and says what stays", async () => {
    const { run, counts } = await setupFull();
    const { code, out } = await run(["drain", "mail", "--yes"]);
    expect([code, out]).toEqual([0, "ok  removed 2 jobs; 3 in lanes and 1 scheduled stay\n"]);
    expect(await counts()).toEqual({ ...FULL, pending: 0 });
  });

  it("takes lanes and the schedule when they are named, after a yes", async () => {
    const { run, runJson, counts } = await setupFull();
    expect(await runJson(["drain", "mail", "--lanes", "--yes"])).toMatchObject({
      code: 0,
      json: { queue: "mail", lanes: true, schedule: false, outcome: "removed", found: 5, removed: 5 },
    });
    expect((await run(["drain", "mail", "--schedule"], { answer: " Yes " })).out).toBe("ok  removed one job\n");
    expect(await counts()).toEqual({ pending: 0, lanes: 0, schedule: 0, dead: 1 });
  });

  it("takes one lane and no other", async () => {
    const { runJson, counts } = await setupFull();
    expect((await runJson(["drain", "mail", "--lane", "acme", "--yes"])).json).toEqual({
      queue: "mail",
      lane: "acme",
      outcome: "removed",
      found: 2,
      removed: 2,
    });
    expect(await counts()).toEqual({ ...FULL, lanes: 1 });
  });

  it("shows how far it is, and ends between two slices at Ctrl-C with 130", async () => {
    const { queue, engine, run, openEngine } = setupStore();
    const fill = async () => await queue.addBulk(Array.from({ length: 800 }, (_, n) => ({ name: "welcome", data: n })));
    await fill();
    expect((await run(["drain", "mail", "--yes"])).out).toBe("800 of 800 jobs\nok  removed 800 jobs\n");
    await fill();
    const bar = await run(["drain", "mail"], { columns: 80, answer: "y" });
    expect(bar.out).toContain("\r\u001b[2K");
    await fill();
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
    const request = { url: "", isReadonly: false, wireVersion: undefined, logger: console };
    const breaking = openEngine(request);
    breaking.act = (verb, keys, args) => {
      if (verb === "DRAIN") host.interrupt();
      return engine.act(verb, keys, args);
    };
    const once = { ...host, abandon: () => {} };
    expect(await runCli(["drain", "mail", "--yes", "--json"], once, () => breaking)).toBe(130);
    expect(JSON.parse(host.stdout())).toMatchObject({ outcome: "interrupted", found: 800, removed: 100 });
    expect((await queue.getJobCounts("pending")).pending).toBe(700);
  });

  it("refuses --lane beside what goes beyond a lane", async () => {
    const { runJson, counts } = await setupFull();
    for (const option of ["--lanes", "--schedule"]) {
      const ran = await runJson(["drain", "mail", "--lane", "acme", option, "--yes"]);
      expect(ran).toMatchObject({ code: 2, json: { error: { code: "usage" } } });
    }
    const unnamed = await runJson(["drain", "mail", "--lane", "a{b", "--yes"]);
    expect(unnamed).toMatchObject({ code: 2, json: { error: { code: "invalid_lane" } } });
    expect(await counts()).toEqual(FULL);
  });
});

describe("clean", () => {
  it("removes the jobs of a state by age, up to a limit", async () => {
    const { runJson, counts } = await setupFull();
    const young = await runJson(["clean", "mail", "--state", "dead", "--older-than", "7d", "--yes"]);
    expect(young).toMatchObject({ code: 0, json: { outcome: "nothing", found: 0, olderThanMs: 604_800_000 } });
    const limited = await runJson(["clean", "mail", "pending", "--older-than", "0ms", "--limit", "1", "--yes"]);
    expect(limited.json).toEqual({
      queue: "mail",
      state: "pending",
      olderThanMs: 0,
      outcome: "removed",
      found: 1,
      removed: 1,
    });
    expect((await runJson(["clean", "mail", "dead", "--yes"])).json).toMatchObject({ state: "dead", removed: 1 });
    expect(await counts()).toEqual({ ...FULL, pending: 1, dead: 0 });
  });

  it.each([
    [["clean", "mail"], "usage"],
    [["clean", "mail", "dead", "--state", "dead"], "usage"],
    [["clean", "mail", "active"], "unknown_state"],
    [["clean", "mail", "failed"], "unknown_state"],
    [["clean", "mail", "--state", "wait"], "unknown_state"],
    [["clean", "mail", "dead", "--older-than", "soon"], "invalid_option"],
    [["clean", "mail", "dead", "--older-than", "5"], "invalid_option"],
    [["clean", "mail", "dead", "--limit", "0"], "usage"],
    [["clean", "mail", "dead", "--lane", "acme"], "invalid_option"],
    [["clean", "mail", "pending", "--lane", ""], "invalid_lane"],
  ])("refuses %j with %s and removes nothing", async (args, expected) => {
    const { runJson, counts } = await setupFull();
    expect(await runJson([...args, "--yes"])).toMatchObject({ code: 2, json: { error: { code: expected } } });
    expect(await counts()).toEqual(FULL);
  });
});

describe("obliterate", () => {
  it("is refused while the queue runs or a job does, before the question", async () => {
    const { run, runJson, queue, jobs, counts } = await setupFull();
    const running = await run(["obliterate", "mail"], { answer: "y" });
    expect(running).toMatchObject({ code: 1, out: "" });
    expect(running.err).toBe("echomq: the queue is not paused: echomq pause mail, or give --force [not_paused]\n");
    await jobs.claim("mail", 30_000);
    await queue.pause();
    expect(await runJson(["obliterate", "mail", "--yes"])).toMatchObject({
      code: 1,
      json: { error: { code: "jobs_active", message: expect.stringContaining("one job is active") as unknown } },
    });
    expect((await counts()).dead).toBe(1);
  });

  it("leaves no key of the queue", async () => {
    const { run, queue, engine, jobs } = await setupFull();
    await queue.lane("acme").limit(3);
    await jobs.claim("mail", 30_000);
    const { code, out } = await run(["obliterate", "mail", "--force"], { answer: "y" });
    expect([code, out]).toEqual([0, "ok  the queue mail is gone\n"]);
    expect(await engine.command(["KEYS", "emq:{mail}:*"])).toEqual([]);
    await queue.pause();
    expect((await run(["obliterate", "mail", "--yes"])).code).toBe(0);
    expect(await engine.command(["KEYS", "emq:{mail}:*"])).toEqual([]);
  });

  it("tells how far it is, and goes on with the same line after Ctrl-C", async () => {
    const { queue, engine, run, openEngine } = setupStore();
    await queue.addBulk(Array.from({ length: 1200 }, (_, n) => ({ name: "welcome", data: n })));
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
    const breaking = openEngine({ url: "", isReadonly: false, wireVersion: undefined, logger: console });
    breaking.act = (verb, keys, args) => {
      if (verb === "OBLITERATE") host.interrupt();
      return engine.act(verb, keys, args);
    };
    const once = { ...host, abandon: () => {} };
    expect(await runCli(["obliterate", "mail", "--force", "--yes"], once, () => breaking)).toBe(130);
    expect(host.stdout()).toBe(
      "100 of 1200 jobs\n" +
        "interrupted: about 100 jobs are removed; the queue is paused, and the same command goes on\n",
    );
    expect(await queue.isPaused()).toBe(true);
    const { code, out } = await run(["obliterate", "mail", "--force", "--yes"]);
    expect([code, out]).toEqual([0, "1100 of 1100 jobs\nok  the queue mail is gone\n"]);
  });
});
