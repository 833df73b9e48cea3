/** The commands for lanes: lanes, limit, weight, order, and pause and resume of one lane. */

import { describe, expect, it } from "vitest";
import { setupStore } from "./store.ts";

describe("lanes", () => {
  it("tells what waits and what is set, lane by lane", async () => {
    const { run, queue } = setupStore();
    for (const lane of ["acme", "acme", "globex"]) await queue.add("welcome", {}, { lane });
    await queue.lane("acme").weight(3);
    await queue.lane("acme").limit(5);
    await queue.lane("globex").pause();
    await queue.lane("ledger").ordered(true);
    const pages = [];
    let rest: string[] = [];
    for (let page = 0; page < 10; page++) {
      const { code, out } = await run(["lanes", "mail", ...rest]);
      expect(code).toBe(0);
      pages.push(out);
      const cursor = /--cursor '(.*)'\n$/.exec(out)?.[1];
      if (cursor === undefined) break;
      rest = ["--cursor", cursor];
    }
    const lines = pages
      .join("")
      .split("\n")
      .filter((line) => line !== "" && !/^(next|no lane)/.test(line));
    expect(lines).toEqual([
      "acme  2 pending  0 active  limit 5  weight 3",
      "globex  1 pending  0 active  paused",
      "ledger  0 pending  0 active  ordered",
    ]);
  });

  it("answers programs with one document, a limit of none being null", async () => {
    const { runJson, queue } = setupStore();
    await queue.add("welcome", {}, { lane: "acme" });
    const { code, json } = await runJson(["lanes", "mail", "--limit", "1"]);
    expect(code).toBe(0);
    const acme = { lane: "acme", depth: 1, active: 0, limit: null, weight: 1, isPaused: false, isOrdered: false };
    expect(json).toEqual({ queue: "mail", lanes: [acme], next: expect.any(String) as unknown });
  });

  it.each([
    [["--limit", "0"], "usage"],
    [["--limit", "1001"], "usage"],
    [["--cursor", "x"], "invalid_option"],
  ])("refuses %j with %s", async (rest, expected) => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(["lanes", "mail", ...rest]);
    expect(code).not.toBe(0);
    expect(json).toMatchObject({ error: { code: expected } });
  });
});

describe("settings of a lane", () => {
  it("are made and taken away", async () => {
    const { run, runJson, queue } = setupStore();
    expect((await run(["limit", "mail", "acme", "5"])).out).toBe("limit 5\n");
    expect((await run(["weight", "mail", "acme", "3"])).out).toBe("weight 3\n");
    expect(await queue.lane("acme").counts()).toMatchObject({ limit: 5, weight: 3 });
    expect((await runJson(["limit", "mail", "acme", "none"])).json).toEqual({
      queue: "mail",
      lane: "acme",
      limit: null,
    });
    expect((await run(["weight", "mail", "acme", "none"])).out).toBe("no weight\n");
    expect((await run(["order", "mail", "acme", "on"])).out).toBe("ordered: one job at a time\n");
    expect(await queue.lane("acme").counts()).toMatchObject({ limit: 1, weight: 1, isOrdered: true });
    expect((await runJson(["order", "mail", "acme", "off"])).json).toMatchObject({ isOrdered: false });
  });

  it("pause and resume one lane, and leave the queue as it is", async () => {
    const { run, runJson, queue } = setupStore();
    expect((await run(["pause", "mail", "--lane", "acme"])).code).toBe(0);
    expect([await queue.isPaused(), (await queue.lane("acme").counts()).isPaused]).toEqual([false, true]);
    const { json } = await runJson(["resume", "mail", "--lane", "acme"]);
    expect(json).toEqual({ queue: "mail", lane: "acme", isPaused: false });
    expect((await queue.lane("acme").counts()).isPaused).toBe(false);
  });

  it.each([
    [["limit", "mail", "acme", "0"], "usage"],
    [["limit", "mail", "acme", "2147483649"], "usage"],
    [["weight", "mail", "acme", "1e3"], "usage"],
    [["order", "mail", "acme", "maybe"], "usage"],
    [["limit", "mail", "a{b", "1"], "invalid_lane"],
    [["pause", "mail", "--lane", ""], "invalid_lane"],
  ])("refuse %j with %s", async (args, expected) => {
    const { runJson } = setupStore();
    const { code, json } = await runJson(args);
    expect(code).toBe(2);
    expect(json).toMatchObject({ error: { code: expected } });
  });
});
