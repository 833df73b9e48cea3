/** The commands that only look: counts, queues, jobs, dead, job, logs, explain, workers. */

import { describe, expect, it } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import { setupStore } from "./store.ts";

const ABSENT = "JOB0Nb1VTbfnu4";

describe("counts", () => {
  it("uses the words of the wire and tells of a pause", async () => {
    const { run, runJson, queue, addDead } = setupStore();
    await addDead();
    await queue.add("welcome", {}, { delay: "5m" });
    await queue.pause();
    expect((await run(["counts", "mail"])).out).toBe(
      "mail  paused\n  pending    0\n  lanes      0\n  active     0\n  schedule   1\n  awaiting   0\n  dead       1\n  completed  0\n  failed     1\n",
    );
    const { code, json } = await runJson(["counts", "mail"]);
    expect(code).toBe(0);
    expect(json).toEqual({
      queue: "mail",
      isPaused: true,
      counts: { pending: 0, lanes: 0, active: 0, schedule: 1, awaiting: 0, dead: 1, completed: 0, failed: 1 },
    });
  });

  it("tell the age of the oldest job that waits, and what ended lately, when they are asked", async () => {
    const { run, runJson, queue, addDead } = setupStore();
    expect((await run(["counts", "mail", "--oldest"])).out).toContain("  oldest     none waits\n");
    expect((await runJson(["counts", "mail", "--oldest"])).json).toMatchObject({ oldestPendingAgeMs: null });
    await addDead();
    await queue.add("welcome", {}, { lane: "acme" });
    const { json } = await runJson(["counts", "mail", "--oldest", "--minutes", "3"]);
    const { oldestPendingAgeMs, minutes } = json as { oldestPendingAgeMs: number; minutes: { failed: number }[] };
    expect(oldestPendingAgeMs).toBeGreaterThanOrEqual(0);
    expect(minutes).toHaveLength(3);
    // It died in the minute that runs, or in the one that ended since.
    expect(minutes.reduce((sum, { failed }) => sum + failed, 0)).toBe(1);
    const { out } = await run(["counts", "mail", "--oldest", "--minutes", "2"]);
    expect(out).toMatch(/ {2}oldest {5}waits \d+\w/);
    expect(out.match(/ {2}\d{4}-\d\d-\d\dT\d\d:\d\dZ {2}0 completed {2}[01] failed\n/g)).toHaveLength(2);
    expect((await runJson(["counts", "mail", "--minutes", "241"])).code).toBe(2);
  });

  it("are zero for a queue that has nothing left", async () => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["counts", "mail"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ queue: "mail", isPaused: false, counts: { pending: 0, dead: 0 } });
  });
});

