/** What is kept of jobs that have ended: so many, so long, and not more; and what is kept can be read. */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Settlement } from "../../queue/turn-call.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

const request = { worker: "w", leaseMs: LEASE_MS, want: 0 } as const;
const ALL = Number.MAX_SAFE_INTEGER;
const failure = { delayMs: 1, maxAttempts: 1, error: "boom" } as const;

/** Admits jobs, claims them and answers their ids. */
async function activeMany(t: Trial, count: number): Promise<string[]> {
  await t.enqueuedMany(count);
  return (await t.jobs.claimBatch(t.queue, count, LEASE_MS)).map(({ id }) => id);
}

const completions = (ids: readonly string[]): Settlement[] =>
  ids.map((id) => ({ op: "r", id, token: 1, result: `"${id}"` }));

/** The ids of the rows that there are. */
async function rows(t: Trial): Promise<string[]> {
  const keys = [...(await t.snapshot()).keys()].filter((key) => key.startsWith(t.row("")));
  return keys.map((key) => key.slice(t.row("").length)).sort();
}

export const retentionScenarios: readonly ScenarioDraft[] = [
  {
    name: "keep_completed",
    contract: "A kept job says that it is completed, when, and with which result; its lease, lane and counters end.",
    async run(t) {
      for (const form of ["COMPLETE", "TURN"]) {
        const id = t.id();
        await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "lane-a" }]);
        const { jobs } = await t.jobs.turn(t.queue, { ...request, want: 1 });
        same(
          jobs.map((job) => job.id),
          [id],
          "claimed",
        );
        const before = await t.port.serverNow();
        if (form === "COMPLETE") await t.jobs.complete(t.queue, id, 1, "{}", { count: ALL, ms: 0 });
        else {
          const settlements = [{ op: "r", id, token: 1, result: "{}" }] as const;
          const terms = { completed: { count: ALL, ms: 0 } };
          same((await t.jobs.turn(t.queue, { ...request, settlements, terms })).exceptions, new Map(), "exceptions");
        }
        const { finished_at, ...fields } = await t.fields(id);
        const expected = { state: "completed", attempts: "1", payload: "p", group: "lane-a", result: "{}" };
        same(fields, expected, `the row after ${form}`);
        holds(Number(finished_at) >= before, "finished_at lies before the act");
        same(await t.score("completed", id), Number(finished_at), "the score");
        same(await t.jobs.getState(t.queue, id), "completed", "the state");
        same([await t.exists(t.key("gactive")), await t.members("active")], [false, []], "lane and lease");
        same(await t.jobs.complete(t.queue, id, 1), "state", "complete again");
        same(
          (await t.jobs.admit(t.queue, [{ id, payload: "p" }]))[0],
          { outcome: "duplicate", state: "completed" },
          "add",
        );
      }
      same((await t.jobs.getMetrics(t.queue, "completed")).count, 2, "completed jobs");
      same(await t.exists(t.key("expiry")), false, "an expiry without an age");
    },
  },
  {
    name: "keep_count",
    contract: "A number keeps that many, the newest by their end; one settlement takes ten of the oldest at most.",
    async run(t) {
      const ids = await activeMany(t, 40);
      const settle = async (part: readonly string[], count: number) => {
        const terms = { completed: { count, ms: 0 } };
        await t.jobs.turn(t.queue, { ...request, settlements: completions(part), terms });
        // Each act at an instant of its own, so that the order of ends is the order of the acts.
        await t.advance(2);
      };
      await settle(ids.slice(0, 30), 30);
      same((await t.members("completed")).length, 30, "kept");
      await settle(ids.slice(30, 31), 3);
      same(await t.members("completed"), [...ids.slice(10, 30), ids[30]], "kept after one settlement");
      await settle(ids.slice(31, 39), 3);
      same((await t.members("completed")).length, 21 + 8 - 17, "kept after eight more, which took nine beyond");
      await settle(ids.slice(39), 3);
      same(await t.members("completed"), ids.slice(37), "kept in the end");
      same(await rows(t), ids.slice(37), "rows");
    },
  },
  {
    name: "keep_count_removes",
    contract: "The number 0 removes a completed job, and leaves those that were kept before.",
    async run(t) {
      const [kept, gone] = (await activeMany(t, 2)) as [string, string];
      await t.jobs.complete(t.queue, kept, 1, "", { count: 1, ms: 0 });
      await t.jobs.complete(t.queue, gone, 1, "", { count: 0, ms: 0 });
      same([await t.members("completed"), await rows(t)], [[kept], [kept]], "kept");
    },
  },
  {
    name: "keep_age_foreign_alias",
    contract:
      "A sweep that meets a foreign type at the alias of a job whose time is over is refused and changes nothing.",
    async run(t) {
      const [kept, lapsed] = t.ids(2);
      await t.act("ADMIT", ["j", "1", kept, "p", "a"]);
      await t.claimed();
      await t.jobs.complete(t.queue, kept, 1, "", { count: ALL, ms: 10 });
      await t.jobs.enqueue(t.queue, lapsed, "p");
      await t.claimed(10);
      await t.advance(30);
      await t.command("DEL", t.key("de:a"));
      await t.command("RPUSH", t.key("de:a"), "x");
      const before = await t.snapshot();
      const sweep = ["9", "9", String(ALL), "0", "0"];
      holds((await t.refusalOf("SWEEP", sweep)).startsWith("WRONGTYPE"), "SWEEP is not refused");
      same(await t.snapshot(), before, "all keys");
      await t.command("DEL", t.key("de:a"));
      await t.act("SWEEP", sweep);
      same([await t.members("completed"), await t.members("pending")], [[], [lapsed]], "after the next sweep");
    },
  },
  {
    name: "keep_age",
    contract: "An age is each job's own; a sweep with terms takes away, within its limit, those whose time is over.",
    async run(t) {
      const ids = await activeMany(t, 6);
      const [short, long] = [ids.slice(0, 4), ids.slice(4)];
      const settle = async (part: readonly string[], ms: number) =>
        await t.jobs.turn(t.queue, {
          ...request,
          settlements: completions(part),
          terms: { completed: { count: ALL, ms } },
        });
      await settle(short, 50);
      await settle(long, LEASE_MS);
      const dying = await t.active();
      await t.jobs.retry(t.queue, dying.id, 1, { ...failure, keep: { count: ALL, ms: 50 } });
      await t.jobs.addLog(t.queue, dying.id, "line");
      await t.advance(60);
      same(await t.jobs.sweep(t.queue), { recovered: [], dead: [] }, "a sweep without terms");
      const sweep = async (limit: number) =>
        (await t.jobs.sweep(t.queue, { limit, keep: { count: ALL, ms: 0 } })).expired;
      same(await sweep(0), 0, "a limit of none");
      same(await sweep(3), 3, "the first sweep");
      same(await sweep(100), 2, "the second");
      same(await sweep(100), 0, "the third");
      same([await t.members("completed"), await t.members("dead"), await rows(t)], [long, [], long], "kept");
      same(await t.exists(`${t.row(dying.id)}:logs`), false, "logs of a dead job that is gone");
    },
  },
  {
    name: "keep_dead",
    contract: "Dead jobs are kept by number too, the newest by their ids; the one that just died stays.",
    async run(t) {
      const ids = await activeMany(t, 5);
      const [oldest, ...rest] = ids as [string, ...string[]];
      const kill = async (id: string, count: number) =>
        await t.jobs.retry(t.queue, id, 1, { ...failure, keep: { count, ms: 0 } });
      for (const id of rest) await kill(id, 9);
      await kill(oldest, 3);
      same(await t.members("dead"), [oldest, ...rest.slice(2)], "kept");
      const { state, last_error, finished_at } = await t.fields(oldest);
      same([state, last_error, finished_at !== undefined], ["dead", "boom", true], "the row");
      const settled = await t.active();
      const settlements = [{ op: "k", id: settled.id, token: 1, error: "boom" }] as const;
      await t.jobs.turn(t.queue, { ...request, settlements, terms: { dead: { count: 1, ms: 0 } } });
      same([await t.members("dead"), await rows(t)], [[settled.id], [settled.id]], "kept after a TURN");
      const none = await t.active();
      await kill(none.id, 0);
      same(await rows(t), [settled.id], "rows after a death that keeps none");
      same((await t.jobs.getMetrics(t.queue, "failed")).count, 7, "failed jobs");
    },
  },
  {
    name: "keep_dead_lapsed",
    contract: "A sweep that kills obeys its terms; without terms all dead jobs are kept.",
    async run(t) {
      const lapse = async (keep?: { count: number; ms: number }) => {
        const { id } = await t.active("work", 5);
        await t.advance(10);
        const bounds = keep === undefined ? { maxStalled: 1 } : { maxStalled: 1, keep };
        same((await t.jobs.sweep(t.queue, bounds)).dead, [id], "swept");
        return id;
      };
      const first = await lapse();
      const second = await lapse();
      same(await t.members("dead"), [first, second], "kept without terms");
      const third = await lapse({ count: 1, ms: 0 });
      same([await t.members("dead"), await rows(t)], [[third], [third]], "kept with terms");
      await lapse({ count: 0, ms: 0 });
      same(await rows(t), [third], "rows after a death that keeps none");
    },
  },
  {
    name: "keep_by_queue",
    contract: "Where a call says nothing, the queue's meta says how many completed jobs are kept and how long.",
    expectFindings: ["setting-value"],
    async run(t) {
      const complete = async (ids: readonly string[]) => {
        const [first, ...rest] = ids as [string, ...string[]];
        same(await t.jobs.complete(t.queue, first, 1, "1"), "ok", "complete");
        await t.advance(2);
        await t.jobs.turn(t.queue, { ...request, settlements: completions(rest) });
        await t.advance(2);
      };
      await t.command("HSET", t.key("meta"), "keep_n", "3");
      const ids = await activeMany(t, 4);
      await complete(ids);
      same(await t.members("completed"), ids.slice(1), "kept by number");
      await t.command("HDEL", t.key("meta"), "keep_n");
      await t.command("HSET", t.key("meta"), "keep_ms", "5000");
      const more = await activeMany(t, 2);
      await complete(more);
      same(await t.members("expiry"), more, "what has an end");
      same((await t.members("completed")).length, 5, "kept by age");
      const removed = await t.active();
      await t.jobs.complete(t.queue, removed.id, 1, "", { count: 0, ms: 0 });
      same(await t.exists(t.row(removed.id)), false, "the row of a call that says 0");
      for (const strange of ["x", "-1", "1.5"]) {
        await t.command("HSET", t.key("meta"), "keep_n", strange, "keep_ms", strange);
        const { id } = await t.active();
        await t.jobs.complete(t.queue, id, 1);
        same(await t.exists(t.row(id)), false, `the row where meta says ${strange}`);
      }
    },
  },
  {
    name: "keep_left",
    contract: "Whoever takes a kept job away, or gives it a new life, takes its end away too.",
    async run(t) {
      const ids = await activeMany(t, 3);
      const [done, dead, forced] = ids as [string, string, string];
      await t.jobs.complete(t.queue, done, 1, "", { count: ALL, ms: LEASE_MS });
      for (const id of [dead, forced]) {
        await t.jobs.retry(t.queue, id, 1, { ...failure, keep: { count: ALL, ms: LEASE_MS } });
      }
      same((await t.members("expiry")).sort(), [...ids].sort(), "what has an end");
      same(await t.jobs.removeJob(t.queue, done), "ok", "remove of a completed job");
      same(await t.jobs.removeJob(t.queue, forced), "ok", "remove of a dead job");
      same(await t.jobs.reprocessJob(t.queue, dead), "ok", "reprocess");
      same(await t.exists(t.key("expiry")), false, "what has an end afterwards");
      same(await t.field(dead, "finished_at"), null, "the end of a job that lives again");
      same([await t.members("completed"), await rows(t)], [[], [dead]], "what is left");
    },
  },
  {
    name: "keep_refused",
    contract: "Terms that are no numbers refuse the turn by their names, and have no position among the settlements.",
    async run(t) {
      const bad = async (...values: Bytes[]) =>
        await t.refusalOf("TURN", ["w", "1", "0", "t", "1", ...values, ...Array<Bytes>(5 - values.length).fill("0")]);
      const names = ["keep_n", "keep_ms", "dead_n", "dead_ms", "result_ms"];
      for (const [at, name] of names.entries()) {
        same(await bad(...Array<Bytes>(at).fill("1"), "x"), `ERR EMQ.TURN bad argument ${name}`, name);
      }
      same(await t.refusalOf("TURN", ["w", "1", "0", "t", "2"]), "ERR EMQ.TURN bad argument count", "two of them");
      same(await t.refusalOf("TURN", ["w", "1", "0", "t", "1", "1"]), "ERR EMQ.TURN bad argument row", "a part");
      const { id } = await t.active();
      const terms = { completed: { count: 1, ms: 0 } };
      const settlements = [
        { op: "c", id: t.id(), token: 1 },
        { op: "c", id, token: 2 },
      ] as const;
      const { exceptions } = await t.jobs.turn(t.queue, { ...request, settlements, terms });
      same([...exceptions.keys()], [0, 1], "positions");
    },
  },
];
