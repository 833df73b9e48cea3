/**
 * The one place that turns a `connection` into an engine.
 *
 * Everything else sees an engine only. The engine for servers is imported when the first server is named, so a
 * browser's bundle, and a program on the embedded engine, carry no client.
 */

import { type ConnectionInput, EngineRegistry } from "./engine-registry.ts";
import { tellOfConnection } from "./node-diagnostics.ts";
import { nodePorts } from "./node-ports.ts";
import type { EngineLease } from "./queue/engine-lease.ts";
import { truePath } from "./true-path.ts";

/** Written and read by {@link connect} only: what makes one engine for each identical connection of this process. */
const registry = new EngineRegistry({
  ports: nodePorts(),
  env: typeof process === "undefined" ? {} : process.env,
  truePath,
  openFolder: async (options) => await (await import("./node-file-engine.ts")).openFileEngine(options),
  openServer: async (options) => new (await import("./valkey/valkey-engine.ts")).ValkeyEngine(options),
});

/**
 * A share in the engine of a connection. Queues and workers of one process and connection share one engine, so three
 * sockets, or one store in memory.
 *
 * @param connection default: the environment's `ECHOMQ_URL`, else `memory:`, which warns once under
 *   `NODE_ENV=production`.
 * @throws EchoMQError `invalid_connection`, `unknown_option`, `invalid_option` or `unsupported`.
 */
export function connect(connection?: ConnectionInput): EngineLease {
  const lease = registry.lease(connection);
  tellOfConnection(lease.engine);
  return lease;
}
