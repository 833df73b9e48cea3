/** What `CHILD` promises: a job lands with its links, or the job that there is stands for it; nobody waits for ever. */

import { same } from "../expectation.ts";
import { FlowWorld, linkOf } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";

/** Further parents that a job may have. */
const PARENTS_MAX = 1000;

export const childScenarios: readonly ScenarioDraft[] = [
  {
    row: 53,
    name: "flow_add_bulk",
    contract: "Flows land one by one; one whose child is refused leaves its parent waiting, as the parent comes first.",
    async run(t) {
      const world = new FlowWorld(t);
      const [one, first, two, second, third] = t.ids(5);
      const far = t.otherQueue("bulkx");
      const order = t.port.mint("ORD");
      await world.land({ id: one, children: [{ id: first }] });
      await world.land({ id: two, children: [{ id: second }] });
      const broken = { id: third, children: [{ id: order, queue: far }] };
      same(await world.hold(broken), true, "the third parent");
      const link = { base: world.key("", far), id: order };
      const args = [third, t.queue, "fp", "", order, "c"];
      const keys = [world.row(order, far), `${link.base}pending`, link.base];
      same(await t.refusal("CHILD", keys, args), "EMQKIND job id must be JOB-namespaced", "its child");
      for (const parent of [one, two, third]) {
        same([await world.state(parent), await world.open(parent)], ["awaiting_children", "1"], "a parent");
      }
      same(new Set([(await t.claimed()).id, (await t.claimed()).id]), new Set([first, second]), "the claimed jobs");
    },
  },
  {
    row: 54,
    name: "flow_grandchild",
    contract: "A tree completes from its leaves up, in one queue in the acts themselves, over queues signal by signal.",
    async run(t) {
      const world = new FlowWorld(t);
      const [root, node, leaf] = t.ids(3);
      await world.land({ id: root, children: [{ id: node, children: [{ id: leaf }] }] });
      same([await world.open(root), await world.open(node)], ["1", "1"], "open children");
      await world.complete(leaf, "g-done");
      same([await world.open(node), await world.state(node)], ["0", "pending"], "the node");
      same([await world.open(root), await world.state(root)], ["1", "awaiting_children"], "the root before");
      same(await world.said(node, "processed"), { [leaf]: "g-done" }, "the node's results");
      await world.complete(node, "n");
      same(await world.open(root), "0", "the root");
      await world.complete(root, "r");
      const [top, middle, bottom] = t.ids(3);
      const [xn, xg] = [t.otherQueue("xn"), t.otherQueue("xg")];
      await world.land({ id: top, children: [{ id: middle, queue: xn, children: [{ id: bottom, queue: xg }] }] });
      await world.complete(bottom, "g-done", xg);
      same(await world.open(middle, xn), "1", "the node before its signal");
      same([await world.sweep(xg), await world.open(middle, xn)], [1, "0"], "the node over queues");
      await world.complete(middle, "n", xn);
      same(await world.open(top), "1", "the root before its signal");
      same([await world.sweep(xn), await world.open(top)], [1, "0"], "the root over queues");
      same(await world.claim(top), 1, "the root's token");
    },
  },
  {
    name: "flow_shared_child",
    contract: "A child of several parents tells each of them, in its own queue and in others, once.",
    async run(t) {
      const world = new FlowWorld(t);
      const [first, second, third, child] = t.ids(4);
      const far = t.otherQueue("far");
      const leaf = { id: child };
      const queues = [t.queue, t.queue, far] as const;
      const parents = [first, second, third].map((id, at) => ({ id, queue: queues[at] ?? "", children: [leaf] }));
      for (const { id, queue } of parents) await world.hold({ id, children: [{ id: child, queue: t.queue }] }, queue);
      const links = parents.map(({ id, queue }) => ({
        ...linkOf({ id }, queue, { id: child }),
        queue: queue === far ? far : "",
      }));
      const row = { id: child, payload: "c", shape: "", values: [] };
      same((await world.flows.child(t.queue, row, links)).outcome, "added", "the answer of CHILD");
      same(await world.said(child, "parents"), { [second]: "fp\0", [third]: `fp\0${far}` }, "further parents");
      await world.complete(child, "shared");
      same(await world.state(first), "pending", "the first parent, in the act");
      same(
        await world.outbox(),
        [world.doneSignal(second, child, "shared"), world.doneSignal(third, child, "shared", far)],
        "the signals",
      );
      same(await world.sweep(), 2, "delivered");
      same([await world.state(second), await world.state(third, far)], ["pending", "pending"], "the others");
      for (const { id, queue } of parents)
        same(await world.said(id, "processed", queue), { [child]: "shared" }, "results");
      same(await t.exists(world.row(child, t.queue, ":parents")), false, "links of a job that is gone");
    },
  },
  {
    name: "flow_existing_child",
    contract: "A child that exists is linked to the parent, once; one that is over answers at once.",
    async run(t) {
      const world = new FlowWorld(t);
      const waiting = await t.enqueued();
      const parents = t.ids(3);
      for (const id of parents) await world.hold({ id, children: [{ id: waiting }] });
      for (const id of parents) {
        same(await world.child({ id: waiting }, id), "duplicate", "the answer");
        same(await world.child({ id: waiting }, id), "duplicate", "the answer once more");
      }
      same(await t.field(waiting, "parent"), parents[0], "its first parent");
      await world.complete(waiting, "r");
      same(await world.sweep(), 2, "delivered");
      for (const id of parents) await world.complete(id, "p");
      const [late, dead, done] = t.ids(3);
      const keep = { count: 10, ms: 0 };
      const finished = await t.active();
      same(await t.jobs.complete(t.queue, finished.id, 1, "kept", keep), "ok", "a completion that is kept");
      const failed = await t.dead("gave up");
      await world.hold({ id: late, children: [{ id: finished.id }] });
      await world.hold({ id: dead, children: [{ id: failed }] });
      await world.hold({ id: done, children: [{ id: failed, policy: "id" }] });
      await world.child({ id: finished.id }, late);
      await world.child({ id: failed }, dead);
      await world.child({ id: failed, policy: "id" }, done);
      same(await world.sweep(), 3, "delivered for those that are over");
      same(await world.said(late, "processed"), { [finished.id]: "kept" }, "the result of a finished job");
      same(
        [await world.state(late), await world.state(dead), await world.state(done)],
        ["pending", "dead", "pending"],
        "the parents",
      );
      same(await world.said(done, "unsuccessful"), { [failed]: "gave up" }, "the error of a dead one");
    },
  },
  {
    name: "flow_deduplicated_child",
    contract: "A job that holds the deduplication id or the alias of a child stands for it, under the child's id.",
    async run(t) {
      const world = new FlowWorld(t);
      const held = t.id();
      await t.jobs.admit(t.queue, [{ id: held, payload: "first", dedup: { name: "d1" } }]);
      const far = t.otherQueue("far");
      const [parent, child, twin] = t.ids(3);
      const children = [child, twin].map((id) => ({ id, queue: t.queue, policy: "fp", key: "" }));
      const root = { id: parent, payload: "p", shape: "", values: [] };
      same(await world.flows.hold(far, root, { children, parents: [] }), true, "the parent");
      const link = { id: parent, queue: far, policy: "fp" };
      for (const id of [child, twin]) {
        const row = { id, payload: "second", shape: "d", values: ["d1"] };
        same(await world.flows.child(t.queue, row, [link]), { outcome: "deduplicated", id: held }, "the answer");
      }
      same(await t.exists(t.row(child)), false, "a row of the child");
      await world.complete(held, "shared");
      same(await world.sweep(), 2, "delivered");
      same(await world.said(parent, "processed", far), { [child]: "shared", [twin]: "shared" }, "the results");
      same(await world.state(parent, far), "pending", "the parent");
      const [next, fresh] = t.ids(2);
      await world.hold({ id: next, children: [{ id: fresh }] });
      const row = { id: fresh, payload: "third", shape: "dj", values: ["d1", "order-7"] };
      same(
        (await world.flows.child(t.queue, row, [{ id: next, queue: "", policy: "fp" }])).outcome,
        "added",
        "a free id",
      );
      same(await t.jobs.getDedup(t.queue, "d1"), fresh, "the holder of the id");
      const again = { id: t.id(), payload: "fourth", shape: "j", values: ["order-7"] };
      const answer = await world.flows.child(t.queue, again, [{ id: next, queue: "", policy: "fp" }]);
      same(answer, { outcome: "duplicate", id: fresh, state: "pending" }, "a taken alias");
      await world.complete(fresh, "r");
      same(await t.jobs.getDedup(t.queue, "d1"), undefined, "the id afterwards");
    },
  },
  {
    name: "flow_own_parent",
    contract: "A job does not become its own parent by a name that it holds.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child] = t.ids(2);
      await world.hold({ id: parent, children: [{ id: child }] });
      await t.command("SET", t.key("de:self"), parent);
      await t.command("HSET", t.row(parent), "dedup", "self");
      const args = [parent, "", "fp", "d", child, "c", "self"];
      same(await t.refusalOf("CHILD", args), "EMQSTATE job is its own parent", "the refusal");
    },
  },
  {
    name: "flow_parents_full",
    contract: "A job has no more than 1000 further parents; one more is refused and nothing is written.",
    async run(t) {
      const world = new FlowWorld(t);
      const [child, late] = t.ids(2);
      const parents = t.ids(PARENTS_MAX + 1).map((id) => ({ id, queue: "", policy: "fp" }));
      const row = { id: child, payload: "c", shape: "", values: [] };
      same((await world.flows.child(t.queue, row, parents)).outcome, "added", "a child of many");
      await world.hold({ id: late, children: [{ id: child }] });
      const before = await t.snapshot();
      same(await t.refusalOf("CHILD", [late, "", "fp", "", child, "c"]), "EMQFULL parents of a job", "by CHILD");
      same(await t.refusalOf("HOLD", ["1", "", child, "c", late, "", "fp"]), "EMQFULL parents of a job", "by HOLD");
      same(await t.snapshot(), before, "what they wrote");
    },
  },
];
