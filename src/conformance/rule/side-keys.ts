/** The side keys of a job go with its row, whoever deletes it, so that no id ever meets what another life left. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** Side keys and how each is made. */
const SIDE_KEYS: Readonly<Record<string, readonly [command: string, ...rest: string[]]>> = {
  logs: ["RPUSH", "line"],
  lock: ["SET", "worker-1"],
  result: ["SET", "42"],
  dependencies: ["SET", "1"],
  processed: ["HSET", "JOB00000000000", "r"],
  failed: ["HSET", "JOB00000000000", "e"],
  unsuccessful: ["HSET", "JOB00000000000", "e"],
  parents: ["HSET", "JOB00000000000", "fp"],
};

const request = { worker: "w", leaseMs: LEASE_MS, want: 0 } as const;

/** Every way in which a row is deleted, for a job that is active with the token 1. */
const DELETIONS: Readonly<Record<string, (t: Trial, id: string) => Promise<unknown>>> = {
  COMPLETE: async (t, id) => await t.jobs.complete(t.queue, id, 1),
  "TURN with c": async (t, id) => await t.jobs.turn(t.queue, { ...request, settlements: [{ op: "c", id, token: 1 }] }),
  "TURN with r": async (t, id) =>
    await t.jobs.turn(t.queue, { ...request, settlements: [{ op: "r", id, token: 1, result: "42" }] }),
  REMOVE: async (t, id) => await t.jobs.removeJob(t.queue, id, "", { force: true }),
  CANCEL: async (t, id) => {
    await t.jobs.giveBack(t.queue, id, 1);
    await t.jobs.cancel(t.queue, id, "enough");
  },
};

/** Every way in which a job that is active with the token 1 becomes dead; its row stays. */
const DEATHS: Readonly<Record<string, (t: Trial, id: string) => Promise<unknown>>> = {
  RETRY: async (t, id) => await t.jobs.retry(t.queue, id, 1, { delayMs: 1, maxAttempts: 1, error: "e" }),
  "TURN with f": async (t, id) =>
    await t.jobs.turn(t.queue, {
      ...request,
      settlements: [{ op: "f", id, token: 1, delayMs: 1, maxAttempts: 1, error: "e" }],
    }),
  "TURN with k": async (t, id) =>
    await t.jobs.turn(t.queue, { ...request, settlements: [{ op: "k", id, token: 1, error: "e" }] }),
  SWEEP: async (t, id) => {
    await t.jobs.extendLock(t.queue, id, 1, 1);
    await t.advance(2);
    await t.jobs.sweep(t.queue, { maxStalled: 1 });
  },
};

/** The sets of side keys that a job may have together; a parent of a flow always has the count of its children. */
const TOGETHER: readonly (readonly string[])[] = [
  Object.keys(SIDE_KEYS),
  ["logs"],
  ["lock"],
  ["dependencies", "processed"],
  ["dependencies", "unsuccessful"],
];

export const sideKeyScenarios: readonly ScenarioDraft[] = [
  {
    name: "side_keys",
    contract: "Whoever deletes a row leaves no key of the job, whichever side keys it had.",
    async run(t) {
      for (const [name, remove] of Object.entries(DELETIONS)) {
        for (const suffixes of TOGETHER) {
          const { id } = await t.active();
          for (const suffix of suffixes) {
            const [command, ...rest] = SIDE_KEYS[suffix] as [string, ...string[]];
            await t.command(command, `${t.row(id)}:${suffix}`, ...rest);
          }
          await remove(t, id);
          const left = [...(await t.snapshot()).keys()].filter((key) => key.startsWith(t.row(id)));
          same(left, [], `keys that ${name} left of ${suffixes.join()}`);
        }
      }
    },
  },
  {
    name: "dedup_released",
    contract:
      "A deduplication key that the row names goes when the job ends or dies, if it still holds this job (C27).",
    expectFindings: ["dedup-holder"],
    async run(t) {
      for (const [name, remove] of Object.entries({ ...DELETIONS, ...DEATHS })) {
        for (const holder of ["own", "other"]) {
          const { id } = await t.active();
          const held = holder === "own" ? id : t.id();
          await t.command("HSET", t.row(id), "dedup", "order-7");
          await t.command("SET", t.key("de:order-7"), held);
          await remove(t, id);
          const left = holder === "own" ? undefined : held;
          same(await t.jobs.getDedup(t.queue, "order-7"), left, `the key of the ${holder} job after ${name}`);
        }
      }
    },
  },
];
