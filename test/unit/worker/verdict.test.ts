import { expect, test } from "vitest";
import { TurnJob } from "../../../src/queue/turn-call.ts";
import { Attempt, type SettlementOp } from "../../../src/worker/attempt.ts";
import { judgeSettlement } from "../../../src/worker/verdict.ts";

const LEASE_UNTIL = 1000;
const STALE = "EMQSTALE retry token mismatch";

/** An attempt whose settlement is decided; its lease holds until 1000. */
function setup(op: SettlementOp, wasSent: boolean): Attempt {
  const attempt = new Attempt(new TurnJob(["JOB04s4VynApsZ", 3, "{}", "", "", "", "", ""], 0), 0, LEASE_UNTIL);
  attempt.op = op;
  attempt.wasSent = wasSent;
  attempt.values = op === "f" ? ["1000", "5", "error"] : [];
  return attempt;
}

const CASES: readonly (readonly [SettlementOp, boolean, string | undefined, number, unknown])[] = [
  ["c", false, undefined, 500, { kind: "completed" }],
  ["r", false, undefined, 2000, { kind: "completed" }],
  ["c", false, "0", 500, { kind: "lost" }],
  ["c", true, "0", 500, { kind: "completed" }],
  ["r", true, "0", 1000, { kind: "lost" }],
  ["r", true, "EMQSTATE job is not active", 500, { kind: "completed" }],
  ["r", true, "EMQSTATE job is not active", 1500, { kind: "lost" }],
  ["r", false, "EMQSTATE job is not active", 500, { kind: "lost" }],
  ["c", true, "EMQSTALE complete token mismatch", 500, { kind: "lost" }],
  ["f", false, undefined, 500, { kind: "failed", outcome: "scheduled" }],
  ["f", false, "dead", 500, { kind: "failed", outcome: "dead" }],
  ["f", false, STALE, 500, { kind: "lost" }],
  ["f", true, "EMQSTATE job is not active", 500, { kind: "failed", outcome: "scheduled" }],
  ["f", true, STALE, 1500, { kind: "lost" }],
  ["k", false, undefined, 500, { kind: "failed", outcome: "dead" }],
  ["k", true, "EMQSTATE job is not active", 500, { kind: "failed", outcome: "dead" }],
  ["k", false, "EMQSTALE job gone", 500, { kind: "lost" }],
  ["d", false, undefined, 500, { kind: "returned" }],
  ["a", true, "EMQSTATE job is not active", 500, { kind: "returned" }],
  ["b", false, STALE, 500, { kind: "returned" }],
];

test.each(CASES)("the answer to %s, sent before: %s, with verdict %s at %i", (op, wasSent, verdict, now, judgement) => {
  expect(judgeSettlement(setup(op, wasSent), verdict, now)).toMatchObject(judgement as object);
});

test("a repeated last failure counts as the death of the job", () => {
  const attempt = setup("f", true);
  attempt.values = ["1000", "3", "error"];
  expect(judgeSettlement(attempt, "EMQSTATE job is not active", 500)).toEqual({ kind: "failed", outcome: "dead" });
});
