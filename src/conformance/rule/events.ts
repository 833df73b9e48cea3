/**
 * Events: what acts tell on the channel `events` while the key `listeners` is there, and that they tell nothing
 * without it.
 */

import { bytesOf, textOf } from "../../protocol/bytes.ts";
import { QueueCore } from "../../queue/queue.ts";
import type { Telemetry } from "../../queue/telemetry.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** One message, read. */
type Told = Readonly<Record<string, string>>;

/** An instant that no scenario reaches. */
const LAST = "9007199254740991";

/** Hears the channel, as a reader of events does. `results` is until when it wants results, `0` for never. */
async function heard(t: Trial, results = "0"): Promise<() => Told[]> {
  const messages = await t.messages(t.key("events"));
  await t.command("SET", t.key("listeners"), results, "PX", String(LEASE_MS));
  return () => messages.map((message) => JSON.parse(textOf(message)) as Told);
}

/** Waits until `count` messages have come, and answers them without `job` where it is `id`. */
async function toldOf(t: Trial, told: () => Told[], count: number): Promise<Told[]> {
  await t.until(() => told().length >= count, `message ${count}, after ${JSON.stringify(told())},`);
  same(told().length, count, "messages");
  return told();
}

/** Every act that can tell something, on jobs of its own. */
async function actOnAll(t: Trial): Promise<void> {
  const { jobs, queue } = t;
  await jobs.admit(queue, [{ id: t.id(), payload: "p" }]);
  const done = await t.claimed();
  await jobs.complete(queue, done.id, done.attempts);
  const failed = await t.active();
  await jobs.retry(queue, failed.id, failed.attempts, { delayMs: 600_000, maxAttempts: 2, error: "e" });
  const delayed = await t.active();
  await jobs.delay(queue, delayed.id, delayed.attempts, 600_000);
  await jobs.removeJob(queue, delayed.id);
  await jobs.cancel(queue, await t.enqueued(), "why");
  await t.active("p", 1);
  await t.advance(5);
  await jobs.sweep(queue, { maxStalled: 3 });
  await jobs.reap(queue);
  await jobs.turn(queue, { worker: "w", leaseMs: LEASE_MS, want: 5 });
  await t.dead();
}

