/** What `FFAIL` promises: a failure means to a parent what its policy says, once, and travels up one level a pass. */

import { same } from "../expectation.ts";
import { FlowWorld, type PolicyWord } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";
import type { Trial } from "../trial.ts";

export const ffailScenarios: readonly ScenarioDraft[] = [
  {
    row: 51,
    name: "flow_fail_parent",
    contract: "A dead child ends its parent: in the act where they share a queue, else by its signal, and only once.",
    async run(t) {
      const world = new FlowWorld(t);
      const [near, child] = t.ids(2);
      await world.land({ id: near, children: [{ id: child }] });
      await world.die(child, "boom-sq");
      same(await world.state(near), "dead", "the parent of the same queue");
      same(await world.said(near, "failed"), { [child]: "boom-sq" }, "its failures");
      const [far, other] = t.ids(2);
      const queue = t.otherQueue("xqf");
      await world.land({ id: far, children: [{ id: other, queue }] });
      await world.die(other, "boom-xq", queue);
      const signal = world.failSignal(far, other, "fp", "boom-xq");
      same(await world.outbox(queue), [signal], "the outbox");
      same(await world.state(other, queue), "dead", "the child");
      same([await world.state(far), await world.open(far)], ["awaiting_children", "1"], "the parent before");
      same(await world.sweep(queue), 1, "delivered");
      same(await world.state(far), "dead", "the parent");
      await t.command("RPUSH", world.key("flow:outbox", queue), signal);
      same(await world.sweep(queue), 1, "delivered again");
      same(await world.said(far, "failed"), { [other]: "boom-xq" }, "its failures");
      same((await t.jobs.getMetrics(t.queue, "failed")).count, 3, "failed jobs of the queue");
    },
  },
  {
    row: 55,
    name: "flow_grandchild_fail",
    contract:
      "A death travels up one level a pass, in one queue and over several, and ends where a failure is ignored.",
    async run(t) {
      await sameQueueChain(t);
      await fourLevels(t);
      await crossQueueChain(t);
      await ignoredAtTheTop(t);
    },
  },
  {
    name: "c09_upward_once",
    contract: "Only a parent that has died in this very act signals upwards: neither one that goes on, nor one twice.",
    async run(t) {
      const world = new FlowWorld(t);
      const [root, node, one, two, good] = t.ids(5);
      const far = t.otherQueue("far");
      const leaves = [{ id: one, queue: far, policy: "id" }, { id: two, queue: far }, { id: good }] as const;
      await world.land({ id: root, children: [{ id: node, children: leaves }] });
      await world.die(one, "ignored", far);
      same([await world.sweep(far), await world.outbox()], [1, []], "what a living parent signals");
      same(await world.state(root), "awaiting_children", "the root");
      await world.die(two, "boom", far);
      const dead = world.failSignal(node, two, "fp", "boom");
      same(
        [await world.sweep(far), await world.outbox()],
        [1, [world.failSignal(root, node, "fp", "boom")]],
        "a dead one",
      );
      await t.command("RPUSH", world.key("flow:outbox", far), dead);
      same([await world.sweep(far), (await world.outbox()).length], [1, 1], "the same death again");
      await world.die(good, "late");
      same((await world.outbox()).length, 1, "signals after another child of it");
      same(await world.sweep(), 1, "delivered upwards");
      same([await world.state(root), await world.said(root, "failed")], ["dead", { [node]: "boom" }], "the root");
      same(await world.sweep(), 0, "what is left");
    },
  },
  {
    name: "c08_sweep_tells",
    contract: "A child that is dead because its leases lapsed too often tells its parents as any dead child does.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      for (const [queue, policy] of [
        [t.queue, "fp"],
        [far, "fp"],
        [t.queue, "id"],
        [far, "id"],
      ] as const) {
        const [parent, child] = t.ids(2);
        await world.land({ id: parent, children: [{ id: child, queue, policy }] });
        same((await t.jobs.claim(queue, 10))?.id, child, "the claimed child");
        await t.advance(20);
        same((await t.jobs.sweep(queue, { maxStalled: 1 })).dead, [child], "those the sweep ends");
        if (queue === far) same(await world.sweep(far), 1, "delivered");
        const isDead = policy === "fp";
        same(await world.state(parent), isDead ? "dead" : "pending", `a parent with the policy ${policy}`);
        same(await world.said(parent, isDead ? "failed" : "unsuccessful"), { [child]: "stalled" }, "what it was told");
        if (!isDead) await world.complete(parent, "r");
      }
    },
  },
  {
    name: "flow_policies",
    contract:
      "The policy `co` lets the parent run at once with the failure; `rm` forgets the child, which counts all the same.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      for (const queue of [t.queue, far]) {
        const deliver = async () => (queue === far ? await world.sweep(far) : 0);
        const [eager, failed, open] = t.ids(3);
        await world.land({ id: eager, children: [{ id: failed, queue, policy: "co" }, { id: open }] });
        await world.die(failed, "no", queue);
        await deliver();
        same([await world.state(eager), await world.open(eager)], ["pending", "1"], "a parent that goes on");
        same(await world.said(eager, "unsuccessful"), { [failed]: "no" }, "its failures");
        await world.complete(eager, "r");
        await world.complete(open, "r");
        const [parent, gone, good] = t.ids(3);
        await world.land({ id: parent, children: [{ id: gone, queue, policy: "rm" }, { id: good }] });
        same(await t.command("HGET", world.row(gone, queue), "forget"), "1", "the mark of a forgotten child");
        await world.die(gone, "no", queue);
        await deliver();
        if (queue === far)
          await t.command("RPUSH", world.key("flow:outbox", far), world.failSignal(parent, gone, "id", "no"));
        await deliver();
        same(
          [await world.state(parent), await world.open(parent)],
          ["awaiting_children", "1"],
          "a parent that forgets",
        );
        same([await world.said(parent, "unsuccessful"), await world.said(parent, "failed")], [{}, {}], "what it has");
        const entry = (await world.said(parent, "children"))[gone];
        same(entry, `-\0${queue === far ? far : ""}`, "what it knows of the forgotten child");
        await world.complete(good, "g");
        await world.complete(parent, "r");
      }
    },
  },
  {
    name: "c14_removed",
    contract: "A child that is removed before its end, by whatever verb, counts as an ignored failure of its parents.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      for (const queue of [t.queue, far]) {
        for (const [name, remove] of Object.entries(removals(t, queue))) {
          const [parent, child] = t.ids(2);
          await world.land({ id: parent, children: [{ id: child, queue }] });
          await remove(child);
          if (queue === far) same(await world.sweep(far), 1, `signals of ${name}`);
          same([await world.state(parent), await world.open(parent)], ["pending", "0"], `the parent after ${name}`);
          same(await world.said(parent, "unsuccessful"), { [child]: "removed" }, `what it was told by ${name}`);
          await world.complete(parent, "r");
        }
      }
    },
  },
  {
    name: "flow_over_is_told",
    contract: "Removing a child that is over says nothing more: its parents know.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      const [parent, bad, open] = t.ids(3);
      await world.land({ id: parent, children: [{ id: bad, queue: far, policy: "id" }, { id: open }] });
      await world.die(bad, "no", far);
      same(await world.sweep(far), 1, "delivered");
      same(await t.jobs.removeJob(far, bad), "ok", "the removal");
      same(await world.outbox(far), [], "the outbox");
      same(await world.said(parent, "unsuccessful"), { [bad]: "no" }, "ignored failures");
    },
  },
  {
    name: "flow_expired",
    contract: "A child that does not begin in time tells its parents; so does a parent whose own time is over.",
    async run(t) {
      const world = new FlowWorld(t);
      const [root, node, leaf] = t.ids(3);
      const far = t.otherQueue("far");
      const keep = { count: 1000, ms: 0 };
      const link = { id: root, queue: "", policy: "id" };
      same(await world.hold({ id: root, children: [{ id: node, policy: "id" }] }), true, "the root");
      const children = [{ id: leaf, queue: far, policy: "fp", key: "" }];
      const row = { id: node, payload: "n", shape: "x", values: ["1000"] };
      same(await world.flows.hold(t.queue, row, { children, parents: [link] }), true, "the node");
      await world.child({ id: leaf }, node, far, t.queue);
      await t.advance(1010);
      same((await t.jobs.sweep(t.queue, { keep })).overdue, [node], "those whose time is over");
      same([await world.state(node), await world.state(root)], ["dead", "pending"], "node and root");
      same(await world.said(root, "unsuccessful"), { [node]: "expired" }, "what the root was told");
      same(await t.members("awaiting"), [], "waiting parents");
      await world.complete(leaf, "r", far);
      same(await world.sweep(far), 1, "delivered to a parent that is over");
      same(await world.state(node), "dead", "the node afterwards");
    },
  },
  {
    name: "flow_dead_kept",
    contract: "A parent that a child has ended is kept as the terms of the next sweep say, with all that hangs on it.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      for (const queue of [t.queue, far]) {
        const kept = await fallen(t, world, queue);
        same(await t.jobs.sweep(t.queue, { keep: { count: 9, ms: 0 } }), { ...SWEPT }, "a sweep that keeps");
        same(await world.state(kept.parent), "dead", "the parent");
        same(await t.exists(t.key("ttl")), false, "what is still to be settled");
        await t.jobs.removeJob(t.queue, kept.parent);
        await t.jobs.removeJob(queue, kept.child);
        await world.complete(kept.other, "late");
        const { parent, child, other } = await fallen(t, world, queue);
        await t.jobs.sweep(t.queue, { keep: { count: 0, ms: 0 } });
        same(await world.state(parent), null, "the parent after a sweep that keeps none");
        await world.complete(other, "late");
        await t.jobs.removeJob(queue, child);
        for (const name of [t.queue, far]) {
          same(await t.command("KEYS", `emq:{${name}}:job:*`), [], "what is left of jobs");
        }
      }
    },
  },
  {
    name: "flow_reprocess",
    contract: "A dead child that is tried again revives no parent that is over, and unblocks one that still waits.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child, other] = t.ids(3);
      await world.land({ id: parent, children: [{ id: child }, { id: other }] });
      await world.die(child, "boom");
      same(await world.state(parent), "dead", "the parent");
      same(await t.jobs.reprocessJob(t.queue, child), "ok", "reprocess the child");
      await world.complete(child, "c");
      await world.complete(other, "o");
      same([await world.state(parent), await world.open(parent)], ["dead", "0"], "a parent that is over");
      same(await t.jobs.reprocessJob(t.queue, parent), "ok", "reprocess the parent");
      same(await world.said(parent, "processed"), { [child]: "c", [other]: "o" }, "its results");
      await world.complete(parent, "p");
      const [second, again, last] = t.ids(3);
      await world.land({ id: second, children: [{ id: again }, { id: last }] });
      await world.die(again, "boom");
      same(await t.jobs.reprocessJob(t.queue, again), "ok", "reprocess its child");
      same(await t.jobs.reprocessJob(t.queue, second), "ok", "reprocess it");
      same([await world.state(second), await world.open(second)], ["awaiting_children", "2"], "a parent that waits");
      await world.complete(again, "c");
      await world.complete(last, "l");
      await world.complete(second, "p");
    },
  },
  {
    name: "flow_reprocess_parent",
    contract: "A parent that is tried again after a child ended it does not wait for that child.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child, other] = t.ids(3);
      await world.land({ id: parent, children: [{ id: child }, { id: other }] });
      await world.die(child, "boom");
      same(await t.jobs.reprocessJob(t.queue, parent), "ok", "reprocess");
      same([await world.state(parent), await world.open(parent)], ["awaiting_children", "1"], "the parent");
      same(await world.said(parent, "unsuccessful"), { [child]: "boom" }, "its ignored failures");
      await world.complete(other, "o");
      await world.complete(parent, "p");
    },
  },
];

