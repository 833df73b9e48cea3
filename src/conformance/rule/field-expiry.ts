/**
 * A lock that goes by itself: a field of the row with an expiry of its own.
 *
 * Not every server can let a field expire; the others skip these and say which command they lack.
 */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import type { Trial } from "../trial.ts";

const NEEDS = ["HEXPIRE", "HPEXPIREAT", "HPTTL"];

/** A pending job whose row a foreign lock plane has marked. */
async function marked(t: Trial): Promise<string> {
  const id = await t.enqueued();
  await t.command("HSET", t.row(id), "lock", "worker-1");
  return id;
}

/** Lets the mark go: its instant is in 1970. */
async function lapsed(t: Trial, id: string): Promise<void> {
  await t.command("HPEXPIREAT", t.row(id), "1", "FIELDS", "1", "lock");
}

export const fieldExpiryScenarios: readonly ScenarioDraft[] = [
  {
    row: 58,
    name: "native_lock_field",
    contract: "A lock field expires by itself and leaves the rest of the row as it is.",
    needs: NEEDS,
    async run(t) {
      const id = await marked(t);
      same(await t.command("HEXPIRE", t.row(id), "30", "FIELDS", "1", "lock"), [1], "the expiry");
      same(await t.command("HEXISTS", t.row(id), "lock"), 1, "the field");
      const [left] = (await t.command("HPTTL", t.row(id), "FIELDS", "1", "lock")) as number[];
      holds(Number(left) > 0 && Number(left) <= 30_000, `the field lives for ${left} ms`);
      await lapsed(t, id);
      same(await t.command("HEXISTS", t.row(id), "lock"), 0, "the field afterwards");
      same(await t.fields(id), { state: "pending", attempts: "0", payload: "work" }, "the row");
    },
  },
  {
    row: 59,
    name: "native_lock_refuses",
    contract: "A job is not removed while its lock field is there, and is once it has expired.",
    needs: NEEDS,
    async run(t) {
      const id = await marked(t);
      same(await t.jobs.removeJob(t.queue, id), "locked", "remove while it is marked");
      same(await t.jobs.getState(t.queue, id), "pending", "its state");
      await lapsed(t, id);
      same(await t.jobs.removeJob(t.queue, id), "ok", "remove afterwards");
      same(await t.jobs.getState(t.queue, id), "absent", "its state afterwards");
    },
  },
];