export const eventScenarios: readonly ScenarioDraft[] = [
  {
    row: 36,
    name: "telemetry",
    contract:
      "Who traces hears of an add with the job's id, and its context reaches the holder; else nothing is stored.",
    async run(t) {
      const told: unknown[] = [];
      const telemetry: Telemetry = {
        beginAdd: ({ queue, name }) => ({
          carrier: { traceparent: "00-1" },
          end: ({ jobs, error }) => void told.push([queue, name, jobs.map(({ id, outcome }) => [id, outcome]), error]),
        }),
        beginRun: () => undefined,
      };
      const lease = { engine: t.engine, release: () => Promise.resolve() };
      const [traced, plain] = t.ids(2);
      await using queue = new QueueCore<Record<string, number>>(t.queue, lease, { node: 1, telemetry });
      await using silent = new QueueCore<Record<string, number>>(t.queue, lease, { node: 1 });
      await queue.add("work", 1, { id: traced });
      await silent.add("work", 2, { id: plain });
      same(told, [[t.queue, "work", [[traced, "added"]], undefined]], "what was told");
      const { jobs } = await t.jobs.turn(t.queue, { worker: "w1", leaseMs: LEASE_MS, want: 2 });
      same(
        jobs.map(({ id, opts }) => [id, opts]),
        [
          [traced, '{"trace":{"traceparent":"00-1"}}'],
          [plain, ""],
        ],
        "what the holder gets",
      );
    },
  },
  {
    row: 35,
    name: "events",
    contract: "Whoever settles may publish by hand; a subscriber gets the event's name and the job's id.",
    async run(t) {
      const messages = await t.messages(t.key("events"));
      const { id, attempts } = await t.active();
      same(await t.jobs.complete(t.queue, id, attempts), "ok", "COMPLETE");
      await t.jobs.publish(t.queue, "completed", id, { note: 'a "note"' });
      await t.until(() => messages.length > 0, "the event");
      same(messages, [`{"event":"completed","job":"${id}","note":"a \\"note\\""}`], "the messages");
    },
  },
  {
    name: "events_unheard",
    contract: "While nobody listens no act tells anything but progress.",
    async run(t) {
      const messages = await t.messages(t.key("events"));
      await actOnAll(t);
      const { id } = await t.active();
      await t.jobs.updateProgress(t.queue, id, "1");
      await t.until(() => messages.length > 0, "the progress");
      same(messages, [`{"event":"progress","job":"${id}","progress":"1"}`], "the messages");
    },
  },
  {
    name: "events_of_a_job",
    contract:
      "A job is told as added, active and completed, in this order, and the queue as drained with its last one.",
    async run(t) {
      const told = await heard(t);
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", name: "welcome" }]);
      const turn = { worker: "w1", leaseMs: LEASE_MS, want: 2 };
      same((await t.jobs.turn(t.queue, turn)).jobs.length, 1, "claimed jobs");
      const settlements = [{ op: "r", id, token: 1, result: "secret" }] as const;
      await t.jobs.turn(t.queue, { ...turn, settlements });
      same(
        await toldOf(t, told, 4),
        [
          { event: "added", job: id, state: "pending", name: "welcome" },
          { event: "active", job: id, name: "welcome", worker: "w1" },
          { event: "drained", job: "" },
          { event: "completed", job: id, attempts: "1" },
        ],
        "the messages",
      );
    },
  },
  {
    name: "events_of_failures",
    contract: "A failed attempt is told with its error, then what becomes of the job: scheduled or dead.",
    async run(t) {
      const told = await heard(t);
      const first = await t.active();
      await t.jobs.retry(t.queue, first.id, first.attempts, { delayMs: 600_000, maxAttempts: 2, error: "e1" });
      const second = await t.dead("e2");
      const dueAt = String(await t.score("schedule", first.id));
      const messages = (await toldOf(t, told, 8)).filter(({ event }) => event !== "active" && event !== "drained");
      same(
        messages,
        [
          { event: "failed", job: first.id, attempts: "1", error: "e1" },
          { event: "scheduled", job: first.id, dueAt },
          { event: "failed", job: second, attempts: "1", error: "e2" },
          { event: "dead", job: second, error: "e2" },
        ],
        "the messages",
      );
    },
  },
  {
    name: "events_of_lapses",
    contract: "A lapsed lease is told as stalled, and the one that ends its job as dead too.",
    async run(t) {
      const job = await t.active("p", 1);
      const told = await heard(t);
      await t.advance(5);
      same((await t.jobs.sweep(t.queue, { maxStalled: 2 })).recovered, [job.id], "recovered");
      await t.jobs.claim(t.queue, 1);
      await t.advance(5);
      same((await t.jobs.sweep(t.queue, { maxStalled: 2 })).dead, [job.id], "dead");
      const messages = (await toldOf(t, told, 5)).filter(({ event }) => event !== "active" && event !== "drained");
      same(
        messages,
        [
          { event: "stalled", job: job.id, stalled: "1" },
          { event: "stalled", job: job.id, stalled: "2" },
          { event: "dead", job: job.id, error: "stalled" },
        ],
        "the messages",
      );
    },
  },
  {
    name: "events_of_expiry",
    contract: "A job whose time to live is over is told as expired, then as dead, by a claim and by a sweep.",
    async run(t) {
      const [claimed, swept] = [t.id(), t.id()];
      const told = await heard(t);
      const turn = { worker: "w1", leaseMs: LEASE_MS, want: 1 };
      await t.jobs.admit(t.queue, [{ id: claimed, payload: "p", expireInMs: 5, alias: "order 7" }]);
      await t.advance(20);
      same((await t.jobs.turn(t.queue, turn)).jobs, [], "claimed jobs");
      await t.jobs.admit(t.queue, [{ id: swept, payload: "p", expireInMs: 5 }]);
      await t.advance(20);
      await t.jobs.sweep(t.queue, { keep: { count: Number.MAX_SAFE_INTEGER, ms: 0 } });
      same(
        (await toldOf(t, told, 6)).filter(({ event }) => event !== "added"),
        [
          { event: "expired", job: claimed, alias: "order 7" },
          { event: "dead", job: claimed, error: "expired", alias: "order 7" },
          { event: "expired", job: swept },
          { event: "dead", job: swept, error: "expired" },
        ],
        "the messages",
      );
    },
  },
  {
    name: "events_of_removals",
    contract: "A cancelled and a removed job are told with the state that they had; each drained job is told.",
    async run(t) {
      const running = await t.active();
      const [first, second, third] = await t.enqueuedMany(3);
      const told = await heard(t);
      await t.jobs.cancel(t.queue, running.id, "enough");
      await t.jobs.cancel(t.queue, first ?? "", "never mind");
      await t.jobs.removeJob(t.queue, second ?? "");
      await t.act("DRAIN", ["10", "0"]);
      same(
        await toldOf(t, told, 4),
        [
          { event: "cancelled", job: running.id, state: "active", reason: "enough" },
          { event: "cancelled", job: first, state: "pending", reason: "never mind" },
          { event: "removed", job: second, state: "pending" },
          { event: "removed", job: third, state: "pending" },
        ],
        "the messages",
      );
    },
  },
  {
    name: "events_of_names",
    contract: "A row that a name holds back is told with the job that holds it; an alias is told with its job.",
    async run(t) {
      const told = await heard(t);
      const [held, refused, aliased] = [t.id(), t.id(), t.id()];
      const dedup = { name: "d" };
      await t.jobs.admit(t.queue, [{ id: held, payload: "p", dedup }]);
      await t.jobs.admit(t.queue, [
        { id: refused, payload: "q", dedup },
        { id: aliased, payload: "r", alias: "order 7" },
      ]);
      const [twin, follower, later] = [t.id(), t.id(), t.id()];
      await t.jobs.admit(t.queue, [{ id: twin, payload: "s", alias: "order 7" }]);
      await t.jobs.admit(t.queue, [
        { id: follower, payload: "t", alias: "order 8", dedup: { name: "e" } },
        { id: later, payload: "u", dedup: { name: "e" } },
      ]);
      await t.jobs.updateProgress(t.queue, aliased, "1");
      same(
        await toldOf(t, told, 7),
        [
          { event: "added", job: held, state: "pending" },
          { event: "added", job: aliased, state: "pending", alias: "order 7" },
          { event: "deduplicated", job: held, how: "held", refused, dedup: "d" },
          { event: "deduplicated", job: aliased, how: "jobId", refused: twin, alias: "order 7" },
          { event: "added", job: follower, state: "pending", alias: "order 8" },
          { event: "deduplicated", job: follower, how: "held", refused: later, dedup: "e", alias: "order 8" },
          { event: "progress", job: aliased, progress: "1", alias: "order 7" },
        ],
        "the messages",
      );
    },
  },
  {
    name: "events_with_results",
    contract: "A result is told only while somebody wants results, and a large one only by its size.",
    async run(t) {
      const settle = async (result: string) => {
        const { id, attempts } = await t.active();
        same(await t.jobs.complete(t.queue, id, attempts, result), "ok", "COMPLETE");
      };
      const told = await heard(t);
      await settle("plain");
      await t.command("SET", t.key("listeners"), LAST, "PX", String(LEASE_MS));
      await settle("wanted");
      await settle("x".repeat(20_000));
      const messages = (await toldOf(t, told, 9)).filter(({ event }) => event === "completed");
      same(
        messages.map(({ result, resultBytes }) => [result, resultBytes]),
        [
          [undefined, undefined],
          ["wanted", undefined],
          [undefined, "20000"],
        ],
        "the results",
      );
    },
  },
  {
    name: "c24_event_texts",
    contract:
      "An event is valid JSON for any text, each text within it is bounded, and bad UTF-8 becomes U+FFFD (C24).",
    async run(t) {
      const told = await heard(t);
      const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
      const errors = [control, '"\\/', "\u00ff\u00fe bad", bytesOf("€".repeat(500))];
      for (const error of errors) {
        const { id, attempts } = await t.active();
        const bytes = Uint8Array.from(error, (character) => character.charCodeAt(0));
        await t.jobs.retry(t.queue, id, attempts, { delayMs: 1, maxAttempts: 1, error: bytes });
      }
      const messages = (await toldOf(t, told, errors.length * 4)).filter(({ event }) => event === "dead");
      same(messages.length, errors.length, "deaths");
      same(messages[0]?.["error"], control, "control characters");
      same(messages[1]?.["error"], '"\\/', "quotes");
      same(messages[2]?.["error"], "\ufffd\ufffd bad", "bad UTF-8");
      holds((messages[3]?.["error"] ?? "").startsWith("€".repeat(341)), "the beginning of a long text");
      holds((messages[3]?.["error"] ?? "").length < 345, "a long text is cut");
    },
  },
];