/** What a sweep answers that found nothing of its own. */
const SWEPT = { recovered: [], dead: [], expired: 0, overdue: [] };

/** A parent that a child in this queue has ended, with a further child that is pending. */
async function fallen(
  t: Trial,
  world: FlowWorld,
  queue: string,
): Promise<{ readonly parent: string; readonly child: string; readonly other: string }> {
  const [parent, child, other] = t.ids(3);
  await world.land({ id: parent, children: [{ id: child, queue }, { id: other }] });
  await world.die(child, "boom", queue);
  if (queue !== t.queue) same(await world.sweep(queue), 1, "delivered");
  same(await world.state(parent), "dead", "the parent");
  return { parent, child, other };
}

/** Every verb that takes a pending job away. */
function removals(t: Trial, queue: string): Readonly<Record<string, (id: string) => Promise<unknown>>> {
  return {
    remove: async (id) => await t.jobs.removeJob(queue, id),
    cancel: async (id) => await t.jobs.cancel(queue, id, "no more"),
    clean: async (id) => await t.jobs.clean(queue, "pending", [id]),
    drain: async () => await t.jobs.drain(queue, {}),
  };
}

/** A chain of nodes, each the only child of the one before. */
function chain(ids: readonly string[], queues: readonly string[], policies: readonly PolicyWord[]): ChainNode {
  const [id = "", ...rest] = ids;
  const [queue = "", ...further] = queues;
  const [policy = "fp", ...more] = policies;
  return { id, queue, policy, ...(rest.length > 0 ? { children: [chain(rest, further, more)] } : {}) };
}

