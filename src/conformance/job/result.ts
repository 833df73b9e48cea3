/** What `RESULT` promises: who waits for a job's end hears of it and finds how it ended, although the row is gone. */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Settlement } from "../../queue/turn-call.ts";
import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

const WAIT_MS = 60_000;

/** A result of bytes that are no text. */
const RAW = Uint8Array.of(0, 255);

const failure = { delayMs: 1, maxAttempts: 1, error: "boom" } as const;
const none = { count: 0, ms: 0 } as const;

const turn = async (t: Trial, settlement: Settlement) =>
  await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements: [settlement] });

/** Every way in which an active job with the token 1 ends, and the outcome that is left of it. */
const ENDINGS: Readonly<Record<string, readonly [outcome: Bytes, end: (t: Trial, id: string) => Promise<unknown>]>> = {
  COMPLETE: ["c", async (t, id) => await t.jobs.complete(t.queue, id, 1)],
  "COMPLETE with a result": ["r{}", async (t, id) => await t.jobs.complete(t.queue, id, 1, "{}")],
  "COMPLETE that keeps": ["r{}", async (t, id) => await t.jobs.complete(t.queue, id, 1, "{}", { count: 1, ms: 0 })],
  "TURN with c": ["c", async (t, id) => await turn(t, { op: "c", id, token: 1 })],
  "TURN with r": ["r\u0000\u00ff", async (t, id) => await turn(t, { op: "r", id, token: 1, result: RAW })],
  RETRY: ["kboom", async (t, id) => await t.jobs.retry(t.queue, id, 1, failure)],
  "RETRY that keeps none": ["kboom", async (t, id) => await t.jobs.retry(t.queue, id, 1, { ...failure, keep: none })],
  "TURN with f": ["kboom", async (t, id) => await turn(t, { op: "f", id, token: 1, ...failure })],
  "TURN with k": ["kboom", async (t, id) => await turn(t, { op: "k", id, token: 1, error: "boom" })],
  SWEEP: [
    "kstalled",
    async (t, id) => {
      await t.jobs.extendLock(t.queue, id, 1, 1);
      await t.advance(2);
      await t.jobs.sweep(t.queue, { maxStalled: 1 });
    },
  ],
};

/** How a job ended, in the raw form of the wire. */
const look = async (t: Trial, id: string, waitMs = 0) => await t.act("RESULT", [id, String(waitMs)]);

export const resultScenarios: readonly ScenarioDraft[] = [
  {
    name: "result_waited",
    contract: "A marked job tells the channel its id and leaves its outcome, whichever act ends it.",
    async run(t) {
      const heard = await t.messages(t.key("results"));
      const ended: string[] = [];
      for (const [name, [outcome, end]] of Object.entries(ENDINGS)) {
        const { id } = await t.active();
        same(await look(t, id, WAIT_MS), ["active", ""], "the answer while it runs");
        await end(t, id);
        ended.push(id);
        await t.until(() => heard.length >= ended.length, `the message of ${name}`);
        same(heard, ended, `ids told after ${name}`);
        same(((await look(t, id)) as readonly Bytes[])[1], outcome, `the outcome after ${name}`);
        // Whatever takes the row away leaves the outcome.
        await t.command("DEL", t.row(id));
        await t.command("ZREM", t.key("dead"), id);
        await t.command("ZREM", t.key("completed"), id);
        same(await look(t, id), ["absent", outcome], `the outcome of ${name} without the row`);
      }
    },
  },
  {
    name: "result_unasked",
    contract: "Of a job for which nobody waits, no more, or only looked, nothing is told and nothing is left.",
    async run(t) {
      const heard = await t.messages(t.key("results"));
      for (const [name, [, end]] of Object.entries(ENDINGS)) {
        const { id } = await t.active();
        same(await look(t, id, 0), ["active", ""], "a mere look");
        await end(t, id);
        same(await t.exists(`${t.row(id)}:result`), false, `an outcome after ${name}`);
      }
      const { id } = await t.active();
      await look(t, id, 5);
      await t.advance(10);
      await t.jobs.complete(t.queue, id, 1, "{}");
      same(await look(t, id), ["absent", ""], "the outcome for a waiter that is late");
      const marked = await t.active();
      await look(t, marked.id, WAIT_MS);
      await t.jobs.complete(t.queue, marked.id, 1);
      await t.until(() => heard.length > 0, "the last message");
      same(heard, [marked.id], "ids told");
    },
  },
  {
    name: "result_mark",
    contract: "A mark never becomes shorter, and the outcome goes by itself when it ends.",
    async run(t) {
      const { id } = await t.active();
      await look(t, id, 400);
      const until = Number(await t.field(id, "wait"));
      await look(t, id, 1);
      same(Number(await t.field(id, "wait")), until, "the mark after a shorter wait");
      await look(t, id, WAIT_MS);
      same(Number(await t.field(id, "wait")) > until, true, "whether a longer wait moves it");
      const other = await t.active();
      await look(t, other.id, 400);
      await t.jobs.complete(t.queue, other.id, 1, "{}");
      same(await look(t, other.id), ["absent", "r{}"], "the outcome at once");
      await t.advance(500);
      same(await look(t, other.id), ["absent", ""], "the outcome after the wait");
    },
  },
  {
    name: "result_large",
    contract: "A result above 1 MiB is not left beside its row: it is told that there was one.",
    async run(t) {
      for (const [bytes, outcome] of [
        [2 ** 20, "r"],
        [2 ** 20 + 1, "l"],
      ] as const) {
        const { id } = await t.active();
        await look(t, id, WAIT_MS);
        await t.jobs.complete(t.queue, id, 1, "x".repeat(bytes));
        const left = String(await t.command("GET", `${t.row(id)}:result`));
        same([left[0], left.length], [outcome, outcome === "r" ? bytes + 1 : 1], `what is left of ${bytes} bytes`);
      }
    },
  },
  {
    name: "result_kept_for",
    contract: "Terms leave an outcome for whoever asks afterwards, without a mark.",
    async run(t) {
      const [done, dead] = [await t.active(), await t.active()];
      const settlements = [
        { op: "r", id: done.id, token: 1, result: "7" },
        { op: "k", id: dead.id, token: 1, error: "boom" },
      ] as const;
      const terms = { dead: none, resultMs: WAIT_MS };
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements, terms });
      same(await look(t, done.id), ["absent", "r7"], "the completed one");
      same(await look(t, dead.id), ["absent", "kboom"], "the dead one");
      const late = await t.active();
      await t.jobs.complete(t.queue, late.id, 1, "8", { ...none, resultMs: WAIT_MS });
      same(await look(t, late.id), ["absent", "r8"], "the one that COMPLETE ended");
    },
  },
  {
    name: "result_removed",
    contract: "Whoever waits for a job that is removed is told at once, and finds nothing.",
    async run(t) {
      const heard = await t.messages(t.key("results"));
      const [removed, cancelled] = (await t.enqueuedMany(2)) as [string, string];
      await look(t, removed, WAIT_MS);
      await look(t, cancelled, WAIT_MS);
      await t.jobs.removeJob(t.queue, removed);
      await t.jobs.cancel(t.queue, cancelled, "enough");
      await t.until(() => heard.length === 2, "both messages");
      same(heard, [removed, cancelled], "ids told");
      same(await look(t, removed, WAIT_MS), ["absent", ""], "the outcome");
      same([...(await t.snapshot()).keys()], [], "keys that are left");
    },
  },
];
