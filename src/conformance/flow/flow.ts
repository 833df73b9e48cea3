/** What `FLOW` promises: a parent and its children of one queue land together, and the parent waits for all of them. */

import { same } from "../expectation.ts";
import { FlowWorld } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn } from "../trial.ts";

export const flowScenarios: readonly ScenarioDraft[] = [
  {
    row: 47,
    name: "flow_add",
    contract:
      "A flow lands whole: its parent waits outside of every set that is claimed from, its children are pending.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two] = t.ids(3);
      await world.land({ id: parent, payload: "P", children: [{ id: one }, { id: two }] });
      same(await world.open(parent), "2", "open children");
      same(await t.fields(parent), { state: "awaiting_children", attempts: "0", payload: "P" }, "the parent's row");
      same(await t.score("pending", parent), null, "its place in the queue");
      same(
        Object.keys(await t.fields(one)),
        ["state", "attempts", "payload", "parent", "parent_policy"],
        "a child's row",
      );
      const claimed = [await t.claimed(), await t.claimed()];
      same(new Set(claimed.map(({ id }) => id)), new Set([one, two]), "the claimed jobs");
      same(
        claimed.map(({ attempts }) => attempts),
        [1, 1],
        "their tokens",
      );
      await world.idle();
    },
  },
  {
    row: 48,
    name: "flow_fanin",
    contract: "A parent runs when its last child has completed; a child that completes twice counts once.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two] = t.ids(3);
      await world.land({ id: parent, payload: "P", children: [{ id: one }, { id: two }] });
      const first = await t.claimed();
      same(await t.jobs.complete(t.queue, first.id, first.attempts), "ok", "the first completion");
      same(await t.jobs.complete(t.queue, first.id, first.attempts + 999), "gone", "the same once more");
      same(await world.open(parent), "1", "open children");
      const second = await t.claimed();
      await world.idle();
      same(await t.jobs.complete(t.queue, second.id, second.attempts), "ok", "the second completion");
      same(await world.open(parent), "0", "open children at the end");
      same(new Set(Object.keys(await world.said(parent, "processed"))), new Set([one, two]), "what was processed");
      same(await world.state(parent), "pending", "the parent's state");
      const claimed = await t.claimed();
      same([claimed.id, bytesIn(claimed.payload), claimed.attempts], [parent, "P", 1], "the claimed parent");
    },
  },
  {
    row: 49,
    name: "flow_children_values",
    contract: "The results of children stand with their parent, byte for byte, and looking changes nothing.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two] = t.ids(3);
      await world.land({ id: parent, children: [{ id: one }, { id: two }] });
      same([await world.said(parent, "processed"), await world.open(parent)], [{}, "2"], "before");
      await world.complete(one, `r-${one}`);
      same(await world.open(parent), "1", "open children");
      await world.complete(two, `r-${two}`);
      const all = { [one]: `r-${one}`, [two]: `r-${two}` };
      for (const look of ["one look", "another"]) {
        same([await world.said(parent, "processed"), await world.open(parent)], [all, "0"], look);
      }
    },
  },
  {
    row: 52,
    name: "flow_ignore_dep",
    contract: "A child whose failure is ignored counts as ended; its error stands beside the results of the others.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, ignored, good] = t.ids(3);
      await world.land({ id: parent, children: [{ id: ignored, policy: "id" }, { id: good }] });
      await world.die(ignored, "skip-me");
      same(await world.open(parent), "1", "open children");
      await world.complete(good, "g-done");
      same([await world.open(parent), await world.state(parent)], ["0", "pending"], "the parent");
      same(await world.claim(parent), 1, "its token");
      same(await world.said(parent, "unsuccessful"), { [ignored]: "skip-me" }, "ignored failures");
      same(await world.said(parent, "processed"), { [good]: "g-done" }, "results");
      same(await world.said(parent, "failed"), {}, "failures");
      same(await world.said(t.id(), "unsuccessful"), {}, "what an unknown parent has");
    },
  },
  {
    name: "c02_one_act",
    contract: "Links and policy stand in a child's row from its first moment, so a fast worker leaves no ghost row.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child, far] = t.ids(3);
      const other = t.otherQueue("far");
      await world.land({
        id: parent,
        children: [
          { id: child, policy: "id" },
          { id: far, queue: other },
        ],
      });
      const links = ["parent", "parent_queue", "parent_policy"] as const;
      const link = async (id: string, queue: string) => await t.command("HMGET", world.row(id, queue), ...links);
      same(await link(child, t.queue), [parent, null, "id"], "the link of a child");
      same(await link(far, other), [parent, t.queue, "fp"], "the link of a child in another queue");
      await world.complete(child, "r");
      same(await t.exists(t.row(child)), false, "a row that was left");
    },
  },
  {
    name: "c20_results",
    contract: "The result that a worker's turn gives is what the parent reads; without one it is the child's id.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two, three] = t.ids(4);
      await world.land({ id: parent, children: [{ id: one }, { id: two }, { id: three }] });
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: 60_000, want: 3 });
      const settlements = [
        { op: "r", id: one, token: 1, result: "eins" },
        { op: "r", id: two, token: 1, result: "" },
        { op: "c", id: three, token: 1 },
      ] as const;
      const turn = await t.jobs.turn(t.queue, { worker: "w", leaseMs: 60_000, want: 1, settlements });
      same(turn.exceptions, new Map(), "the exceptions of the turn");
      same(
        turn.jobs.map(({ id }) => id),
        [parent],
        "what the same turn claims",
      );
      same(await world.said(parent, "processed"), { [one]: "eins", [two]: "", [three]: three }, "the results");
    },
  },
  {
    name: "flow_refused_whole",
    contract: "A flow of which a job exists, or is of another kind, is refused and nothing of it lands.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, fresh] = t.ids(2);
      const taken = await t.enqueued();
      const order = t.port.mint("ORD");
      const before = await t.snapshot();
      const flow = async (root: string, ...children: string[]) => {
        const args = ["", root, "p", String(children.length)];
        for (const child of children) args.push("fp", "", child, "c");
        const keys = [t.row(root), t.key("pending"), t.base, ...children.map((child) => t.row(child))];
        return { keys, args };
      };
      const refusal = async (root: string, ...children: string[]) => {
        const { keys, args } = await flow(root, ...children);
        return await t.refusal("FLOW", keys, args);
      };
      same(await refusal(parent, fresh, taken), `EMQSTATE child exists ${taken}`, "a child that exists");
      same(await refusal(order, fresh), "EMQKIND job id must be JOB-namespaced", "a parent of another kind");
      same(await refusal(parent, fresh, order), "EMQKIND job id must be JOB-namespaced", "a child of another kind");
      const { keys, args } = await flow(parent, fresh);
      const layout = "ERR EMQ.FLOW keys do not match the wire-4 layout";
      same(await t.refusal("FLOW", keys.slice(0, 3), args), layout, "a row that is not declared");
      same(await t.refusal("FLOW", [...keys.slice(0, 3), t.row(t.id())], args), layout, "the row of another job");
      same(
        await world.flows.flow(t.queue, { id: taken, payload: "p", shape: "", values: [] }, [
          { policy: "fp", row: { id: fresh, payload: "c", shape: "", values: [] } },
        ]),
        0,
        "a parent that exists",
      );
      same(await t.snapshot(), before, "what they wrote");
    },
  },
  {
    name: "c13_own_lane",
    contract: "A parent that is released goes into its own lane, at its priority, and wakes a worker.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child] = t.ids(2);
      const row = { id: parent, payload: "p", shape: "pg", values: ["7", "lane-a"] };
      const children = [{ policy: "fp", row: { id: child, payload: "c", shape: "n", values: ["part"] } }];
      same(await world.flows.flow(t.queue, row, children), 1, "the answer of FLOW");
      same(await t.exists(t.key("g:lane-a:pending")), false, "the lane while the parent waits");
      await t.takeTokens();
      await world.complete(child, "r");
      same(await t.score("g:lane-a:pending", parent), 7, "its place in the lane");
      same([await t.list("ring"), await t.tokens()], [["lane-a"], 1], "ring and tokens");
      same((await t.lanes.claim(t.queue, 60_000))?.id, parent, "the claim of the lane");
    },
  },
  {
    name: "flow_later",
    contract: "A child of a flow may be delayed, in a lane, with a priority and a time to live, like any other job.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, later, lane, urgent] = t.ids(4);
      const row = (id: string, shape: string, ...values: string[]) => ({ id, payload: "c", shape, values });
      const children = [
        { policy: "fp", row: row(later, "i", "50") },
        { policy: "fp", row: row(lane, "g", "lane-a") },
        { policy: "fp", row: row(urgent, "px", "1", "60000") },
      ];
      same(await world.flows.flow(t.queue, row(parent, ""), children), 3, "the answer of FLOW");
      same(await t.members("schedule"), [later], "the schedule");
      same(await t.members("g:lane-a:pending"), [lane], "the lane");
      same(await t.members("ttl"), [urgent], "those with a time to live");
      await world.complete(urgent, "u");
      const claimed = await t.lanes.claim(t.queue, 60_000);
      same(await t.jobs.complete(t.queue, claimed?.id ?? "", 1, "l"), "ok", "the completion in the lane");
      await t.advance(60);
      same(await t.jobs.promote(t.queue, 10), 1, "promoted");
      await world.complete(later, "d");
      same(await world.said(parent, "processed"), { [later]: "d", [lane]: "l", [urgent]: "u" }, "the results");
      same(await world.claim(parent), 1, "the parent's token");
    },
  },
];
