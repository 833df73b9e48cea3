import { describe, expect, it } from "vitest";
import { decide, partition, type ResolvedMember } from "../../../src/queue/batch.ts";
import { errorOf } from "./scripted-engine.ts";

describe("decide", () => {
  it.each([
    [3, 0, 4, 200, "wait"],
    [6, 0, 4, 200, { flush: 6 }],
    [4, 0, 4, 200, { flush: 4 }],
    [2, 199, 5, 200, "wait"],
    [2, 200, 5, 200, { flush: 2 }],
    [0, 200, 5, 200, "wait"],
  ] as const)(
    "answers a depth of %d after %d ms (least %d, window %d) with %o",
    (depth, elapsed, size, window, answer) => {
      expect(decide(depth, elapsed, size, window)).toEqual(answer);
    },
  );

  it.each([
    [-1, 0, 1, 1],
    [1, -1, 1, 1],
    [1, 0, 0, 1],
    [1, 0, 1, 0],
    [1.5, 0, 1, 1],
    [1, Number.NaN, 1, 1],
  ] as const)("refuses (%d, %d, %d, %d)", async (depth, elapsed, size, window) => {
    expect((await errorOf(() => decide(depth, elapsed, size, window))).code).toBe("invalid_option");
  });
});

describe("partition", () => {
  it("puts every member into exactly one list, in the order of the batch", () => {
    const resolved = new Map<string, ResolvedMember>([
      ["f", { verdict: { delay: 5 }, outcome: "stale" }],
      ["a", { verdict: "ok", outcome: "ok" }],
      ["b", { verdict: { error: "x" }, outcome: "scheduled" }],
      ["c", { verdict: { error: "x" }, outcome: "dead" }],
      ["d", { verdict: { delay: 5 }, outcome: "ok" }],
      ["g", { verdict: "ok", outcome: "stale" }],
      ["unknown", { verdict: "ok", outcome: "ok" }],
    ]);
    expect(partition(["g", "a", "b", "c", "d", "omitted", "f"], resolved)).toEqual({
      completed: ["a"],
      retried: ["g", "b", "omitted", "f"],
      dead: ["c"],
      delayed: ["d"],
    });
  });
});
