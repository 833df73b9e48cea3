/** The watch over declared keys must itself be able to see what no act does. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import type { Server, Transition } from "../../src/transition/server.ts";
import { TRANSITIONS } from "../../src/transition/transitions.generated.ts";
import { watchedTransitions } from "./declared-keys.ts";

const BASE = "emq:{q}:";
const ID = "JOB00000000001";

/** Lets `act` run in place of CLAIM, on a queue with one job of the lane `l`; answers what the watch says. */
async function setup(act: (s: Server, keys: string[]) => void) {
  const claim: Transition = (s, keys) => {
    act(s, keys);
    return [];
  };
  const { transitions, faults } = watchedTransitions({ ...TRANSITIONS, CLAIM: claim });
  const engine = new EmbeddedEngine({ ports: createTestPorts(), transitions });
  await engine.act("ENQUEUE", [`${BASE}job:${ID}`, `${BASE}pending`], [ID, "p"]);
  await engine.command(["HSET", `${BASE}job:${ID}`, "group", "l", "dedup", "d", "payload", "m"]);
  const keys = [`${BASE}pending`, `${BASE}active`, BASE];
  const outcome = await engine.act("CLAIM", keys, ["60000"]).catch((error: Error) => error.message);
  return { outcome, faults };
}

describe("the watch over declared keys", () => {
  it("lets an act touch declared keys, fixed types of its verb, and rows and lanes that it has read of", async () => {
    const { outcome, faults } = await setup((s, [pending = "", active = "", base]) => {
      s.call("ZCARD", active);
      s.call("HEXISTS", `${base}meta`, "paused");
      const [id = ""] = s.call("ZPOPMIN", pending, 1);
      const [group] = s.call("HMGET", `${base}job:${id}`, "group", "state");
      s.call("ZCARD", `${base}g:${String(group)}:pending`);
    });
    expect({ outcome, faults }).toEqual({ outcome: [], faults: [] });
  });

  const forbidden: Record<string, (s: Server, keys: string[]) => void> = {
    "the base key itself": (s, keys) => s.call("EXISTS", keys[2] ?? ""),
    "a key of another queue": (s) => s.call("ZCARD", "emq:{other}:pending"),
    "a type that its verb does not use": (s, keys) => s.call("ZCARD", `${keys[2]}cursor`),
    "a row of which it was not given the id": (s, keys) => s.call("HGET", `${keys[2]}job:${ID}`, "state"),
    "a lane named by a payload": (s, keys) => {
      const [id = ""] = s.call("ZPOPMIN", keys[0] ?? "", 1);
      const payload = s.call("HGET", `${keys[2]}job:${id}`, "payload");
      s.call("ZCARD", `${keys[2]}g:${String(payload)}:pending`);
    },
    "a second key of a command": (s, keys) => s.call("EXISTS", keys[0] ?? "", `${keys[2]}cursor`),
  };
  for (const [what, act] of Object.entries(forbidden)) {
    it(`refuses an act that touches ${what}`, async () => {
      const { outcome, faults } = await setup(act);
      expect(outcome).toMatch(/touched/);
      expect(faults).toHaveLength(1);
    });
  }
});
