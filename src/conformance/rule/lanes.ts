/**
 * The line of lanes: a lane is on the ring exactly when it has waiting work, is not paused and is under its limit.
 *
 * Every verb that moves a lane's job over that line is played in every small situation, and the ring, the lane's count
 * and the wake list are compared with what the sentence above says. The order matters as well: a lane that comes onto
 * the ring stands behind those that are there.
 */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

const LANE = "lane-a";
const OTHER = "lane-z";
const LANE_SET = `g:${LANE}:pending`;

/** A lane's situation. The jobs of a case: `subject` is the one that the verb is about. */
interface Situation {
  /** Absent for no limit. */
  readonly limit?: number;
  readonly active: number;
  readonly waiting: number;
  readonly isPaused: boolean;
}

/** A verb, and how many jobs of the lane are active and waiting more (or less) after it. */
interface Move {
  readonly active: -1 | 0;
  readonly waiting: -1 | 0 | 1;
  run(t: Trial, id: string): Promise<unknown>;
}

const failure = { delayMs: LEASE_MS, maxAttempts: 9, error: "e" };
const worker = { worker: "w", leaseMs: LEASE_MS, want: 0 } as const;
const lapse = async (t: Trial, id: string) => {
  await t.jobs.extendLock(t.queue, id, 1, 1);
  await t.advance(2);
};

/** What ends a lease, on an active job with the token 1. */
const ENDS: Readonly<Record<string, Move>> = {
  COMPLETE: { active: -1, waiting: 0, run: async (t, id) => await t.jobs.complete(t.queue, id, 1) },
  "RETRY to the schedule": {
    active: -1,
    waiting: 0,
    run: async (t, id) => await t.jobs.retry(t.queue, id, 1, failure),
  },
  "RETRY to death": {
    active: -1,
    waiting: 0,
    run: async (t, id) => await t.jobs.retry(t.queue, id, 1, { ...failure, maxAttempts: 1 }),
  },
  DELAY: { active: -1, waiting: 0, run: async (t, id) => await t.jobs.delay(t.queue, id, 1, LEASE_MS) },
  GIVEBACK: { active: -1, waiting: 1, run: async (t, id) => await t.jobs.giveBack(t.queue, id, 1) },
  REMOVE: { active: -1, waiting: 0, run: async (t, id) => await t.jobs.removeJob(t.queue, id) },
  REAP: {
    active: -1,
    waiting: 1,
    run: async (t, id) => {
      await lapse(t, id);
      await t.jobs.reap(t.queue);
    },
  },
  "SWEEP that recovers": {
    active: -1,
    waiting: 1,
    run: async (t, id) => {
      await lapse(t, id);
      await t.jobs.sweep(t.queue);
    },
  },
  "SWEEP that kills": {
    active: -1,
    waiting: 0,
    run: async (t, id) => {
      await lapse(t, id);
      await t.jobs.sweep(t.queue, { maxStalled: 1 });
    },
  },
  "TURN with c": {
    active: -1,
    waiting: 0,
    run: async (t, id) => await t.jobs.turn(t.queue, { ...worker, settlements: [{ op: "c", id, token: 1 }] }),
  },
  "TURN with b": {
    active: -1,
    waiting: 1,
    run: async (t, id) => await t.jobs.turn(t.queue, { ...worker, settlements: [{ op: "b", id, token: 1 }] }),
  },
  "TURN with k": {
    active: -1,
    waiting: 0,
    run: async (t, id) =>
      await t.jobs.turn(t.queue, { ...worker, settlements: [{ op: "k", id, token: 1, error: "e" }] }),
  },
};

/** What brings a job into its lane that was neither active nor waiting. */
const ENTERS: Readonly<Record<string, Move>> = {
  ADMIT: {
    active: 0,
    waiting: 1,
    run: async (t) => await t.jobs.admit(t.queue, [{ id: t.id(), payload: "p", lane: LANE }]),
  },
  PROMOTE: {
    active: 0,
    waiting: 1,
    run: async (t, id) => {
      await scheduled(t, id);
      await t.jobs.promote(t.queue, 1);
    },
  },
  "a promoting TURN": {
    active: 0,
    waiting: 1,
    run: async (t, id) => {
      await scheduled(t, id);
      await t.jobs.turn(t.queue, worker);
    },
  },
  RELEASE: {
    active: 0,
    waiting: 1,
    run: async (t, id) => {
      await scheduled(t, id);
      await t.act("RELEASE", [id]);
    },
  },
  REPROCESS: {
    active: 0,
    waiting: 1,
    run: async (t, id) => {
      await t.command("HSET", t.row(id), "state", "dead");
      await t.command("ZADD", t.key("dead"), "0", id);
      await t.jobs.reprocessJob(t.queue, id);
    },
  },
};

