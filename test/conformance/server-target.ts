/**
 * Makes a target of the suite from a real server: the engine under test, and further engines for further connections.
 */

import { EnginePort } from "../../src/conformance/engine-port.ts";
import { nodePorts } from "../../src/node-ports.ts";
import type { NativeMode } from "../../src/valkey/native-form.ts";
import { ValkeyEngine } from "../../src/valkey/valkey-engine.ts";
import { type ServerOptions, startServer } from "../server/start-server.ts";
import type { SuiteTarget } from "./describe-suite.ts";

/** Which client library carries the engine, and in which version of the protocol. */
export interface ServerTargetOptions extends ServerOptions {
  readonly client: "iovalkey" | "ioredis";
  readonly protocol: 2 | 3;
  /** Whether acts go to the native half; default `off`. */
  readonly native?: NativeMode;
}

/** Starts a server and opens an engine on it; closing the target ends both. */
export async function serverTarget(options: ServerTargetOptions): Promise<SuiteTarget> {
  const { client, protocol, native = "off", ...serverOptions } = options;
  const server = await startServer(serverOptions);
  const open = async () => {
    const connection = { path: server.socketPath, client, protocol };
    const engine = new ValkeyEngine({ connection, ports: nodePorts(), native });
    await engine.ready();
    return engine;
  };
  const engine = await open();
  return {
    port: new EnginePort({ engine, open }),
    mayLack: true,
    close: async () => {
      await engine.close();
      await server.stop();
    },
  };
}
