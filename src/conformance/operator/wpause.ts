/** What `WPAUSE` promises: one worker is paused by anybody, and hears it at once or with its next word. */

import type { Bytes } from "../../protocol/bytes.ts";
import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

const BEAT_MS = 20;

/** A turn that wants a job, in which a worker tells of itself, or that it leaves. */
const tell = async (t: Trial, worker: string, concurrency = 1) =>
  await t.jobs.turn(t.queue, { worker, leaseMs: LEASE_MS, want: 1, presence: { beatMs: BEAT_MS, concurrency } });

/** The entry of a worker without its instant, `undefined` for none. */
async function entry(t: Trial, worker: string): Promise<Record<string, unknown> | undefined> {
  const text = await t.command("HGET", t.key("workers"), worker);
  if (typeof text !== "string") return undefined;
  const { askedAt, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return { ...rest, isAsked: typeof askedAt === "number" };
}

const plain = { beatMs: BEAT_MS, concurrency: 1, names: null, isAsked: true };

export const wpauseScenarios: readonly ScenarioDraft[] = [
  {
    name: "wpause_one",
    contract: "A paused worker hears it when it tells of itself, claims nothing then, and its entry keeps the word.",
    async run(t) {
      await tell(t, "w1");
      await tell(t, "w2");
      const heard = await t.messages(t.key("control"));
      same(await t.jobs.pauseWorker(t.queue, "w1", true), "ok", "pause");
      await t.until(() => heard.length > 0, "the message");
      same(heard, ["ww1"] as Bytes[], "messages");
      same(await t.jobs.pauseWorker(t.queue, "w1", true), "unchanged", "pause again");
      same(await entry(t, "w1"), { ...plain, paused: true }, "its entry");
      const id = await t.enqueued();
      for (const round of ["first", "second"]) {
        const { isPaused, jobs } = await tell(t, "w1");
        same([isPaused, jobs], [true, []], `what it hears the ${round} time`);
        same(await entry(t, "w1"), { ...plain, paused: true }, `its entry after the ${round} time`);
      }
      const other = await tell(t, "w2");
      same([other.isPaused, other.jobs.map((job) => job.id)], [false, [id]], "what another one hears");
      same(await t.jobs.pauseWorker(t.queue, "w1", false), "ok", "resume");
      same(await t.jobs.pauseWorker(t.queue, "w1", false), "unchanged", "resume again");
      same([await entry(t, "w1"), (await tell(t, "w1")).isPaused], [plain, false], "its entry and what it hears");
    },
  },
  {
    name: "wpause_gone",
    contract: "Only a listed worker can be paused, and the word goes with its entry.",
    async run(t) {
      same(await t.jobs.pauseWorker(t.queue, "w1", true), "gone", "a worker of nobody");
      await tell(t, "w1");
      same(await t.jobs.pauseWorker(t.queue, "pruned", true), "gone", "the mark of the last look");
      same(await t.jobs.pauseWorker(t.queue, "w1", true), "ok", "pause");
      await tell(t, "w1", 0);
      same(await entry(t, "w1"), undefined, "its entry when it has left");
      same([(await tell(t, "w1")).isPaused, await entry(t, "w1")], [false, plain], "what it hears when it is back");
    },
  },
  {
    name: "wpause_silent",
    contract: "The silent are forgotten by others after ten of their beats; a paused one is kept for an hour.",
    async run(t) {
      await tell(t, "w1");
      await tell(t, "w2");
      await t.jobs.pauseWorker(t.queue, "w1", true);
      await t.advance(BEAT_MS * 11);
      // Only one look in ten seconds looks for the silent: this mark of the last look is as old.
      await t.command("HSET", t.key("workers"), "pruned", "0");
      await tell(t, "w3");
      same([await entry(t, "w1"), await entry(t, "w2")], [{ ...plain, paused: true }, undefined], "their entries");
      const text = (await t.command("HGET", t.key("workers"), "w1")) as string;
      const old = text.replace(/"askedAt":\d+/, '"askedAt":1000');
      await t.command("HSET", t.key("workers"), "w1", old, "pruned", "0");
      await tell(t, "w3");
      same(await entry(t, "w1"), undefined, "its entry when it was silent for longer than an hour");
    },
  },
];
