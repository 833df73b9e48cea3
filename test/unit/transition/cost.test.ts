/** What acts cost a server, as numbers of commands and of their arguments: a bound that no busy machine moves. */

import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/queue/turn-call.ts";
import { type Call, countedEngine } from "./counted-engine.ts";

const TURN = { worker: "w", leaseMs: 60_000, want: 128 };

/** Arguments of one command, at most, in an act that works on many jobs. */
const ARGUMENTS_MAX = 802;

const names = (calls: readonly Call[]): string[] => calls.map(({ command }) => command);
const widest = (calls: readonly Call[]): number => Math.max(0, ...calls.map(({ parts }) => parts.length));

describe("an act on one job of a queue without settings", () => {
  it("claims it by seven commands, two of which ask what else there is to heed", async () => {
    const { jobs, rows, take } = countedEngine();
    await jobs.admit("q", rows(3));
    const seven = ["EXISTS", "ZCARD", "ZRANGE", "HMGET", "ZREMRANGEBYRANK", "HSET", "ZADD"];
    take();
    await jobs.claim("q", 1000);
    expect(names(take())).toEqual(seven);
    await jobs.claimBatch("q", 1, 1000);
    expect(names(take())).toEqual(seven);
  });

  it("claims one of a lane by one question about what else there is to heed", async () => {
    const { jobs, lanes, rows, take } = countedEngine();
    await jobs.admit(
      "q",
      rows(3).map((row) => ({ ...row, lane: "a" })),
    );
    take();
    await lanes.claim("q", 1000);
    expect(names(take()).filter((command) => command === "EXISTS")).toEqual(["EXISTS"]);
  });

  it("completes it by nine commands and reads its row once", async () => {
    const { jobs, rows, take } = countedEngine();
    const batch = rows(2);
    await jobs.admit("q", batch);
    await jobs.claimBatch("q", 2, 1000);
    // The first of a minute looks at the minutes that are kept.
    await jobs.complete("q", batch[0]?.id ?? "", 1);
    take();
    expect(await jobs.complete("q", batch[1]?.id ?? "", 1)).toBe("ok");
    const reads = ["HMGET", "EXISTS", "ZCARD", "HGET", "HLEN"];
    expect(names(take())).toEqual([...reads, "ZREM", "DEL", "HINCRBY", "HINCRBY"]);
  });
});

describe("a turn of a queue without settings", () => {
  it("costs two commands a claimed job, eight for seven completed ones, and the same around however many", async () => {
    const { jobs, rows, take } = countedEngine();
    const counts: number[][] = [];
    // The first of a minute looks at the minutes that are kept.
    for (const size of [1, 10, 100]) {
      const batch = rows(size);
      await jobs.admit("q", batch);
      take();
      await jobs.turn("q", { ...TURN, want: size });
      const claimed = take().length;
      const settlements: Settlement[] = batch.map(({ id }) => ({ op: "c", id, token: 1 }));
      await jobs.turn("q", { ...TURN, want: size, settlements });
      counts.push([claimed - 2 * size, take().length - size - Math.ceil(size / 7)]);
    }
    expect(counts[2]).toEqual(counts[1]);
    expect(Math.max(...counts.flat())).toBeLessThanOrEqual(12);
  });
});

describe("a turn that claims", () => {
  it("asks for the counters of a job alone that was claimed before, and raises each token by one", async () => {
    const { engine, jobs, rows, take } = countedEngine();
    const batch = rows(6);
    await jobs.admit("q", batch);
    const attempts = [0, 3, 3, 0, 7, 0];
    for (const [at, { id }] of batch.entries()) {
      if (attempts[at] === 0) continue;
      const counters = ["stalled", "1", "deferred", String(at)];
      await engine.command(["HSET", `emq:{q}:job:${id}`, "attempts", String(attempts[at]), ...counters]);
    }
    take();
    const claimed = await jobs.turn("q", TURN);
    const reads = take().filter(({ command }) => command === "HMGET");
    expect(reads.map(({ parts }) => parts.length)).toEqual([7, 7, 3, 7, 3, 7, 7, 3, 7]);
    expect(claimed.jobs.map(({ token, stalled, deferred }) => [token, stalled, deferred])).toEqual([
      [1, 0, 0],
      [4, 1, 1],
      [4, 1, 2],
      [1, 0, 0],
      [8, 1, 4],
      [1, 0, 0],
    ]);
  });
});