describe("jobs", () => {
  async function setupPage() {
    const store = setupStore();
    const items = Array.from({ length: 5 }, (_, at) => ({ name: "welcome", data: { n: at } }));
    const jobs = await store.queue.addBulk(items);
    return { ...store, ids: jobs.map(({ id }) => id) };
  }

  it("lists a page of what runs next, with the command for the next page", async () => {
    const { run, ids } = await setupPage();
    const { code, out } = await run(["jobs", "mail", "pending", "--limit", "2"]);
    const lines = out.split("\n");
    expect(code).toBe(0);
    expect(lines.map((line) => line.slice(0, 14)).slice(0, 2)).toEqual([ids[0], ids[1]]);
    expect(lines.slice(2)).toEqual([
      "2 of 5 pending jobs",
      `next: echomq jobs mail pending --limit 2 --cursor 0:${ids[1]}`,
      "",
    ]);
  });

  it.each(["first", "last"])(
    "goes through all pages from the %s, each job once, and ends with the list",
    async (from) => {
      const { runJson, ids, queue } = await setupPage();
      const seen: string[] = [];
      const rest: string[] = [];
      for (;;) {
        const { json } = await runJson(["list", "mail", "--state", "pending", "--limit", "2", "--from", from, ...rest]);
        const page = json as { next: string | null; total: number; jobs: { id: string }[] };
        seen.push(...page.jobs.map(({ id }) => id));
        if (page.next === null) break;
        // Whoever leaves from the front moves no place behind it.
        await queue.remove(page.jobs[0]?.id ?? "");
        rest.splice(0, 2, "--cursor", page.next);
      }
      expect(seen).toEqual(from === "first" ? ids : [...ids].reverse());
    },
  );

  it("has no next page when a page ends with the list", async () => {
    const { runJson } = await setupPage();
    const { json } = await runJson(["jobs", "mail", "pending", "--limit", "5"]);
    expect(json).toMatchObject({ total: 5, jobs: { length: 5 }, next: null });
  });

  it("can be typed on from its last line, whatever the names", async () => {
    const { run, queue } = setupStore();
    for (let n = 0; n < 3; n++) await queue.add("welcome", { n }, { lane: "it's me" });
    const first = await run(["jobs", "mail", "pending", "--lane", "it's me", "--limit", "1", "--full"]);
    const line = first.out.trimEnd().split("\n").at(-1) ?? "";
    expect(line).toContain(` --limit 1 --lane 'it'\\''s me' --full --cursor 0:`);
    const cursor = line.split(" ").at(-1) ?? "";
    const second = await run([
      "jobs",
      "mail",
      "pending",
      "--lane",
      "it's me",
      "--limit",
      "1",
      "--full",
      "--cursor",
      cursor,
    ]);
    expect(second.out).toContain('{"n":1}');
    expect(second.out).toContain("1 of 3 pending jobs of the lane\n");
  });

  it("lists the newest of the dead first, by two names", async () => {
    const { run, runJson, addDead } = setupStore();
    const ids = [await addDead(), await addDead(), await addDead()];
    const idsOf = (json: unknown) => (json as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
    const dead = await runJson(["dead", "mail"]);
    expect(idsOf(dead.json)).toEqual([...ids].reverse());
    expect(await runJson(["jobs", "mail", "dead"])).toEqual(dead);
    expect(idsOf((await runJson(["dead", "mail", "--from", "first"])).json)).toEqual(ids);
    expect((await run(["dead", "mail", "--limit", "1"])).out).toContain(
      `next: echomq dead mail --limit 1 --cursor 0:${ids[2]}\n`,
    );
  });

  it("lists jobs that are kept after their end", async () => {
    const { runJson, queue, jobs } = setupStore();
    const { id } = await queue.add("welcome", {});
    const claimed = await jobs.claim("mail", 30_000);
    await jobs.complete("mail", id, claimed?.attempts ?? 0, "7", { count: 5, ms: 60_000 });
    const { json } = await runJson(["jobs", "mail", "completed"]);
    expect(json).toMatchObject({ state: "completed", total: 1, jobs: [{ id, state: "completed" }] });
  });

  it("lists by age, over as many pages as it takes", async () => {
    const { run, runJson, ids } = await setupPage();
    const old = await runJson(["jobs", "mail", "pending", "--older-than", "1h", "--limit", "2"]);
    expect(old.json).toMatchObject({ total: 5, jobs: [], next: null });
    const young = await runJson([
      "jobs",
      "mail",
      "pending",
      "--newer-than",
      "1h",
      "--older-than",
      "0ms",
      "--limit",
      "2",
    ]);
    expect(young.json).toMatchObject({ jobs: [{ id: ids[0] }, { id: ids[1] }], next: expect.any(String) as unknown });
    expect((await run(["jobs", "mail", "pending", "--newer-than", "90m", "--limit", "4"])).out).toContain(
      `4 of that age; 5 pending jobs in all\nnext: echomq jobs mail pending --limit 4 --newer-than 90m --cursor 0:${ids[3]}\n`,
    );
  });

  it("shows why jobs are dead, in lines that fit", async () => {
    const { run, addDead } = setupStore();
    await addDead();
    const wide = await run(["jobs", "mail", "dead"], { columns: 200 });
    expect(wide.out).toContain("attempts 1  welcome  error: no such address");
    const narrow = await run(["jobs", "mail", "dead"], { columns: 40 });
    expect(narrow.out.split("\n")[0]).toHaveLength(40);
    expect(narrow.out.split("\n")[0]).toMatch(/…$/);
    const full = await run(["jobs", "mail", "dead", "--full"], { columns: 40 });
    expect(full.out).toContain("no such address");
  });

  it("says that there are none", async () => {
    const { run } = setupStore();
    expect(await run(["jobs", "mail", "active"])).toEqual({ code: 0, out: "none of 0 active jobs\n", err: "" });
  });

  it.each([
    ["waiting", "use pending"],
    ["delayed", "use scheduled"],
    ["failed", "use dead"],
    ["toString", "use pending, active, scheduled, awaiting_children, dead, completed"],
  ])("refuses the word %s with the word to use", async (word, advice) => {
    const { run } = setupStore();
    const { code, err } = await run(["jobs", "mail", word]);
    expect(code).toBe(2);
    expect(err).toContain(advice);
  });

  it.each([
    [["pending", "--limit", "0"], "usage"],
    [["pending", "--limit", "1001"], "usage"],
    [["pending", "--from", "middle"], "usage"],
    [["pending", "--cursor", "5"], "invalid_option"],
    [["pending", "--older-than", "5"], "invalid_option"],
    [["dead", "--lane", "acme"], "usage"],
    [["pending", "--lane", ""], "invalid_lane"],
    [["pending", "--state", "pending"], "usage"],
    [[], "usage"],
  ])("refuses %j with %s", async (rest, expected) => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["jobs", "mail", ...rest]);
    expect(code).toBe(2);
    expect(json).toMatchObject({ error: { code: expected } });
  });
});

