/**
 * Makes a target of the suite from the project's own server.
 *
 * The server's clock is a virtual one, so nobody waits for leases to end; hosts have the real one.
 */

import { EnginePort } from "../../src/conformance/engine-port.ts";
import { nodePorts } from "../../src/node-ports.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import type { NativeMode } from "../../src/valkey/native-form.ts";
import { ValkeyEngine } from "../../src/valkey/valkey-engine.ts";
import { startServed } from "../server/start-served.ts";
import type { SuiteTarget } from "./describe-suite.ts";

/** How a host speaks to the server. */
export interface ServedTargetOptions {
  readonly client: "iovalkey" | "ioredis";
  readonly protocol: 2 | 3;
  readonly native: NativeMode;
}

/** Starts a server and opens an engine on it; closing the target ends both. */
export async function servedTarget({ client, protocol, native }: ServedTargetOptions): Promise<SuiteTarget> {
  const { soon, later, clock } = nodePorts();
  const ports = { ...createTestPorts({ now: clock.now() }), soon, later };
  const served = await startServed({ embedded: { ports } });
  const open = async () => {
    const connection = { path: served.socketPath, client, protocol };
    const engine = new ValkeyEngine({ connection, ports: nodePorts(), native });
    await engine.ready();
    return engine;
  };
  const engine = await open();
  return {
    port: new EnginePort({ engine, open, advance: async (ms) => await ports.clock.advance(ms) }),
    faults: () => ports.logger.lines.splice(0).map(({ message }) => message),
    close: async () => {
      await engine.close();
      await served.stop();
    },
  };
}