interface ChainNode {
  readonly id: string;
  readonly queue: string;
  readonly policy: PolicyWord;
  readonly children?: readonly ChainNode[];
}

async function sameQueueChain(t: Trial): Promise<void> {
  const world = new FlowWorld(t);
  const ids = t.ids(3);
  const [root, node, leaf] = ids;
  await world.land(chain(ids, [t.queue, t.queue, t.queue], []));
  await world.die(leaf, "boom-gc");
  same([await world.state(node), await world.said(node, "failed")], ["dead", { [leaf]: "boom-gc" }], "the node");
  same(await world.state(root), "awaiting_children", "the root before the sweep");
  same(await world.sweep(), 1, "delivered");
  same([await world.state(root), await world.said(root, "failed")], ["dead", { [node]: "boom-gc" }], "the root");
}

async function fourLevels(t: Trial): Promise<void> {
  const world = new FlowWorld(t);
  const ids = t.ids(4);
  const [root, first, second, leaf] = ids;
  await world.land(chain(ids, [t.queue, t.queue, t.queue, t.queue], []));
  await world.die(leaf, "boom4");
  const states = async () => [await world.state(second), await world.state(first), await world.state(root)];
  same(await states(), ["dead", "awaiting_children", "awaiting_children"], "before the sweeps");
  same(await world.sweep(), 1, "delivered first");
  same(
    [await states(), await world.said(first, "failed")],
    [["dead", "dead", "awaiting_children"], { [second]: "boom4" }],
    "after the first sweep",
  );
  same(await world.sweep(), 1, "delivered next");
  same(
    [await states(), await world.said(root, "failed")],
    [["dead", "dead", "dead"], { [first]: "boom4" }],
    "at the end",
  );
  same(await world.sweep(), 0, "delivered last");
}