describe("queues", () => {
  it("lists names, one a line, so that they can be piped on", async () => {
    const { run, runJson, queue, engine } = setupStore({ isBare: true });
    expect(await run(["queues"])).toEqual({ code: 0, out: "no queue here\n", err: "" });
    expect((await runJson(["queues"])).json).toEqual({ queues: [] });
    await queue.add("welcome", {});
    const other = new QueueCore("other", { engine, release: () => Promise.resolve() });
    await other.add("welcome", {});
    expect((await run(["queues"])).out).toBe("mail\nother\n");
    expect((await runJson(["queues"])).json).toEqual({ queues: [{ queue: "mail" }, { queue: "other" }] });
  });

  it("counts what is in them", async () => {
    const { run, runJson, queue, addDead } = setupStore();
    await addDead();
    await queue.add("welcome", {}, { lane: "acme" });
    await queue.pause();
    expect((await run(["queues", "--counts"])).out).toBe(
      "      pending  lanes  active  schedule  awaiting  dead  completed  failed\n" +
        "mail        0      1       0         0         0     1          0       1  paused\n",
    );
    const counts = { pending: 0, lanes: 1, active: 0, schedule: 0, awaiting: 0, dead: 1, completed: 0, failed: 1 };
    expect((await runJson(["queues", "--counts"])).json).toEqual({
      queues: [{ queue: "mail", isPaused: true, counts }],
    });
  });

  it("finds queues that are in no list by looking through all keys", async () => {
    const { run, queue, engine } = setupStore();
    await queue.add("welcome", {});
    await engine.command(["ZADD", "emq:{foreign}:pending", "0", ABSENT]);
    expect((await run(["queues"])).out).toBe("mail\n");
    expect((await run(["queues", "--scan"])).out).toBe("foreign\nmail\n");
  });
});

