/** What `SWEEP` promises: lapsed leases come back, and a job that lapsed as often as the limit says is dead. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const sweepScenarios: readonly ScenarioDraft[] = [
  {
    row: 34,
    name: "stalled",
    contract: "A job is known as stalled from its first lapse on, and the lapse that reaches the limit kills it.",
    async run(t) {
      const { id } = await t.active("work", 30);
      same(await t.field(id, "stalled"), null, "lapses of a job that is held");
      await t.advance(80);
      same(await t.jobs.sweep(t.queue, { maxStalled: 2 }), { recovered: [id], dead: [] }, "the first sweep");
      same([await t.field(id, "stalled"), await t.jobs.getState(t.queue, id)], ["1", "pending"], "lapses and state");
      same((await t.claimed(30)).attempts, 2, "the token of the second claim");
      await t.advance(80);
      same(await t.jobs.sweep(t.queue, { maxStalled: 2 }), { recovered: [], dead: [id] }, "the second sweep");
      same(
        [await t.jobs.getState(t.queue, id), await t.field(id, "last_error")],
        ["dead", "stalled"],
        "state and error",
      );
    },
  },
  {
    name: "sweep",
    contract: "The third lapse kills by default; until then the job waits again, and the crash is counted.",
    async run(t) {
      const id = await t.enqueued();
      for (let lapse = 1; lapse <= 3; lapse++) {
        same((await t.claimed(10)).attempts, lapse, "the token");
        await t.advance(20);
        const expected = lapse < 3 ? { recovered: [id], dead: [] } : { recovered: [], dead: [id] };
        same(await t.jobs.sweep(t.queue), expected, `the sweep after lapse ${lapse}`);
      }
      same(await t.members("dead"), [id], "the dead");
      const { state, last_error, stalled } = await t.fields(id);
      same([state, last_error, stalled], ["dead", "stalled", "3"], "state, error and lapses");
      same((await t.jobs.getMetrics(t.queue, "failed")).count, 1, "failed jobs");
    },
  },
  {
    name: "sweep_limits",
    contract: "A limit of lapses of 1 kills at the first; a limit of looks is kept; live leases are left alone.",
    async run(t) {
      const ids = await t.enqueuedMany(3);
      await t.jobs.claimBatch(t.queue, 3, 10);
      await t.advance(20);
      const live = await t.active();
      same(await t.jobs.sweep(t.queue, { limit: 0 }), { recovered: [], dead: [] }, "a limit of none");
      same(await t.jobs.sweep(t.queue, { maxStalled: 1, limit: 2 }), { recovered: [], dead: ids.slice(0, 2) }, "two");
      same(await t.jobs.sweep(t.queue, { maxStalled: 2 }), { recovered: ids.slice(2), dead: [] }, "the rest");
      same(await t.members("active"), [live.id], "active");
      await t.jobs.claimBatch(t.queue, 9, 10);
      await t.advance(20);
      same(await t.jobs.sweep(t.queue, { maxStalled: 0 }), { recovered: [], dead: ids.slice(2) }, "no lapse allowed");
    },
  },
  {
    name: "sweep_lane",
    contract: "A lapse in a lane frees its place, whether the job comes back or dies; the lane returns to the ring.",
    async run(t) {
      const [first, second] = t.ids(2);
      await t.command("HSET", t.key("glimit"), "lane-a", "1");
      await t.jobs.admit(
        t.queue,
        [first, second].map((id) => ({ id, payload: "p", lane: "lane-a" })),
      );
      const claim = async () => await t.jobs.turn(t.queue, { worker: "w", leaseMs: 10, want: 5 });
      for (const [maxStalled, waiting] of [
        [2, [first, second]],
        [2, [second]],
      ] as const) {
        same((await claim()).jobs.length, 1, "claimed");
        same(await t.list("ring"), [], "the ring at the limit");
        await t.advance(20);
        await t.takeTokens();
        const { recovered, dead } = await t.jobs.sweep(t.queue, { maxStalled });
        same(recovered.length + dead.length, 1, "swept");
        same(await t.members("g:lane-a:pending"), waiting, "the lane");
        same([await t.list("ring"), await t.exists(t.key("gactive"))], [["lane-a"], false], "ring and count");
        same(await t.tokens(), 1, "wake tokens");
      }
      same(await t.members("dead"), [first], "the dead");
    },
  },
  {
    name: "sweep_repeats",
    contract: "A sweep with terms says how long it is until a repeat of either set occurs, and whether one is due.",
    async run(t) {
      const told = async () => ((await t.act("SWEEP", ["3", "100", "9"])) as number[])[8] ?? 0;
      same(await told(), -1, "without repeats");
      await t.repeats.register(t.queue, "r", { everyMs: 1000, template: "p", firstInMs: 60_000 });
      const first = await told();
      holds(first > 0 && first <= 60_000, `${first} ms until the repeat`);
      const at = (await t.port.serverNow()) - 1;
      await t.repeats.put(t.queue, "s", { everyMs: 1000, template: "p", firstAtMs: at, pairs: [] });
      same(await told(), 0, "with a scheduler that is due");
      await t.repeats.advance(t.queue, "s", Number.MAX_SAFE_INTEGER, "cron");
      await t.repeats.cancel(t.queue, "r");
      same(await told(), -1, "with a scheduler that has ended");
    },
  },
  {
    name: "sweep_work",
    contract: "A sweep pushes for work of which nobody was told, and with terms says whether a token lies there.",
    async run(t) {
      const sweep = async () => ((await t.act("SWEEP", ["3", "100", "9"])) as unknown[]).slice(0, 5);
      same(await sweep(), [[], [], 0, 0, 0], "an empty queue");
      const id = await t.enqueued();
      same(await sweep(), [[], [], 0, 0, 1], "a job that woke nobody");
      same([await sweep(), await t.tokens()], [[[], [], 0, 0, 1], 1], "the same beside its token");
      await t.takeTokens();
      await t.jobs.pause(t.queue);
      same(await sweep(), [[], [], 0, 0, 0], "a paused queue");
      await t.jobs.removeJob(t.queue, id);
      await t.jobs.enqueueAt(t.queue, id, "p", 1);
      same(await sweep(), [[], [], 0, 0, 0], "a due job of a paused queue");
      await t.command("DEL", t.key("meta"));
      same(await sweep(), [[], [], 0, 0, 1], "a due job");
      same(await t.members("schedule"), [id], "the schedule, from which a sweep moves nothing");
    },
  },
  {
    name: "sweep_cancelled",
    contract: "A lapsed job that was asked to stop does not run again; its reason is its error.",
    async run(t) {
      const { id } = await t.active("work", 10);
      same(await t.jobs.cancel(t.queue, id, "enough"), "marked", "cancel");
      await t.advance(20);
      same(await t.jobs.sweep(t.queue), { recovered: [], dead: [id] }, "the sweep");
      same(await t.field(id, "last_error"), "enough", "the error");
    },
  },
];
