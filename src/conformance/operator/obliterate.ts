/** What `OBLITERATE` promises: with `PURGE` behind it a paused queue goes, bounded and complete. */

import { isEchoMQError } from "../../protocol/errors.ts";
import { Operator } from "../../queue/operator.ts";
import { fail, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** Obliterates the trial's queue; answers `ok` or the code with which it was refused. */
async function obliterated(t: Trial, force = false): Promise<string> {
  try {
    await new Operator(t.engine, t.jobs, t.queue).obliterate({ force });
    return "ok";
  } catch (error) {
    if (isEchoMQError(error)) return error.code;
    throw error;
  }
}

/** A queue with a job in every state, in lanes of every kind, and with side keys. */
async function everything(t: Trial): Promise<void> {
  await t.dead();
  await t.active();
  await t.enqueuedMany(3);
  await t.jobs.enqueueIn(t.queue, t.id(), "later", LEASE_MS);
  const rows = ["on", "paused", "full", "weighed"].map((lane) => ({ id: t.id(), payload: "p", lane }));
  await t.jobs.admit(t.queue, rows);
  await t.jobs.addLog(t.queue, rows[1]?.id ?? "", "line");
  await t.command("SADD", t.key("paused"), "paused", "empty");
  await t.command("HSET", t.key("glimit"), "full", "1");
  await t.command("HSET", t.key("gactive"), "full", "1");
  await t.command("HSET", t.key("gweight"), "weighed", "2");
  await t.command("SET", t.key("de:d"), rows[0]?.id ?? "");
  await t.command("SET", t.key("stream:s:archived"), "w");
  await t.command("HSET", t.key("repeat:r"), "every", "1");
  await t.command("ZADD", t.key("repeat"), "1", "r");
}

export const obliterateScenarios: readonly ScenarioDraft[] = [
  {
    row: 27,
    name: "obliterate",
    contract: "A queue that is not paused is refused and stays; a paused one goes.",
    async run(t) {
      await t.enqueued();
      same(await obliterated(t), "not_paused", "not paused");
      same(await t.jobs.getCounts(t.queue, ["pending"]), { pending: 1 }, "the count");
      await t.jobs.pause(t.queue);
      same(await obliterated(t), "ok", "paused");
      const counts = await t.jobs.getCounts(t.queue, ["pending", "active", "schedule", "dead"]);
      same(counts, { pending: 0, active: 0, schedule: 0, dead: 0 }, "the counts");
    },
  },
  {
    row: 43,
    name: "obliterate_grouped",
    contract: "Lanes go with their rows, and no key of the queue is left, the pause included.",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "lane-g" }]);
      same(await t.exists(t.row(id)), true, "the row");
      await t.jobs.pause(t.queue);
      same(await obliterated(t), "ok", "obliterate");
      same([await t.exists(t.row(id)), await t.exists(t.key("g:lane-g:pending"))], [false, false], "row and lane");
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
  {
    name: "obliterate_active",
    contract: "Active jobs refuse it, unless it is forced; a refusal changes nothing.",
    async run(t) {
      await everything(t);
      await t.jobs.pause(t.queue);
      const before = await t.snapshot();
      same(await t.jobs.obliterate(t.queue), "active", "the act");
      same(await obliterated(t), "jobs_active", "the whole");
      same(await t.snapshot(), before, "what is there");
      same(await obliterated(t, true), "ok", "forced");
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
  {
    name: "c15_obliterate_slices",
    contract: "Each act takes at most its budget, and repetition empties every set and lane (C15, C22).",
    async run(t) {
      await everything(t);
      await t.jobs.pause(t.queue);
      let slices = 1;
      while ((await t.jobs.obliterate(t.queue, { force: true, budget: 1 })) === "more") {
        if (++slices > 100) fail("a budget of 1 never ends");
      }
      const left = [...(await t.snapshot()).keys()].map((key) => key.slice(t.base.length));
      const isOver = (key: string): boolean =>
        /^(?:job:|g:|ring$|paused$|g[alw]|pending$|active$|schedule$|dead$)/.test(key);
      same(left.filter(isOver), [], "rows, sets, lanes and names of lanes that are left");
      same(left.includes("meta"), true, "the pause is there");
      same(await obliterated(t), "ok", "the rest");
    },
  },
  {
    name: "c15_obliterate_neighbour",
    contract: "A queue named like a pattern takes no neighbour with it, and every key of its own (C15).",
    async run(t) {
      for (const suffix of ["a*", "a[b]", "a?", "a\\"]) {
        const queue = t.otherQueue(suffix);
        const neighbour = t.otherQueue(suffix.replace(/[*?[\]\\]+/g, "b"));
        await t.jobs.enqueue(queue, t.id(), "p");
        await t.jobs.enqueue(neighbour, t.id(), "p");
        await new Operator(t.engine, t.jobs, queue).obliterate({ force: true });
        same(await t.jobs.getCounts(queue, ["pending"]), { pending: 0 }, `the queue ${suffix}`);
        same(await t.jobs.getCounts(neighbour, ["pending"]), { pending: 1 }, `the neighbour of ${suffix}`);
        await new Operator(t.engine, t.jobs, neighbour).obliterate({ force: true });
      }
    },
  },
];