describe("job", () => {
  it("shows everything that applies to it", async () => {
    const { run, runJson, queue } = setupStore();
    const { id } = await queue.add("welcome", { to: "ada" }, { priority: 3, lane: "eu", attempts: 5, delay: "1h" });
    const { code, out } = await run(["job", "mail", id]);
    expect(code).toBe(0);
    expect(out.replace(/created {3}\S+/, "created   …")).toBe(
      `${id}  welcome\n  state     scheduled\n  created   …\n  attempts  0\n  priority  3\n  lane      eu\n` +
        `  options   {"attempts":5,"delayMs":3600000}\n  data      {"to":"ada"}\n`,
    );
    const { json } = await runJson(["job", "mail", id]);
    expect(json).toEqual({
      queue: "mail",
      id,
      name: "welcome",
      state: "scheduled",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      attempts: 0,
      priority: 3,
      lane: "eu",
      stalled: 0,
      deferred: 0,
      options: { attempts: 5, delayMs: 3_600_000 },
      data: { to: "ada" },
    });
  });

  it("cuts its payload at the width, and with --full nothing", async () => {
    const { run, queue } = setupStore();
    const { id } = await queue.add("welcome", { text: "x".repeat(500) });
    const cut = (await run(["job", "mail", id], { columns: 60 })).out.split("\n");
    expect(cut.find((line) => line.includes("data"))).toHaveLength(60);
    const full = (await run(["job", "mail", id, "--full"], { columns: 60 })).out;
    expect(full).toContain("x".repeat(500));
  });

  it("moves no cursor with what it shows", async () => {
    const { run, jobs } = setupStore();
    await jobs.enqueue("mail", ABSENT, "\u001b[2J\u0007 no JSON");
    const { out } = await run(["job", "mail", ABSENT], { columns: 80 });
    expect(out).toContain("\\u001b[2J\\u0007 no JSON");
    expect(out).not.toContain("\u0007");
  });

  it("gives bytes that are no JSON as base64, and their number to people", async () => {
    const { run, runJson, jobs } = setupStore();
    await jobs.enqueue("mail", ABSENT, new Uint8Array([0, 255, 1]));
    expect((await runJson(["job", "mail", ABSENT])).json).toMatchObject({ payloadBase64: "AP8B" });
    expect((await run(["job", "mail", ABSENT])).out).toContain("3 bytes that are no text");
  });

  it("shows fields that other programs use", async () => {
    const { run, jobs, engine } = setupStore();
    await jobs.enqueue("mail", ABSENT, "1");
    await engine.command(["HSET", `emq:{mail}:job:${ABSENT}`, "parent", "JOB0Nb1VTbfnu5"]);
    expect((await run(["job", "mail", ABSENT])).out).toContain("parent    JOB0Nb1VTbfnu5");
  });

  it("that is not there ends with 1", async () => {
    const { run, runJson } = setupStore();
    expect(await run(["job", "mail", ABSENT])).toEqual({
      code: 1,
      out: "",
      err: `${ABSENT} is not there: it was completed or removed, or never added\n`,
    });
    expect(await runJson(["job", "mail", ABSENT])).toEqual({
      code: 1,
      json: { queue: "mail", id: ABSENT, state: "absent" },
      err: "",
    });
  });
});

