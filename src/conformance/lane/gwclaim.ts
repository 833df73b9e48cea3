/** What `GWCLAIM` promises: shares by weight, and no lane starves. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

export const gwclaimScenarios: readonly ScenarioDraft[] = [
  {
    row: 60,
    name: "weighted_proportion",
    contract: "A lane of weight 3 gets about three times what a lane of weight 1 gets.",
    async run(t) {
      await t.lanes.weight(t.queue, "A", 3);
      await t.lanes.weight(t.queue, "B", 1);
      for (let at = 0; at < 60; at++) await fill(t, { A: 1, B: 1 });
      const served = { A: 0, B: 0 };
      for (let turn = 0; turn < 40; turn++) {
        const lane = await serveAll(t);
        for (const name of lane) served[name as "A" | "B"] += 1;
      }
      holds(served.B > 0, "the light lane got nothing");
      holds(2 * served.B <= served.A && served.A <= 4 * served.B, `shares are ${served.A} and ${served.B}`);
    },
  },
  {
    row: 61,
    name: "starvation_drill",
    contract: "Beside a deep lane of weight 5, light lanes are served within nine turns, and all are emptied.",
    async run(t) {
      await t.lanes.weight(t.queue, "heavy", 5);
      for (const lane of ["light1", "light2"]) await t.lanes.weight(t.queue, lane, 1);
      await fill(t, { heavy: 200, light1: 6, light2: 6 });
      same(await depths(t, ["light1", "light2"]), [6, 6], "depths of the light lanes");
      const served = new Set<string>();
      for (let turn = 0; turn < 9; turn++) for (const lane of await serveAll(t)) served.add(lane);
      holds(served.has("light1") && served.has("light2"), `only ${[...served].join(", ")} were served`);
      for (let turn = 0; turn < 120; turn++) if ((await serveAll(t)).length === 0) break;
      same(await depths(t, ["heavy", "light1", "light2"]), [0, 0, 0], "depths at the end");
    },
  },
  {
    name: "weighted_limit",
    contract: "A weight is cut by the lane's limit, and a settled job makes room.",
    async run(t) {
      await t.lanes.weight(t.queue, "a", 5);
      same(await t.command("HGET", t.key("gweight"), "a"), "5", "the stored weight");
      await t.lanes.limit(t.queue, "a", 2);
      await fill(t, { a: 5 });
      const first = await t.lanes.claimWeighted(t.queue, LEASE_MS);
      same([first.length, await t.command("HGET", t.key("gactive"), "a")], [2, "2"], "the first claim");
      same(await t.lanes.claimWeighted(t.queue, LEASE_MS), [], "a claim at the limit");
      for (const { id, attempts } of first) await t.jobs.complete(t.queue, id, attempts);
      same((await t.lanes.claimWeighted(t.queue, LEASE_MS)).length, 2, "the claim after both were completed");
    },
  },
];

/** Admits so many jobs into each lane, the lanes in order. */
async function fill(t: Trial, lanes: Readonly<Record<string, number>>): Promise<void> {
  for (const [lane, count] of Object.entries(lanes)) {
    await t.jobs.admit(
      t.queue,
      t.ids(count).map((id) => ({ id, payload: "p", lane })),
    );
  }
}

/** One weighted claim; the lane of each job that it gave. All are of one lane and leased. */
async function serveAll(t: Trial): Promise<string[]> {
  const jobs = await t.lanes.claimWeighted(t.queue, LEASE_MS);
  const lanes = jobs.map(({ lane }) => lane);
  holds(new Set(lanes).size <= 1, `one claim served ${lanes.join(", ")}`);
  for (const { id } of jobs) holds((await t.score("active", id)) !== null, `${id} is not leased`);
  return lanes;
}

async function depths(t: Trial, lanes: readonly string[]): Promise<number[]> {
  return (await t.lanes.counts(t.queue, lanes)).map(({ depth }) => depth);
}
