/** What `FDELIVER` promises: a completion reaches a parent in another queue, and counts once however often it comes. */

import { same } from "../expectation.ts";
import { FlowWorld } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

export const fdeliverScenarios: readonly ScenarioDraft[] = [
  {
    row: 50,
    name: "flow_cross_queue",
    contract: "A child in another queue leaves a signal; its delivery, also a second one, counts it once.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, child] = t.ids(2);
      const far = t.otherQueue("xq");
      await world.land({ id: parent, payload: "P", children: [{ id: child, queue: far }] });
      same([await world.open(parent), await world.state(parent)], ["1", "awaiting_children"], "the parent");
      await world.complete(child, `r-${child}`, far);
      const signal = world.doneSignal(parent, child, `r-${child}`);
      same(await world.outbox(far), [signal], "the outbox");
      same(await t.command("ZCARD", world.key("active", far)), 0, "leases");
      same(await world.open(parent), "1", "open children before the delivery");
      await world.idle();
      same(await world.sweep(far), 1, "delivered");
      same([await world.open(parent), await world.state(parent)], ["0", "pending"], "the parent afterwards");
      same(await world.said(parent, "processed"), { [child]: `r-${child}` }, "the results");
      await t.command("RPUSH", world.key("flow:outbox", far), signal);
      same(await world.sweep(far), 1, "delivered again");
      same(await world.open(parent), "0", "open children at the end");
      same(await world.outbox(far), [], "the outbox at the end");
      same(await world.claim(parent), 1, "the parent's token");
    },
  },
  {
    name: "c01_after_lapse",
    contract: "A child that completes after its lease lapsed counts, once, here and in another queue.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      for (const queue of [t.queue, far]) {
        const [parent, child] = t.ids(2);
        await world.land({ id: parent, children: [{ id: child, queue }] });
        const claimed = await t.jobs.claim(queue, 10);
        same(claimed?.id, child, "the claimed child");
        await t.advance(20);
        same(await t.jobs.reap(queue), 1, "reaped");
        same(await t.jobs.complete(queue, child, 1, "late"), "ok", "the late completion");
        if (queue === far) same(await world.sweep(far), 1, "delivered");
        same([await world.open(parent), await world.state(parent)], ["0", "pending"], "the parent");
        same(await world.said(parent, "processed"), { [child]: "late" }, "its results");
        await world.complete(parent, "done");
      }
    },
  },
  {
    name: "c01_not_waiting",
    contract: "What a child says to a parent that does not wait is recorded and moves nothing.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two, three] = t.ids(4);
      const children = [{ id: one, policy: "co" }, { id: two }, { id: three }] as const;
      await world.land({ id: parent, children });
      await world.die(one, "no");
      same(await world.state(parent), "pending", "a parent that goes on at once");
      const tokens = [await world.claim(parent), await world.claim(two), await world.claim(three)];
      same(tokens, [1, 1, 1], "the tokens");
      same(await t.jobs.complete(t.queue, two, 1, "r"), "ok", "a completion");
      const failure = { delayMs: 0, maxAttempts: 1, error: "late" };
      same(await t.jobs.retry(t.queue, three, 1, failure), "dead", "a death");
      same([await world.state(parent), await t.members("pending")], ["active", []], "the parent");
      same(await world.open(parent), "1", "open children: the dead one");
      same(await world.said(parent, "failed"), { [three]: "late" }, "failures");
      same(await t.jobs.complete(t.queue, parent, 1), "ok", "its completion");
    },
  },
  {
    name: "c14_gone",
    contract: "A signal for a parent that is gone, or that never was, is dropped, and no key comes into being.",
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, near, far] = t.ids(3);
      const other = t.otherQueue("far");
      await world.land({ id: parent, children: [{ id: near }, { id: far, queue: other }] });
      same(await t.jobs.removeJob(t.queue, parent), "ok", "the removal of the parent");
      await world.complete(near, "r");
      await world.complete(far, "r", other);
      same(await world.sweep(other), 1, "delivered");
      same(await t.command("KEYS", `emq:{${t.queue}}:job:*`), [], "what is left of jobs");
      same(await t.command("ZCARD", t.key("awaiting")), 0, "waiting parents");
    },
  },
  {
    name: "c15_side_keys",
    contract: "All that a parent knows of its children goes with its row, whoever takes it away.",
    async run(t) {
      const world = new FlowWorld(t);
      const ends: Record<string, (parent: string) => Promise<unknown>> = {
        complete: async (parent) => await world.complete(parent, "r"),
        remove: async (parent) => await t.jobs.removeJob(t.queue, parent),
        turn: async (parent) => {
          await t.jobs.turn(t.queue, { worker: "w", leaseMs: 60_000, want: 1 });
          const settlements = [{ op: "c", id: parent, token: 1 }] as const;
          await t.jobs.turn(t.queue, { worker: "w", leaseMs: 60_000, want: 0, settlements });
        },
        drain: async () => await t.jobs.drain(t.queue, { lanes: true }),
      };
      for (const [name, end] of Object.entries(ends)) {
        const [parent, good, bad] = t.ids(3);
        await world.land({ id: parent, children: [{ id: good }, { id: bad, policy: "id" }] });
        await world.complete(good, "r");
        await world.die(bad, "no");
        await t.jobs.removeJob(t.queue, bad);
        await end(parent);
        same(await t.command("KEYS", `emq:{${t.queue}}:job:*`), [], `what ${name} leaves`);
      }
    },
  },
  {
    name: "flow_release_wakes",
    contract: "Whatever releases a parent pushes one token for it, and none while the queue is paused.",
    async run(t) {
      const world = new FlowWorld(t);
      const failure = { delayMs: 0, maxAttempts: 1, error: "no" };
      const turn = { worker: "w", leaseMs: LEASE_MS, want: 0 };
      const releases: Record<string, (child: string, parent: string) => Promise<unknown>> = {
        COMPLETE: async (child) => await t.jobs.complete(t.queue, child, 1),
        RETRY: async (child) => await t.jobs.retry(t.queue, child, 1, failure),
        TURN: async (child) => await t.jobs.turn(t.queue, { ...turn, settlements: [{ op: "c", id: child, token: 1 }] }),
        REMOVE: async (child) => await t.jobs.removeJob(t.queue, child),
        FDELIVER: async (child, parent) => await world.flows.deliver(t.queue, { parent, child, result: "r" }),
        FFAIL: async (child, parent) => await world.flows.fail(t.queue, { parent, child, policy: "id", error: "no" }),
      };
      for (const [name, release] of Object.entries(releases)) {
        for (const isPaused of [false, true]) {
          const [parent, child] = t.ids(2);
          await world.land({ id: parent, children: [{ id: child, policy: "id" }] });
          await world.claim(child);
          if (isPaused) await t.jobs.pause(t.queue);
          await t.takeTokens();
          await release(child, parent);
          same(
            [await world.state(parent), await t.tokens()],
            ["pending", isPaused ? 0 : 1],
            `${name}, paused ${isPaused}`,
          );
          await t.jobs.resume(t.queue);
          await world.claim(parent);
          for (const id of [parent, child]) await t.jobs.removeJob(t.queue, id);
        }
      }
    },
  },
  {
    name: "flow_foreign_parent",
    contract: "A parent that a foreign speaker holds, with a count and no list of children, is released by its count.",
    expectFindings: ["row-place"],
    async run(t) {
      const world = new FlowWorld(t);
      const [parent, one, two] = t.ids(3);
      await t.command("HSET", t.row(parent), "state", "awaiting_children", "attempts", "0", "payload", "p");
      await t.command("SET", world.row(parent, t.queue, ":dependencies"), "2");
      for (const child of [one, one, two]) {
        await world.flows.deliver(t.queue, { parent, child, result: "r" });
      }
      same([await world.open(parent), await world.state(parent)], ["0", "pending"], "the parent");
      const left = t.id();
      await t.command("HSET", t.row(left), "state", "awaiting_children", "attempts", "0", "payload", "p");
      await t.command("SET", world.row(left, t.queue, ":dependencies"), "1");
    },
  },
];
