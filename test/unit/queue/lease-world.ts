/**
 * A server, and processes that share its time but not their clocks: each may run ahead or behind, be cut off, or stop
 * in the middle of a command.
 */

import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine, Reply } from "../../../src/engine/engine.ts";
import { NodeLease } from "../../../src/queue/node-lease.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { away } from "./scripted-engine.ts";

/** A server, and processes on it. */
export function startWorld() {
  const clock = new VirtualClock();
  const server = new EmbeddedEngine({ ports: createTestPorts({ clock }) });
  const startProcess = (seed: number) => {
    const ports = createTestPorts({ clock, seed });
    const errors: unknown[] = [];
    const process = {
      skewMs: 0,
      isAway: false,
      /** Called before each command of this process reaches the server. */
      before: (_parts: readonly string[]): Promise<void> | void => undefined,
      errors,
    };
    const engine = {
      kind: "valkey",
      state: "ready",
      ports: { ...ports, clock: { now: () => clock.now() + process.skewMs, after: clock.after.bind(clock) } },
      command: async (parts: readonly string[]): Promise<Reply> => {
        await process.before(parts);
        if (process.isAway) throw away();
        return await server.command(parts);
      },
    } as unknown as Engine;
    const lease = new NodeLease(engine, (error) => errors.push(error));
    const mint = () => lease.tryMint("JOB");
    const mintSoon = async () => {
      const id = mint();
      if (id !== undefined) return id;
      await lease.whenReady();
      return mint() ?? "";
    };
    return { ...process, process, engine, lease, mint, mintSoon };
  };
  const marks = async () => await server.command(["HGETALL", "{emq}:nodes"]);
  return { clock, server, startProcess, marks };
}
