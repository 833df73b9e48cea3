/**
 * Nobody who waits sleeps through work: random acts and commands are played beside a client that waits in a `TURN`.
 *
 * After each of them the client is either served, or a `TURN` that does not wait finds nothing either. That one runs in
 * one transaction with the end of the wait, so nothing lies between the two. The clock stands still, so what moves is
 * what the acts move.
 */

import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/testing/test-ports.ts";
import { ActSource, type Step } from "../../differential/act-source.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startServer } from "../../server/start-server.ts";
import type { ReplyValue, WireClient } from "../../server/wire-client.ts";
import { act, Calls, Crowd, LONG_MS } from "./blocking-world.ts";
import { answerOf } from "./native-world.ts";

const STEPS = 1500;
const CLOCK = "test:clock";
const NOW = 1_750_000_000_000;
const q = new Calls("q");

const why = whyNoNative();

describe.skipIf(why !== undefined)(`a client that waits${why === undefined ? "" : ` (${why})`}`, () => {
  it.each([1, 2, 15])(
    "is served by whatever makes work claimable, seed %i",
    async (seed) => {
      const server = await startServer({ args: ["--loadmodule", nativeModule(), "clock-key", CLOCK] });
      const client = await server.client();
      const crowd = new Crowd(server, client);
      await client.command("SET", CLOCK, String(NOW));
      const source = new ActSource({ queue: "q", random: createRandom(seed), now: NOW, isForeign: false });
      let served = 0;
      let waited = 0;
      try {
        let waiting = await crowd.wait(q.turn(1, "BLOCK", LONG_MS));
        for (let at = 0; at < STEPS; at += 1) {
          const step = source.next();
          if (step.kind === "clock") continue;
          await play(client, source, step);
          const before = await crowd.waiting();
          const [, found] = await endWait(client, waiting.id);
          const reply = await waiting.reply;
          if (before === 1) {
            waited += 1;
            expect(jobsOf(found), `left by step ${at}, ${JSON.stringify(step)}`).toEqual([]);
            expect(jobsOf(reply)).toEqual([]);
          } else if (jobsOf(reply).length > 0) served += 1;
          waiting.client.close();
          waiting = await waitAgain(crowd, client);
        }
      } finally {
        client.close();
        await server.stop();
      }
      expect(waited).toBeGreaterThan(STEPS / 10);
      expect(served).toBeGreaterThan(STEPS / 300);
    },
    120_000,
  );
});

/** Takes what is there until somebody can wait. */
async function waitAgain(crowd: Crowd, client: WireClient): ReturnType<Crowd["wait"]> {
  while (jobsOf(await answerOf(client, q.turn(100))).length > 0);
  return await crowd.wait(q.turn(1, "BLOCK", LONG_MS));
}

/** Ends a wait and asks without waiting, in one. */
async function endWait(client: WireClient, id: string): Promise<ReplyValue[]> {
  await client.command("MULTI");
  await client.command("CLIENT", "UNBLOCK", id);
  await client.command(...q.turn(1));
  return (await client.command("EXEC")) as ReplyValue[];
}

function jobsOf(reply: ReplyValue | undefined): ReplyValue[] {
  return Array.isArray(reply) && Array.isArray(reply[3]) ? reply[3] : [];
}

async function play(client: WireClient, source: ActSource, step: Exclude<Step, { kind: "clock" }>): Promise<void> {
  if (step.kind === "command") return void (await answerOf(client, step.parts));
  try {
    source.learn(step, await client.command(...act(step.verb, step.keys, ...step.args)));
  } catch {
    // A refusal is as good a step as any.
  }
}
