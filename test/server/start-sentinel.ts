/** Starts a primary with a replica and the sentinels that watch them, which agree on a failover within seconds. */

import { setTimeout as pause } from "node:timers/promises";
import { startReplica, startServer, type TestServer } from "./start-server.ts";

const NAME = "main";
const SENTINELS = 3;
const READY_MS_MAX = 30_000;

export interface SentinelSet {
  /** The name under which the sentinels know the primary. */
  readonly name: string;
  readonly primary: TestServer;
  readonly replica: TestServer;
  readonly sentinels: readonly TestServer[];
  stop(): Promise<void>;
}

/** Resolves when every sentinel knows the replica and the other sentinels. */
export async function startSentinel(): Promise<SentinelSet> {
  const started: TestServer[] = [];
  const stop = async () => void (await Promise.all(started.map((server) => server.stop())));
  const keep = (server: TestServer): TestServer => {
    started.push(server);
    return server;
  };
  try {
    const primary = keep(await startServer({ tcp: true }));
    const replica = keep(await startReplica(primary));
    const configFile = [
      `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
      `sentinel down-after-milliseconds ${NAME} 500`,
      `sentinel failover-timeout ${NAME} 3000`,
      "",
    ].join("\n");
    const options = { tcp: true, configFile, args: ["--sentinel"] };
    const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startServer(options)));
    for (const sentinel of sentinels) keep(sentinel);
    await untilWatched(sentinels);
    return { name: NAME, primary, replica, sentinels, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilWatched(sentinels: readonly TestServer[]): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  for (const sentinel of sentinels) {
    for (;;) {
      const info = String(await sentinel.command("INFO", "sentinel"));
      if (info.includes(`status=ok`) && info.includes(`slaves=1,sentinels=${SENTINELS}`)) break;
      if (performance.now() > deadline) throw new Error(`the sentinels did not meet: ${info}\n${sentinel.log()}`);
      await pause(10);
    }
  }
}
