/** What `FIRE` promises: one job an occurrence, by the server's clock, whoever and however many fire. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS, type Trial } from "../trial.ts";

/** Puts a scheduler that is due now; answers the instant. */
async function dueNow(t: Trial, everyMs: number, ...pairs: string[]): Promise<number> {
  const now = await t.port.serverNow();
  await t.repeats.put(t.queue, "s", { everyMs, template: "p", firstAtMs: now, pairs });
  return now;
}

/** Fires the scheduler's occurrence at an instant. */
async function fire(t: Trial, dueAtMs: number, nextAtMs?: number) {
  const id = t.id();
  const next = nextAtMs === undefined ? {} : { nextAtMs };
  return { id, outcome: await t.repeats.fire(t.queue, "s", { id, dueAtMs, ...next }, "cron") };
}

async function recorded(t: Trial, ...fields: string[]): Promise<unknown> {
  return await t.command("HMGET", t.key("cron:s"), ...fields);
}

/** Completes a job that can be claimed; answers its id. */
async function completeOne(t: Trial): Promise<string> {
  const [job] = (await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 })).jobs;
  holds(job !== undefined, "a job can be claimed");
  await t.jobs.complete(t.queue, job?.id ?? "", job?.token ?? 0);
  return job?.id ?? "";
}

