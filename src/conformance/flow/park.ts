/** What `PARK` promises: an active parent waits for its open children without a slot, and runs again when it is to. */

import { same } from "../expectation.ts";
import { FlowWorld, type PolicyWord } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

export const parkScenarios: readonly ScenarioDraft[] = [
  {
    name: "park_run_time",
    contract: "A parent that adds children while it runs parks until they have ended; it spends no attempt by it.",
    async run(t) {
      const world = new FlowWorld(t);
      const parent = await t.active();
      const child = await addChild(t, world, parent.id, "fp");
      same(await world.flows.park(t.queue, parent.id, 1, 0), "parked", "the answer");
      same(await t.members("active"), [], "leases");
      same(
        [await t.field(parent.id, "state"), await t.field(parent.id, "deferred")],
        ["awaiting_children", "1"],
        "its row",
      );
      same(await t.members("awaiting"), [parent.id], "waiting parents");
      await world.complete(child, "r");
      same([await world.claim(parent.id), await world.open(parent.id)], [2, "0"], "its token and its open children");
      same(await world.said(parent.id, "processed"), { [child]: "r" }, "its results");
      same(await world.flows.park(t.queue, parent.id, 2, 0), "open", "parking once more");
      same(await t.jobs.complete(t.queue, parent.id, 2), "ok", "its end");
      same(await t.command("KEYS", `emq:{${t.queue}}:job:*`), [], "what is left of jobs");
    },
  },
  {
    name: "park_nothing_open",
    contract: "A parent goes on with its lease when no child is open, or one has failed that lets it run.",
    async run(t) {
      const world = new FlowWorld(t);
      const parent = await t.active();
      const before = await t.snapshot();
      same(await world.flows.park(t.queue, parent.id, 1, 0), "open", "without children");
      same(await t.snapshot(), before, "what it wrote");
      const open = await addChild(t, world, parent.id, "fp");
      const eager = await addChild(t, world, parent.id, "co");
      same((await t.claimed()).id, open, "the first child");
      await world.die(eager, "no");
      same(await world.flows.park(t.queue, parent.id, 1, 0), "open", "after a failure that lets it run");
      same(await t.members("active"), [parent.id, open].sort(), "leases");
      same(await world.flows.park(t.queue, parent.id, 1, 0), "parked", "the next time");
      same(await t.jobs.complete(t.queue, open, 1), "ok", "the last child");
      same(await world.claim(parent.id), 2, "its token");
    },
  },
  {
    name: "park_failed",
    contract: "A parent of which a child has failed that ends it dies when it parks, and tells its own parents.",
    async run(t) {
      const world = new FlowWorld(t);
      const [root, node] = t.ids(2);
      await world.land({ id: root, children: [{ id: node, policy: "id" }] });
      same(await world.claim(node), 1, "the token of the node");
      const child = await addChild(t, world, node, "fp");
      await world.die(child, "boom");
      same(await world.state(node), "active", "the node before");
      same(await world.flows.park(t.queue, node, 1, 0), "dead", "the answer");
      same([await t.field(node, "last_error"), await t.field(node, "failed_child")], ["boom", child], "its row");
      same(
        [await world.state(root), await world.said(root, "unsuccessful")],
        ["pending", { [node]: "boom" }],
        "the root",
      );
    },
  },
  {
    name: "park_timeout",
    contract:
      "A parent with a time for its children runs again when it is over; a rest that finds none open forgets it.",
    async run(t) {
      const world = new FlowWorld(t);
      const parent = await t.active();
      const child = await addChild(t, world, parent.id, "fp");
      same((await t.claimed()).id, child, "the child");
      await t.takeTokens();
      same(await world.flows.park(t.queue, parent.id, 1, 1000), "parked", "the answer");
      same(await t.tokens(), 1, "tokens for a new head of the schedule");
      same([await t.members("schedule"), await t.members("awaiting")], [[parent.id], [parent.id]], "where it stands");
      const early = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      const { dueMs = -1 } = early;
      same([early.jobs.length, dueMs > 0 && dueMs <= 1000], [0, true], "an early turn");
      await t.advance(1010);
      const turn = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      same(
        turn.jobs.map(({ id, token }) => [id, token]),
        [[parent.id, 2]],
        "the claim after the time",
      );
      same([await world.open(parent.id), await t.members("awaiting")], ["1", []], "the parent");
      same(Number(await t.field(parent.id, "wait_until")) > 0, true, "the end of its time");
      same(await t.jobs.complete(t.queue, child, 1), "ok", "the late child");
      same([await world.state(parent.id), await t.members("pending")], ["active", []], "the parent afterwards");
      same(await world.flows.park(t.queue, parent.id, 2, 1000), "open", "the next rest");
      same(await t.field(parent.id, "wait_until"), null, "the end of its time afterwards");
    },
  },
  {
    name: "park_eager",
    contract:
      "A parent whose child fails with the policy `co`, while it runs or rests, does not wait once, and then does.",
    async run(t) {
      const world = new FlowWorld(t);
      let { id, attempts } = await t.active();
      const open = await addChild(t, world, id, "id");
      const lease = await world.claim(open);
      for (const when of ["runs", "rests"]) {
        const child = await addChild(t, world, id, "co");
        if (when === "rests") same(await world.flows.park(t.queue, id, attempts, 0), "parked", "the rest");
        await world.die(child, "boom");
        if (when === "rests") ({ id, attempts } = await t.claimed());
        same(await world.flows.park(t.queue, id, attempts, 0), "open", `what a parent is told that ${when}`);
      }
      const alone = await addChild(t, world, id, "co");
      same(await t.jobs.complete(t.queue, open, lease), "ok", "the other child");
      await world.die(alone, "boom");
      same(await world.flows.park(t.queue, id, attempts, 0), "open", "what it is told when none is open");
      await addChild(t, world, id, "id");
      same(await world.flows.park(t.queue, id, attempts, 0), "parked", "the next rest");
    },
  },
  {
    name: "park_in_time",
    contract: "A parent whose children have ended in its time has that time no more, so it may set one again.",
    async run(t) {
      const world = new FlowWorld(t);
      let { id, attempts } = await t.active();
      for (const how of ["done", "failed"]) {
        const child = await addChild(t, world, id, "id");
        same(await world.flows.park(t.queue, id, attempts, 60_000), "parked", "the rest");
        same(Number(await t.field(id, "wait_until")) > 0, true, "the end of its time");
        if (how === "done") await world.complete(child, "fine");
        else await world.die(child, "boom");
        same([await world.state(id), await t.field(id, "wait_until")], ["pending", null], "the parent");
        ({ id, attempts } = await t.claimed());
      }
      same(attempts, 3, "the token of the third run");
    },
  },
  {
    name: "park_released_early",
    contract: "A parent that is released before its time is over leaves the schedule.",
    async run(t) {
      const world = new FlowWorld(t);
      const parent = await t.active();
      const child = await addChild(t, world, parent.id, "fp");
      same(await world.flows.park(t.queue, parent.id, 1, LEASE_MS), "parked", "the answer");
      await world.complete(child, "r");
      same([await t.members("schedule"), await t.members("pending")], [[], [parent.id]], "where it stands");
    },
  },
  {
    name: "park_lane",
    contract: "A waiting parent holds no slot of its lane and keeps lane and priority.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, next] = t.ids(2);
      await t.lanes.limit(t.queue, "lane-a", 1);
      await t.jobs.admit(t.queue, [{ id: parent, payload: "p", lane: "lane-a", priority: 3 }]);
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      await t.jobs.admit(t.queue, [{ id: next, payload: "n", lane: "lane-a", priority: 1 }]);
      same(await t.list("ring"), [], "the ring while the lane is full");
      const child = await addChild(t, world, parent, "fp");
      same(await world.flows.park(t.queue, parent, 1, 0), "parked", "the answer");
      same([await t.list("ring"), await t.exists(t.key("gactive"))], [["lane-a"], false], "the lane");
      await world.complete(child, "r");
      same(await t.members("g:lane-a:pending"), [next, parent], "the lane's order");
      same(await t.score("g:lane-a:pending", parent), 3, "its priority");
    },
  },
  {
    name: "park_refused",
    contract: "Only the holder of the current token parks a job, and only while it is active.",
    async run(t) {
      const parent = await t.active();
      const idle = await t.dead();
      const before = await t.snapshot();
      same(await t.refusalOf("PARK", [t.id(), "1", "0"]), "EMQSTALE job gone", "a job that is gone");
      same(await t.refusalOf("PARK", [parent.id, "7", "0"]), "EMQSTALE park token mismatch", "a stale token");
      same(await t.refusalOf("PARK", [idle, "1", "0"]), "EMQSTATE job is not active", "a dead job");
      same(await t.snapshot(), before, "what they wrote");
    },
  },
  {
    name: "flow_cancelled_parent",
    contract: "A parent that waits for its children can be cancelled, cleaned and removed; its own parents hear of it.",
    async run(t) {
      const world = new FlowWorld(t);
      const ends: Record<string, (id: string) => Promise<unknown>> = {
        cancel: async (id) => await t.jobs.cancel(t.queue, id, "no more"),
        clean: async (id) => await t.jobs.clean(t.queue, "awaiting_children", [id]),
        remove: async (id) => await t.jobs.removeJob(t.queue, id),
      };
      for (const [name, end] of Object.entries(ends)) {
        const [root, node, leaf] = t.ids(3);
        await world.land({ id: root, children: [{ id: node, children: [{ id: leaf }] }] });
        await end(node);
        same(await world.state(node), null, `the node after ${name}`);
        same(await world.said(root, "unsuccessful"), { [node]: "removed" }, `what the root hears of ${name}`);
        await world.complete(root, "r");
        await world.complete(leaf, "r");
        same(await t.command("KEYS", `emq:{${t.queue}}:job:*`), [], `what is left after ${name}`);
        same(await t.members("awaiting"), [], "waiting parents");
      }
    },
  },
];

/** Adds a child while its parent runs: it lands first, and then its parent is told of it. */
async function addChild(t: Trial, world: FlowWorld, parent: string, policy: PolicyWord): Promise<string> {
  const id = t.id();
  same(await world.child({ id, policy }, parent), "added", "the child");
  const [token] = [Number(await t.field(parent, "attempts"))];
  same(await world.flows.expect(t.queue, parent, [{ id, queue: "", policy, key: "" }], token), [id], "what is open");
  return id;
}
