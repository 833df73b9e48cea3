/** The project's own server under the suite, by the acts as commands and as scripts, over both versions of the protocol. */

import { EnginePort } from "../../src/conformance/engine-port.ts";
import { nodePorts } from "../../src/node-ports.ts";
import type { NativeMode } from "../../src/valkey/native-form.ts";
import { ValkeyEngine } from "../../src/valkey/valkey-engine.ts";
import { startServed } from "../server/start-served.ts";
import { describeSuite, type SuiteTarget } from "./describe-suite.ts";

/** How a host speaks to the server. */
interface ServedTargetOptions {
  readonly client: "iovalkey" | "ioredis";
  readonly protocol: 2 | 3;
  readonly native: NativeMode;
}

async function servedTarget({ client, protocol, native }: ServedTargetOptions): Promise<SuiteTarget> {
  const served = await startServed();
  const open = async () => {
    const connection = { path: served.socketPath, client, protocol };
    const engine = new ValkeyEngine({ connection, ports: nodePorts(), native });
    await engine.ready();
    return engine;
  };
  const engine = await open();
  return {
    port: new EnginePort({ engine, open }),
    faults: () => served.logged.splice(0),
    close: async () => {
      await engine.close();
      await served.stop();
    },
  };
}

describeSuite(
  "the server by iovalkey and commands of its own conforms",
  async () => await servedTarget({ client: "iovalkey", protocol: 2, native: "require" }),
);
describeSuite(
  "the server by ioredis on RESP3 and commands of its own conforms",
  async () => await servedTarget({ client: "ioredis", protocol: 3, native: "require" }),
);
describeSuite(
  "the server by iovalkey and scripts conforms",
  async () => await servedTarget({ client: "iovalkey", protocol: 2, native: "off" }),
);
describeSuite(
  "the server by ioredis on RESP3 and scripts conforms",
  async () => await servedTarget({ client: "ioredis", protocol: 3, native: "off" }),
);
