/** What events cost an act: nothing while nobody listens, and a bounded number of bounded messages otherwise. */

import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/queue/turn-call.ts";
import { type Call, countedEngine } from "./counted-engine.ts";

const LISTENERS = "emq:{q}:listeners";
const TURN = { worker: "w", leaseMs: 60_000, want: 128 };

const published = (calls: readonly Call[]) =>
  calls.filter(({ command }) => command === "PUBLISH").map(({ parts }) => String(parts[1]));

describe("an act of a queue that nobody watches", () => {
  it("asks about listeners in a question that it asks anyway", async () => {
    const { jobs, rows, take } = countedEngine();
    const batch = rows(128);
    const settlements: Settlement[] = batch.map(({ id }) => ({ op: "c", id, token: 1 }));
    await jobs.admit("q", batch);
    const admitted = take();
    await jobs.turn("q", TURN);
    await jobs.turn("q", { ...TURN, settlements });
    const turned = take();
    for (const [calls, acts] of [
      [admitted, 1],
      [turned, 2],
    ] as const) {
      const asked = calls.filter(({ parts }) => parts.includes(LISTENERS));
      expect(asked.map(({ command }) => command)).toEqual(Array.from({ length: acts }, () => "EXISTS"));
      expect(asked.every(({ parts }) => parts.some((key) => key !== LISTENERS))).toBe(true);
      expect(published(calls)).toEqual([]);
    }
  });

  it("runs the same calls in a queue with settings and lanes, where more than flat work may wait", async () => {
    const { engine, jobs, rows, take } = countedEngine();
    await engine.command(["HSET", "emq:{q}:meta", "keep_n", "5"]);
    await jobs.admit(
      "q",
      rows(10).map((row, at) => ({ ...row, lane: `lane-${at % 3}` })),
    );
    take();
    await jobs.turn("q", TURN);
    const calls = take();
    // Both questions ask whether there are settings, which the act must know anyway.
    const asked = calls.filter(({ parts }) => parts.includes(LISTENERS));
    expect(asked.map(({ command }) => command)).toEqual(["EXISTS", "EXISTS"]);
    expect(asked.every(({ parts }) => parts.includes("emq:{q}:meta"))).toBe(true);
    expect(published(calls)).toEqual([]);
  });
});

describe("an act of a queue that somebody watches", () => {
  it("tells one message for each job that it admits, claims or completes, and one for the act", async () => {
    const { engine, jobs, rows, take } = countedEngine();
    await engine.command(["SET", LISTENERS, "0"]);
    const batch = rows(1000);
    await jobs.admit("q", batch);
    expect(published(take()).length).toBe(1000);
    await jobs.turn("q", { ...TURN, want: 1000 });
    // The last one tells that nothing is left.
    expect(published(take()).length).toBe(1001);
    const settlements: Settlement[] = batch.map(({ id }) => ({ op: "c", id, token: 1 }));
    await jobs.turn("q", { ...TURN, want: 0, settlements });
    expect(published(take()).length).toBe(1000);
  });

  it("tells at most three messages for a job, each within its bytes, whatever its texts are", async () => {
    const { engine, jobs, rows, take } = countedEngine();
    await engine.command(["SET", LISTENERS, "9007199254740991"]);
    const batch = rows(10);
    await jobs.admit("q", batch);
    await jobs.turn("q", TURN);
    take();
    const error = "\u0000".repeat(200_000);
    const settlements: Settlement[] = batch.map(({ id }) => ({
      op: "f",
      id,
      token: 1,
      delayMs: 1,
      maxAttempts: 1,
      error,
    }));
    await jobs.turn("q", { ...TURN, want: 0, settlements });
    const messages = published(take());
    expect(messages.length).toBe(20);
    // A control character takes six bytes in JSON.
    expect(Math.max(...messages.map((message) => message.length))).toBeLessThan(6 * 1024 + 200);
  });

  it("keeps the events of 1,000 jobs with results of 100 KB within 10 MB, asked for or not (PB-166)", async () => {
    for (const until of ["0", "9007199254740991"]) {
      const { engine, jobs, rows, take } = countedEngine();
      await engine.command(["SET", LISTENERS, until]);
      const batch = rows(1000);
      await jobs.admit("q", batch);
      await jobs.turn("q", { ...TURN, want: 1000 });
      const result = `"${"r".repeat(100_000)}"`;
      for (let at = 0; at < batch.length; at += 100) {
        const part = batch.slice(at, at + 100);
        const settlements: Settlement[] = part.map(({ id }) => ({ op: "r", id, token: 1, result }));
        await jobs.turn("q", { ...TURN, want: 0, settlements });
      }
      const bytes = published(take()).reduce((sum, message) => sum + message.length, 0);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThan(10_000_000);
    }
  });
});
