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
    const { code, out } = await run(["lanes", "mail"]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines).toEqual([
      "acme  2 pending  0 active  limit 5  weight 3",
      "globex  1 pending  0 active  paused",
      "ledger  0 pending  0 active  ordered",
    ]);
  });

  it("tells each lane once over pages of any size, and on the last line of a page how to go on", async () => {
    const { run, queue } = setupStore();
    for (const lane of ["acme", "globex"]) await queue.add("welcome", {}, { lane });
    for (const lane of ["a", "b", "c"]) await queue.lane(lane).ordered(true);
    await queue.lane("globex").pause();
    const seen: string[] = [];
    let rest: string[] = [];
    for (let page = 0; page < 10; page++) {
      const { out } = await run(["lanes", "mail", "--limit", "2", ...rest]);
      const lines = out.trimEnd().split("\n");
      const next = /^next: .* --limit 2 --cursor '(.*)'$/.exec(lines.at(-1) ?? "")?.[1];
      seen.push(...lines.slice(0, next === undefined ? undefined : -1).map((line) => line.split(" ")[0] ?? ""));
      if (next === undefined) break;
      expect(lines.length).toBeGreaterThanOrEqual(3);
      rest = ["--cursor", next];
    }
    expect(seen.filter((name) => name !== "no").sort()).toEqual(["a", "acme", "b", "c", "globex"]);
  });

  it("answers programs with one document, a limit of none being null", async () => {
    const { runJson, queue } = setupStore();
    await queue.add("welcome", {}, { lane: "acme" });
    const { code, json } = await runJson(["lanes", "mail", "--limit", "1"]);
    expect(code).toBe(0);
    const acme = {
      lane: "acme",
      depth: 1,
      active: 0,
      limit: null,
      weight: 1,
      isPaused: false,
      isOrdered: false,
      restMs: 0,
    };
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
    const paused = await run(["pause", "mail", "--lane", "acme"]);
    expect(paused.code).toBe(0);
    expect(paused.out).toBe("paused the lane acme: none of its jobs starts until it is resumed; other jobs go on\n");
    expect([await queue.isPaused(), (await queue.lane("acme").counts()).isPaused]).toEqual([false, true]);
    const { json } = await runJson(["resume", "mail", "--lane", "acme"]);
    expect(json).toEqual({ queue: "mail", lane: "acme", isPaused: false });
    expect((await queue.lane("acme").counts()).isPaused).toBe(false);
    expect((await run(["resume", "mail", "--lane", "acme"])).out).toBe("resumed the lane acme\n");
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