describe("logs", () => {
  it("are printed oldest first, each as one line", async () => {
    const { run, runJson, queue } = setupStore();
    const { id } = await queue.add("welcome", {});
    await queue.log(id, "first");
    await queue.log(id, "second\nline");
    expect(await run(["logs", "mail", id])).toEqual({ code: 0, out: "first\nsecond\\u000aline\n", err: "" });
    expect((await runJson(["logs", "mail", id])).json).toEqual({
      queue: "mail",
      id,
      outcome: "ok",
      lines: ["first", "second\nline"],
    });
  });

  it("of a job that is not there end with 1", async () => {
    const { run, runJson } = setupStore();
    const { code, out, err } = await run(["logs", "mail", ABSENT]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("is not there");
    expect((await runJson(["logs", "mail", ABSENT])).json).toMatchObject({ outcome: "gone", lines: [] });
  });
});

describe("explain", () => {
  it("says what keeps a job from running, the nearest reason first", async () => {
    const { run, runJson, queue } = setupStore();
    const { id } = await queue.add("welcome", {});
    await queue.pause();
    const { code, out, err } = await run(["explain", "mail", id]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      `${id}  pending\n  The queue is paused: resume it.\n  No worker is known to ask for work of this queue.\n`,
    );
    expect((await runJson(["explain", "mail", id])).json).toMatchObject({
      queue: "mail",
      id,
      state: "pending",
      reasons: [{ kind: "paused" }, { kind: "no-worker" }],
      text: "The queue is paused: resume it. No worker is known to ask for work of this queue.",
    });
  });

  it("prints the error of a dead job as one line", async () => {
    const { run, queue, jobs } = setupStore();
    const { id } = await queue.add("welcome", {});
    await jobs.claim("mail", 30_000);
    await jobs.retry("mail", id, 1, { delayMs: 0, maxAttempts: 1, error: "first\nsecond\u001b[31m" });
    const { out } = await run(["explain", "mail", id]);
    expect(out.split("\n")).toHaveLength(3);
    expect(out).not.toContain("\u001b");
  });

  it("ends with 1 for a job that is not there", async () => {
    const { run, runJson } = setupStore();
    const { code, out } = await run(["explain", "mail", ABSENT]);
    expect(code).toBe(1);
    expect(out).toContain("There is no job of this id");
    expect(await runJson(["explain", "mail", ABSENT])).toMatchObject({
      code: 1,
      json: { reasons: [{ kind: "absent" }] },
    });
  });
});

describe("workers", () => {
  it("are listed, the one that asked last first", async () => {
    const { run, runJson, jobs } = setupStore();
    expect((await run(["workers", "mail"])).out).toBe("no worker is known to ask for work of this queue\n");
    const ask = (worker: string, concurrency: number, names?: readonly string[]) =>
      jobs.turn("mail", { worker, leaseMs: 1, want: 0, presence: { beatMs: 1000, concurrency, names } });
    await ask("host:1:a", 4, ["welcome", "digest"]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await ask("host:2:b", 20);
    const lines = (await run(["workers", "mail"])).out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^host:2:b {2}asked \d{4}-\S+Z {2}20 at once {2}all names$/);
    expect(lines[1]).toMatch(/^host:1:a {2}asked \d{4}-\S+Z {2}4 at once {2}welcome, digest$/);
    expect((await runJson(["workers", "mail"])).json).toMatchObject({
      queue: "mail",
      workers: [
        { id: "host:2:b", beatMs: 1000, concurrency: 20 },
        { id: "host:1:a", names: ["welcome", "digest"] },
      ],
    });
  });

  it("can be paused one by one, which they hear with their next turn, and resumed", async () => {
    const { run, runJson, jobs } = setupStore();
    const ask = async (worker: string) =>
      await jobs.turn("mail", { worker, leaseMs: 1, want: 1, presence: { beatMs: 1000, concurrency: 1 } });
    await ask("host:1:a");
    await ask("host:2:b");
    const paused = await run(["workers", "mail", "--pause", "host:1:a"]);
    expect(paused).toEqual({ code: 0, out: "ok  host:1:a takes no further jobs\n", err: "" });
    expect((await run(["workers", "mail"])).out).toMatch(/^host:1:a .* {2}paused$/m);
    expect([(await ask("host:1:a")).isPaused, (await ask("host:2:b")).isPaused]).toEqual([true, false]);
    expect(await runJson(["workers", "mail", "--pause", "host:1:a"])).toMatchObject({
      code: 0,
      json: { queue: "mail", outcome: "unchanged" },
    });
    expect((await run(["workers", "mail", "--resume", "host:1:a"])).out).toBe("ok  host:1:a takes jobs again\n");
    expect((await ask("host:1:a")).isPaused).toBe(false);
    expect(await runJson(["workers", "mail", "--pause", "host:9:z"])).toMatchObject({
      code: 1,
      json: { outcome: "gone" },
    });
    const both = await run(["workers", "mail", "--pause", "host:1:a", "--resume", "host:1:a"]);
    expect([both.code, both.out]).toEqual([2, ""]);
    expect(both.err).toContain("--resume");
  });
});
