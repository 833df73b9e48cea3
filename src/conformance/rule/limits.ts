/**
 * Limits that limit: what a ceiling, a rate, and a rate of a lane or a job name let through, on every way to claim.
 *
 * A limited job is not touched: its row, its place and its attempts stay as they were. The times of these scenarios are
 * long, so that a slow server changes nothing: what is to end is ended by another setting, or by a short time of its
 * own.
 */

import type { Rate } from "../../queue/rate.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** Long enough that no scenario sees its end. */
const LONG_MS = 600_000;

const turn = async (t: Trial, want: number, settlements: Parameters<typeof t.jobs.turn>[1]["settlements"] = []) =>
  await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want, settlements });

/** Every way to claim five flat jobs and more; answers the ids. */
const FLAT_CLAIMS: Readonly<Record<string, (t: Trial) => Promise<string[]>>> = {
  CLAIM: async (t) => {
    const ids: string[] = [];
    for (let job = await t.jobs.claim(t.queue, LEASE_MS); job !== undefined; ) {
      ids.push(job.id);
      job = await t.jobs.claim(t.queue, LEASE_MS);
    }
    return ids;
  },
  BCLAIM: async (t) => (await t.jobs.claimBatch(t.queue, 9, LEASE_MS)).map(({ id }) => id),
  TURN: async (t) => (await turn(t, 9)).jobs.map(({ id }) => id),
};

/** Every way to claim five jobs of a lane and more; answers the ids. */
const LANE_CLAIMS: Readonly<Record<string, (t: Trial) => Promise<string[]>>> = {
  GCLAIM: async (t) => {
    const ids: string[] = [];
    for (let job = await t.lanes.claim(t.queue, LEASE_MS); job !== undefined; ) {
      ids.push(job.id);
      job = await t.lanes.claim(t.queue, LEASE_MS);
    }
    return ids;
  },
  GWCLAIM: async (t) => (await t.lanes.claimWeighted(t.queue, LEASE_MS)).map(({ id }) => id),
  GBCLAIM: async (t) => (await t.lanes.claimBatch(t.queue, 0, LEASE_MS)).map(({ id }) => id),
  TURN: async (t) => (await turn(t, 9)).jobs.map(({ id }) => id),
};

const WAYS = ["window", "sliding", "bucket"] as const;

/** Five jobs of a lane, oldest first. */
async function admitFive(t: Trial, row: { readonly lane?: string; readonly name?: string }): Promise<string[]> {
  const ids = t.ids(5);
  await t.jobs.admit(
    t.queue,
    ids.map((id) => ({ id, payload: "p", ...row })),
  );
  return ids;
}

/** Takes every job and every limit of the queue away. */
async function clear(t: Trial): Promise<void> {
  const found = await t.command("KEYS", `${t.base}*`);
  for (const key of Array.isArray(found) ? found : []) await t.command("DEL", String(key));
}

const LIMITED = [
  { what: "a ceiling of 2", limits: { concurrency: 2 } },
  ...WAYS.map((way) => ({
    what: `a rate of 2 by ${way}`,
    limits: { rate: { max: 2, duration: LONG_MS, way } satisfies Rate },
  })),
] as const;

