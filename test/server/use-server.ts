/**
 * Servers with the life of a test file: started before its first test, stopped after its last.
 *
 * A missing Valkey is a failure with the words that say what to install. A missing Redis is a skip with its reason: the
 * project supports it, but a machine without it can still test everything else.
 */

import { afterAll, beforeAll } from "vitest";
import { findRedis } from "../../scripts/server/find-server.mjs";
import { type ServerOptions, startServer, type TestServer } from "./start-server.ts";

/**
 * Call it in the body of a file or `describe`; call what it returns inside tests.
 *
 * @example
 * const server = useServer({ config: { appendonly: "yes" } });
 * it("answers", async () => expect(await server().command("PING")).toBe("PONG"));
 */
export function useServer(options: ServerOptions = {}): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startServer(options);
  }, 420_000);
  afterAll(async () => server?.stop());
  return () => {
    if (server === undefined) throw new Error("the server is started before the first test and not earlier");
    return server;
  };
}

/** Why there is no Redis 7.0 or later on this machine, for `describe.skipIf`; `undefined` when there is one. */
export function whyNoRedis(): string | undefined {
  try {
    findRedis();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
