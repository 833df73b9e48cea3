/** What `DRAIN` promises: what waits goes, with all that hangs on it, and nothing else does. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** One job in each of `lanes`; answers the ids. */
async function inLanes(t: Trial, lanes: readonly string[]): Promise<string[]> {
  const rows = lanes.map((lane) => ({ id: t.id(), payload: "p", lane }));
  await t.jobs.admit(t.queue, rows);
  return rows.map(({ id }) => id);
}

export const drainScenarios: readonly ScenarioDraft[] = [
  {
    row: 26,
    name: "drain",
    contract: "Pending jobs and their rows go; the active one stays.",
    async run(t) {
      const active = await t.active();
      const waiting = await t.enqueuedMany(3);
      same(await t.jobs.drain(t.queue), 3, "drained");
      same(await t.jobs.getCounts(t.queue, ["pending", "active"]), { pending: 0, active: 1 }, "the counts");
      same(await t.jobs.getState(t.queue, active.id), "active", "the state of the active job");
      same(await t.exists(t.row(waiting[0] ?? "")), false, "a row of a drained job is there");
    },
  },
  {
    name: "drain_side_keys",
    contract: "Side keys go with the rows, and a deduplication key goes only if it holds a drained job.",
    expectFindings: ["dedup-holder"],
    async run(t) {
      const [first, second] = (await t.enqueuedMany(2)) as [string, string];
      await t.jobs.addLog(t.queue, first, "line");
      await t.command("SET", `${t.row(second)}:lock`, "w");
      for (const id of [first, second]) await t.command("HSET", t.row(id), "dedup", `d-${id}`);
      await t.command("SET", t.key(`de:d-${first}`), first);
      await t.command("SET", t.key(`de:d-${second}`), t.id());
      same(await t.jobs.drain(t.queue), 2, "drained");
      same([...(await t.snapshot()).keys()], [t.key(`de:d-${second}`)], "keys that are left");
    },
  },
  {
    name: "drain_budget",
    contract: "At most the budget is removed, the first first; as many as the budget asks for another call (C22).",
    async run(t) {
      const ids = await t.enqueuedMany(5);
      same(await t.jobs.drain(t.queue, { budget: 0 }), 0, "a budget of none");
      same(await t.jobs.drain(t.queue, { budget: 2 }), 2, "the first slice");
      same(await t.members("pending"), ids.slice(2), "what is left");
      same(await t.jobs.drain(t.queue, { budget: 4 }), 3, "the last slice");
    },
  },
  {
    name: "drain_schedule",
    contract: "The schedule goes only where it is declared.",
    async run(t) {
      const id = t.id();
      await t.jobs.enqueueIn(t.queue, id, "p", LEASE_MS);
      same(await t.jobs.drain(t.queue, { lanes: true }), 0, "without the schedule");
      same(await t.jobs.getState(t.queue, id), "scheduled", "its state");
      same(await t.jobs.drain(t.queue, { schedule: true }), 1, "with the schedule");
      same(await t.jobs.getState(t.queue, id), "absent", "its state afterwards");
    },
  },
  {
    name: "c17_drain_lanes",
    contract: "Lanes are drained when asked: those on the ring, paused ones and those at their limit (C17).",
    async run(t) {
      await inLanes(t, ["full", "full", "paused", "free", "free"]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      const [held] = await t.members("active");
      await t.command("HSET", t.key("glimit"), "full", "1");
      await t.command("LREM", t.key("ring"), "0", "full");
      await t.command("SADD", t.key("paused"), "paused");
      await t.command("LREM", t.key("ring"), "0", "paused");
      same(await t.jobs.drain(t.queue), 0, "without lanes");
      same(await t.jobs.drain(t.queue, { lanes: true }), 4, "with lanes");
      same([await t.list("ring"), await t.members("active")], [[], [held]], "ring and active jobs");
      same(await t.command("HGET", t.key("gactive"), "full"), "1", "the lane's count");
      same(await t.command("HGET", t.key("glimit"), "full"), "1", "the lane's limit");
      same(await t.command("SISMEMBER", t.key("paused"), "paused"), 1, "the lane's pause");
    },
  },
  {
    name: "drain_lane_slices",
    contract: "A lane that a slice leaves half full keeps its place on the ring.",
    async run(t) {
      await inLanes(t, ["a", "a", "a", "b"]);
      same(await t.jobs.drain(t.queue, { lanes: true, budget: 2 }), 2, "the first slice");
      same(await t.list("ring"), ["a", "b"], "the ring");
      same(await t.jobs.drain(t.queue, { lanes: true, budget: 2 }), 2, "the second slice");
      same(await t.list("ring"), [], "the ring afterwards");
      same(await t.jobs.drain(t.queue, { lanes: true, budget: 2 }), 0, "nothing is left");
    },
  },
];
