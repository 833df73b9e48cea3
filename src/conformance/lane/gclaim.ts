/** What `GCLAIM` promises: lanes take turns, and none stalls the others. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS } from "../trial.ts";

export const gclaimScenarios: readonly ScenarioDraft[] = [
  {
    row: 12,
    name: "rotate",
    contract: "Lanes of two jobs each are served in turn.",
    async run(t) {
      for (const lane of ["A", "A", "B", "B"]) await t.lanes.enqueue(t.queue, lane, { id: t.id(), payload: lane });
      const served: unknown[] = [];
      for (let at = 0; at < 4; at++) {
        const job = await t.lanes.claim(t.queue, LEASE_MS);
        served.push([job?.lane, job?.attempts, job === undefined ? "" : bytesIn(job.payload)]);
      }
      same(
        served,
        ["A", "B", "A", "B"].map((lane) => [lane, 1, lane]),
        "the claims",
      );
      same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "a further claim");
      same([await t.list("ring"), (await t.members("active")).length], [[], 4], "the ring and active jobs");
      same(await t.command("HMGET", t.key("gactive"), "A", "B"), ["2", "2"], "the lanes' counts");
    },
  },
  {
    name: "c16_lane_pause_inside",
    contract: "No claim of lanes gives anything while the queue is paused, whatever the host knows (C16).",
    async run(t) {
      await t.lanes.enqueue(t.queue, "a", { id: t.id(), payload: "p" });
      await t.jobs.pause(t.queue);
      const before = await t.snapshot();
      same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "GCLAIM");
      same(await t.lanes.claimWeighted(t.queue, LEASE_MS), [], "GWCLAIM");
      same(await t.lanes.claimBatch(t.queue, 5, LEASE_MS), [], "GBCLAIM");
      same(await t.snapshot(), before, "the keys");
      await t.jobs.resume(t.queue);
      same((await t.lanes.claim(t.queue, LEASE_MS))?.lane, "a", "GCLAIM after the resume");
    },
  },
  {
    name: "c21_stale_ring",
    contract: "Entries of the ring without work, or at their limit, are taken off it and stall no other lane (C21).",
    async run(t) {
      const claims = {
        GCLAIM: async () => (await t.lanes.claim(t.queue, LEASE_MS))?.id,
        GWCLAIM: async () => (await t.lanes.claimWeighted(t.queue, LEASE_MS))[0]?.id,
        GBCLAIM: async () => (await t.lanes.claimBatch(t.queue, 1, LEASE_MS))[0]?.id,
        TURN: async () => (await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 })).jobs[0]?.id,
      };
      for (const [verb, claim] of Object.entries(claims)) {
        const [full, id] = t.ids(2);
        await t.command("HSET", t.key("glimit"), "full", "1");
        await t.command("HSET", t.key("gactive"), "full", "1");
        await t.jobs.admit(t.queue, [{ id: full, payload: "p", lane: "full" }]);
        await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "work" }]);
        await t.command("LPUSH", t.key("ring"), "full", "empty-1", "empty-2");
        same(await claim(), id, `what ${verb} claimed`);
        same(await t.list("ring"), [], `the ring after ${verb}`);
        await t.command("DEL", t.key("g:full:pending"), t.row(full));
        await t.command("HDEL", t.key("gactive"), "full");
      }
    },
  },
  {
    name: "c22_lane_looks",
    contract: "One claim of lanes looks at no more than a thousand entries of the ring; the next one goes on (C22).",
    async run(t) {
      const id = t.id();
      const stale = Array.from({ length: 1500 }, (_, at) => `gone-${at}`);
      for (let at = 0; at < stale.length; at += 500) {
        await t.command("RPUSH", t.key("ring"), ...stale.slice(at, at + 500));
      }
      await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "work" }]);
      same(await t.lanes.claim(t.queue, LEASE_MS), undefined, "the first claim");
      same((await t.list("ring")).length, 501, "entries left");
      same((await t.lanes.claim(t.queue, LEASE_MS))?.id, id, "the second claim");
    },
  },
];
