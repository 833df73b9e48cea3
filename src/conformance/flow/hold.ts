/**
 * What `HOLD` promises: a parent stands before its children land, and a flow that broke half-way can be added again.
 */

import { same } from "../expectation.ts";
import { FlowWorld } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const holdScenarios: readonly ScenarioDraft[] = [
  {
    name: "hold_row",
    contract: "A held parent has the three fields of birth and the links to its own parent, and stands in no queue.",
    async run(t) {
      const world = new FlowWorld(t);
      const [root, node, leaf] = t.ids(3);
      const far = t.otherQueue("far");
      await world.land({
        id: root,
        queue: far,
        children: [{ id: node, queue: t.queue, policy: "rm", children: [{ id: leaf }] }],
      });
      const links = { parent: root, parent_queue: far, parent_policy: "id", forget: "1" };
      same(await t.fields(node), { state: "awaiting_children", attempts: "0", payload: "work", ...links }, "the row");
      same(await t.members("awaiting"), [node], "waiting parents");
      same(await world.said(node, "children"), { [leaf]: "fp\0" }, "the children that it knows");
      same(await world.said(root, "children", far), { [node]: `rm\0${t.queue}` }, "those of the root");
      same(await t.members("pending"), [leaf], "the queue");
    },
  },
  {
    name: "hold_plain",
    contract: "In its plain form HOLD takes the number of children alone, which are counted as they end.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two] = t.ids(3);
      same(await t.act("HOLD", ["2", "", parent, "p"]), 1, "the answer");
      for (const id of [one, two])
        same(await t.act("CHILD", [parent, "", "fp", "", id, "c"]), 1, "the answer of CHILD");
      await world.complete(one, "1");
      same([await world.open(parent), await world.state(parent)], ["1", "awaiting_children"], "the parent");
      await world.complete(two, "2");
      same(await world.claim(parent), 1, "its token");
    },
  },
  {
    name: "hold_delay",
    contract: "A held parent with a delay rests for it when its children let it run for the first time, and only then.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two] = t.ids(3);
      same(await t.act("HOLD", ["1", "i", parent, "p", "1000"]), 1, "the answer");
      same(await t.field(parent, "delay"), "1000", "its delay");
      same(await t.act("CHILD", [parent, "", "fp", "", one, "c"]), 1, "the answer of CHILD");
      await t.advance(2000);
      await t.takeTokens();
      await world.complete(one, "1");
      same([await world.state(parent), await t.members("pending")], ["scheduled", []], "the parent, which rests");
      same([await t.members("awaiting"), await t.members("schedule")], [[], [parent]], "where it stands");
      same(await t.tokens(), 1, "tokens for a new head of the schedule");
      await t.advance(1010);
      const turn = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      same(
        turn.jobs.map(({ id, token }) => [id, token]),
        [[parent, 1]],
        "the claim after its delay",
      );
      same(await t.act("CHILD", [parent, "", "fp", "", two, "c"]), 1, "the answer of CHILD");
      const told = [{ id: two, queue: "", policy: "fp", key: "" }];
      same(await world.flows.expect(t.queue, parent, told, 1), [two], "what it is told of");
      same(await world.flows.park(t.queue, parent, 1, 0), "parked", "the rest");
      await world.complete(two, "2");
      same([await world.state(parent), await t.members("schedule")], ["pending", []], "the parent afterwards");
    },
  },
  {
    name: "c12_resume",
    contract: "A flow that broke half-way is completed by adding it again: nothing is counted, written or run twice.",
    async run(t) {
      const world = new FlowWorld(t);
      const [root, node, leaf, done, lost] = t.ids(5);
      const far = t.otherQueue("far");
      const leaves = { id: node, children: [{ id: leaf }] };
      const tree = { id: root, children: [leaves, { id: done }, { id: lost, queue: far }] };
      const link = { id: root, queue: "", policy: "fp" };
      same(await world.hold(tree), true, "the root");
      same(await world.hold(leaves, t.queue, [link]), true, "the node");
      same(await world.child({ id: done }, root), "added", "one leaf");
      await world.complete(done, "r");
      same(await world.hold(tree), false, "the root again");
      const children = [node, done, lost].map((id) => ({ id, queue: id === lost ? far : "", policy: "fp", key: "" }));
      same(await world.flows.expect(t.queue, root, children), [node, lost], "what is still to land");
      same(await world.hold(leaves, t.queue, [link]), false, "the node again");
      same(await world.child({ id: leaf }, node), "added", "its leaf");
      same(await world.child({ id: lost }, root, far, t.queue), "added", "the other leaf");
      same([await world.open(root), await world.open(node)], ["2", "1"], "open children");
      await world.complete(leaf, "l");
      await world.complete(node, "n");
      await world.complete(lost, "f", far);
      same(await world.sweep(far), 1, "delivered");
      await world.complete(root, "end");
      same(await world.flows.expect(t.queue, root, children), "gone", "once it is over");
    },
  },
  {
    name: "c12_same_id",
    contract: "A job that stands twice in a flow, or is its own parent, is refused before anything is written.",
    async run(t) {
      const [parent, child] = t.ids(2);
      const rows = { more: [`job:${child}`, `job:${child}`] };
      const twice = ["", parent, "p", "2", "fp", "", child, "c", "fp", "", child, "c"];
      const itself = ["", parent, "p", "1", "fp", "", parent, "c"];
      const bad = "ERR EMQ.FLOW bad argument id";
      same(await t.refusalOf("FLOW", twice, rows), bad, "a child that stands twice");
      same(await t.refusalOf("FLOW", itself, { more: [`job:${parent}`] }), bad, "a parent as child");
      const groups = (...ids: string[]) => ids.flatMap((id) => ["c", id, "", "fp", ""]);
      const hold = (...ids: string[]) => [String(ids.length), "", parent, "p", "", "", "", ...groups(...ids)];
      const held = "ERR EMQ.HOLD bad argument child_id";
      same(await t.refusalOf("HOLD", hold(child, child)), held, "a child that HOLD names twice");
      same(await t.refusalOf("HOLD", hold(parent)), held, "a parent that HOLD names as its child");
      same((await t.snapshot()).size, 0, "keys that were made");
    },
  },
  {
    name: "hold_duplicate",
    contract: "A parent that exists is left as it is, whatever it does.",
    async run(t) {
      const world = new FlowWorld(t);
      const id = await t.enqueued();
      const before = await t.snapshot();
      same(await world.hold({ id, children: [{ id: t.id() }] }), false, "a pending job");
      same(await world.flows.expect(t.queue, id, [{ id: t.id(), queue: "", policy: "fp", key: "" }]), [], "EXPECT");
      same(await t.snapshot(), before, "what they wrote");
    },
  },
];