export const fireScenarios: readonly ScenarioDraft[] = [
  {
    name: "fire",
    contract: "The job has the payload, name, lane, priority and options of the scheduler, and its repeat and slot.",
    async run(t) {
      const now = await dueNow(t, 60_000, "name", "n", "priority", "7", "opts", '{"attempts":5}');
      const { id, outcome } = await fire(t, now);
      same(outcome, "fired", "fire");
      const opts = `{"repeat":"s","slot":${now},"attempts":5}`;
      same(
        await t.fields(id),
        { state: "pending", attempts: "0", payload: "p", name: "n", priority: "7", opts },
        "the row",
      );
      same(await t.score("pending", id), 7, "its place");
      same(await recorded(t, "fired", "last", "last_slot"), ["1", id, String(now)], "the record");
      same(await t.score("cron", "s"), now + 60_000, "the next occurrence");
    },
  },
  {
    name: "fire_plain",
    contract: "The job of a repeat of the wire before this one says of which and which slot, and is plain otherwise.",
    async run(t) {
      await t.repeats.register(t.queue, "r", { everyMs: 60_000, template: "x\0y" });
      const at = (await t.score("repeat", "r")) ?? 0;
      const id = t.id();
      same(await t.repeats.fire(t.queue, "r", { id, dueAtMs: at }), "fired", "fire");
      const opts = `{"repeat":"r","slot":${at}}`;
      same(await t.fields(id), { state: "pending", attempts: "0", payload: "x\0y", opts }, "the row");
      same(bytesIn((await t.claimed()).payload), "x\0y", "the payload");
    },
  },
  {
    name: "c18_fire_once",
    contract: "One occurrence is fired once, whoever names it again; one that is not due is not fired.",
    async run(t) {
      const now = await dueNow(t, 60_000);
      const outcomes = await Promise.all([fire(t, now), fire(t, now), fire(t, now)]);
      same(outcomes.map(({ outcome }) => outcome).sort(), ["fired", "not_due", "not_due"], "three that fire");
      same((await t.members("pending")).length, 1, "jobs");
      same((await fire(t, now)).outcome, "not_due", "the same one again");
      same((await fire(t, now + 60_000)).outcome, "not_due", "the next one, before its time");
      same((await fire(t, now + 1)).outcome, "not_due", "another instant");
      same((await t.members("pending")).length, 1, "jobs afterwards");
    },
  },
  {
    name: "c18_fire_grid",
    contract: "A fixed period stays on its grid: missed runs are one, with the last slot, and the next is beyond now.",
    async run(t) {
      const now = await t.port.serverNow();
      const first = now - 3_500;
      await t.repeats.put(t.queue, "s", { everyMs: 1000, template: "p", firstAtMs: first, pairs: [] });
      const { id, outcome } = await fire(t, first);
      same(outcome, "fired", "fire");
      const next = (await t.score("cron", "s")) ?? 0;
      same((next - first) % 1000, 0, "the grid");
      holds(next > (await t.port.serverNow()) - 1000 && next >= first + 4000, `the next one ${next} is beyond now`);
      same(await t.field(id, "opts"), `{"repeat":"s","slot":${next - 1000}}`, "the slot");
    },
  },
  {
    name: "fire_plan",
    contract: "Whoever fires says the next occurrence, the slot, a delay after it and what was left out.",
    async run(t) {
      const now = await dueNow(t, 0, "due_in", "1000");
      const rev = Number(((await recorded(t, "rev")) as string[])[0]);
      const id = t.id();
      const skipped = { count: 3, slotAtMs: now - 1, why: "missed" } as const;
      const plan = { rev, slotAtMs: now, delayMs: 60_000, skipped };
      const firing = { id, dueAtMs: now, nextAtMs: now + 500_000, plan };
      const stale = { ...firing, plan: { ...plan, rev: rev + 1 } };
      same(await t.repeats.fire(t.queue, "s", stale, "cron"), "not_due", "another revision");
      same(await t.repeats.fire(t.queue, "s", firing, "cron"), "fired", "fire");
      same(await t.score("schedule", id), now + 61_000, "when the job falls due");
      same(await t.score("cron", "s"), now + 500_000, "the next occurrence");
      same(
        await recorded(t, "skipped", "skip_slot", "skip_why"),
        ["3", String(now - 1), "missed"],
        "what was left out",
      );
    },
  },
  {
    name: "fire_latest",
    contract: "A delay after a slot ends at the latest instant that there is.",
    async run(t) {
      const now = await dueNow(t, 0);
      const rev = Number(((await recorded(t, "rev")) as string[])[0]);
      const id = t.id();
      const plan = { rev, slotAtMs: now, delayMs: Number.MAX_SAFE_INTEGER };
      const firing = { id, dueAtMs: now, nextAtMs: now + 500_000, plan };
      same(await t.repeats.fire(t.queue, "s", firing, "cron"), "fired", "fire");
      same(await t.score("schedule", id), Number.MAX_SAFE_INTEGER, "when the job falls due");
    },
  },
  {
    name: "fire_end",
    contract: "At its limit, beyond its end, or where none follows, a repeat has ended and keeps its record.",
    async run(t) {
      const ended = Number.MAX_SAFE_INTEGER;
      let now = await dueNow(t, 1, "limit", "2");
      same((await fire(t, now)).outcome, "fired", "the first of two");
      await t.advance(5);
      now = (await t.score("cron", "s")) ?? 0;
      same((await fire(t, now)).outcome, "fired", "the second of two");
      same(await t.score("cron", "s"), ended, "after the limit");
      same((await fire(t, ended)).outcome, "not_due", "an occurrence that never comes");
      now = await dueNow(t, 60_000, "until", String((await t.port.serverNow()) + 5000), "rule", "2");
      same((await fire(t, now)).outcome, "fired", "the last one before the end");
      same(await t.score("cron", "s"), ended, "beyond the end");
      now = await dueNow(t, 0, "rule", "3");
      same((await fire(t, now)).outcome, "fired", "one that none follows");
      same(await t.score("cron", "s"), ended, "without a period");
      same((await t.repeats.due(t.queue)).entries, [], "what is due");
      same(await t.exists(t.key("cron:s")), true, "the record");
    },
  },
  {
    name: "fire_overlap_skip",
    contract: "With skip no job is made while the one before has not ended, wherever it is; the chain goes on.",
    async run(t) {
      const now = await dueNow(t, 1, "overlap", "skip");
      same((await fire(t, now)).outcome, "fired", "the first");
      const again = async () => {
        await t.advance(3);
        return await fire(t, (await t.score("cron", "s")) ?? 0);
      };
      same((await again()).outcome, "overlapping", "while it waits");
      const job = await t.claimed();
      same((await again()).outcome, "overlapping", "while it runs");
      await t.jobs.retry(t.queue, job.id, job.attempts, { delayMs: LEASE_MS, maxAttempts: 3, error: "e" });
      same((await again()).outcome, "overlapping", "while it waits for its next attempt");
      same(await t.repeats.fireNow(t.queue, "s", t.id()), "overlapping", "at once");
      same(await recorded(t, "skipped", "skip_why"), ["3", "overlap"], "what was left out");
      await t.jobs.removeJob(t.queue, job.id);
      same((await again()).outcome, "fired", "when it has gone");
    },
  },
  {
    name: "fire_overlap_queue",
    contract: "With queue occurrences run one after another in the order of their slots; too many are left out.",
    async run(t) {
      let at = await dueNow(t, 1, "group", "one", "overlap", "queue");
      const made: string[] = [];
      for (let count = 0; count < 100; count++) {
        const { id, outcome } = await fire(t, at, at + 1);
        same(outcome, "fired", `occurrence ${count}`);
        made.push(id);
        at += 1;
        if ((await t.port.serverNow()) < at) await t.advance(2);
      }
      same((await fire(t, at, at + 1)).outcome, "overlapping", "one too many");
      same((await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 9 })).jobs.length, 1, "jobs at once");
      same(await t.jobs.getState(t.queue, made[0] ?? ""), "active", "the first");
    },
  },
  {
    name: "fire_dedup",
    contract: "A deduplication id of the jobs holds occurrences back, which are counted, and never the chain.",
    async run(t) {
      const now = await dueNow(t, 1, "dedup", "d");
      same((await fire(t, now)).outcome, "fired", "the first");
      await t.advance(3);
      same((await fire(t, (await t.score("cron", "s")) ?? 0)).outcome, "held", "while the first lives");
      same(await recorded(t, "skipped", "skip_why"), ["1", "dedup"], "what was left out");
      await completeOne(t);
      await t.advance(3);
      same((await fire(t, (await t.score("cron", "s")) ?? 0)).outcome, "fired", "when it has ended");
    },
  },
  {
    name: "fire_refused",
    contract: "An id of another kind, an id that is taken and a repeat that is gone change nothing, or clear up.",
    async run(t) {
      const now = await dueNow(t, 1000);
      const before = await t.snapshot();
      const order = t.port.mint("ORD");
      same(await t.repeats.fire(t.queue, "s", { id: order, dueAtMs: now }, "cron"), "kind", "another kind");
      same([...(await t.snapshot())], [...before], "what it changed");
      const id = await t.enqueued();
      same(await t.repeats.fire(t.queue, "s", { id, dueAtMs: now }, "cron"), "not_due", "an id that is taken");
      same(await t.score("cron", "s"), now, "the next occurrence");
      await t.command("DEL", t.key("cron:s"));
      same((await fire(t, now)).outcome, "gone", "without a record");
      same(await t.members("cron"), [], "its place");
    },
  },
  {
    name: "fire_bound",
    contract:
      "An occurrence whose lane cannot be given its order, since too many lanes have settings, is refused whole.",
    async run(t) {
      const now = await dueNow(t, 1000, "group", "one", "overlap", "queue");
      for (let at = 0; at < 100_000; at += 1000) {
        await t.command("SADD", t.key("gordered"), ...Array.from({ length: 1000 }, (_, index) => `l${at + index}`));
      }
      const full = "EMQFULL settings of lanes";
      same(await t.refusalOf("FIRE", ["s", t.id(), String(now), ""], { isOther: true }), full, "FIRE");
      same(await t.refusalOf("FIRENOW", ["s", t.id()], { isOther: true }), full, "FIRENOW");
      same(await t.score("cron", "s"), now, "the next occurrence");
      await t.command("DEL", t.key("gordered"));
    },
  },
  {
    name: "fire_events",
    contract: "Listeners hear of each job that is added, and of slots that are left out with the reason.",
    async run(t) {
      await t.command("SET", t.key("listeners"), "0");
      const heard = await t.messages(t.key("events"));
      const now = await dueNow(t, 1, "overlap", "skip");
      const { id } = await fire(t, now);
      await t.advance(3);
      const at = (await t.score("cron", "s")) ?? 0;
      same((await fire(t, at, at + 60_000)).outcome, "overlapping", "the second");
      await t.until(() => heard.length === 2, "both events");
      same(JSON.parse(heard[0] ?? "{}"), { event: "added", job: id, state: "pending" }, "the first event");
      same(
        JSON.parse(heard[1] ?? "{}"),
        { event: "skipped", job: "", repeat: "s", slot: String(at), count: "1", why: "overlap" },
        "the second event",
      );
      await t.command("DEL", t.key("listeners"));
    },
  },
];
