/**
 * What `REMOVE` promises: a job goes from wherever it is, with its side keys and its deduplication key, unless locked.
 */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const removeScenarios: readonly ScenarioDraft[] = [
  {
    row: 22,
    name: "dedup",
    contract: "A deduplication key is read as it lies; one that was never set reads absent.",
    expectFindings: ["dedup-holder"],
    async run(t) {
      const id = t.id();
      await t.command("SET", t.key("de:order-42"), id);
      same(await t.jobs.getDedup(t.queue, "order-42"), id, "the key that was set");
      same(await t.jobs.getDedup(t.queue, "never-parked"), undefined, "the key that was not");
    },
  },
  {
    row: 31,
    name: "remove_job",
    contract: "A free job is removed with its deduplication key; a locked one stays.",
    async run(t) {
      const [free, held] = (await t.enqueuedMany(2)) as [string, string];
      await t.command("SET", t.key("de:dedup-7"), free);
      await t.command("SET", `${t.row(held)}:lock`, "worker-1");
      same(await t.jobs.removeJob(t.queue, free, "dedup-7"), "ok", "remove the free job");
      same(await t.jobs.getState(t.queue, free), "absent", "its state");
      same(await t.jobs.getDedup(t.queue, "dedup-7"), undefined, "its deduplication key");
      same(await t.jobs.removeJob(t.queue, held), "locked", "remove the locked job");
      same(await t.jobs.getState(t.queue, held), "pending", "its state");
    },
  },
  {
    row: 40,
    name: "dedup_release",
    contract: "Removal releases the deduplication key of its own job and no other.",
    expectFindings: ["dedup-holder"],
    async run(t) {
      const id = await t.enqueued();
      const other = t.id();
      await t.command("SET", t.key("de:conf-dedup"), id);
      await t.command("SET", t.key("de:conf-orphan"), other);
      same(await t.jobs.getDedup(t.queue, "conf-dedup"), id, "the key before");
      same(await t.jobs.removeJob(t.queue, id, "conf-dedup"), "ok", "remove");
      same(await t.jobs.getDedup(t.queue, "conf-dedup"), undefined, "the key afterwards");
      same(await t.jobs.getDedup(t.queue, "conf-orphan"), other, "the key of another job");
    },
  },
  {
    name: "remove_dedup_of_other",
    contract: "A deduplication key that holds another job's id survives, named by the caller or by the row.",
    expectFindings: ["dedup-holder"],
    async run(t) {
      const [id, other] = (await t.enqueuedMany(2)) as [string, string];
      await t.command("SET", t.key("de:mine"), id);
      await t.command("SET", t.key("de:theirs"), other);
      await t.command("HSET", t.row(id), "dedup", "mine");
      await t.command("HSET", t.row(other), "dedup", "mine");
      same(await t.jobs.removeJob(t.queue, other, ""), "ok", "remove the other job");
      same(await t.jobs.getDedup(t.queue, "mine"), id, "the key that its row wrongly names");
      same(await t.jobs.removeJob(t.queue, id, "theirs"), "ok", "remove the job");
      same(await t.jobs.getDedup(t.queue, "mine"), undefined, "the key that its row names");
      same(await t.jobs.getDedup(t.queue, "theirs"), other, "the key that the caller wrongly names");
    },
  },
  {
    name: "remove_everywhere",
    contract: "Pending, active, scheduled, dead and lane jobs go alike, and nothing of them stays (C5).",
    async run(t) {
      const dead = await t.dead();
      const [active, inLane, laneActive, scheduled, pending] = t.ids(5);
      await t.jobs.admit(t.queue, [{ id: active, payload: "p" }]);
      same((await t.claimed()).id, active, "the claim");
      await t.jobs.admit(t.queue, [{ id: laneActive, payload: "p", lane: "lane-b" }]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      await t.jobs.admit(t.queue, [
        { id: inLane, payload: "p", lane: "lane-a" },
        { id: scheduled, payload: "p", dueInMs: LEASE_MS },
        { id: pending, payload: "p" },
      ]);
      same(await t.command("HGET", t.key("gactive"), "lane-b"), "1", "leased jobs of the lane");
      for (const id of [dead, active, inLane, laneActive, scheduled, pending]) {
        same(await t.jobs.removeJob(t.queue, id), "ok", "remove");
        same(await t.jobs.removeJob(t.queue, id), "gone", "remove again");
      }
      await t.command("DEL", t.key("wake"), t.key("metrics:failed"), t.key("metrics:failed:minutes"), t.key("tokens"));
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
  {
    name: "remove_locked",
    contract: "A lock field protects a job as a lock key does, and force removes it all the same.",
    async run(t) {
      const id = await t.enqueued();
      await t.command("HSET", t.row(id), "lock", "worker-1");
      same(await t.jobs.removeJob(t.queue, id), "locked", "remove");
      same(await t.jobs.removeJob(t.queue, id, "", { force: true }), "ok", "remove by force");
      const other = await t.enqueued();
      await t.command("SET", `${t.row(other)}:lock`, "worker-1");
      same(await t.jobs.removeJob(t.queue, other, "", { force: true }), "ok", "remove by force");
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
  {
    name: "remove_active",
    contract: "The holder of a removed job is told that it is gone.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.removeJob(t.queue, id), "ok", "remove");
      same(await t.jobs.complete(t.queue, id, 1), "gone", "complete");
      same(await t.jobs.extendLock(t.queue, id, 1, LEASE_MS), "gone", "extend");
    },
  },
];
