/** What `EXPECT` promises: a parent is told of children, before or after they land, and counts none twice. */

import { same } from "../expectation.ts";
import { FlowWorld } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";

/** Children that a parent may be told of, and those of one act. */
const CHILDREN_MAX = 10_000;
const GROUPS_MAX = 1000;

export const expectScenarios: readonly ScenarioDraft[] = [
  {
    name: "expect_late",
    contract: "A child that ends before its parent is told of it is recorded and does not count as open.",
    async run(t) {
      const world = new FlowWorld(t);
      const parent = await t.active();
      const [done, ignored, forgotten, open] = t.ids(4);
      const children = [
        { id: done, queue: "", policy: "fp", key: "" },
        { id: ignored, queue: "", policy: "id", key: "" },
        { id: forgotten, queue: "", policy: "rm", key: "gone" },
        { id: open, queue: "", policy: "fp", key: "open" },
      ];
      for (const { id, policy } of children) {
        const row = { id, payload: "c", shape: "", values: [] };
        same(
          (await world.flows.child(t.queue, row, [{ id: parent.id, queue: "", policy }])).outcome,
          "added",
          "a child",
        );
      }
      await world.complete(done, "r");
      await world.die(ignored, "no");
      await world.die(forgotten, "no");
      same(await world.open(parent.id), "0", "the count before");
      for (const round of ["first", "second"]) {
        same(await world.flows.expect(t.queue, parent.id, children, 1), [open], `the ${round} answer`);
        same(await world.open(parent.id), "1", `the count after the ${round}`);
      }
      same(await world.said(parent.id, "unsuccessful"), { [ignored]: "no" }, "ignored failures");
      const known = await world.said(parent.id, "children");
      same([known[open], known[forgotten]], ["fp\0\0\0open", "-\0\0\0gone"], "children with a name");
    },
  },
  {
    name: "expect_refused",
    contract: "Only the holder of the current token tells an active parent of children, and no more than there may be.",
    async run(t) {
      const world = new FlowWorld(t);
      const parent = await t.active();
      const idle = await t.enqueued();
      const [child] = t.ids(1);
      const group = [child, "", "fp", "", ""];
      const before = await t.snapshot();
      same(await t.act("EXPECT", [t.id(), "1", ...group]), -1, "a parent that is gone");
      same(await t.refusalOf("EXPECT", [parent.id, "7", ...group]), "EMQSTALE expect token mismatch", "a stale token");
      same(await t.refusalOf("EXPECT", [idle, "0", ...group]), "EMQSTALE expect token mismatch", "the token 0");
      const dead = await t.dead();
      const then = await t.snapshot();
      same(await t.refusalOf("EXPECT", [dead, "1", ...group]), "EMQSTATE job is not active", "a dead parent");
      same(await t.snapshot(), then, "what they wrote");
      same(before.has(t.row(parent.id)), true, "the parent's row");
      for (let told = 0; told < CHILDREN_MAX; told += GROUPS_MAX) {
        const ids = t.ids(GROUPS_MAX).map((id) => ({ id, queue: "", policy: "fp", key: "" }));
        same((await world.flows.expect(t.queue, parent.id, ids, 1)).length, GROUPS_MAX, "the answer");
      }
      same(await world.open(parent.id), String(CHILDREN_MAX), "the count");
      same(await t.refusalOf("EXPECT", [parent.id, "1", ...group]), "EMQFULL children of a job", "one more");
      same(await t.jobs.removeJob(t.queue, parent.id), "ok", "its removal");
    },
  },
  {
    name: "expect_early",
    contract: "A parent that runs before all its children have ended is told of no new ones, and says which are open.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, co, ignored, failed, forgotten, open, fresh] = t.ids(7);
      const policies = { [co]: "co", [ignored]: "id", [failed]: "fp", [forgotten]: "rm", [open]: "fp" } as const;
      const children = Object.entries(policies).map(([id, policy]) => ({ id, policy }));
      await world.land({ id: parent, children });
      await world.die(co, "boom");
      same(await world.claim(parent), 1, "the token of the parent");
      for (const id of [ignored, failed, forgotten]) await world.die(id, "boom");
      const groups = [...Object.keys(policies), fresh].map((id) => ({ id, queue: "", policy: "fp", key: "" }));
      const before = await t.snapshot();
      same(await world.flows.expect(t.queue, parent, groups), [open], "the answer while it runs");
      same(await t.snapshot(), before, "what it wrote");
      const failure = { delayMs: 0, maxAttempts: 1, error: "boom" };
      same(await t.jobs.retry(t.queue, parent, 1, failure), "dead", "its end");
      same(await world.flows.expect(t.queue, parent, groups), "over", "the answer then");
    },
  },
  {
    name: "expect_stand_in",
    contract: "A parent that waits is told which job stands for a child, which counts nothing.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child, other] = t.ids(3);
      await world.land({ id: parent, children: [{ id: child }] });
      const told = [{ id: child, queue: "", policy: "fp", key: "", stands: other }];
      same(await world.flows.expect(t.queue, parent, told), [child], "the answer");
      same(await world.said(parent, "children"), { [child]: `fp\0\0${other}` }, "what it knows");
      same(await world.open(parent), "1", "open children");
    },
  },
];
