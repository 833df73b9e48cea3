/** `echomq repeat`: schedulers made, listed, run, looked ahead at and taken away from the command line. */

import { describe, expect, it } from "vitest";
import { setupStore } from "./store.ts";

describe("echomq repeat", () => {
  it("makes a scheduler, says when it is the same, and lists it", async () => {
    const { run, runJson, queue } = setupStore();
    const add = ["repeat", "add", "mail", "digest", '{"a":1}', "--pattern", "0 6 * * 1-5", "--tz", "Europe/Berlin"];
    const made = await run([...add, "--times", "9", "--overlap", "skip", "--missed", "3", "--name", "d"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(
      /^added {2}digest {2}0 6 \* \* 1-5 Europe\/Berlin {2}next \S+Z {2}0 of 9 fired {2}job d\n$/,
    );
    const { json } = await runJson([...add, "--times", "9", "--overlap", "skip", "--missed", "3", "--name", "d"]);
    expect(json).toMatchObject({ outcome: "unchanged", id: "digest", overlap: "skip", missed: { all: 3 }, limit: 9 });
    expect((await queue.getJobScheduler("digest"))?.facts).toMatchObject({ data: { a: 1 }, name: "d" });
    const list = await run(["repeat", "list", "mail"]);
    expect(list.out).toMatch(/^digest {2}0 6 /);
    const page = (await runJson(["repeat", "list", "mail"])).json as { schedulers: unknown[]; next: unknown };
    expect(page).toMatchObject({ queue: "mail", next: null, schedulers: [{ id: "digest", every: null }] });
  });

  it("lists by pages, and says how to go on", async () => {
    const { run, queue } = setupStore();
    for (const id of ["a", "b", "c"]) await queue.upsertJobScheduler(id, { every: "1h" });
    const first = await run(["repeat", "list", "mail", "--limit", "2"]);
    const next = /next: echomq repeat list mail --limit 2 --cursor (\S+)\n$/.exec(first.out)?.[1] ?? "";
    const second = await run(["repeat", "list", "mail", "--limit", "2", "--cursor", next]);
    expect(second.out).toMatch(/^c {2}every 3600000 ms {2}next \S+ {2}0 fired\n$/);
    expect((await setupStore().run(["repeat", "list", "mail"])).out).toBe("no scheduler here\n");
  });

  it("runs one now and takes one away; one that is not there ends with 1", async () => {
    const { run, runJson, queue } = setupStore();
    await queue.upsertJobScheduler("s", { every: "1h" });
    expect((await run(["repeat", "run", "mail", "s"])).out).toMatch(/^s has made the job JOB\w{11}\n$/);
    expect((await queue.getJobCounts("pending")).pending).toBe(1);
    expect(await run(["repeat", "remove", "mail", "s"])).toMatchObject({ code: 0, out: "s is gone\n" });
    expect(await run(["repeat", "remove", "mail", "s"])).toMatchObject({ code: 1, out: "s is not there\n" });
    expect((await runJson(["repeat", "run", "mail", "s"])).json).toEqual({ scheduler: "s", outcome: "gone", id: null });
    expect((await run(["repeat", "preview", "mail", "s"])).code).toBe(1);
  });

  it("looks ahead, also at what is nowhere stored", async () => {
    const { run, runJson, queue } = setupStore();
    await queue.upsertJobScheduler("s", { every: "1h", limit: 2 });
    const stored = (await run(["repeat", "preview", "mail", "s"])).out.trim().split("\n");
    expect(stored.length).toBe(2);
    const free = ["repeat", "preview", "--pattern", "0 0 29 2 *", "--start", "2096-03-01", "--count", "1"];
    expect((await run(free)).out).toBe("2104-02-29T00:00:00.000Z\n");
    const { json } = await runJson(["repeat", "preview", "--every", "1h", "--end", "2000-01-01"]);
    expect(json).toEqual({ slots: [] });
  });

  it.each([
    [["add", "mail", "s"], "invalid_schedule"],
    [["add", "mail", "s", "--pattern", "0 25 * * *"], "invalid_pattern"],
    [["add", "mail", "s", "--pattern", "* * * * *", "--tz", "Mars/Olympus"], "invalid_time_zone"],
    [["add", "mail", "s", "--every", "soon"], "invalid_option"],
    [["add", "mail", "s", "--every", "1h", "--start", "2026-01-02", "--end", "2026-01-01"], "end_before_start"],
    [["add", "mail", "s", "{", "--every", "1h"], "bad_json"],
    [["preview"], "usage"],
    [["preview", "mail", "s", "--every", "1h"], "usage"],
  ])("refuses %j with its code, and stores nothing", async (words, code) => {
    const { run, queue } = setupStore();
    const { code: exit, err } = await run(["repeat", ...words]);
    expect(exit).toBe(2);
    if (code !== "usage") expect(err).toContain(code);
    expect((await queue.getJobSchedulers()).schedulers).toEqual([]);
  });
});
