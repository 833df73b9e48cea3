/**
 * Time to live: a job that has not begun in time is dead as expired, however it is found; one that has begun is not.
 */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** A time to live that is over after {@link outlive}, and one that is not. */
const SHORT_MS = 20;
const LONG_MS = 3_600_000;

const ALL = Number.MAX_SAFE_INTEGER;
const keep = { count: ALL, ms: 0 };

const outlive = async (t: Trial) => await t.advance(SHORT_MS * 2);

/** Admits one job with a time to live. */
async function admitted(t: Trial, row: { lane?: string; dueInMs?: number; expireInMs?: number } = {}): Promise<string> {
  const id = t.id();
  same(
    await t.jobs.admit(t.queue, [{ id, payload: "p", expireInMs: SHORT_MS, ...row }]),
    [{ outcome: "added" }],
    "add",
  );
  return id;
}

/** What is left of a job that expired: state, error, mark in its row, and whether sets hold it. */
async function looksExpired(t: Trial, id: string, name: string): Promise<void> {
  const { state, last_error, expires, finished_at } = await t.fields(id);
  same(
    [state, last_error, expires, finished_at !== undefined],
    ["dead", "expired", undefined, true],
    `the row ${name}`,
  );
  same((await t.members("dead")).includes(id), true, `whether it lies in dead ${name}`);
  same(await t.jobs.getState(t.queue, id), "dead", `its state ${name}`);
}

const turn = async (t: Trial, want = 10) =>
  (await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want })).jobs.map(({ id }) => id);

/** Every act that claims from the flat queue, and those that claim from lanes. */
const FLAT: Readonly<Record<string, (t: Trial) => Promise<string[]>>> = {
  TURN: async (t) => await turn(t),
  CLAIM: async (t) => [(await t.jobs.claim(t.queue, LEASE_MS))?.id ?? ""].filter((id) => id !== ""),
  BCLAIM: async (t) => (await t.jobs.claimBatch(t.queue, 10, LEASE_MS)).map(({ id }) => id),
};
const first = (reply: unknown): string[] => {
  const [id] = reply as readonly unknown[];
  return typeof id === "string" ? [id] : [];
};
const many = (reply: unknown): string[] => (reply as readonly (readonly unknown[])[]).map(([id]) => String(id));
const LANE: Readonly<Record<string, (t: Trial) => Promise<string[]>>> = {
  TURN: async (t) => await turn(t),
  GCLAIM: async (t) => first(await t.act("GCLAIM", [String(LEASE_MS)])),
  GBCLAIM: async (t) => many(await t.act("GBCLAIM", [String(LEASE_MS), "10"])),
  GWCLAIM: async (t) => many(await t.act("GWCLAIM", [String(LEASE_MS)])),
};