async function crossQueueChain(t: Trial): Promise<void> {
  const world = new FlowWorld(t);
  const ids = t.ids(3);
  const [root, node, leaf] = ids;
  const queues = [t.queue, t.otherQueue("fxn"), t.otherQueue("fxg")] as [string, string, string];
  await world.land(chain(ids, queues, []));
  await world.die(leaf, "boom-xgc", queues[2]);
  same(await world.state(node, queues[1]), "awaiting_children", "the node before");
  same([await world.sweep(queues[2]), await world.state(node, queues[1])], [1, "dead"], "the node");
  same(await world.state(root), "awaiting_children", "the root before");
  same([await world.sweep(queues[1]), await world.state(root)], [1, "dead"], "the root");
  const signal = world.failSignal(root, node, "fp", "boom-xgc");
  await t.command("RPUSH", world.key("flow:outbox", queues[1]), signal);
  same(await world.sweep(queues[1]), 1, "delivered again");
  same(await world.said(root, "failed"), { [node]: "boom-xgc" }, "its failures");
}

async function ignoredAtTheTop(t: Trial): Promise<void> {
  const world = new FlowWorld(t);
  const ids = t.ids(3);
  const [root, node, leaf] = ids;
  await world.land(chain(ids, [t.queue, t.queue, t.queue], ["fp", "id", "fp"]));
  await world.die(leaf, "boom2");
  same(await world.sweep(), 1, "delivered");
  same([await world.open(root), await world.state(root)], ["0", "pending"], "the root");
  same(await world.said(root, "unsuccessful"), { [node]: "boom2" }, "its ignored failures");
  same(await world.said(root, "failed"), {}, "its failures");
  same(await world.claim(root), 1, "its token");
}
