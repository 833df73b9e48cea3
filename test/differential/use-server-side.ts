/** The server side of differential runs, with the life of a test file. */

import { afterAll, beforeAll } from "vitest";
import { nodePorts } from "../../src/node-ports.ts";
import { ValkeyEngine } from "../../src/valkey/valkey-engine.ts";
import { nativeModule } from "../server/native-module.ts";
import { useServer } from "../server/use-server.ts";
import type { ServerSide } from "./driver.ts";
import { CLOCK_KEY, ScriptServer } from "./script-server.ts";

/** How acts reach the server: as scripts, or as commands of the native half. */
export type ServerForm = "script" | "native";

/** Call it in the body of a file; call what it returns inside tests. */
export function useServerSide(form: ServerForm = "script"): () => ServerSide {
  const isNative = form === "native";
  const testServer = useServer(isNative ? { args: ["--loadmodule", nativeModule(), "clock-key", CLOCK_KEY] } : {});
  let side: ServerSide | undefined;
  beforeAll(async () => {
    const ports = nodePorts();
    const listener = new ValkeyEngine({ connection: { path: testServer().socketPath }, ports });
    await listener.ready();
    const open = isNative ? ScriptServer.openNative : ScriptServer.open;
    side = { server: await open(testServer(), ports), listener };
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