/** What takes a waiting job out of its lane. */
const LEAVES: Readonly<Record<string, Move>> = {
  "REMOVE of a waiting job": { active: 0, waiting: -1, run: async (t, id) => await t.jobs.removeJob(t.queue, id) },
  "CANCEL of a waiting job": { active: 0, waiting: -1, run: async (t, id) => await t.jobs.cancel(t.queue, id, "") },
  "a late COMPLETE": {
    active: 0,
    waiting: -1,
    run: async (t, id) => {
      await lapsedMark(t, id);
      await t.jobs.complete(t.queue, id, 1);
    },
  },
  "a late RETRY": {
    active: 0,
    waiting: -1,
    run: async (t, id) => {
      await lapsedMark(t, id);
      await t.jobs.retry(t.queue, id, 1, failure);
    },
  },
  "a late TURN with c": {
    active: 0,
    waiting: -1,
    run: async (t, id) => {
      await lapsedMark(t, id);
      await t.jobs.turn(t.queue, { ...worker, settlements: [{ op: "c", id, token: 1 }] });
    },
  },
};

export const laneScenarios: readonly ScenarioDraft[] = [
  {
    name: "c05_lane_freed",
    contract:
      "Whatever ends a lane job's lease lowers its lane's count, and the ring stays exact in every situation (C5).",
    async run(t) {
      await playAll(t, ENDS, "active", [1, 2]);
    },
  },
  {
    name: "c05_lane_entered",
    contract:
      "Whatever brings a job into a lane brings the lane onto the ring if it may be served, and wakes only then.",
    expectFindings: ["row-place"],
    async run(t) {
      await playAll(t, ENTERS, "scheduled", [0, 1]);
    },
  },
  {
    name: "c05_lane_left",
    contract: "Whatever takes the last waiting job out of a lane takes the lane off the ring, and no other.",
    async run(t) {
      await playAll(t, LEAVES, "pending", [0, 1]);
    },
  },
  {
    name: "c19_all_alike",
    contract:
      "One turn serves flat work, lanes, due jobs, lapsed and revived ones alike, flat work as one lane more (C19).",
    async run(t) {
      const lapsed = t.id();
      await t.jobs.admit(t.queue, [{ id: lapsed, payload: "p", lane: LANE }]);
      await t.jobs.turn(t.queue, { ...worker, leaseMs: 1, want: 1 });
      await t.advance(5);
      await t.jobs.sweep(t.queue);
      const dead = await t.dead();
      await t.jobs.reprocessJob(t.queue, dead);
      const flat = await t.enqueued();
      const [due, dueLane, other] = t.ids(3);
      await t.jobs.admit(t.queue, [
        { id: due, payload: "p", dueAtMs: 1 },
        { id: dueLane, payload: "p", lane: LANE, dueAtMs: 1 },
        { id: other, payload: "p", lane: OTHER },
      ]);
      const { jobs } = await t.jobs.turn(t.queue, { ...worker, want: 20 });
      same(jobs.map(({ id }) => id).sort(), [lapsed, flat, due, dueLane, other, dead].sort(), "the claimed jobs");
    },
  },
  {
    name: "c05_lane_occupied",
    contract: "A claim from the flat queue that brings a lane to its limit takes the lane off the ring.",
    expectFindings: ["row-place"],
    async run(t) {
      const claims = {
        CLAIM: async () => (await t.claimed()).id,
        BCLAIM: async () => (await t.jobs.claimBatch(t.queue, 1, LEASE_MS))[0]?.id,
      };
      for (const [verb, claim] of Object.entries(claims)) {
        for (const limit of [1, 2]) {
          for (const waiting of [0, 1]) {
            const what = `after ${verb} of a lane of limit ${limit} with ${waiting} waiting`;
            await arrange(t, { limit, active: 0, waiting, isPaused: false }, "dead");
            const stray = await t.enqueued();
            await t.command("HSET", t.row(stray), "group", LANE);
            same(await claim(), stray, `the job ${what}`);
            same(await t.command("HGET", t.key("gactive"), LANE), "1", `the lane's count ${what}`);
            same(await t.list("ring"), limit > 1 && waiting > 0 ? [LANE, OTHER] : [OTHER], `the ring ${what}`);
          }
        }
      }
    },
  },
];

