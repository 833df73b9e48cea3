/**
 * Looks once at what kind of server this is, before work is trusted to it.
 *
 * A server without `EVALSHA_RO` fails at the first read, long after it was chosen; and one that evicts keys under
 * pressure loses jobs in silence. The first is refused, the second is said aloud. A user without the right to ask is
 * let through: the acts need no such right.
 */

import type { Reply } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import type { Ask } from "./fence.ts";

/** First version of the Redis line that has everything the acts need; Valkey began beyond it. */
const REDIS_MAJOR_MIN = 7;

/**
 * Resolves when the server will do, after a warning with the code `EVICTION_POLICY` when it may evict jobs.
 *
 * @throws EchoMQError `unsuitable_server`, which is final; any other error means that the server cannot tell now.
 */
export async function assertSuitable(ask: Ask, logger: Logger): Promise<void> {
  const [server, memory] = await Promise.all([inform(ask, "server"), inform(ask, "memory")]);
  const version = field(server, "redis_version");
  if (version !== undefined && Number.parseInt(version, 10) < REDIS_MAJOR_MIN) {
    throw new EchoMQError(
      "unsuitable_server",
      `The server is Redis ${version}; use Valkey 8.0 or Redis 7.0, or later.`,
    );
  }
  const policy = field(memory, "maxmemory_policy");
  if (policy?.startsWith("allkeys-") === true) {
    logger.warn(
      `The server evicts any key when its memory is full, so jobs may vanish; set maxmemory-policy noeviction.`,
      {
        code: "EVICTION_POLICY",
        policy,
      },
    );
  }
}

async function inform(ask: Ask, section: string): Promise<Reply> {
  try {
    return await ask(["INFO", section]);
  } catch (error) {
    if (isEchoMQError(error, "permission") || isEchoMQError(error, "refused")) return null;
    throw error;
  }
}

function field(info: Reply, name: string): string | undefined {
  if (typeof info !== "string") return undefined;
  return new RegExp(`^${name}:([^\r\n]*)`, "m").exec(info)?.[1];
}
