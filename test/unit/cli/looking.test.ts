/** The commands that only look: counts, jobs, job, logs. */

import { describe, expect, it } from "vitest";
import { setupStore } from "./store.ts";

const ABSENT = "JOB0Nb1VTbfnu4";

describe("counts", () => {
  it("uses the words of the wire and tells of a pause", async () => {
    const { run, runJson, queue, addDead } = setupStore();
    await addDead();
    await queue.add("welcome", {}, { delay: "5m" });
    await queue.pause();
    expect((await run(["counts", "mail"])).out).toBe(
      "mail  paused\n  pending    0\n  lanes      0\n  active     0\n  schedule   1\n  dead       1\n  completed  0\n  failed     1\n",
    );
    const { code, json } = await runJson(["counts", "mail"]);
    expect(code).toBe(0);
    expect(json).toEqual({
      queue: "mail",
      isPaused: true,
      counts: { pending: 0, lanes: 0, active: 0, schedule: 1, dead: 1, completed: 0, failed: 1 },
    });
  });

  it("are zero for a queue that nobody used", async () => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["counts", "other"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ queue: "other", isPaused: false });
  });
});

describe("jobs", () => {
  async function setupPage() {
    const store = setupStore();
    const items = Array.from({ length: 5 }, (_, at) => ({ name: "welcome", data: { n: at } }));
    const jobs = await store.queue.addBulk(items);
    return { ...store, ids: jobs.map(({ id }) => id) };
  }

  it("lists a page, newest first, with the command for the next", async () => {
    const { run, ids } = await setupPage();
    const { code, out } = await run(["jobs", "mail", "pending", "--limit", "2"]);
    const lines = out.split("\n");
    expect(code).toBe(0);
    expect(lines.map((line) => line.slice(0, 14)).slice(0, 2)).toEqual([ids[4], ids[3]]);
    expect(lines.slice(2)).toEqual([
      "0 to 1 of 5 pending jobs",
      "next: echomq jobs mail pending --start 2 --limit 2",
      "",
    ]);
  });

  it("goes through all pages and ends", async () => {
    const { runJson, ids } = await setupPage();
    const seen: string[] = [];
    let start: number | null = 0;
    while (start !== null) {
      const line = ["jobs", "mail", "pending", "--start", String(start), "--limit", "2", "--ascending"];
      const { json } = await runJson(line);
      const page = json as { next: number | null; total: number; jobs: { id: string }[] };
      expect(page.total).toBe(5);
      seen.push(...page.jobs.map(({ id }) => id));
      start = page.next;
    }
    expect(seen).toEqual(ids);
  });

  it("takes the last place as well as the number of places", async () => {
    const { runJson } = await setupPage();
    const { json } = await runJson(["jobs", "mail", "pending", "--start", "1", "--end", "3"]);
    expect(json).toMatchObject({ start: 1, next: 4, jobs: { length: 3 } });
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
    ["toString", "use pending, active, scheduled, dead, completed"],
  ])("refuses the word %s with the word to use", async (word, advice) => {
    const { run } = setupStore();
    const { code, err } = await run(["jobs", "mail", word]);
    expect(code).toBe(2);
    expect(err).toContain(advice);
  });

  it.each([
    ["--end", "5", "--limit", "5"],
    ["--start", "5", "--end", "4"],
    ["--end", "1000"],
    ["--limit", "0"],
    ["--limit", "1001"],
    ["--start", "-1"],
  ])("refuses %s %s", async (...rest) => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["jobs", "mail", "pending", ...rest]);
    expect(code).toBe(2);
    expect(json).toMatchObject({ error: { code: "usage" } });
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
        `  options   {"attempts":5}\n  data      {"to":"ada"}\n`,
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
      options: { attempts: 5 },
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
});
