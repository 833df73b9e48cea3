/** What `COUNTS` promises: sizes and counters of one instant, by the words of the wire and no others. */

import { isEchoMQError } from "../../protocol/errors.ts";
import { fail, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const countsScenarios: readonly ScenarioDraft[] = [
  {
    row: 19,
    name: "counts",
    contract: "Counts of the four sets are exact; a word of another queue is refused with the word to use.",
    async run(t) {
      await t.active();
      await t.enqueuedMany(3);
      await t.jobs.enqueueIn(t.queue, t.id(), "later", 60_000);
      const counts = await t.jobs.getCounts(t.queue, ["pending", "active", "schedule", "dead"]);
      same(counts, { pending: 3, active: 1, schedule: 1, dead: 0 }, "the counts");
      try {
        await t.jobs.getCounts(t.queue, ["wait" as "pending"]);
        fail("the word wait was not refused");
      } catch (error) {
        if (!isEchoMQError(error)) throw error;
        same([error.code, error.message.includes("pending")], ["unknown_state", true], "the refusal");
      }
    },
  },
  {
    row: 21,
    name: "metrics",
    contract: "The counter of completed jobs grows by one with each, and nothing is written to the series.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.getMetrics(t.queue, "completed"), { count: 0, dataPoints: 0 }, "before");
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
      same(await t.jobs.getMetrics(t.queue, "completed"), { count: 1, dataPoints: 0 }, "afterwards");
    },
  },
  {
    name: "counts_form",
    contract: "The answer is the sets in the order asked for, pending first, and then the counters.",
    async run(t) {
      await t.dead();
      const { id } = await t.active();
      await t.jobs.complete(t.queue, id, 1);
      await t.enqueuedMany(2);
      const more = ["dead", "completed", "active"];
      same(await t.act("COUNTS", ["failed", "completed"], { more }), [2, 1, 0, 0, 1, 1], "the answer");
      same(await t.act("COUNTS", []), [2], "the answer of the fewest");
    },
  },
  {
    name: "c17_flat_pending",
    contract: "Pending counts flat jobs only; a lane's jobs are not among them.",
    async run(t) {
      await t.jobs.admit(t.queue, [
        { id: t.id(), payload: "p", lane: "lane-a" },
        { id: t.id(), payload: "p" },
      ]);
      same(await t.jobs.getCounts(t.queue, ["pending"]), { pending: 1 }, "the count");
      same(await t.jobs.pendingSize(t.queue), 1, "the size");
    },
  },
  {
    name: "c17_lanes",
    contract: "Lanes counts the jobs that wait in lanes, those that are paused or at their limit included (C17).",
    expectFindings: ["lane-active"],
    async run(t) {
      const lanes = ["on", "on", "paused", "full", "both"];
      await t.jobs.admit(
        t.queue,
        lanes.map((lane) => ({ id: t.id(), payload: "p", lane })),
      );
      await t.command("HSET", t.key("glimit"), "full", "1", "on", "5", "both", "1");
      await t.command("HSET", t.key("gactive"), "full", "1", "both", "1");
      await t.command("SADD", t.key("paused"), "paused", "both", "empty");
      for (const lane of ["paused", "full", "both"]) await t.command("LREM", t.key("ring"), "0", lane);
      same(await t.jobs.getCounts(t.queue, ["pending", "lanes"]), { pending: 0, lanes: 5 }, "the counts");
      const names = Array.from({ length: 1000 }, (_, at) => `lane-${at}`);
      await t.command("SADD", t.key("paused"), ...names);
      same(await t.act("COUNTS", ["lanes"]), [0, -1], "more names than one act may look at");
      same(await t.jobs.getCounts(t.queue, ["lanes"]), { lanes: 5 }, "the sum of pages");
    },
  },
];