export const ttlScenarios: readonly ScenarioDraft[] = [
  {
    name: "ttl_claim",
    contract: "No claim hands out a flat job whose time to live is over: it is dead as expired and counted.",
    async run(t) {
      let failed = 0;
      for (const [name, claim] of Object.entries(FLAT)) {
        const late = await admitted(t);
        const early = await admitted(t, { expireInMs: LONG_MS });
        await outlive(t);
        same(await claim(t), [early], `what ${name} hands out`);
        await looksExpired(t, late, `after ${name}`);
        failed += 1;
        same((await t.jobs.getMetrics(t.queue, "failed")).count, failed, "deaths");
        same(await t.field(early, "expires"), null, `the mark of a job that ${name} let begin`);
        await t.jobs.complete(t.queue, early, 1);
      }
    },
  },
  {
    name: "ttl_claim_lane",
    contract: "The same of a job of a lane, which goes from the ring with its last job.",
    async run(t) {
      for (const [name, claim] of Object.entries(LANE)) {
        const late = await admitted(t, { lane: "lane-a" });
        await outlive(t);
        same(await claim(t), [], `what ${name} hands out`);
        await looksExpired(t, late, `after ${name}`);
        same([await t.list("ring"), await t.exists(t.key("gactive"))], [[], false], `ring and counter after ${name}`);
      }
    },
  },
  {
    name: "ttl_silence",
    contract: "A sweep with terms ends, within its limit, those whose time is over, wherever they wait.",
    async run(t) {
      const flat = await admitted(t);
      const inLane = await admitted(t, { lane: "lane-a" });
      const later = await admitted(t, { dueInMs: LEASE_MS, expireInMs: LONG_MS });
      const long = await admitted(t, { expireInMs: LONG_MS });
      await outlive(t);
      same(await t.jobs.sweep(t.queue), { recovered: [], dead: [] }, "a sweep without terms");
      same((await t.jobs.sweep(t.queue, { limit: 0, keep })).overdue, [], "a sweep without a limit");
      same((await t.jobs.sweep(t.queue, { limit: 1, keep })).overdue, [flat], "the first sweep");
      same((await t.jobs.sweep(t.queue, { limit: 100, keep })).overdue, [inLane], "the second sweep");
      same((await t.jobs.sweep(t.queue, { limit: 100, keep })).overdue, [], "the third sweep");
      for (const id of [flat, inLane]) await looksExpired(t, id, "after the sweeps");
      same(
        [await t.members("pending"), await t.members("schedule"), await t.list("ring")],
        [[long], [later], []],
        "rest",
      );
      same((await t.members("ttl")).sort(), [later, long].sort(), "what may still expire");
    },
  },
  {
    name: "ttl_due",
    contract: "The time of a delayed job runs from when it falls due, and moves with its due time.",
    async run(t) {
      const before = await t.port.serverNow();
      const id = await admitted(t, { dueInMs: LONG_MS, expireInMs: SHORT_MS });
      const due = (await t.score("schedule", id)) ?? 0;
      same(
        [await t.field(id, "expires"), await t.score("ttl", id)],
        [String(due + SHORT_MS), due + SHORT_MS],
        "its end",
      );
      same(due >= before + LONG_MS, true, "whether it falls due later");
      same(await t.jobs.changeDelay(t.queue, id, LONG_MS * 2), "ok", "another due time");
      const moved = ((await t.score("schedule", id)) ?? 0) + SHORT_MS;
      same([await t.field(id, "expires"), await t.score("ttl", id)], [String(moved), moved], "its end after that");
      same(await t.jobs.changeDelay(t.queue, id, 0), "ok", "due at once");
      await outlive(t);
      same((await t.jobs.sweep(t.queue, { keep })).overdue, [id], "the sweep");
      await looksExpired(t, id, "of a scheduled job");
    },
  },
  {
    name: "ttl_begun",
    contract: "A job that was claimed in time never expires, also when it waits again or is lapsed.",
    async run(t) {
      const back = await admitted(t, { expireInMs: LONG_MS });
      same(await turn(t), [back], "claimed");
      same(await t.jobs.giveBack(t.queue, back, 1), "ok", "given back");
      const failed = await admitted(t, { expireInMs: LONG_MS });
      same(await turn(t), [back, failed].sort(), "claimed");
      await t.jobs.retry(t.queue, failed, 1, { delayMs: 1, maxAttempts: 3, error: "boom" });
      same(await t.exists(t.key("ttl")), false, "what may still expire");
      same([await t.field(back, "expires"), await t.field(failed, "expires")], [null, null], "their marks");
    },
  },
  {
    name: "ttl_left",
    contract: "Whoever takes a waiting job away takes its end away too, and the row decides over a stale entry.",
    async run(t) {
      const [removed, cancelled, cleaned, drained, inLane] = [
        await admitted(t),
        await admitted(t),
        await admitted(t),
        await admitted(t),
        await admitted(t, { lane: "lane-a" }),
      ];
      await t.jobs.removeJob(t.queue, removed);
      await t.jobs.cancel(t.queue, cancelled, "enough");
      await t.jobs.clean(t.queue, "pending", [cleaned]);
      same((await t.members("ttl")).sort(), [drained, inLane].sort(), "what is left");
      same(await t.jobs.drain(t.queue, { lanes: true }), 2, "drained");
      same(await t.exists(t.key("ttl")), false, "what is left when it is drained");
      const [unmarked, longer] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: unmarked, payload: "p" },
        { id: longer, payload: "p", expireInMs: LONG_MS },
      ]);
      await t.command("ZADD", t.key("ttl"), "1", unmarked, "1", longer, "1", t.id());
      same((await t.jobs.sweep(t.queue, { keep })).overdue, [], "a sweep over entries that say nothing");
      same(await t.members("ttl"), [longer], "the entry that the row bears out");
      same(await t.score("ttl", longer), Number(await t.field(longer, "expires")), "its instant");
      same((await turn(t)).sort(), [unmarked, longer].sort(), "claimed");
    },
  },
  {
    name: "ttl_terms",
    contract: "What a claim has ended is kept by the next sweep as its terms say: so many, so long, or not at all.",
    async run(t) {
      const claimLate = async (): Promise<string> => {
        const id = await admitted(t);
        await outlive(t);
        same(await turn(t), [], "claimed");
        same(await t.members("ttl"), [id], "what a sweep is to look at");
        return id;
      };
      const aged = await claimLate();
      await t.jobs.sweep(t.queue, { keep: { count: ALL, ms: LONG_MS } });
      same([await t.members("expiry"), await t.exists(t.key("ttl"))], [[aged], false], "what has an end");
      const gone = await claimLate();
      await t.jobs.sweep(t.queue, { keep: { count: 0, ms: 0 } });
      same([await t.exists(t.row(gone)), await t.members("dead")], [false, [aged]], "what is kept of the second");
      const newest = await claimLate();
      await t.jobs.sweep(t.queue, { keep: { count: 1, ms: 0 } });
      same(await t.members("dead"), [newest], "what is kept by number");
    },
  },
  {
    name: "ttl_names",
    contract: "An expired job lets its names go, tells those who wait for its result, and may be revived.",
    async run(t) {
      const dedup = { name: "d1" };
      const one = t.id();
      await t.jobs.admit(t.queue, [{ id: one, payload: "p", dedup, expireInMs: SHORT_MS }]);
      await t.act("RESULT", [one, "60000"], {});
      await outlive(t);
      same((await t.jobs.sweep(t.queue, { keep })).overdue, [one], "the sweep");
      same(await t.exists(t.key("de:d1")), false, "its deduplication id");
      same(await t.jobs.outcome(t.queue, one), { kind: "dead", error: "expired" }, "its outcome");
      same(await t.jobs.reprocessJob(t.queue, one), "ok", "revive");
      await outlive(t);
      same(await turn(t), [one], "claimed afterwards");
    },
  },
  {
    name: "ttl_names_handed",
    contract: "A sweep that ends a job and, as expired, the one that follows it leaves the name of both to nobody.",
    async run(t) {
      const dedup = { name: "d1", mode: "follow" } as const;
      const [leader, follower] = t.ids(2);
      await t.jobs.admit(t.queue, [{ id: leader, payload: "p", dedup }]);
      same((await t.claimed(SHORT_MS)).id, leader, "claimed");
      await t.jobs.admit(t.queue, [{ id: follower, payload: "p", dedup, expireInMs: SHORT_MS }]);
      same(await t.field(leader, "next"), follower, "the job that follows");
      await outlive(t);
      const swept = await t.jobs.sweep(t.queue, { maxStalled: 1, limit: 100, keep });
      same([swept.dead, swept.overdue], [[leader], [follower]], "the sweep");
      await looksExpired(t, follower, "after the sweep");
      same([await t.exists(t.key("de:d1")), await t.members("schedule")], [false, []], "name and schedule");
    },
  },
  {
    name: "ttl_replaced",
    contract: "A replacement brings its own time to live, or none.",
    async run(t) {
      const dedup = { name: "d1", mode: "replace" } as const;
      const one = t.id();
      await t.jobs.admit(t.queue, [{ id: one, payload: "p", dedup, expireInMs: SHORT_MS }]);
      await t.jobs.admit(t.queue, [{ id: t.id(), payload: "q", dedup, expireInMs: LONG_MS }]);
      same(await t.score("ttl", one), Number(await t.field(one, "expires")), "the second end");
      await t.jobs.admit(t.queue, [{ id: t.id(), payload: "r", dedup }]);
      same([await t.exists(t.key("ttl")), await t.field(one, "expires")], [false, null], "no end");
      await outlive(t);
      same(await turn(t), [one], "claimed");
    },
  },
  {
    name: "ttl_refused",
    contract: "A time to live of no or too many ms is refused by its name, and the shape has one place for it.",
    async run(t) {
      for (const bad of ["0", "-1", "x", "1.5", "9007199254740992"]) {
        same(await t.refusalOf("ADMIT", ["x", "1", t.id(), "p", bad]), "ERR EMQ.ADMIT bad argument expire_ms", bad);
      }
      for (const shape of ["xp", "xx"]) {
        const row = [shape, "1", t.id(), "p", "1", "1"];
        same(await t.refusalOf("ADMIT", row), "ERR EMQ.ADMIT bad argument shape", shape);
      }
    },
  },
];
