/** What `FCLEAR` promises: signals leave the outbox by their value, so deliverers cannot take what is not theirs. */

import { same } from "../expectation.ts";
import { FlowWorld } from "../flow-world.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const fclearScenarios: readonly ScenarioDraft[] = [
  {
    name: "c10_by_value",
    contract: "Two deliverers that have read the same signals lose none that came in between.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      const [parent, one, two] = t.ids(3);
      await world.land({
        id: parent,
        children: [
          { id: one, queue: far },
          { id: two, queue: far },
        ],
      });
      await world.complete(one, "1", far);
      const read = await world.outbox(far);
      for (const deliverer of ["one", "another"]) {
        const answer = await world.flows.deliver(t.queue, { parent, child: one, result: "1" });
        same(answer, deliverer === "one" ? "counted" : "idle", `the delivery by ${deliverer}`);
      }
      await world.complete(two, "2", far);
      same(await world.flows.clear(far, "done", read), 1, "removed by one");
      same(await world.flows.clear(far, "done", read), 0, "removed by another");
      same(await world.outbox(far), [world.doneSignal(parent, two, "2")], "the outbox");
      same(await world.sweep(far), 1, "delivered");
      same(await world.state(parent), "pending", "the parent");
    },
  },
  {
    name: "c11_bad_signals",
    contract: "A signal that nobody can deliver is set aside, and those behind it are delivered.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      const [parent, child] = t.ids(2);
      await world.land({ id: parent, children: [{ id: child, queue: far }] });
      const bad = [
        "",
        "no signal",
        "\0fail\0q",
        "\0lost\0q\0p\0c\0fp\0e",
        `a{b\0${parent}\0${child}\0r`,
        `${t.queue}\0p\0c\0r`,
      ];
      await t.command("RPUSH", world.key("flow:outbox", far), ...bad);
      await world.complete(child, "r\0with zeros\0", far);
      same(await world.sweep(far), 1, "delivered");
      same(await world.outbox(far), [], "the outbox");
      const aside = await t.command("LRANGE", world.key("flow:outbox:bad", far), "0", "-1");
      same(new Set(aside as string[]), new Set(bad), "what was set aside");
      same(await world.said(parent, "processed"), { [child]: "r\0with zeros\0" }, "the result");
    },
  },
  {
    name: "flow_deliverer_called",
    contract: "Whoever fills an empty outbox calls the deliverer, once.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      const messages = await t.messages(world.key("control", far));
      const [parent, one, two] = t.ids(3);
      await world.land({
        id: parent,
        children: [
          { id: one, queue: far },
          { id: two, queue: far },
        ],
      });
      await world.complete(one, "1", far);
      await t.until(() => messages.length > 0, "the call");
      same(messages, ["f"], "the messages");
      await world.complete(two, "2", far);
      same(await world.sweep(far), 2, "delivered");
      same(messages, ["f"], "the messages of a filled outbox");
    },
  },
  {
    name: "c15_obliterate",
    contract:
      "Obliterating a queue tells parents in others of the children that go, and leaves the signals to deliver.",
    async run(t) {
      const world = new FlowWorld(t);
      const far = t.otherQueue("far");
      const [parent, waiting, node, leaf, over] = t.ids(5);
      const children = [
        { id: waiting, queue: far },
        { id: node, queue: far, children: [{ id: leaf, queue: far }] },
        { id: over, queue: far, policy: "id" },
      ] as const;
      await world.land({ id: parent, children });
      await t.jobs.claim(far, 60_000);
      await t.jobs.claim(far, 60_000);
      await world.die(over, "no", far);
      await t.jobs.pause(far);
      same(await world.flows.clear(far, "done", await world.outbox(far)), 1, "the signal of the dead child");
      await t.engine.act("OBLITERATE", [world.key("meta", far), world.key("", far)], ["force", "1000"]);
      const signals = [waiting, node].map((id) => world.failSignal(parent, id, "id", "removed"));
      same(new Set(await world.outbox(far)), new Set(signals), "the outbox");
      same(await t.command("KEYS", `emq:{${far}}:job:*`), [], "what is left of jobs");
      same(await world.sweep(far), 2, "delivered");
      same(
        await world.said(parent, "unsuccessful"),
        { [waiting]: "removed", [node]: "removed" },
        "what the parent was told",
      );
      same(await world.open(parent), "1", "open children: the dead one's signal was taken away");
    },
  },
];
