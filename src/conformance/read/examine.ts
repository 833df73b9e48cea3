/** What `EXAMINE` promises: jobs, a lane and a deduplication key as they are at one instant. */

import type { Reply } from "../../engine/engine.ts";
import { holds, same } from "../expectation.ts";
import { FlowWorld } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** What the act tells: clock, lane, deduplication key, jobs. */
async function examined(t: Trial, lane: string, dedup: string, count: string, ...ids: string[]): Promise<Reply[]> {
  return [...((await t.act("EXAMINE", [lane, dedup, count, ...ids])) as Reply[])];
}

export const examineScenarios: readonly ScenarioDraft[] = [
  {
    name: "examine_jobs",
    contract: "A job is told with its fields, the names of all fields and its score wherever it lies.",
    async run(t) {
      const [flat, grouped] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: flat, payload: "p", priority: 3, name: "mail" },
        { id: grouped, payload: "p", lane: "tenant" },
      ]);
      const held = await t.claimed(LEASE_MS);
      same(held.id, flat, "the flat job is claimed first");
      const [now, lane, dedup, jobs] = await examined(t, "", "", "0", flat, grouped);
      holds(Math.abs(Number(now) - (await t.port.serverNow())) < LEASE_MS, "the clock is not the server's");
      same([lane, dedup], [[], []], "what was not asked for");
      const [first, second] = jobs as readonly (readonly Reply[])[];
      const nothing = Array.from({ length: 9 }, () => null);
      same(first?.[0], ["active", "1", null, "3", ...nothing], "the fields of the flat job");
      same(
        [...((first?.[1] ?? []) as string[])].sort(),
        ["attempts", "name", "payload", "priority", "state"],
        "their names",
      );
      const deadline = String(await t.score("active", flat));
      same(first?.[2], [null, deadline, null, null, null, null, null, null, null, null], "the scores of the flat job");
      same(second?.[2], [null, null, null, null, null, "0", null, null, null, null], "the scores of the job of a lane");
      same([first?.[3], second?.[3]], [[], []], "side keys of jobs that have rows");
    },
  },
  {
    name: "examine_follower",
    contract: "A job that runs after another is told with the state of that one and the job that it names as its next.",
    async run(t) {
      const [first, second] = t.ids(2);
      const admit = async (id: string) => await t.act("ADMIT", ["dm", "1", id, "p", "d", "follow"]);
      await admit(first);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      await admit(second);
      const [, , , jobs] = await examined(t, "", "", "0", first, second);
      const [leader, follower] = jobs as readonly (readonly Reply[])[];
      same([leader?.[4], follower?.[4]], [[], ["active", second]], "the jobs before them");
    },
  },
  {
    name: "examine_parent",
    contract: "A parent is told with its count, how many children are open by its list, and of how many it was told.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, done, ignored, forgotten, open] = t.ids(5);
      const children = [
        { id: done },
        { id: ignored, policy: "id" },
        { id: forgotten, policy: "rm" },
        { id: open },
      ] as const;
      await world.land({ id: parent, children });
      await world.complete(done, "r");
      await world.die(ignored, "no");
      await world.die(forgotten, "no");
      const [, , , jobs] = await examined(t, "", "", "0", parent, open);
      const [first, second] = jobs as readonly (readonly Reply[])[];
      const since = String(await t.score("awaiting", parent));
      same(first?.[2], [null, null, null, null, null, null, null, null, since, null], "the scores of the parent");
      same([first?.[5], second?.[5]], [["1", 1, 4], []], "what they count");
      const many = t.ids(2);
      for (const id of many) {
        const held = Array.from({ length: 600 }, () => ({ id: t.id(), queue: "", policy: "fp", key: "" }));
        await world.flows.hold(t.queue, { id, payload: "p", shape: "", values: [] }, { children: held, parents: [] });
      }
      const [, , , large] = await examined(t, "", "", "0", ...many);
      same(
        (large as readonly (readonly Reply[])[]).map((job) => job[5]),
        [
          ["600", 600, 600],
          ["600", -1, 600],
        ],
        "many",
      );
    },
  },
  {
    name: "examine_strays",
    contract:
      "An id without a row is told with where it lies and what its row has left; text that is no id has no row.",
    expectFindings: ["member-row", "side-key"],
    async run(t) {
      const id = t.id();
      await t.command("ZADD", t.key("g:tenant:pending"), "4", id);
      await t.command("ZADD", t.key("dead"), "5", "no id");
      await t.command("RPUSH", `${t.row(id)}:logs`, "line");
      await t.command("SET", `${t.row(id)}:result`, "r", "PX", "600000");
      await t.command("RPUSH", t.key("ring"), "tenant");
      const [, , , jobs] = await examined(t, "tenant", "", "0", id, "no id");
      same(
        jobs,
        [
          [[], [], [null, null, null, null, null, null, "4", null, null, null], ["logs"], [], []],
          [[], [], [null, null, null, "5", null, null, null, null, null, null], [], [], []],
        ],
        "the jobs",
      );
    },
  },
  {
    name: "examine_lane",
    contract: "A lane is told with its depth, settings, counter, places on the ring and, when asked for, leased jobs.",
    async run(t) {
      const rows = t.ids(3).map((id) => ({ id, payload: "p", lane: "tenant" }));
      await t.jobs.admit(t.queue, rows);
      await t.command("HSET", t.key("glimit"), "tenant", "2");
      await t.command("HSET", t.key("gweight"), "tenant", "7");
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      const uncounted = await examined(t, "tenant", "", "0");
      same(uncounted[1], [2, 0, "2", "1", "7", 0, 1, -1, 0], "the lane");
      const counted = await examined(t, "tenant", "", "1");
      same(counted[1], [2, 0, "2", "1", "7", 0, 1, 1, 0], "the lane with its leased jobs");
      same((await examined(t, "nobody", "", "1"))[1], [0, 0, null, null, null, 0, 0, 0, 0], "a lane that is not there");
    },
  },
  {
    name: "examine_dedup",
    contract: "A deduplication key is told with its holder, whether the holder's job is there, and whether it expires.",
    expectFindings: ["dedup-holder"],
    async run(t) {
      const id = await t.enqueued();
      const gone = t.id();
      await t.command("SET", t.key("de:here"), id);
      await t.command("SET", t.key("de:gone"), gone);
      same((await examined(t, "", "here", "0"))[2], [id, 1, 0], "one whose job is there");
      await t.command("SET", t.key("de:ends"), id, "PX", "600000");
      same((await examined(t, "", "ends", "0"))[2], [id, 1, 1], "one that expires");
      same((await examined(t, "", "gone", "0"))[2], [gone, 0, 0], "one whose job is not");
      same((await examined(t, "", "none", "0"))[2], [], "one that is not there");
    },
  },
  {
    name: "examine_bounds",
    contract: "One act looks at 1000 ids at most.",
    async run(t) {
      const many = Array.from({ length: 1001 }, () => "x");
      same(await t.refusalOf("EXAMINE", ["", "", "0", ...many]), "ERR EMQ.EXAMINE bad argument id", "one too many");
      const [, , , jobs] = await examined(t, "", "", "0", ...many.slice(1));
      same((jobs as Reply[]).length, 1000, "as many as there may be");
    },
  },
];
