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

/** Jobs of these costs, oldest first. */
async function admitCosts(t: Trial, costs: readonly number[], row: { readonly lane?: string }): Promise<string[]> {
  const ids = t.ids(costs.length);
  await t.jobs.admit(
    t.queue,
    ids.map((id, at) => ({ id, payload: "p", cost: costs[at] ?? 1, ...row })),
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
    name: "limits_cost",
    contract:
      "A claim takes what its job costs from a rate; a job that costs more than is left waits, and none passes.",
    async run(t) {
      for (const way of WAYS) {
        for (const [verb, claim] of Object.entries(FLAT_CLAIMS)) {
          const ids = await admitCosts(t, [3, 1, 2, 1], {});
          same(await t.field(ids[0] ?? "", "cost"), "3", "the cost in a row");
          same(await t.fields(ids[1] ?? ""), { state: "pending", attempts: "0", payload: "p" }, "a row of cost 1");
          await t.jobs.setLimits(t.queue, { rate: { max: 5, duration: LONG_MS, way } });
          same(await claim(t), ids.slice(0, 2), `${verb} by ${way}`);
          same(await claim(t), [], `${verb} again by ${way}`);
          same([await t.members("pending"), await t.members("rest")], [ids.slice(2), [""]], `what waits after ${verb}`);
          same(await t.field(ids[2] ?? "", "attempts"), "0", `attempts of the next job after ${verb} by ${way}`);
          await t.jobs.setLimits(t.queue, { rate: { max: 7, duration: LONG_MS, way } });
          same((await claim(t))[0], ids[2], `${verb} by ${way} with a raised rate`);
          await clear(t);
        }
      }
    },
  },
  {
    name: "limits_cost_lanes",
    contract: "A lane whose next job is too dear for its rate rests; lanes beside it go on, unless the queue is short.",
    async run(t) {
      for (const [verb, claim] of Object.entries(LANE_CLAIMS)) {
        const dear = await admitCosts(t, [3, 4, 1], { lane: "a" });
        const cheap = await admitCosts(t, [1], { lane: "b" });
        await t.lanes.weight(t.queue, "a", 9);
        await t.lanes.rate(t.queue, "a", { max: 5, duration: LONG_MS, way: "bucket" });
        const claimed = [...(await claim(t)), ...(await claim(t)), ...(await claim(t))];
        same(claimed.sort(), [dear[0], ...cheap].sort(), `what ${verb} claims beside a lane that is short`);
        same([await t.members("rest"), await t.list("ring")], [["a"], []], `what rests after ${verb}`);
        await clear(t);
        const heads = await admitCosts(t, [3, 4, 1], { lane: "a" });
        const others = await admitCosts(t, [1, 1], { lane: "b" });
        await t.lanes.weight(t.queue, "a", 9);
        await t.jobs.setLimits(t.queue, { rate: { max: 5, duration: LONG_MS, way: "bucket" } });
        const taken = [...(await claim(t)), ...(await claim(t)), ...(await claim(t))];
        same(taken.includes(heads[1] ?? ""), false, `${verb} of a job that is too dear for the queue`);
        same(await t.members("rest"), [""], `what rests after ${verb} from a short queue`);
        same((await t.members("g:a:pending")).slice(0, 1), [heads[1]], `the head of the lane after ${verb}`);
        same((await t.list("ring")).includes("a"), true, `the ring after ${verb} from a short queue`);
        const left = (await t.members("g:b:pending")).length;
        same(taken.length + left, others.length + 1, `what ${verb} leaves`);
        await clear(t);
      }
    },
  },
  {
    name: "limits_cost_time",
    contract: "TURN tells when there is enough for the next job, and a job takes at most what the rate can hold.",
    async run(t) {
      const waits: Readonly<Record<(typeof WAYS)[number], number>> = { window: 1000, sliding: 1401, bucket: 500 };
      for (const way of WAYS) {
        const ids = await admitCosts(t, [10, 5], {});
        await t.jobs.setLimits(t.queue, { rate: { max: 10, duration: 1000, way } });
        const reply = await turn(t, 9);
        same([reply.jobs.length, reply.dueMs], [1, waits[way]], `jobs and the time to wait by ${way}`);
        await clear(t);
        const huge = await admitCosts(t, [1_048_576, 1], {});
        await t.jobs.setLimits(t.queue, { rate: { max: 10, duration: LONG_MS, way } });
        same(
          (await turn(t, 9)).jobs.map(({ id }) => id),
          [huge[0]],
          `a job that costs more than the rate holds by ${way}`,
        );
        holds(ids[0] !== huge[0], "ids differ");
        await clear(t);
      }
    },
  },
  {
    name: "limits_cost_bad",
    contract: "ADMIT refuses a cost out of its range; one that others wrote badly counts as 1.",
    async run(t) {
      for (const cost of ["0", "1048577", "01", "x", ""]) {
        same(
          await t.refusalOf("ADMIT", ["c", "1", t.id(), "p", cost]),
          "ERR EMQ.ADMIT bad argument cost",
          `cost ${cost}`,
        );
      }
      for (const cost of ["0", "-1", "1048577", "x", ""]) {
        const ids = await admitFive(t, {});
        await t.command("HSET", t.row(ids[0] ?? ""), "cost", cost);
        await t.jobs.setLimits(t.queue, { rate: { max: 2, duration: LONG_MS } });
        same(
          (await turn(t, 9)).jobs.map(({ id }) => id),
          ids.slice(0, 2),
          `what a turn claims beside a cost of "${cost}"`,
        );
        await clear(t);
      }
    },
  },
  {
    name: "limits_cost_expired",
    contract: "A job whose time to live is over takes nothing from a rate, and holds nobody up by its cost.",
    async run(t) {
      const [late, live] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: late, payload: "p", cost: 9, expireInMs: 1 },
        { id: live, payload: "p", cost: 2, expireInMs: LONG_MS },
      ]);
      await t.jobs.setLimits(t.queue, { rate: { max: 9, duration: LONG_MS, way: "bucket" } });
      await t.advance(5);
      same(
        (await turn(t, 9)).jobs.map(({ id }) => id),
        [live],
        "what a turn claims",
      );
      same(await t.field(late, "state"), "dead", "the job whose time is over");
      same(await t.command("HGET", t.key("rate"), "l"), String(2 * LONG_MS), "what the bucket has lost");
      const [next = ""] = await admitCosts(t, [8], {});
      await t.command("HSET", t.row(next), "expires", "9007199254740991");
      await t.command("ZADD", t.key("ttl"), "9007199254740991", next);
      same((await turn(t, 9)).jobs, [], "a turn that cannot afford the next job");
      holds((await t.members("ttl")).includes(next), "its time to live does not go on");
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
