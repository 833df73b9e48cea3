/**
 * Who wakes workers, and who does not.
 *
 * A token is pushed by every act that can make work claimable, or that puts a job at the head of the schedule, and by a
 * turn that leaves work behind; never a second one beside the first. The cases are a table: what is prepared, what
 * acts, how many tokens lie there afterwards.
 */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** One act and what it needs: `prepare` answers the id that `act` works on. */
interface WakeCase {
  readonly prepare?: (t: Trial) => Promise<string>;
  readonly act: (t: Trial, id: string) => Promise<unknown>;
}

const active = async (t: Trial) => (await t.active()).id;
const nothing = async (t: Trial) => t.id();
const lapsed = async (t: Trial) => {
  const { id } = await t.active("work", 1);
  await t.advance(5);
  return id;
};
const scheduled = async (t: Trial) => {
  const id = t.id();
  await t.jobs.enqueueAt(t.queue, id, "p", 1);
  return id;
};
const failure = { delayMs: LEASE_MS, maxAttempts: 9, error: "e" };
const turn = async (t: Trial, want: number) => await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want });

/** An active job of a lane at its limit, with another waiting behind it. */
const laneAtLimit = async (t: Trial) => {
  const [first, second] = t.ids(2);
  await t.command("HSET", t.key("glimit"), "lane-a", "1");
  await t.jobs.admit(
    t.queue,
    [first, second].map((id) => ({ id, payload: "p", lane: "lane-a" })),
  );
  await turn(t, 9);
  return first;
};

/** Acts that make work claimable. */
const MAKES_WORK: Readonly<Record<string, WakeCase>> = {
  ADMIT: { act: async (t, id) => await t.jobs.admit(t.queue, [{ id, payload: "p" }]) },
  "ADMIT into a lane": { act: async (t, id) => await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "l" }]) },
  GIVEBACK: { prepare: active, act: async (t, id) => await t.jobs.giveBack(t.queue, id, 1) },
  PROMOTE: { prepare: scheduled, act: async (t) => await t.jobs.promote(t.queue, 1) },
  RELEASE: { prepare: scheduled, act: async (t, id) => await t.act("RELEASE", [id]) },
  REAP: { prepare: lapsed, act: async (t) => await t.jobs.reap(t.queue) },
  SWEEP: { prepare: lapsed, act: async (t) => await t.jobs.sweep(t.queue) },
  "SWEEP of a job that woke nobody": {
    prepare: async (t) => await t.enqueued(),
    act: async (t) => await t.jobs.sweep(t.queue),
  },
  "SWEEP of a queue with a job that is due": { prepare: scheduled, act: async (t) => await t.jobs.sweep(t.queue) },
  REPROCESS: { prepare: async (t) => await t.dead(), act: async (t, id) => await t.jobs.reprocessJob(t.queue, id) },
  "COMPLETE of a lane at its limit": {
    prepare: laneAtLimit,
    act: async (t, id) => await t.jobs.complete(t.queue, id, 1),
  },
  "RETRY of a lane at its limit": {
    prepare: laneAtLimit,
    act: async (t, id) => await t.jobs.retry(t.queue, id, 1, { ...failure, maxAttempts: 1 }),
  },
  "DELAY of a lane at its limit": {
    prepare: laneAtLimit,
    act: async (t, id) => await t.jobs.delay(t.queue, id, 1, LEASE_MS),
  },
  "REMOVE of a lane at its limit": { prepare: laneAtLimit, act: async (t, id) => await t.jobs.removeJob(t.queue, id) },
  "a TURN that leaves work": {
    prepare: async (t) => (await t.enqueuedMany(2))[0] ?? "",
    act: async (t) => await turn(t, 1),
  },
  "a TURN without room": { prepare: async (t) => await t.enqueued(), act: async (t) => await turn(t, 0) },
  "a TURN that promotes without room": { prepare: scheduled, act: async (t) => await turn(t, 0) },
};

/** Acts that make no work claimable, or that must not wake by their contract. */
const MAKES_NONE: Readonly<Record<string, WakeCase>> = {
  ENQUEUE: { act: async (t, id) => await t.jobs.enqueue(t.queue, id, "p") },
  SCHEDULE: { act: async (t, id) => await t.jobs.enqueueAt(t.queue, id, "p", 1) },
  "ADMIT of a duplicate": {
    prepare: active,
    act: async (t, id) => await t.jobs.admit(t.queue, [{ id, payload: "p" }]),
  },
  CLAIM: { prepare: async (t) => (await t.enqueuedMany(2))[0] ?? "", act: async (t) => await t.claimed() },
  COMPLETE: { prepare: active, act: async (t, id) => await t.jobs.complete(t.queue, id, 1) },
  "RETRY that kills": {
    prepare: active,
    act: async (t, id) => await t.jobs.retry(t.queue, id, 1, { ...failure, maxAttempts: 1 }),
  },
  EXTEND: { prepare: active, act: async (t, id) => await t.jobs.extendLock(t.queue, id, 1, LEASE_MS) },
  EXTENDM: { prepare: active, act: async (t, id) => await t.jobs.extendLocks(t.queue, [{ id, token: 1 }], LEASE_MS) },
  UPDATE: { prepare: active, act: async (t, id) => await t.jobs.updateData(t.queue, id, "p") },
  PROGRESS: { prepare: active, act: async (t, id) => await t.jobs.updateProgress(t.queue, id, "p") },
  LOG: { prepare: active, act: async (t, id) => await t.jobs.addLog(t.queue, id, "p") },
  CANCEL: { prepare: active, act: async (t, id) => await t.jobs.cancel(t.queue, id, "p") },
  QPAUSE: { prepare: async (t) => await t.enqueued(), act: async (t) => await t.jobs.pause(t.queue) },
  "PROMOTE of nothing": { act: async (t) => await t.jobs.promote(t.queue, 9) },
  "SWEEP of nothing": { prepare: active, act: async (t) => await t.jobs.sweep(t.queue) },
  "SWEEP of a queue whose jobs are not due": {
    prepare: async (t) => {
      const id = t.id();
      await t.jobs.enqueueIn(t.queue, id, "p", LEASE_MS);
      return id;
    },
    act: async (t) => await t.jobs.sweep(t.queue),
  },
  "REAP of nothing": { prepare: active, act: async (t) => await t.jobs.reap(t.queue) },
  "a TURN that takes all": { prepare: async (t) => await t.enqueued(), act: async (t) => await turn(t, 1) },
  "a TURN of an empty queue": { act: async (t) => await turn(t, 0) },
};

