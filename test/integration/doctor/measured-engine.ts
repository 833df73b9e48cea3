/** An engine that is watched: how large its answers are, and what the process holds while keys are gone through. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Engine, Reply } from "../../../src/engine/engine.ts";

/** Heap that a pass may hold beyond what it began with: far below the size of the ids alone. */
export const HEAP_BYTES_MAX = 64 * 1024 * 1024;

/** Members that an answer may have: the budget, and what one step of a scan may give beyond its count. */
export const MEMBERS_MAX = 2000;

/** Bytes of the heap that something still holds. */
export function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/**
 * The engine, with the largest answer that it gave, and the most that was held at any step of a scan of keys.
 *
 * @param stepsPerLook Steps of the scan from one look at the heap to the next.
 */
export function measured(engine: Engine, stepsPerLook = 1) {
  let largest = 0;
  let held = 0;
  let steps = 0;
  const note = (reply: Reply): Reply => {
    const parts = Array.isArray(reply) ? (reply as readonly Reply[]) : [];
    const inner = parts.map((part) => (Array.isArray(part) ? part.length : 1));
    largest = Math.max(largest, parts.length, ...inner);
    return reply;
  };
  const wrapped = {
    kind: engine.kind,
    ports: engine.ports,
    act: async (...call: Parameters<Engine["act"]>) => note(await engine.act(...call)),
    command: async (...call: Parameters<Engine["command"]>) => {
      if (call[0][0] === "SCAN" && steps++ % stepsPerLook === 0) held = Math.max(held, heldBytes());
      return note(await engine.command(...call));
    },
  };
  return { engine: wrapped as unknown as Engine, largest: () => largest, held: () => held };
}
