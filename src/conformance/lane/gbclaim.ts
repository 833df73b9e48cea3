/** What `GBCLAIM` promises: a batch of one lane, within its limit. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

export const gbclaimScenarios: readonly ScenarioDraft[] = [
  {
    row: 68,
    name: "grouped_batch_affinity",
    contract: "All jobs of a batch are of one lane, the oldest first, with one common deadline.",
    async run(t) {
      const ids = { A: await fill(t, "A", 5), B: await fill(t, "B", 5) };
      const jobs = await t.lanes.claimBatch(t.queue, 0, LEASE_MS);
      same(
        jobs.map(({ id, lane }) => [id, lane]),
        ids.A.map((id) => [id, "A"]),
        "the batch",
      );
      const scores = new Set(await Promise.all(jobs.map(({ id }) => t.score("active", id))));
      same(scores.size, 1, "deadlines");
      holds(!scores.has(null), "a job is not leased");
      for (const { id } of jobs) same(await t.field(id, "group"), "A", "the lane of a row");
      same(await t.members("g:B:pending"), ids.B, "the other lane");
    },
  },
  {
    row: 69,
    name: "grouped_batch_ceiling",
    contract: "A batch stops at the lane's limit; each completion makes room for one job.",
    async run(t) {
      await t.lanes.limit(t.queue, "G", 3);
      const ids = await fill(t, "G", 8);
      const jobs = await t.lanes.claimBatch(t.queue, 0, LEASE_MS);
      same(
        jobs.map(({ id }) => id),
        ids.slice(0, 3),
        "the batch",
      );
      same(await t.command("HGET", t.key("gactive"), "G"), "3", "the lane's count");
      same(await t.lanes.claimBatch(t.queue, 0, LEASE_MS), [], "a batch at the limit");
      await t.jobs.complete(t.queue, ids[0] ?? "", 1);
      const next = await t.lanes.claimBatch(t.queue, 0, LEASE_MS);
      same(
        next.map(({ id, attempts, lane }) => [id, attempts, lane]),
        [[ids[3], 1, "G"]],
        "the next batch",
      );
    },
  },
  {
    row: 70,
    name: "grouped_batch_fairness",
    contract: "With equal limits, light lanes are served within nine batches beside a deep one, and all are emptied.",
    async run(t) {
      const lanes = ["heavy", "light1", "light2"];
      for (const lane of lanes) await t.lanes.limit(t.queue, lane, 2);
      await fill(t, "heavy", 40);
      for (const lane of ["light1", "light2"]) await fill(t, lane, 4);
      same(
        (await t.lanes.counts(t.queue, lanes)).map(({ depth }) => depth),
        [40, 4, 4],
        "depths",
      );
      const served = new Set<string>();
      for (let turn = 0; turn < 9; turn++) for (const lane of await serve(t)) served.add(lane);
      holds(served.has("light1") && served.has("light2"), `only ${[...served].join(", ")} were served`);
      for (let turn = 0; turn < 200; turn++) if ((await serve(t)).length === 0) break;
      same(
        (await t.lanes.counts(t.queue, lanes)).map(({ depth }) => depth),
        [0, 0, 0],
        "depths at the end",
      );
    },
  },
  {
    name: "grouped_batch_size",
    contract: "A batch has as many jobs as were asked for, never more than a thousand, and the lane goes to the tail.",
    async run(t) {
      for (let at = 0; at < 1200; at += 600) await fill(t, "a", 600);
      await fill(t, "b", 3);
      same(
        (await t.lanes.claimBatch(t.queue, 2, LEASE_MS)).map(({ lane }) => lane),
        ["a", "a"],
        "a batch of two",
      );
      same(
        (await t.lanes.claimBatch(t.queue, 2, LEASE_MS)).map(({ lane }) => lane),
        ["b", "b"],
        "the next",
      );
      same(await t.list("ring"), ["a", "b"], "the ring");
      same((await t.lanes.claimBatch(t.queue, 0, LEASE_MS)).length, 1000, "a batch without a size");
      same(await t.lanes.depth(t.queue, "a"), 198, "the depth");
    },
  },
];

/** Admits so many jobs into a lane; answers their ids. */
async function fill(t: Trial, lane: string, count: number): Promise<string[]> {
  const ids = t.ids(count);
  await t.jobs.admit(
    t.queue,
    ids.map((id) => ({ id, payload: "p", lane })),
  );
  return ids;
}

/** Claims one batch and completes it; the lane of each job. */
async function serve(t: Trial): Promise<string[]> {
  const jobs = await t.lanes.claimBatch(t.queue, 0, LEASE_MS);
  for (const { id, attempts } of jobs) {
    holds((await t.score("active", id)) !== null, `${id} is not leased`);
    same(await t.jobs.complete(t.queue, id, attempts), "ok", "a completion");
  }
  return jobs.map(({ lane }) => lane);
}
