/** The server side of differential runs, with the life of a test file. */

import { afterAll, beforeAll } from "vitest";
import { nodePorts } from "../../src/node-ports.ts";
import { ValkeyEngine } from "../../src/valkey/valkey-engine.ts";
import { useServer } from "../server/use-server.ts";
import type { ServerSide } from "./driver.ts";
import { ScriptServer } from "./script-server.ts";

/** Call it in the body of a file; call what it returns inside tests. */
export function useServerSide(): () => ServerSide {
  const testServer = useServer();
  let side: ServerSide | undefined;
  beforeAll(async () => {
    const ports = nodePorts();
    const listener = new ValkeyEngine({ connection: { path: testServer().socketPath }, ports });
    await listener.ready();
    side = { server: await ScriptServer.open(testServer(), ports), listener };
  });
  afterAll(async () => {
    await side?.server.close();
    await side?.listener.close();
  });
  return () => {
    if (side === undefined) throw new Error("the server side is opened before the first test and not earlier");
    return side;
  };
}