describe("a turn that completes", () => {
  it.each([1, 6, 7, 8, 13, 14, 15, 21])(
    "leaves no key of %i jobs, of which the last has all side keys",
    async (size) => {
      const { engine, jobs, rows } = countedEngine();
      const batch = rows(size);
      await jobs.admit("q", batch);
      await jobs.turn("q", TURN);
      const row = (at: number) => `emq:{q}:job:${batch[at]?.id}`;
      const sides = ["logs", "lock", "dependencies", "processed", "failed", "unsuccessful", "children", "parents"];
      for (const side of sides) await engine.command(["RPUSH", `${row(size - 1)}:${side}`, "x"]);
      await engine.command(["RPUSH", `${row(0)}:logs`, "x"]);
      const settlements: Settlement[] = batch.map(({ id }) => ({ op: "c", id, token: 1 }));
      expect((await jobs.turn("q", { ...TURN, want: 0, settlements })).exceptions.size).toBe(0);
      const keys = batch.flatMap((_, at) => [row(at), ...sides.map((side) => `${row(at)}:${side}`)]);
      expect(await engine.command(["EXISTS", ...keys])).toBe(0);
    },
  );
});

describe("jobs that stand in the way of others", () => {
  it("are ended a hundred by an act where 10,000 have expired, until ten living ones run (PB-158)", async () => {
    const { jobs, rows, take, clock } = countedEngine();
    for (let page = 0; page < 10; page++) {
      await jobs.admit(
        "q",
        rows(1000).map((row) => ({ ...row, expireInMs: 1 })),
      );
    }
    const living = rows(10);
    await jobs.admit("q", living);
    await clock.advance(10);
    const claimed: string[] = [];
    let acts = 0;
    while (claimed.length < living.length && acts < 200) {
      take();
      claimed.push(...(await jobs.turn("q", { ...TURN, want: 10 })).jobs.map(({ id }) => id));
      acts += 1;
      const calls = take();
      // Twelve for each of a hundred that end, and what a turn costs anyway.
      expect(calls.length).toBeLessThanOrEqual(1300);
      expect(widest(calls)).toBeLessThanOrEqual(ARGUMENTS_MAX);
    }
    expect(claimed).toEqual(living.map(({ id }) => id));
    expect(acts).toBe(101);
    expect(await jobs.getCounts("q", ["pending", "dead"])).toEqual({ pending: 0, dead: 10_000 });
  });

  it("cost nothing where 100,000 wait in a lane at its limit (PB-158)", async () => {
    const cost = async (depth: number) => {
      const { jobs, lanes, rows, take } = countedEngine();
      await lanes.limit("q", "full", 1);
      for (let at = 0; at < depth; at += 1000) {
        await jobs.admit(
          "q",
          rows(Math.min(1000, depth)).map((row) => ({ ...row, lane: "full" })),
        );
      }
      await jobs.turn("q", { ...TURN, want: 1 });
      await jobs.admit("q", rows(10));
      take();
      const { jobs: claimed } = await jobs.turn("q", { ...TURN, want: 10 });
      expect(claimed.map(({ lane }) => lane)).toEqual(Array.from({ length: 10 }, () => ""));
      return take();
    };
    const [few, many] = [await cost(2), await cost(100_000)];
    expect(names(many)).toEqual(names(few));
    expect(widest(many)).toBe(widest(few));
  });
});
