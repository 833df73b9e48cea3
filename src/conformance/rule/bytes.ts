/** Bytes are bytes: whatever a caller gives as payload, error, line, progress or result comes back unchanged. */

import { bytesFrom } from "../../protocol/bytes.ts";
import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS } from "../trial.ts";

/** All 256 values, in order and in falling order, so that NUL and invalid UTF-8 stand at both ends and inside. */
const ALL_BYTES = Uint8Array.from({ length: 512 }, (_, at) => (at < 256 ? at : 511 - at));
const ALL = bytesFrom(ALL_BYTES);

export const bytesScenarios: readonly ScenarioDraft[] = [
  {
    name: "bytes_payload",
    contract: "A payload of all 256 byte values comes back identical by every way in and every way out.",
    async run(t) {
      const ways: Record<string, (id: string) => Promise<unknown>> = {
        ENQUEUE: async (id) => await t.jobs.enqueue(t.queue, id, ALL_BYTES),
        ADMIT: async (id) => await t.jobs.admit(t.queue, [{ id, payload: ALL_BYTES }]),
        "ADMIT to a lane": async (id) => await t.jobs.admit(t.queue, [{ id, payload: ALL_BYTES, lane: "l" }]),
        SCHEDULE: async (id) => {
          await t.jobs.enqueueAt(t.queue, id, ALL_BYTES, 1);
          await t.jobs.promote(t.queue, 1);
        },
        UPDATE: async (id) => {
          await t.jobs.enqueue(t.queue, id, "old");
          await t.jobs.updateData(t.queue, id, ALL_BYTES);
        },
      };
      for (const [verb, admit] of Object.entries(ways)) {
        const id = t.id();
        await admit(id);
        same(await t.field(id, "payload"), ALL, `the field after ${verb}`);
        const request = { worker: "w", leaseMs: LEASE_MS, want: 1 };
        const job = (await t.jobs.turn(t.queue, request)).jobs[0];
        same([job?.id, bytesIn(job?.payload ?? new Uint8Array())], [id, ALL], `the job of a TURN after ${verb}`);
        const found = (await t.jobs.owned(t.queue, { worker: "w", leaseMs: LEASE_MS, known: [] }))[0];
        same(bytesIn(found?.payload ?? new Uint8Array()), ALL, `the job of OWNED after ${verb}`);
        await t.jobs.giveBack(t.queue, id, 1);
        if (verb.endsWith("lane")) {
          await t.jobs.removeJob(t.queue, id);
          continue;
        }
        same(bytesIn((await t.claimed()).payload), ALL, `the job of CLAIM after ${verb}`);
        await t.jobs.giveBack(t.queue, id, 2);
        const batch = await t.jobs.claimBatch(t.queue, 1, LEASE_MS);
        same(bytesIn(batch[0]?.payload ?? new Uint8Array()), ALL, `the job of BCLAIM after ${verb}`);
        same(await t.jobs.complete(t.queue, id, 3, ALL_BYTES), "ok", "complete with these bytes as result");
      }
    },
  },
  {
    name: "bytes_errors_and_logs",
    contract: "Error, log line, progress and reason of all 256 byte values are stored as they are.",
    async run(t) {
      const { id } = await t.active();
      same(await t.jobs.addLog(t.queue, id, ALL_BYTES), 1, "a log line");
      const logs = await t.jobs.getLogs(t.queue, id);
      same(logs === "gone" ? logs : logs.map(bytesIn), [ALL], "the lines");
      same(await t.jobs.updateProgress(t.queue, id, ALL_BYTES), "ok", "progress");
      same(await t.field(id, "progress"), ALL, "the progress");
      same(await t.act("CANCEL", [id, ALL]), 1, "cancel");
      same(await t.field(id, "cancel"), ALL, "the reason");
      await t.command("HDEL", t.row(id), "cancel");
      const failure = { delayMs: 0, maxAttempts: 9, error: ALL_BYTES };
      same(await t.jobs.retry(t.queue, id, 1, failure), "scheduled", "retry");
      same(await t.field(id, "last_error"), ALL, "the error of a RETRY");
      const settlements = {
        f: (token: number) => ({ op: "f", id, token, delayMs: 0, maxAttempts: 9, error: ALL_BYTES }) as const,
        k: (token: number) => ({ op: "k", id, token, error: ALL_BYTES }) as const,
      };
      for (const [op, settlement] of Object.entries(settlements)) {
        await t.advance(5);
        await t.jobs.promote(t.queue, 1);
        const { attempts } = await t.claimed();
        await t.command("HDEL", t.row(id), "last_error");
        const request = { worker: "w", leaseMs: LEASE_MS, want: 0, settlements: [settlement(attempts)] };
        await t.jobs.turn(t.queue, request);
        same(await t.field(id, "last_error"), ALL, `the error of a TURN with ${op}`);
      }
    },
  },
  {
    name: "bytes_names",
    contract: "Name, options, lane and worker are bytes as well; a lane of any bytes but braces and NUL is served.",
    async run(t) {
      const lane = ALL.replace(/[{}\0]/g, "").slice(0, 253);
      const name = ALL.slice(0, 256);
      const id = t.id();
      same(await t.act("ADMIT", ["ngo", "1", id, ALL, name, lane, ALL]), [], "ADMIT");
      const reply = await t.act("TURN", [ALL, "60000", "1"]);
      same(reply, [[], -1, 0, [id, 1, ALL, name, ALL, lane, "", ""]], "the job of a TURN");
      same(await t.field(id, "owner"), ALL, "the owner");
      same(await t.act("OWNED", [ALL, "60000"]), [id, 1, ALL, name, ALL, lane, "", ""], "the job of OWNED");
    },
  },
  {
    name: "bytes_queue",
    contract: "A queue may have any name without braces and NUL; its keys are its own.",
    async run(t) {
      const names = ["a:b", "*?[a-z]\\", "l\u00e4nge \u20ac", "x y"].map((name) => t.otherQueue(name));
      for (const queue of names) {
        const id = t.id();
        same(await t.jobs.enqueue(queue, id, queue), "enqueued", `enqueue into ${queue}`);
        const job = await t.jobs.claim(queue, LEASE_MS);
        same([job?.id, await t.jobs.complete(queue, id, 1)], [id, "ok"], `claim and complete in ${queue}`);
      }
      same((await t.snapshot()).size, 0, "keys of the scenario's own queue");
    },
  },
];