/** Acts that put a job into the schedule, at its head or not, from instant or delay. */
const SCHEDULES: Readonly<Record<string, WakeCase>> = {
  ADMIT: { act: async (t, id) => await t.jobs.admit(t.queue, [{ id, payload: "p", dueInMs: LEASE_MS }]) },
  RETRY: { prepare: active, act: async (t, id) => await t.jobs.retry(t.queue, id, 1, failure) },
  DELAY: { prepare: active, act: async (t, id) => await t.jobs.delay(t.queue, id, 1, LEASE_MS) },
  "TURN with d": {
    prepare: active,
    act: async (t, id) => {
      const settlements = [{ op: "d", id, token: 1, ms: LEASE_MS }] as const;
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements });
    },
  },
};

export const wakeScenarios: readonly ScenarioDraft[] = [
  {
    name: "wake_making_work",
    contract: "Every act that makes work claimable pushes one token, and none beside one that lies there.",
    async run(t) {
      for (const [name, one] of Object.entries(MAKES_WORK)) {
        same(await tokensAfter(t, one), 1, `tokens after ${name}`);
        same(await tokensAfter(t, one, ["1"]), 1, `tokens after ${name} beside another`);
      }
    },
  },
  {
    name: "wake_no_work",
    contract: "An act that makes no work claimable pushes none.",
    async run(t) {
      for (const [name, one] of Object.entries(MAKES_NONE)) same(await tokensAfter(t, one), 0, `tokens after ${name}`);
    },
  },
  {
    name: "wake_paused",
    contract: "A paused queue is not claimable: nothing pushes for its work, and the resume does.",
    async run(t) {
      for (const [name, one] of Object.entries(MAKES_WORK)) {
        // Its job stands at the head of the schedule afterwards, which pushes in any case.
        if (name.startsWith("DELAY")) continue;
        const paused = async () => await t.command("HSET", t.key("meta"), "paused", "1");
        same(await tokensAfter(t, one, [], paused), 0, `tokens after ${name} while paused`);
        await t.jobs.resume(t.queue);
        same(await t.tokens(), 1, `tokens after the resume that follows ${name}`);
        await t.jobs.resume(t.queue);
        same(await t.tokens(), 1, "tokens after a second resume");
      }
    },
  },
  {
    name: "wake_schedule_head",
    contract: "A job at the head of the schedule pushes, also while paused; one behind the head does not.",
    expectFindings: ["member-row"],
    async run(t) {
      const paused = async () => await t.command("HSET", t.key("meta"), "paused", "1");
      const head = async () => await t.command("ZADD", t.key("schedule"), "1", "JOB00000000000");
      const unripe = async () =>
        await t.command("ZADD", t.key("schedule"), String((await t.port.serverNow()) + 1000), "JOB00000000000");
      for (const [name, one] of Object.entries(SCHEDULES)) {
        same(await tokensAfter(t, one), 1, `tokens after ${name}`);
        same(await tokensAfter(t, one, [], paused), 1, `tokens after ${name} while paused`);
        same(
          await tokensAfter(t, one, [], name.startsWith("TURN") ? unripe : head),
          0,
          `tokens after ${name} behind the head`,
        );
      }
    },
  },
  {
    name: "wake_schedule_foreign_head",
    contract: "Only the job that an act scheduled counts as its head; a member that is no job never does.",
    expectFindings: ["member-row"],
    async run(t) {
      for (const member of ["constructor", "__proto__", "JOB"]) {
        const head = async () => await t.command("ZADD", t.key("schedule"), "1", member);
        same(await tokensAfter(t, SCHEDULES["ADMIT"] as WakeCase, [], head), 0, `tokens behind ${member}`);
      }
    },
  },
];

/** Prepares a case in an empty queue, takes all tokens, lets it act and counts tokens. */
async function tokensAfter(
  t: Trial,
  { prepare = nothing, act }: WakeCase,
  tokens: readonly string[] = [],
  atLast: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  const keys = [...(await t.snapshot()).keys()];
  if (keys.length > 0) await t.command("DEL", ...keys);
  const id = await prepare(t);
  await t.takeTokens();
  for (const token of tokens) await t.command("LPUSH", t.key("wake"), token);
  await atLast();
  await act(t, id);
  return await t.tokens();
}
