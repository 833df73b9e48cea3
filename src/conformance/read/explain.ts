/** What `EXPLAIN` promises: where a job is and what stands before it, from one instant. */

import type { Reply } from "../../engine/engine.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

export const explainScenarios: readonly ScenarioDraft[] = [
  {
    name: "explain_places",
    contract: "A job is found in each place with its score and, where it waits, its rank; a missing one is absent.",
    expectFindings: ["member-score", "row-place"],
    async run(t) {
      const { id: held } = await t.active();
      const dead = await t.dead();
      const [first, second, inLane, later, kept, parent, stray] = t.ids(7);
      await t.jobs.admit(t.queue, [
        { id: first, payload: "p" },
        { id: second, payload: "p", priority: 3 },
        { id: inLane, payload: "p", lane: "lane-a" },
        { id: later, payload: "p", dueInMs: 60_000 },
      ]);
      await t.command("HSET", t.row(kept), "state", "completed", "attempts", "1", "payload", "p");
      await t.command("ZADD", t.key("completed"), "7", kept);
      await t.command("HSET", t.row(parent), "state", "awaiting_children", "attempts", "0", "payload", "p");
      await t.command("SET", `${t.row(parent)}:dependencies`, "1");
      await t.command("HSET", t.row(stray), "state", "pending", "attempts", "0", "payload", "p");
      const place = async (id = "") => (await explain(t, id)).slice(1, 4);
      same(await place(first), ["pending", "0", 0], "the first of the line");
      same(await place(second), ["pending", "3", 1], "the second");
      same(await place(inLane), ["pending", "0", 0], "a job of a lane");
      same(await place(dead), ["dead", "0", -1], "a dead one");
      same(await place(kept), ["completed", "7", -1], "a completed one");
      same(await place(parent), ["awaiting_children", "", -1], "a parent");
      same(await place(stray), ["unknown", "", -1], "one in no set");
      same(await place(t.id()), ["absent", "", -1], "one that never was");
      const [now, state, due, rank] = await explain(t, later);
      const nowMs = Number(now);
      const dueMs = Number(due);
      same([state, rank], ["scheduled", 0], "a scheduled one");
      holds(dueMs > nowMs + 50_000 && dueMs <= nowMs + 60_000, `due at ${dueMs}, now ${nowMs}`);
      const [, , end] = await explain(t, held);
      const endMs = Number(end);
      holds(endMs > nowMs && endMs <= nowMs + LEASE_MS, `leased until ${endMs}, now ${nowMs}`);
    },
  },
  {
    name: "explain_queue_and_row",
    contract: "The answer has the pause of the queue, how many jobs are active, and what the row says.",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", name: "mail", lane: "lane-a" }]);
      const before = await t.port.serverNow();
      same((await explain(t, id)).slice(4), [0, 0, "0", "mail", "lane-a", "", "", "", "", ""], "a job that waits");
      await t.act("TURN", ["worker-1", String(LEASE_MS), "1"]);
      await t.jobs.pause(t.queue);
      await t.command("HSET", t.row(id), "last_error", "boom", "stalled", "2", "deferred", "1", "cancel", "stop");
      const told = await explain(t, id);
      same(told.slice(4), [1, 1, "1", "mail", "lane-a", "worker-1", "boom", "2", "1", "stop"], "one that runs");
      holds(Number(told[0]) >= before && Number(told[0]) <= (await t.port.serverNow()), "the instant is the server's");
    },
  },
];

async function explain(t: Trial, id = ""): Promise<readonly Reply[]> {
  return (await t.act("EXPLAIN", [id])) as readonly Reply[];
}
