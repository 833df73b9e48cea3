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

/**
 * The side keys that a TURN deletes. Those of flows hang on parents, and looking for them would cost a turn of a
 * hundred completions almost half of its time again.
 */
const SIDE_KEYS_OF_TURN: ReadonlySet<string> = new Set(["logs", "lock"]);

export const sideKeyScenarios: readonly ScenarioDraft[] = [
  {
    name: "side_keys",
    contract:
      "Complete, removal and cancel leave no key of the job, whichever side keys it had; a turn no log and no lock.",
    async run(t) {
      for (const [name, remove] of Object.entries(DELETIONS)) {
        const { id } = await t.active();
        for (const [suffix, [command, ...rest]] of Object.entries(SIDE_KEYS)) {
          if (name.startsWith("TURN") && !SIDE_KEYS_OF_TURN.has(suffix)) continue;
          await t.command(command, `${t.row(id)}:${suffix}`, ...rest);
        }
        await remove(t, id);
        const left = [...(await t.snapshot()).keys()].filter((key) => key.startsWith(t.row(id)));
        same(left, [], `keys that ${name} left`);
      }
    },
  },
  {
    name: "dedup_released",
    contract: "A deduplication key that the row names goes with the row, if it still holds this job (C27).",
    async run(t) {
      for (const [name, remove] of Object.entries(DELETIONS)) {
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
