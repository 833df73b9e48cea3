/** What `REPEAT` promises: one record and one place a name, and an upsert that changes what it says and no more. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS, type Trial } from "../trial.ts";

/** Far enough away that nothing falls due meanwhile, in ms. */
const FAR_MS = 3_600_000;

/** Puts a scheduler of the set `cron`. */
async function put(t: Trial, name: string, firstAtMs: number, ...pairs: string[]) {
  return await t.repeats.put(t.queue, name, { everyMs: 1000, template: "p", firstAtMs, pairs });
}

export const repeatScenarios: readonly ScenarioDraft[] = [
  {
    row: 16,
    name: "repeat",
    contract:
      "A registered repeat is due with its period and payload, occurs once a period under ids that rise, and ends.",
    async run(t) {
      const options = { everyMs: 10, template: "daily", firstInMs: 0 };
      same(await t.repeats.register(t.queue, "report", options), "registered", "register");
      same(await t.repeats.register(t.queue, "report", options), "exists", "the second register");
      const ids: string[] = [];
      for (let round = 0; round < 2; round++) {
        const { entries } = await t.repeats.due(t.queue, { limit: 10 });
        same([entries.length, entries[0]?.name, entries[0]?.everyMs], [1, "report", 10], "what is due");
        same(await t.command("HGET", t.key("repeat:report"), "template"), "daily", "the template");
        const id = t.id();
        same(await t.jobs.enqueue(t.queue, id, "daily"), "enqueued", "enqueue");
        const next = (await t.port.serverNow()) + 10;
        same(await t.repeats.advance(t.queue, "report", next), "advanced", "advance");
        await t.advance(20);
        ids.push(id);
      }
      same((await t.members("pending")).join(), ids.join(), "the occurrences");
      holds((ids[0] ?? "") < (ids[1] ?? ""), "the ids rise");
      same(await t.jobs.drain(t.queue), 2, "drain");
      same(await t.repeats.cancel(t.queue, "report"), "cancelled", "cancel");
      same(await t.repeats.cancel(t.queue, "report"), "absent", "the second cancel");
      same(await t.exists(t.key("repeat:report")), false, "the record");
    },
  },
  {
    name: "repeat_record",
    contract: "A repeat of the wire before this one is a member at its first run and a hash of two fields.",
    async run(t) {
      const before = await t.port.serverNow();
      await t.repeats.register(t.queue, "r", { everyMs: 1000, template: "x\0y", firstInMs: 500 });
      const after = await t.port.serverNow();
      const at = (await t.score("repeat", "r")) ?? 0;
      holds(at >= before + 500 && at <= after + 500, `the first run ${at} is the server's now and 500`);
      same(await t.command("HGETALL", t.key("repeat:r")), ["every_ms", "1000", "template", "x\0y"], "the record");
      same(await t.repeats.count(t.queue), 1, "the count");
      await t.command("ZREM", t.key("repeat"), "r");
      same(await t.repeats.register(t.queue, "r", { everyMs: 5, template: "z" }), "exists", "a record without a place");
      same(await t.members("repeat"), [], "its place");
      await t.repeats.cancel(t.queue, "r");
    },
  },
  {
    name: "repeat_replace",
    contract: "The same content changes nothing; other jobs keep the next occurrence, another rule or end moves it.",
    async run(t) {
      const first = (await t.port.serverNow()) + FAR_MS;
      same(await put(t, "s", first, "name", "a", "limit", "5", "rule", "r1"), "added", "the first time");
      const before = await t.snapshot();
      same(await put(t, "s", first + 77, "name", "a", "limit", "5", "rule", "r1"), "unchanged", "the same");
      same([...(await t.snapshot())], [...before], "what it changed");
      same(await put(t, "s", first + 77, "priority", "3", "limit", "5", "rule", "r1"), "replaced", "other jobs");
      same(await t.score("cron", "s"), first, "the next occurrence");
      same(await t.command("HMGET", t.key("cron:s"), "name", "priority"), [null, "3"], "what the jobs have");
      same(await put(t, "s", first + 78, "priority", "3", "limit", "5", "rule", "r2"), "replaced", "another rule");
      same(await t.score("cron", "s"), first + 78, "the next occurrence of another rule");
      same(await put(t, "s", first + 79, "until", String(first), "rule", "r2"), "replaced", "an end");
      same(await t.score("cron", "s"), Number.MAX_SAFE_INTEGER, "an occurrence beyond the end");
      same(await put(t, "s", first + 80, "rule", "r2"), "replaced", "no end");
      same(await t.score("cron", "s"), first + 80, "an occurrence again");
    },
  },
  {
    name: "repeat_revision",
    contract: "Each change of a scheduler gives its record a greater revision, and keeps what it has counted.",
    async run(t) {
      const rev = async () => Number(await t.command("HGET", t.key("cron:s"), "rev"));
      const now = await t.port.serverNow();
      await put(t, "s", now, "name", "a");
      const revs = [await rev()];
      same(await t.repeats.fire(t.queue, "s", { id: t.id(), dueAtMs: now }, "cron"), "fired", "fire");
      for (const name of ["b", "c", "d"]) {
        same(await put(t, "s", now, "name", name), "replaced", `the name ${name}`);
        revs.push(await rev());
      }
      same(
        revs,
        [...new Set(revs)].sort((a, b) => a - b),
        "the revisions",
      );
      same(await t.command("HGET", t.key("cron:s"), "fired"), "1", "what has occurred");
    },
  },
  {
    name: "repeat_told",
    contract: "Those who fire are told of a new first occurrence, and of no other.",
    async run(t) {
      const heard = await t.messages(t.key("control"));
      const now = await t.port.serverNow();
      await put(t, "a", now + FAR_MS);
      await t.until(() => heard.length === 1, "the first one");
      await put(t, "b", now + 2 * FAR_MS);
      await put(t, "c", now + FAR_MS - 1);
      await t.until(() => heard.length === 2, "the earlier one");
      same(heard, ["r", "r"], "what was told");
    },
  },
  {
    name: "repeat_apart",
    contract: "The two sets know nothing of each other, and a name of one is none of the other.",
    async run(t) {
      const now = await t.port.serverNow();
      await t.repeats.register(t.queue, "x", { everyMs: 1000, template: "flat", firstInMs: FAR_MS });
      await put(t, "x", now + FAR_MS, "name", "n");
      same(await t.repeats.cancel(t.queue, "x", "cron"), "cancelled", "cancel of the scheduler");
      same([await t.members("repeat"), await t.members("cron")], [["x"], []], "the sets");
      same(await t.repeats.cancel(t.queue, "x"), "cancelled", "cancel of the repeat");
    },
  },
  {
    name: "repeat_bound",
    contract: "A set of a queue holds 100,000 repeats; one more is refused, one that is there is not.",
    async run(t) {
      const late = String(Number.MAX_SAFE_INTEGER);
      for (let at = 0; at < 100_000; at += 1000) {
        const members = Array.from({ length: 1000 }, (_, index) => [late, `s${at + index}`]).flat();
        await t.command("ZADD", t.key("cron"), ...members);
      }
      const args = (name: string) => [name, "replace", "1000", "p", late];
      same(await t.refusalOf("REPEAT", args("more"), { isOther: true }), "EMQFULL repeats", "one more");
      same(await t.act("REPEAT", args("s7"), { isOther: true }), 1, "one that has a place");
      await t.command("DEL", t.key("cron"), t.key("cron:s7"));
    },
  },
  {
    name: "c19_repeat_served",
    contract: "What serves flat work and lanes serves occurrences too, and wakes for them.",
    async run(t) {
      const now = await t.port.serverNow();
      await put(t, "flat", now, "name", "n");
      await put(t, "laned", now, "group", "lane-a");
      const ids = t.ids(2);
      await t.takeTokens();
      same(await t.repeats.fire(t.queue, "flat", { id: ids[0] ?? "", dueAtMs: now }, "cron"), "fired", "fire");
      same(await t.tokens(), 1, "tokens");
      same(
        await t.repeats.fire(t.queue, "laned", { id: ids[1] ?? "", dueAtMs: now }, "cron"),
        "fired",
        "fire in a lane",
      );
      const turn = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 5 });
      same(
        turn.jobs.map((job) => [job.id, bytesIn(job.payload)]).sort(),
        [
          [ids[0], "p"],
          [ids[1], "p"],
        ],
        "the turn",
      );
    },
  },
  {
    name: "repeat_lane",
    contract:
      "A change that ends the order of a scheduler's lane takes the settings of that lane away, if it is empty.",
    async run(t) {
      const now = await t.port.serverNow();
      const inOrder = ["group", "one", "overlap", "queue"];
      const settings = async () => [
        await t.command("HGET", t.key("glimit"), "one"),
        await t.command("SISMEMBER", t.key("gordered"), "one"),
      ];
      same(await put(t, "s", now, ...inOrder), "added", "add");
      same(await t.repeats.fire(t.queue, "s", { id: t.id(), dueAtMs: now }, "cron"), "fired", "fire");
      same(await put(t, "s", now, "name", "n", ...inOrder), "replaced", "a change of the jobs");
      same(await settings(), ["1", 1], "the settings while it is in order");
      same(await put(t, "s", now, "group", "one"), "replaced", "a change of the order with a job in the lane");
      same(await settings(), ["1", 1], "the settings while a job waits");
      same(await put(t, "s", now, ...inOrder), "replaced", "a change back");
      same(await t.lanes.drain(t.queue, "one", 9), 1, "drain of the lane");
      same(await put(t, "s", now, "group", "one"), "replaced", "a change of the order");
      same(await settings(), [null, 0], "the settings of an empty lane");
      await t.repeats.cancel(t.queue, "s", "cron");
    },
  },
];