export const limitScenarios: readonly ScenarioDraft[] = [
  {
    name: "limits_flat",
    contract: "No claim of flat jobs passes the ceiling or the rate of the queue, and what is held back is untouched.",
    async run(t) {
      for (const { what, limits } of LIMITED) {
        for (const [verb, claim] of Object.entries(FLAT_CLAIMS)) {
          const ids = await admitFive(t, {});
          await t.jobs.setLimits(t.queue, limits);
          same(await claim(t), ids.slice(0, 2), `${verb} with ${what}`);
          same(await claim(t), [], `${verb} again with ${what}`);
          same(await t.members("pending"), ids.slice(2), `what waits after ${verb} with ${what}`);
          same(
            await t.fields(ids[2] ?? ""),
            { state: "pending", attempts: "0", payload: "p" },
            `the next job after ${verb} with ${what}`,
          );
          await t.jobs.setLimits(t.queue, { concurrency: null, rate: null });
          same(await claim(t), ids.slice(2), `${verb} without ${what}`);
          await clear(t);
        }
      }
    },
  },
  {
    name: "limits_lanes",
    contract: "No claim of lanes passes the ceiling or the rate of the queue or the rate of a lane.",
    async run(t) {
      for (const [verb, claim] of Object.entries(LANE_CLAIMS)) {
        for (const { what, limits } of LIMITED) {
          const ids = await admitFive(t, { lane: "a" });
          await t.lanes.weight(t.queue, "a", 9);
          await t.jobs.setLimits(t.queue, limits);
          same(await claim(t), ids.slice(0, 2), `${verb} with ${what}`);
          same(await claim(t), [], `${verb} again with ${what}`);
          same(await t.members("g:a:pending"), ids.slice(2), `what waits after ${verb} with ${what}`);
          same(await t.list("ring"), ["a"], `the ring after ${verb} with ${what}`);
          await clear(t);
        }
        for (const way of WAYS) {
          const ids = await admitFive(t, { lane: "a" });
          await t.lanes.weight(t.queue, "a", 9);
          await t.lanes.rate(t.queue, "a", { max: 2, duration: LONG_MS, way });
          same(await claim(t), ids.slice(0, 2), `${verb} of a lane with a rate by ${way}`);
          same(await claim(t), [], `${verb} again of a lane with a rate by ${way}`);
          same(await t.list("ring"), [], `the ring after ${verb} by ${way}`);
          same(await t.members("rest"), ["a"], `what rests after ${verb} by ${way}`);
          await t.takeTokens();
          await t.lanes.rate(t.queue, "a", null);
          same([await t.list("ring"), await t.tokens()], [["a"], 1], `ring and tokens without the rate`);
          same(await claim(t), ids.slice(2), `${verb} without the rate by ${way}`);
          same([await t.exists(t.key("rate")), await t.exists(t.key("rest"))], [false, false], "what is left");
          await clear(t);
        }
      }
    },
  },
  {
    name: "limits_rest_ends",
    contract: "What rests comes back by time alone: TURN tells how long, and that a rest ended counts as moved.",
    async run(t) {
      for (const way of WAYS) {
        const ids = await admitFive(t, { lane: "a" });
        const flat = await admitFive(t, {});
        await t.lanes.rate(t.queue, "a", { max: 1, duration: 40, way });
        const first = await turn(t, 9);
        same(first.jobs.map(({ id }) => id).sort(), [...flat, ids[0]].sort(), `the first turn by ${way}`);
        holds((first.dueMs ?? -1) >= 0 && (first.dueMs ?? 99) <= 41, `${way} tells ${first.dueMs} ms`);
        await t.advance(45);
        const second = await turn(t, 9);
        same(second.moved, 1, `ends of rests by ${way}`);
        same(
          second.jobs.map(({ id }) => id),
          [ids[1]],
          `the second turn by ${way}`,
        );
        await clear(t);
      }
    },
  },
  {
    name: "limits_ceiling_freed",
    contract: "The end of any job that frees a place under the ceiling wakes a worker, however it ends.",
    async run(t) {
      const ends: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
        COMPLETE: async (id) => await t.jobs.complete(t.queue, id, 1),
        RETRY: async (id) => await t.jobs.retry(t.queue, id, 1, { delayMs: LONG_MS, maxAttempts: 9, error: "e" }),
        DELAY: async (id) => await t.jobs.delay(t.queue, id, 1, LONG_MS),
        GIVEBACK: async (id) => await t.jobs.giveBack(t.queue, id, 1),
        REMOVE: async (id) => await t.jobs.removeJob(t.queue, id),
        TURN: async (id) => await turn(t, 0, [{ op: "c", id, token: 1 }]),
      };
      for (const [verb, end] of Object.entries(ends)) {
        const [first] = await admitFive(t, {});
        await t.jobs.setLimits(t.queue, { concurrency: 1 });
        await turn(t, 5);
        await t.takeTokens();
        await turn(t, 5);
        same(await t.tokens(), 0, `tokens at the ceiling before ${verb}`);
        await end(first ?? "");
        same(await t.tokens(), 1, `tokens after ${verb}`);
        await clear(t);
      }
    },
  },
  {
    name: "limits_ceiling_stray",
    contract: "Whoever drops a stray member of active, which filled the ceiling of the queue, wakes a worker.",
    async run(t) {
      const drops: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
        COMPLETE: async (id) => await t.jobs.complete(t.queue, id, 1),
        REAP: async () => await t.jobs.reap(t.queue),
        GREAP: async (id) => {
          await t.command("HSET", t.row(id), "state", "dead", "attempts", "1", "payload", "p", "group", "a");
          same(await t.act("GREAP", ["a", "9"]), 0, "taken back");
        },
        REMOVE: async (id) => {
          await t.command("HSET", t.row(id), "state", "dead", "attempts", "1", "payload", "p");
          await t.jobs.removeJob(t.queue, id);
        },
      };
      for (const [verb, drop] of Object.entries(drops)) {
        await admitFive(t, {});
        await t.jobs.setLimits(t.queue, { concurrency: 1 });
        const stray = t.id();
        await t.command("ZADD", t.key("active"), "1", stray);
        await t.takeTokens();
        same([(await turn(t, 1)).jobs, await t.tokens()], [[], 0], `claims and tokens before ${verb}`);
        await drop(stray);
        same([await t.members("active"), await t.tokens()], [[], 1], `leases and tokens after ${verb}`);
        await clear(t);
      }
    },
  },
  {
    name: "limits_foreign_rest",
    contract: "The resume of a lane that meets a foreign type where rests stand is refused, and the lane stays paused.",
    async run(t) {
      await t.lanes.pause(t.queue, "a");
      await admitFive(t, { lane: "a" });
      await t.command("SET", t.key("rest"), "x");
      const before = await t.snapshot();
      holds((await t.refusalOf("GRESUME", ["a"])).startsWith("WRONGTYPE"), "GRESUME is not refused");
      same(await t.snapshot(), before, "all keys");
      await t.command("DEL", t.key("rest"));
      await t.lanes.resume(t.queue, "a");
      same(await t.list("ring"), ["a"], "the ring after a resume");
    },
  },
  {
    name: "limits_by_handler",
    contract: "A job that asks for it is put back to its place and nothing is claimed for so long; then it is first.",
    async run(t) {
      const ids = await admitFive(t, {});
      const [job] = (await turn(t, 1)).jobs;
      same(job?.id, ids[0], "the first job");
      await t.takeTokens();
      const reply = await turn(t, 5, [{ op: "l", id: ids[0] ?? "", token: 1, ms: 40 }]);
      same([reply.jobs.length, reply.exceptions.size], [0, 0], "claims and exceptions of the turn that asks for it");
      holds((reply.dueMs ?? 0) > 0 && (reply.dueMs ?? 99) <= 40, `TURN tells ${reply.dueMs} ms`);
      same(await t.tokens(), 1, "tokens, so that one worker keeps the time");
      same(await t.fields(ids[0] ?? ""), { state: "pending", attempts: "1", payload: "p", deferred: "1" }, "the row");
      await t.advance(45);
      same((await turn(t, 1)).jobs[0]?.id, ids[0], "the job after that time");
      const stale = await turn(t, 0, [{ op: "l", id: ids[0] ?? "", token: 1, ms: 40 }]);
      same(stale.exceptions.get(0), "EMQSTALE giveback token mismatch", "an old token");
    },
  },
  {
    name: "limits_names",
    contract: "Jobs of a limited name go into its lane when a claim meets them, in their order, and block no others.",
    async run(t) {
      const mails = await admitFive(t, { name: "mail" });
      const plain = await admitFive(t, {});
      await t.lanes.rate(t.queue, "@mail", { max: 2, duration: LONG_MS });
      const first = (await turn(t, 9)).jobs.map(({ id }) => id);
      const second = (await turn(t, 9)).jobs.map(({ id }) => id);
      same([...first, ...second].sort(), [...plain, ...mails.slice(0, 2)].sort(), "what two turns claim");
      same(await t.members("g:@mail:pending"), mails.slice(2), "the lane of the name");
      same(await t.field(mails[2] ?? "", "group"), "@mail", "the lane in the row");
      await t.lanes.rate(t.queue, "@mail", null);
      same(
        (await turn(t, 9)).jobs.map(({ id }) => id),
        mails.slice(2),
        "what a turn claims without the rate",
      );
    },
  },
  {
    name: "limits_names_many",
    contract: "A turn sends at most 200 flat jobs into the lane of their name and asks to be repeated.",
    async run(t) {
      const ids = t.ids(450);
      await t.jobs.admit(
        t.queue,
        ids.map((id) => ({ id, payload: "p", name: "mail" })),
      );
      const last = t.id();
      await t.jobs.admit(t.queue, [{ id: last, payload: "p" }]);
      await t.lanes.rate(t.queue, "@mail", { max: 1, duration: LONG_MS });
      const claimed: string[] = [];
      for (let round = 0; round < 4; round++) {
        await t.takeTokens();
        claimed.push(...(await turn(t, 5)).jobs.map(({ id }) => id));
        if (round < 2) same(await t.tokens(), 1, `tokens after turn ${round + 1}`);
      }
      same(claimed.sort(), [ids[0], last].sort(), "what the turns claimed");
    },
  },
  {
    name: "rate_ttl_spent",
    contract: "What our claims spend can be seen by a reader of wire 3, whichever way the rate counts.",
    async run(t) {
      for (const way of WAYS) {
        await admitFive(t, {});
        await t.jobs.setLimits(t.queue, { rate: { max: 2, duration: LONG_MS, way } });
        await turn(t, 1);
        same(await t.jobs.rateLimitTtl(t.queue), 0, `half spent by ${way}`);
        await turn(t, 1);
        const ttl = await t.jobs.rateLimitTtl(t.queue);
        holds(ttl > 0 && ttl <= 2 * LONG_MS, `RATETTL answers ${ttl} by ${way}`);
        await clear(t);
      }
    },
  },
];