/** Plays every move in every situation. */
async function playAll(
  t: Trial,
  moves: Readonly<Record<string, Move>>,
  subject: "active" | "scheduled" | "pending",
  actives: readonly number[],
): Promise<void> {
  for (const [name, move] of Object.entries(moves)) {
    for (const situation of situations(subject, actives)) {
      const id = await arrange(t, situation, subject);
      const before = await t.list("ring");
      await move.run(t, id);
      const after = {
        ...situation,
        active: situation.active + move.active,
        waiting: situation.waiting + move.waiting,
      };
      const what = `after ${name} in ${JSON.stringify(situation)}`;
      const count = after.active === 0 ? null : String(after.active);
      same(await t.command("HGET", t.key("gactive"), LANE), count, `the lane's count ${what}`);
      same(await t.command("ZCARD", t.key(LANE_SET)), after.waiting, `jobs that wait ${what}`);
      same(await t.list("ring"), ringAfter(before, isOnRing(after)), `the ring ${what}`);
    }
    await wakesOnlyForWork(t, name, move, subject);
  }
}

function* situations(subject: string, actives: readonly number[]): Generator<Situation> {
  for (const limit of [undefined, 1, 2]) {
    for (const active of actives) {
      for (const waiting of subject === "pending" ? [1, 2] : [0, 1]) {
        for (const isPaused of [false, true]) {
          yield { ...(limit === undefined ? {} : { limit }), active, waiting, isPaused };
        }
      }
    }
  }
}

/** With no other lane, a move into a lane that may not be served must stay silent. */
async function wakesOnlyForWork(t: Trial, name: string, move: Move, subject: string): Promise<void> {
  if (move.waiting < 1) return;
  for (const isPaused of [false, true]) {
    const id = await arrange(t, { active: subject === "active" ? 1 : 0, waiting: 0, isPaused }, subject);
    await t.command("DEL", t.key("ring"), t.key("wake"), t.key(`g:${OTHER}:pending`));
    await move.run(t, id);
    same(await t.tokens(), isPaused ? 0 : 1, `tokens after ${name} into a ${isPaused ? "paused" : "free"} lane`);
  }
}

function isOnRing({ limit, active, waiting, isPaused }: Situation): boolean {
  return waiting > 0 && !isPaused && (limit === undefined || active < limit);
}

/** The ring after a move: a lane that stays on it keeps its place, one that comes stands at the end. */
function ringAfter(before: readonly string[], isOn: boolean): string[] {
  if (!isOn) return before.filter((lane) => lane !== LANE);
  return before.includes(LANE) ? [...before] : [...before, LANE];
}

/**
 * Makes a situation from nothing by plain commands, beside another lane with one job, and answers the subject: an
 * active job with the token 1, a waiting one, or a row that stands nowhere yet.
 */
async function arrange(t: Trial, situation: Situation, subject: string): Promise<string> {
  const { limit, active, waiting, isPaused } = situation;
  const keys = [...(await t.snapshot()).keys()];
  if (keys.length > 0) await t.command("DEL", ...keys);
  const deadline = String((await t.port.serverNow()) + LEASE_MS);
  const make = async (state: string, set: string, score: string) => {
    const id = t.id();
    const attempts = state === "active" ? "1" : "0";
    await t.command("HSET", t.row(id), "state", state, "attempts", attempts, "payload", "p", "group", LANE);
    await t.command("ZADD", t.key(set), score, id);
    return id;
  };
  const actives: string[] = [];
  for (let at = 0; at < active; at++) actives.push(await make("active", "active", deadline));
  const waiters: string[] = [];
  for (let at = 0; at < waiting; at++) waiters.push(await make("pending", LANE_SET, "0"));
  if (active > 0) await t.command("HSET", t.key("gactive"), LANE, String(active));
  if (limit !== undefined) await t.command("HSET", t.key("glimit"), LANE, String(limit));
  if (isPaused) await t.command("SADD", t.key("paused"), LANE);
  await t.jobs.admit(t.queue, [{ id: t.id(), payload: "p", lane: OTHER }]);
  if (isOnRing(situation)) await t.command("LPUSH", t.key("ring"), LANE);
  const nowhere = t.id();
  if (subject === "active") return actives[0] ?? nowhere;
  if (subject === "pending") return waiters[0] ?? nowhere;
  await t.command("HSET", t.row(nowhere), "state", "dead", "attempts", "1", "payload", "p", "group", LANE);
  return nowhere;
}

/** Puts a row into the schedule, due. */
async function scheduled(t: Trial, id: string): Promise<void> {
  await t.command("HSET", t.row(id), "state", "scheduled");
  await t.command("ZADD", t.key("schedule"), "1", id);
}

/** Marks a waiting job as one whose lease lapsed. */
async function lapsedMark(t: Trial, id: string): Promise<void> {
  await t.command("HSET", t.row(id), "attempts", "1", "owner", "", "stalled", "1");
}
