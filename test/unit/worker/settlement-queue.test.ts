/** Settlements as arguments of a TURN. */

import { describe, expect, it } from "vitest";
import { Terms } from "../../../src/queue/retention.ts";
import { Attempt, type SettlementOp } from "../../../src/worker/attempt.ts";
import { SettlementQueue } from "../../../src/worker/settlement-queue.ts";

function setup() {
  const queue = new SettlementQueue(new Terms({ completed: { count: 5, ms: 0 } }));
  const push = (id: string, op: SettlementOp, values: readonly string[] = []) => {
    const claimed = { id, token: 1, payload: new Uint8Array(), name: "", opts: "", lane: "", stalled: 0, deferred: 0 };
    const attempt = new Attempt(claimed as unknown as Attempt["claimed"], 0, 0);
    attempt.op = op;
    attempt.values = values;
    queue.push(attempt);
  };
  const take = () => {
    const args: string[] = [];
    queue.take(args);
    return args;
  };
  return { push, take };
}

describe("the terms of a turn", () => {
  it.each<[SettlementOp, string[]]>([
    ["b", []],
    ["d", ["50"]],
    ["a", ["50"]],
    ["l", ["50"]],
  ])("are not said for a job that lives on (%s)", (op, values) => {
    const { push, take } = setup();
    push("a", op, values);
    expect(take()).toEqual([op, "1", "a", "1", ...values]);
  });

  it("are said once, before the first run of jobs that end", () => {
    const { push, take } = setup();
    push("a", "l", ["50"]);
    push("b", "c");
    push("c", "c");
    push("d", "k", ["it broke"]);
    const args = take();
    expect(args.filter((arg) => arg === "t")).toHaveLength(1);
    expect(args.slice(0, 6)).toEqual(["l", "1", "a", "1", "50", "t"]);
    expect(args.slice(12)).toEqual(["c", "2", "b", "1", "c", "1", "k", "1", "d", "1", "it broke"]);
  });
});
