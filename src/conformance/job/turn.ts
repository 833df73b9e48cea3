/** What `TURN` promises: settle, promote and claim in one act, each settlement judged alone, the round fair. */

import type { Settlement, TurnReply } from "../../queue/turn-call.ts";
import { holds, same } from "../expectation.ts";
import { ORDERS } from "../orders.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS, type Trial } from "../trial.ts";

export const turnScenarios: readonly ScenarioDraft[] = [
  {
    name: "turn_leaving_passes_time_on",
    contract: "A worker that leaves puts a token if anything is scheduled, so that another keeps time for it.",
    async run(t) {
      const leave = async () => await t.act("TURN", ["w", String(LEASE_MS), "0", "w", "1", "1000", "0", "null"]);
      await leave();
      same(await t.tokens(), 0, "tokens while nothing is scheduled");
      await t.jobs.admit(t.queue, [{ id: t.id(), payload: "p", dueInMs: LEASE_MS }]);
      await t.takeTokens();
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0 });
      same(await t.tokens(), 0, "tokens after a turn of one that stays");
      await leave();
      same(await t.tokens(), 1, "tokens after one left");
    },
  },
  {
    name: "turn_claim",
    contract: "A turn claims up to what is wanted, with one deadline, and writes the worker as owner.",
    async run(t) {
      const ids = await t.enqueuedMany(3);
      const before = await t.port.serverNow();
      const { jobs, exceptions, moved, dueMs } = await turn(t, 2);
      const after = await t.port.serverNow();
      same([exceptions.size, moved, dueMs], [0, 0, undefined], "exceptions, moved and due");
      same(
        jobs.map((job) => [
          job.id,
          job.token,
          bytesIn(job.payload),
          job.name,
          job.opts,
          job.lane,
          job.stalled,
          job.deferred,
        ]),
        ids.slice(0, 2).map((id) => [id, 1, "work", "", "", "", 0, 0]),
        "the jobs",
      );
      const deadlines = await Promise.all(jobs.map(async ({ id }) => (await t.score("active", id)) ?? 0));
      same(deadlines[0], deadlines[1], "the deadlines");
      const deadline = deadlines[0] ?? 0;
      holds(
        deadline >= before + LEASE_MS && deadline <= after + LEASE_MS,
        `the deadline ${deadline} is now and the lease`,
      );
      const row = { state: "active", attempts: "1", payload: "work", owner: "worker-1" };
      same(await t.fields(ids[0] ?? ""), row, "the row");
      same(await t.members("pending"), ids.slice(2), "pending");
    },
  },
  {
    name: "turn_job_form",
    contract: "A job comes with name, options, lane and counters; absent ones are empty text on the wire.",
    async run(t) {
      const id = t.id();
      await t.act("ADMIT", ["ngo", "1", id, "p", "mail", "lane-a", '{"a":1}']);
      await t.command("HSET", t.row(id), "stalled", "2", "deferred", "3");
      const plain = t.id();
      await t.act("ADMIT", ["", "1", plain, ""]);
      const reply = await t.act("TURN", ["worker-1", "60000", "2"]);
      const jobs = [id, 1, "p", "mail", '{"a":1}', "lane-a", "2", "3", plain, 1, "", "", "", "", "", ""];
      same(reply, [[], -1, 0, jobs], "the reply");
    },
  },
  {
    name: "turn_complete",
    contract: "The letters c and r complete: rows and leases go, and the counter grows by what was completed.",
    async run(t) {
      const ids = await t.enqueuedMany(4);
      await turn(t, 4);
      const settlements: Settlement[] = [
        { op: "c", id: ids[0] ?? "", token: 1 },
        { op: "c", id: ids[1] ?? "", token: 1 },
        { op: "r", id: ids[2] ?? "", token: 1, result: "42" },
        { op: "r", id: ids[3] ?? "", token: 1, result: "" },
      ];
      same((await turn(t, 0, settlements)).exceptions.size, 0, "exceptions");
      for (const id of ids) same(await t.exists(t.row(id)), false, "a row");
      same(await t.members("active"), [], "active");
      same((await t.jobs.getMetrics(t.queue, "completed")).count, 4, "completed jobs");
    },
  },
  {
    name: "turn_fail",
    contract: "The letter f schedules a failed job again, or tells that it is dead.",
    async run(t) {
      const [again, over] = (await t.enqueuedMany(2)) as [string, string];
      await turn(t, 2);
      const { exceptions } = await turn(t, 0, [
        { op: "f", id: again, token: 1, delayMs: 5000, maxAttempts: 3, error: "boom" },
        { op: "f", id: over, token: 1, delayMs: 5000, maxAttempts: 1, error: "gave up" },
      ]);
      same(exceptions, new Map([[1, "dead"]]), "the exceptions");
      same([await t.field(again, "state"), await t.field(again, "last_error")], ["scheduled", "boom"], "the first");
      same([await t.field(over, "state"), await t.field(over, "last_error")], ["dead", "gave up"], "the second");
      same([await t.members("dead"), await t.members("active")], [[over], []], "dead and active");
      same(await t.field(again, "owner"), null, "the owner of a scheduled job");
    },
  },
  {
    name: "turn_kill",
    contract: "The letter k ends a job as dead at once, whatever its budget.",
    async run(t) {
      const { id } = (await one(t)) ?? {};
      same((await turn(t, 0, [{ op: "k", id: id ?? "", token: 1, error: "fatal" }])).exceptions.size, 0, "exceptions");
      same([await t.members("dead"), await t.field(id ?? "", "last_error")], [[id], "fatal"], "dead and error");
      same((await t.jobs.getMetrics(t.queue, "failed")).count, 1, "failed jobs");
    },
  },
  {
    name: "turn_delay",
    contract: "The letters d and a put a job back by a delay and until an instant, as interruptions.",
    async run(t) {
      const [by, until] = (await t.enqueuedMany(2)) as [string, string];
      await turn(t, 2);
      const before = await t.port.serverNow();
      const instant = before + 90_000;
      const { exceptions, dueMs } = await turn(t, 0, [
        { op: "d", id: by, token: 1, ms: 60_000 },
        { op: "a", id: until, token: 1, ms: instant },
      ]);
      same(exceptions.size, 0, "exceptions");
      holds(((await t.score("schedule", by)) ?? 0) >= before + 60_000, "the delay counts from the server's now");
      same(await t.score("schedule", until), instant, "the instant");
      same([await t.field(by, "deferred"), await t.field(until, "deferred")], ["1", "1"], "interruptions");
      holds(dueMs !== undefined && dueMs <= 60_000 && dueMs > 50_000, `due after ${dueMs}`);
    },
  },
  {
    name: "turn_give_back",
    contract: "The letter b puts a job back at once, so that the same act may claim it again.",
    async run(t) {
      const { id } = (await one(t)) ?? {};
      const { jobs } = await turn(t, 1, [{ op: "b", id: id ?? "", token: 1 }]);
      same(
        jobs.map((job) => [job.id, job.token, job.deferred]),
        [[id, 2, 1]],
        "the jobs",
      );
    },
  },
  {
    name: "turn_exceptions",
    contract: "Each refused settlement is told with the verdict of its own verb, and stops none of the others.",
    async run(t) {
      const ids = await t.enqueuedMany(7);
      await turn(t, 7);
      const dead = await t.dead();
      const gone = t.id();
      const order = t.port.mint("ORD");
      const failure = { delayMs: 1, maxAttempts: 9, error: "e" };
      const wrong = (at: number) => ({ id: ids[at] ?? "", token: 2 });
      const { exceptions } = await turn(t, 0, [
        { op: "c", ...wrong(0) },
        { op: "c", id: gone, token: 1 },
        { op: "c", id: dead, token: 1 },
        { op: "c", id: ids[6] ?? "", token: 1 },
        { op: "r", ...wrong(1), result: "x" },
        { op: "f", ...wrong(2), ...failure },
        { op: "f", id: gone, token: 1, ...failure },
        { op: "f", id: dead, token: 1, ...failure },
        { op: "k", ...wrong(3), error: "e" },
        { op: "k", id: gone, token: 1, error: "e" },
        { op: "d", ...wrong(4), ms: 1 },
        { op: "d", id: order, token: 1, ms: 1 },
        { op: "a", id: gone, token: 1, ms: 1 },
        { op: "b", ...wrong(5) },
        { op: "b", id: gone, token: 1 },
        { op: "b", id: dead, token: 0 },
      ]);
      const expected = new Map([
        [0, "EMQSTALE complete token mismatch"],
        [1, "0"],
        [2, "EMQSTATE job is not active"],
        [4, "EMQSTALE complete token mismatch"],
        [5, "EMQSTALE retry token mismatch"],
        [6, "EMQSTALE job gone"],
        [7, "EMQSTATE job is not active"],
        [8, "EMQSTALE retry token mismatch"],
        [9, "EMQSTALE job gone"],
        [10, "EMQSTALE delay token mismatch"],
        [11, "EMQKIND job id must be JOB-namespaced"],
        [12, "EMQSTALE job gone"],
        [13, "EMQSTALE giveback token mismatch"],
        [14, "EMQSTALE job gone"],
        [15, "EMQSTALE giveback token mismatch"],
      ]);
      same([...exceptions], [...expected], "the exceptions");
      same((await t.members("active")).sort(), ids.slice(0, 6), "active");
    },
  },
  {
    name: "turn_same_job_twice",
    contract: "A job settled twice in one act is settled once; the second is told what became of it.",
    async run(t) {
      const [twice, lane] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: twice, payload: "p" },
        { id: lane, payload: "p", lane: "lane-a" },
      ]);
      await turn(t, 2);
      const done = (id: string): Settlement => ({ op: "c", id, token: 1 });
      const { exceptions } = await turn(t, 0, [
        done(twice),
        done(twice),
        done(lane),
        done(lane),
        { op: "b", id: twice, token: 1 },
      ]);
      same(
        exceptions,
        new Map([
          [1, "0"],
          [3, "0"],
          [4, "EMQSTALE job gone"],
        ]),
        "the exceptions",
      );
      same((await t.jobs.getMetrics(t.queue, "completed")).count, 2, "completed jobs");
      same(await t.exists(t.key("gactive")), false, "leases of the lane");
    },
  },
  {
    name: "turn_any_order",
    contract: "A job that stands twice among those completed is completed once, in whatever order they come.",
    async run(t) {
      let completed = 0;
      for (const order of ORDERS) {
        const ids = (await t.enqueuedMany(3)).toSorted();
        const rows = order.map((at) => ids[at] ?? "");
        const twins = rows.flatMap((id, position) => (rows.indexOf(id) < position ? [position] : []));
        await turn(t, 3);
        const { exceptions } = await turn(
          t,
          0,
          rows.map((id) => ({ op: "c", id, token: 1 })),
        );
        same(exceptions, new Map(twins.map((position) => [position, "0"])), `the order ${order.join(" ")}`);
        completed += rows.length - twins.length;
        const left = ids.filter((id) => !rows.includes(id));
        same(await t.members("active"), left, `active after the order ${order.join(" ")}`);
        const last = await turn(
          t,
          0,
          left.map((id) => ({ op: "c", id, token: 1 })),
        );
        same(last.exceptions.size, 0, "exceptions of the rest");
        completed += left.length;
      }
      same((await t.jobs.getMetrics(t.queue, "completed")).count, completed, "completed jobs");
      same(await t.command("KEYS", t.key("job:*")), [], "rows");
    },
  },
  {
    name: "turn_promotes",
    contract: "Due jobs are promoted before the claim and counted; the reply tells when the next falls due.",
    async run(t) {
      const due = t.ids(3);
      for (const id of due) await t.jobs.enqueueAt(t.queue, id, "p", 1);
      await t.jobs.enqueueIn(t.queue, t.id(), "p", 60_000);
      const { jobs, moved, dueMs } = await turn(t, 2);
      same(
        jobs.map(({ id }) => id),
        due.slice(0, 2),
        "the jobs",
      );
      same(moved, 3, "moved");
      holds(dueMs !== undefined && dueMs > 50_000 && dueMs <= 60_000, `due after ${dueMs}`);
      same((await turn(t, 5)).moved, 0, "moved by the next turn");
    },
  },
  {
    name: "turn_due_range",
    contract:
      "The time to the head of the schedule is a whole number that the wire carries, whatever score stands there.",
    expectFindings: ["member-row"],
    async run(t) {
      const id = t.id();
      for (const score of ["9007199254740991", "1e300"]) {
        await t.command("ZADD", t.key("schedule"), score, id);
        const before = await t.port.serverNow();
        const { dueMs = 0 } = await turn(t, 0);
        holds(dueMs <= Number.MAX_SAFE_INTEGER - before, `due after ${dueMs} for ${score}`);
        holds(dueMs > Number.MAX_SAFE_INTEGER / 2, `due after ${dueMs} for ${score}`);
      }
    },
  },
  {
    name: "turn_promotes_bounded",
    contract: "One act promotes at most a hundred due jobs and says that more are due.",
    async run(t) {
      const rows = t.ids(150).map((id) => ({ id, payload: "p", dueAtMs: 1 }));
      await t.jobs.admit(t.queue, rows);
      const first = await turn(t, 0);
      same([first.moved, first.dueMs], [100, 0], "moved and due");
      const second = await turn(t, 0);
      same([second.moved, second.dueMs], [50, undefined], "moved and due by the next turn");
    },
  },
  {
    name: "turn_paused",
    contract: "A paused queue gives no job, and still settles and promotes.",
    async run(t) {
      const { id } = (await one(t)) ?? {};
      const [flat, due] = t.ids(2);
      await t.jobs.admit(t.queue, [
        { id: flat, payload: "p" },
        { id: due, payload: "p", dueAtMs: 1 },
        { id: t.id(), payload: "p", lane: "lane-a" },
      ]);
      await t.jobs.pause(t.queue);
      await t.takeTokens();
      const { jobs, exceptions, moved } = await turn(t, 5, [{ op: "c", id: id ?? "", token: 1 }]);
      same([jobs.length, exceptions.size, moved], [0, 0, 1], "jobs, exceptions and moved");
      same([await t.members("pending"), await t.tokens()], [[flat, due], 0], "pending and wake tokens");
    },
  },
  {
    name: "turn_rotation",
    contract: "One at a time, the lanes and the flat queue, which counts as one more, take turns (C19).",
    async run(t) {
      await admitInto(t, { a: 3, b: 3, "": 3 });
      const served: string[] = [];
      for (let at = 0; at < 9; at++) served.push((await turn(t, 1)).jobs[0]?.lane ?? "nothing");
      same(served, ["a", "b", "", "a", "b", "", "a", "b", ""], "the lanes served");
      same((await turn(t, 1)).jobs, [], "one turn more");
      same([await t.list("ring"), await t.exists(t.key("cursor"))], [[], false], "ring and cursor");
    },
  },
  {
    name: "turn_share",
    contract:
      "One act visits each lane about once: a turn is the want divided by the lanes, and what is left goes round.",
    async run(t) {
      await admitInto(t, { a: 10, b: 10, "": 10 });
      same(lanesOf(await turn(t, 9)), { a: 3, b: 3, "": 3 }, "nine of thirty");
      same(lanesOf(await turn(t, 1000)), { a: 7, b: 7, "": 7 }, "the rest");
    },
  },
  {
    name: "turn_weights",
    contract: "A lane's turn is its weight times that of others, and no lane starves (rows 60 and 61 in spirit).",
    async run(t) {
      await t.command("HSET", t.key("gweight"), "a", "3");
      await admitInto(t, { a: 60, b: 60 });
      const served: Record<string, number> = { a: 0, b: 0 };
      for (let at = 0; at < 40; at++) {
        const lane = (await turn(t, 1)).jobs[0]?.lane ?? "";
        served[lane] = (served[lane] ?? 0) + 1;
      }
      same(served, { a: 30, b: 10 }, "forty jobs served");
    },
  },
  {
    name: "turn_mixed_wants",
    contract: "Acts that want different numbers leave the shares of the lanes as their weights say.",
    async run(t) {
      await t.command("HSET", t.key("gweight"), "a", "4");
      await admitInto(t, { a: 250, b: 250 });
      const wants = [16, 1, 1, 1];
      const served: Record<string, number> = { a: 0, b: 0 };
      // Each round is 40 jobs or 5, as the act wants that begins it; so 200 jobs differ by part of a round at most.
      for (let left = 200, at = 0; left > 0; at++) {
        const { jobs } = await turn(t, Math.min(left, wants[at % wants.length] as number));
        for (const { lane = "" } of jobs) served[lane] = (served[lane] ?? 0) + 1;
        left -= jobs.length;
      }
      const b = served["b"] ?? 0;
      holds(b >= 32 && b <= 48, `lane b was served ${b} of 200 jobs, 40 are its share`);
    },
  },
  {
    name: "turn_limits",
    contract: "A lane at its limit leaves the ring, stalls nobody, and returns when one of its jobs ends (C21).",
    async run(t) {
      await t.command("HSET", t.key("glimit"), "a", "2");
      await admitInto(t, { a: 5, b: 2, "": 1 });
      const first = await turn(t, 100);
      same(lanesOf(first), { a: 2, b: 2, "": 1 }, "the first turn");
      same([await t.list("ring"), await t.command("HGET", t.key("gactive"), "a")], [[], "2"], "ring and count");
      same((await turn(t, 100)).jobs, [], "a turn at the limit");
      const held = first.jobs.find(({ lane }) => lane === "a");
      const next = await turn(t, 100, [{ op: "c", id: held?.id ?? "", token: 1 }]);
      same(lanesOf(next), { a: 1 }, "the turn that ends one of its jobs");
      same(await t.command("HGET", t.key("gactive"), "a"), "2", "the count afterwards");
    },
  },
  {
    name: "turn_ring_stale",
    contract: "A lane on the ring without work is dropped and the next is served in the same act (C21).",
    expectFindings: ["row-place"],
    async run(t) {
      await admitInto(t, { a: 1, b: 1, c: 1 });
      await t.command("DEL", t.key("g:a:pending"));
      const ghost = (await t.members("g:b:pending"))[0] ?? "";
      await t.command("DEL", t.row(ghost));
      const { jobs } = await turn(t, 1);
      same(
        jobs.map(({ lane }) => lane),
        ["c"],
        "the lanes served",
      );
      same([await t.list("ring"), await t.members("g:b:pending")], [[], []], "the ring and the ghost's lane");
    },
  },
  {
    name: "turn_priority",
    contract: "Within a lane and in the flat queue the lower priority number goes first, mint order within one.",
    async run(t) {
      const [a, b, c, d] = t.ids(4);
      for (const lane of [undefined, "lane-a"]) {
        const more = lane === undefined ? {} : { lane };
        const rows = [
          { id: a, payload: "p", priority: 2, ...more },
          { id: b, payload: "p", priority: 1, ...more },
          { id: c, payload: "p", ...more },
          { id: d, payload: "p", priority: 1, ...more },
        ];
        await t.jobs.admit(t.queue, rows);
        const { jobs } = await turn(t, 4);
        same(
          jobs.map(({ id }) => id),
          [c, b, d, a],
          "the order",
        );
        for (const { id } of jobs) await t.jobs.removeJob(t.queue, id);
      }
    },
  },
  {
    name: "turn_lane_names",
    contract:
      "A lane may have any name of 1 to 256 bytes without braces and NUL, names of a host language's objects included.",
    async run(t) {
      const names = ["__proto__", "constructor", "toString", "a:b", "*", "l\u00e4ne", "x".repeat(256)];
      await t.jobs.admit(
        t.queue,
        names.map((lane) => ({ id: t.id(), payload: "p", lane })),
      );
      const { jobs } = await turn(t, 100);
      same(jobs.map(({ lane }) => lane).sort(), names.sort(), "the lanes served");
      same(await t.command("HLEN", t.key("gactive")), names.length, "lanes with leased jobs");
    },
  },
  {
    name: "c22_budget",
    contract:
      "Settlements and wants of an act are at most a thousand; a claim ends at 1 MiB of payload and wakes another.",
    async run(t) {
      const done = (count: number) => ["c", String(count), ...t.ids(count).flatMap((id) => [id, "1"])];
      same(((await t.act("TURN", ["w", "60000", "400", ...done(600)])) as unknown[]).length, 4, "a thousand units");
      const count = "ERR EMQ.TURN bad argument count";
      same(await t.refusalOf("TURN", ["w", "60000", "400", ...done(601)]), count, "a thousand and one");
      const third = "x".repeat(400_000);
      const ids = t.ids(4);
      for (const id of ids) await t.jobs.admit(t.queue, [{ id, payload: third }]);
      await t.takeTokens();
      same((await turn(t, 10)).jobs.length, 2, "jobs within 1 MiB");
      same([await t.members("pending"), await t.tokens()], [ids.slice(2), 1], "pending and wake tokens");
      same(await t.field(ids[2] ?? "", "attempts"), "0", "attempts of a job that was left");
      same((await t.jobs.claimBatch(t.queue, 10, LEASE_MS)).length, 2, "a batch within 1 MiB");
      const rest = t.ids(3);
      for (const id of rest) await t.jobs.admit(t.queue, [{ id, payload: third, priority: 5 }]);
      same((await t.jobs.claimBatch(t.queue, 10, LEASE_MS)).length, 2, "the next batch");
      same(await t.score("pending", rest[2] ?? ""), 5, "the score of the job that it left");
      same((await t.claimed()).id, rest[2], "the claim of what is left");
      const huge = t.id();
      await t.jobs.admit(t.queue, [{ id: huge, payload: "x".repeat(2 ** 20 + 1) }]);
      same((await turn(t, 10)).jobs[0]?.id, huge, "one job above 1 MiB");
    },
  },
  {
    name: "c22_ghost_budget",
    contract: "An act looks at no more than a thousand ids; the next goes on where it ended, woken by a token.",
    async run(t) {
      const ghosts = t.ids(1500);
      for (let at = 0; at < ghosts.length; at += 500) {
        await t.command("ZADD", t.key("pending"), ...ghosts.slice(at, at + 500).flatMap((id) => ["0", id]));
      }
      const real = await t.enqueued();
      same((await turn(t, 5)).jobs, [], "the first turn");
      same([await t.jobs.pendingSize(t.queue), await t.tokens()], [501, 1], "pending and wake tokens");
      same(
        (await turn(t, 5)).jobs.map(({ id }) => id),
        [real],
        "the second turn",
      );
      for (const claim of [
        async () => (await t.jobs.claim(t.queue, LEASE_MS))?.id,
        async () => (await t.jobs.claimBatch(t.queue, 5, LEASE_MS))[0]?.id,
      ]) {
        for (let at = 0; at < ghosts.length; at += 500) {
          await t.command("ZADD", t.key("pending"), ...ghosts.slice(at, at + 500).flatMap((id) => ["0", id]));
        }
        const next = await t.enqueued();
        same(await claim(), undefined, "the first claim");
        same(await t.jobs.pendingSize(t.queue), 501, "pending after it");
        same(await claim(), next, "the second claim");
      }
    },
  },
  {
    name: "c22_turn_budget",
    contract:
      "What a turn settles, promotes and claims shares one budget of a thousand; a token says that work is left.",
    async run(t) {
      const due = t.ids(1500);
      const waiting = t.ids(1500);
      for (let at = 0; at < due.length; at += 500) {
        await t.command("ZADD", t.key("schedule"), ...due.slice(at, at + 500).flatMap((id) => ["1", id]));
        await t.command("ZADD", t.key("pending"), ...waiting.slice(at, at + 500).flatMap((id) => ["0", id]));
      }
      const settlements = t.ids(300).map((id) => ({ op: "c", id, token: 1 }) as const);
      const left = async () => (await t.members("schedule")).length + (await t.members("pending")).length;
      let before = await left();
      for (let acts = 0; before > 0; acts++) {
        holds(acts < 20, "there is no end of it");
        await t.takeTokens();
        const { exceptions } = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 5, settlements });
        same(exceptions.size, 300, "exceptions");
        const after = await left();
        holds(before - after <= 700, `one act dropped ${before - after} members beside 300 settlements`);
        holds(after < before, "an act dropped none");
        if ((await t.members("pending")).length > 0) same(await t.tokens(), 1, `tokens with ${after} left`);
        before = after;
      }
    },
  },
  {
    name: "turn_cursor_survives",
    contract: "The place of the round survives from act to act: a turn that was cut short is finished first.",
    async run(t) {
      await t.command("HSET", t.key("gweight"), "a", "4");
      await admitInto(t, { a: 8, b: 8 });
      const served: string[] = [];
      for (let at = 0; at < 10; at++) served.push((await turn(t, 1)).jobs[0]?.lane ?? "");
      same(served.join(""), "aaaabaaaab", "the lanes served");
    },
  },
  {
    name: "turn_presence",
    contract: "A turn with who asks lists the worker with the server's instant; with concurrency 0 it leaves.",
    async run(t) {
      const id = await t.enqueued();
      const before = await t.port.serverNow();
      const reply = await t.act("TURN", ["worker-1", String(LEASE_MS), "1", "w", "1", "1000", "5", '["mail"]']);
      const after = await t.port.serverNow();
      same((reply as readonly unknown[][])[3]?.[0], id, "the claimed job");
      const entry = JSON.parse(String(await t.command("HGET", t.key("workers"), "worker-1"))) as { askedAt: number };
      holds(entry.askedAt >= before && entry.askedAt <= after, `asked at ${entry.askedAt}`);
      same({ ...entry, askedAt: 0 }, { askedAt: 0, beatMs: 1000, concurrency: 5, names: ["mail"] }, "the entry");
      // A settlement behind it has the position that it has without it.
      const twice = ["worker-1", "1", "0", "w", "1", "1000", "0", "null", "c", "2", id, "1", id, "1"];
      same(await t.act("TURN", twice), [[1, "0"], -1, 0, [], 0], "the settlements");
      same(await t.exists(t.key("workers")), false, "the workers");
    },
  },
  {
    name: "turn_presence_silent",
    contract: "A worker that was silent for ten of its beats is dropped by the next one that asks, and no other is.",
    async run(t) {
      const ask = async (worker: string, beat: string) =>
        await t.act("TURN", [worker, "1", "0", "w", "1", beat, "1", "null"]);
      const entry = (askedAt: number, beatMs: number) =>
        `{"askedAt":${askedAt},"beatMs":${beatMs},"concurrency":1,"names":null}`;
      const now = await t.port.serverNow();
      await t.command("HSET", t.key("workers"), "silent", entry(now - 11_000, 1000));
      await t.command("HSET", t.key("workers"), "slow", entry(now - 11_000, 60_000));
      await t.command("HSET", t.key("workers"), "foreign", "x");
      await ask("worker-1", "1000");
      const fields = async () => [...((await t.command("HKEYS", t.key("workers"))) as string[])].sort();
      same(await fields(), ["pruned", "slow", "worker-1"], "who is listed");
      await t.command("HSET", t.key("workers"), "silent", entry(now - 11_000, 1000));
      await ask("worker-2", "1000");
      same(await fields(), ["pruned", "silent", "slow", "worker-1", "worker-2"], "who is listed before the next look");
    },
  },
  {
    name: "turn_presence_bound",
    contract: "A thousand workers are listed; one more works as well but is not, until one of them leaves.",
    async run(t) {
      const ask = async (worker: string, concurrency: string) =>
        await t.act("TURN", [worker, "1", "0", "w", "1", "1000", concurrency, "null"]);
      const now = await t.port.serverNow();
      const text = `{"askedAt":${now},"beatMs":60000,"concurrency":1,"names":null}`;
      for (let from = 0; from < 1000; from += 100) {
        const part = Array.from({ length: 100 }, (_, at) => [`worker-${from + at}`, text]).flat();
        await t.command("HSET", t.key("workers"), ...part);
      }
      await ask("one-more", "1");
      const isListed = async (worker: string) => (await t.command("HEXISTS", t.key("workers"), worker)) === 1;
      same([await isListed("one-more"), await isListed("worker-999")], [false, true], "who is listed");
      await ask("worker-0", "0");
      await ask("one-more", "1");
      same([await isListed("one-more"), await isListed("worker-0")], [true, false], "who is listed after one left");
    },
  },
  {
    name: "turn_presence_refused",
    contract: "Who asks may stand once and first; a bad value of it refuses the turn before anything is written.",
    async run(t) {
      const id = (await one(t))?.id ?? "";
      const bad: readonly (readonly [argument: string, settlements: readonly string[]])[] = [
        ["row", ["w", "1", "1000", "1"]],
        ["count", ["w", "2", "1000", "1", "null"]],
        ["beat_ms", ["w", "1", "0", "1", "null"]],
        ["concurrency", ["w", "1", "1000", "-1", "null"]],
        ["names", ["w", "1", "1000", "1", `"${"n".repeat(1024)}"`]],
        ["op", ["w", "1", "1000", "1", "null", "w", "1", "1000", "1", "null"]],
        ["op", ["c", "1", id, "1", "w", "1", "1000", "1", "null"]],
      ];
      for (const [argument, settlements] of bad) {
        const refusal = await t.refusalOf("TURN", ["worker-1", "1", "0", ...settlements]);
        same(refusal, `ERR EMQ.TURN bad argument ${argument}`, "the refusal");
      }
      same([await t.exists(t.key("workers")), await t.members("active")], [false, [id]], "workers and active");
    },
  },
];

/** One turn of `worker-1`. */
async function turn(t: Trial, want: number, settlements: readonly Settlement[] = []): Promise<TurnReply> {
  return await t.jobs.turn(t.queue, { worker: "worker-1", leaseMs: LEASE_MS, want, settlements });
}

/** Admits one job and claims it by a turn. */
async function one(t: Trial) {
  await t.enqueued();
  return (await turn(t, 1)).jobs[0];
}

/** Admits so many jobs into each lane, taking turns; the empty name is the flat queue. */
async function admitInto(t: Trial, lanes: Readonly<Record<string, number>>): Promise<void> {
  const most = Math.max(...Object.values(lanes));
  const rows = [];
  for (let round = 0; round < most; round++) {
    for (const [lane, count] of Object.entries(lanes)) {
      if (round < count) rows.push({ id: t.id(), payload: "p", ...(lane === "" ? {} : { lane }) });
    }
  }
  await t.jobs.admit(t.queue, rows);
}

/** How many jobs of each lane a turn gave. */
function lanesOf({ jobs }: TurnReply): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { lane } of jobs) counts[lane] = (counts[lane] ?? 0) + 1;
  return counts;
}
