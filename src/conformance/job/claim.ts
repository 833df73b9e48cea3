/** What `CLAIM` promises: one holder, a raised token, a lease by the server's clock, and no ghost. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS } from "../trial.ts";

export const claimScenarios: readonly ScenarioDraft[] = [
  {
    row: 6,
    name: "claim",
    contract: "A claim hands over id, payload and token, and the row says active.",
    async run(t) {
      const id = await t.enqueued("work");
      const job = await t.claimed();
      same([job.id, bytesIn(job.payload), job.attempts], [id, "work", 1], "the claim");
      same(await t.field(id, "state"), "active", "the row's state");
    },
  },
  {
    name: "claim_empty",
    contract: "A claim on an empty queue answers nothing and leaves no key.",
    async run(t) {
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "the claim");
      same((await t.snapshot()).size, 0, "keys of the queue");
    },
  },
  {
    name: "claim_lease",
    contract: "The deadline of a lease is the server's now and the lease; the row carries no owner.",
    async run(t) {
      const id = await t.enqueued();
      const before = await t.port.serverNow();
      await t.claimed(5000);
      const after = await t.port.serverNow();
      const deadline = (await t.score("active", id)) ?? 0;
      holds(deadline >= before + 5000 && deadline <= after + 5000, `the deadline ${deadline} is now and 5000`);
      same(await t.fields(id), { state: "active", attempts: "1", payload: "work" }, "the row");
      same(await t.members("pending"), [], "pending");
    },
  },
  {
    name: "claim_one_holder",
    contract: "Claims of several connections never hand one job to two of them.",
    async run(t) {
      const ids = await t.enqueuedMany(20);
      const claims = await Promise.all(ids.map(async () => await t.jobs.claim(t.queue, LEASE_MS)));
      same(claims.map((job) => job?.id).sort(), ids, "the claimed ids");
      same(await t.jobs.claim(t.queue, LEASE_MS), undefined, "one claim more");
    },
  },
  {
    name: "claim_lane_stray",
    contract: "A row with a lane that is claimed from the flat queue raises its lane's count (C5).",
    async run(t) {
      const id = await t.enqueued();
      await t.command("HSET", t.row(id), "group", "lane-a");
      same((await t.claimed()).id, id, "the claim");
      same(await t.command("HGET", t.key("gactive"), "lane-a"), "1", "jobs of the lane that are leased");
      same(await t.jobs.complete(t.queue, id, 1), "ok", "complete");
      same(await t.exists(t.key("gactive")), false, "the count of leased jobs");
    },
  },
  {
    name: "c03_no_ghosts",
    contract: "Claim, promote, reap and sweep drop ids without a row, go on to the next and make no row.",
    expectFindings: ["row-place"],
    async run(t) {
      const [ghost, real] = t.ids(2);
      const makeRow = async (state: string) =>
        await t.command("HSET", t.row(real), "state", state, "attempts", "0", "payload", "real");
      const place = async (set: string) => await t.command("ZADD", t.key(set), "0", ghost, "0", real);
      const takers = {
        CLAIM: async () => (await t.jobs.claim(t.queue, LEASE_MS))?.id,
        BCLAIM: async () => (await t.jobs.claimBatch(t.queue, 1, LEASE_MS)).map(({ id }) => id).join(),
        TURN: async () =>
          (await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 })).jobs.map(({ id }) => id).join(),
      };
      for (const [verb, take] of Object.entries(takers)) {
        await makeRow("pending");
        await place("pending");
        same(await take(), real, `${verb} takes the job behind the ghost`);
        same(await t.members("active"), [real], `active after ${verb}`);
        same(await t.members("pending"), [], `pending after ${verb}`);
        await t.command("DEL", t.key("active"), t.row(real));
      }
      await makeRow("scheduled");
      await place("schedule");
      same(await t.jobs.promote(t.queue, 1), 1, "promoted");
      same([await t.members("pending"), await t.members("schedule")], [[real], []], "pending and schedule");
      await t.command("DEL", t.key("pending"));
      for (const verb of ["REAP", "SWEEP"] as const) {
        await makeRow("active");
        await place("active");
        const back = verb === "REAP" ? await t.jobs.reap(t.queue) : (await t.jobs.sweep(t.queue)).recovered.length;
        same(back, 1, `jobs that ${verb} takes back`);
        same([await t.members("pending"), await t.members("active")], [[real], []], `pending and active after ${verb}`);
        await t.command("DEL", t.key("pending"));
      }
      same(await t.exists(t.row(ghost)), false, "a row of the ghost");
    },
  },
  {
    name: "c03_wrong_place",
    contract: "An id that stands where its row says it is not is dropped, and its row stays as it is.",
    async run(t) {
      const dead = await t.dead();
      const real = await t.enqueued();
      await t.command("ZADD", t.key("pending"), "0", dead);
      await t.command("ZADD", t.key("schedule"), "1", dead);
      const before = await t.fields(dead);
      same((await t.claimed()).id, real, "the claim");
      same(await t.jobs.promote(t.queue, 10), 0, "promoted");
      same(await t.fields(dead), before, "the dead row");
      same([await t.members("pending"), await t.members("schedule")], [[], []], "pending and schedule");
    },
  },
  {
    name: "c16_pause_inside",
    contract: "The pause is tested inside the claiming act, and a meta of a foreign type refuses it (fails closed).",
    async run(t) {
      const id = await t.enqueued("p");
      const takes = async () => [
        await t.jobs.claim(t.queue, LEASE_MS),
        (await t.jobs.claimBatch(t.queue, 5, LEASE_MS)).length,
        (await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 5 })).jobs.length,
      ];
      await t.jobs.pause(t.queue);
      same(await takes(), [undefined, 0, 0], "claims while paused");
      // Any value of the field pauses, also one that looks like no.
      await t.command("HSET", t.key("meta"), "paused", "0");
      same(await takes(), [undefined, 0, 0], "claims while another speaker's pause lies there");
      await t.command("DEL", t.key("meta"));
      await t.command("SET", t.key("meta"), "foreign");
      const calls = [
        ["CLAIM", ["60000"]],
        ["BCLAIM", ["60000", "5"]],
        ["TURN", ["w", "60000", "5"]],
      ] as const;
      for (const [verb, args] of calls) {
        const text = await t.refusalOf(verb, args);
        holds(text.startsWith("WRONGTYPE "), `${verb} is refused by WRONGTYPE, not ${text}`);
      }
      same(await t.members("pending"), [id], "pending");
      same(await t.field(id, "attempts"), "0", "attempts");
      await t.command("DEL", t.key("meta"));
      same((await t.claimed()).id, id, "the claim afterwards");
    },
  },
  {
    name: "claim_wrong_type",
    contract: "A foreign type at active refuses every claiming act before anything is popped.",
    expectFindings: ["key-type"],
    async run(t) {
      const id = await t.enqueued();
      await t.command("SET", t.key("active"), "foreign");
      const calls = [
        ["CLAIM", ["60000"]],
        ["BCLAIM", ["60000", "5"]],
        ["TURN", ["w", "60000", "5"]],
      ] as const;
      for (const [verb, args] of calls) {
        const text = await t.refusalOf(verb, args);
        holds(text.startsWith("WRONGTYPE "), `${verb} is refused by WRONGTYPE, not ${text}`);
      }
      same(await t.members("pending"), [id], "pending");
      same(await t.fields(id), { state: "pending", attempts: "0", payload: "work" }, "the row");
    },
  },
];
