/**
 * Servers with the life of a test file: started before its first test, stopped after its last.
 *
 * A missing Valkey is a failure with the words that say what to install. A missing Redis is a skip with its reason: the
 * project supports it, but a machine without it can still test everything else.
 */

import { afterAll, beforeAll } from "vitest";
import { findRedis } from "../../scripts/server/find-server.mjs";
import { type ClusterOptions, startCluster, type TestCluster } from "./start-cluster.ts";
import { type ServerOptions, startServer, type TestServer } from "./start-server.ts";

/**
 * Call it in the body of a file or `describe`; call what it returns inside tests.
 *
 * @example
 * const server = useServer({ config: { appendonly: "yes" } });
 * it("answers", async () => expect(await server().command("PING")).toBe("PONG"));
 */
export function useServer(options: ServerOptions = {}): () => TestServer {
  return useStarted(() => startServer(options));
}

/** The same for a cluster. */
export function useCluster(options: ClusterOptions = {}): () => TestCluster {
  return useStarted(() => startCluster(options));
}

function useStarted<Started extends { stop(): Promise<void> }>(start: () => Promise<Started>): () => Started {
  let started: Started | undefined;
  beforeAll(async () => {
    started = await start();
  }, 420_000);
  afterAll(async () => started?.stop());
  return () => {
    if (started === undefined) throw new Error("a server is started before the first test and not earlier");
    return started;
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
