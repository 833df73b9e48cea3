/**
 * What the server tells of itself: `INFO`, `CONFIG GET`, `ROLE` and the like.
 *
 * The fields are those that monitors and client libraries look for. A field that means nothing here is left out, unless
 * a library would not go on without it.
 */

import { memoryUsage, pid } from "node:process";
import { matchesGlob } from "../embedded/command/glob.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { array, bulk, integer, map, verbatim } from "./frames.ts";
import type { Hub } from "./hub.ts";
import type { ServedRows } from "./served-command.ts";
import { REDIS_VERSION, SERVER_VERSION } from "./server-version.ts";
import { OUTPUT_BYTES_MAX, type Session } from "./session.ts";

export const infoCommands: ServedRows = {
  INFO: ["-1 loading,stale 0 0 0 slow,dangerous", info],
  "CONFIG|GET": ["-3 admin,noscript,loading,stale 0 0 0 admin,slow,dangerous", configGet],
  "CONFIG|SET": ["-4 admin,noscript,loading,stale 0 0 0 admin,slow,dangerous", configSet],
  "CONFIG|RESETSTAT": ["2 admin,noscript,loading,stale 0 0 0 admin,slow,dangerous", resetStats],
  ROLE: ["1 noscript,loading,stale,fast 0 0 0 admin,fast,dangerous", role],
  CLUSTER: ["-2 - 0 0 0 slow", noCluster],
  ASKING: ["1 fast 0 0 0 fast,connection", noCluster],
};

type Facts = Readonly<Record<string, string | number>>;

/** The sections of `INFO`, in its order. */
const SECTIONS: Readonly<Record<string, (hub: Hub) => Facts>> = {
  Server: serverFacts,
  Clients: clientFacts,
  Memory: memoryFacts,
  Persistence: () => ({ loading: 0, async_loading: 0, rdb_bgsave_in_progress: 0, aof_enabled: 0 }),
  Stats: statFacts,
  Replication: () => ({ role: "master", connected_slaves: 0, master_repl_offset: 0 }),
  Cluster: () => ({ cluster_enabled: 0 }),
  Keyspace: keyspaceFacts,
};

const ALL: ReadonlySet<string> = new Set(["all", "default", "everything"]);

function info({ hub, resp }: Session, args: readonly Bytes[]): Bytes {
  const wanted = args.map((word) => word.toLowerCase());
  const isAll = wanted.length === 0 || wanted.some((word) => ALL.has(word));
  const parts = Object.entries(SECTIONS)
    .filter(([name]) => isAll || wanted.includes(name.toLowerCase()))
    .map(([name, facts]) => `# ${name}\r\n${lines(facts(hub))}`);
  return verbatim(parts.join("\r\n"), resp);
}

function lines(facts: Facts): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join("");
}

function serverFacts(hub: Hub): Facts {
  const upSeconds = Math.max(0, Math.floor((hub.now() - hub.startedAt) / 1000));
  return {
    redis_version: REDIS_VERSION,
    server_name: "echomq",
    valkey_version: SERVER_VERSION,
    echomq_wire_version: hub.door.wireVersion,
    server_mode: "standalone",
    redis_mode: "standalone",
    arch_bits: 64,
    process_id: pid,
    run_id: hub.runId,
    tcp_port: hub.listening.port,
    server_time_usec: hub.now() * 1000,
    uptime_in_seconds: upSeconds,
    uptime_in_days: Math.floor(upSeconds / 86_400),
  };
}

function clientFacts(hub: Hub): Facts {
  const sessions = hub.sessions();
  return {
    connected_clients: sessions.length,
    maxclients: hub.clientsMax,
    blocked_clients: sessions.filter(({ blocked }) => blocked !== undefined).length,
    pubsub_clients: sessions.filter(({ isSubscribed }) => isSubscribed).length,
    watching_clients: sessions.filter(({ watch }) => watch !== undefined).length,
  };
}

function memoryFacts(): Facts {
  const { heapUsed, rss } = memoryUsage();
  return { used_memory: heapUsed, used_memory_rss: rss, maxmemory: 0, maxmemory_policy: "noeviction" };
}

function statFacts({ stats, pubSub }: Hub): Facts {
  return {
    total_connections_received: stats.connections,
    total_commands_processed: stats.commands,
    total_net_input_bytes: stats.inputBytes,
    total_net_output_bytes: stats.outputBytes,
    rejected_connections: stats.rejectedConnections,
    pubsub_channels: pubSub.channels().length,
    pubsub_patterns: pubSub.patternCount,
  };
}

function keyspaceFacts({ door }: Hub): Facts {
  return door.size === 0 ? {} : { db0: `keys=${door.size},expires=${door.expiringCount},avg_ttl=0` };
}

/** Settings under the names that monitors ask for. */
function settings(hub: Hub): Readonly<Record<string, string>> {
  const { listening, limits } = hub;
  return {
    appendonly: "no",
    bind: listening.host,
    "client-output-buffer-limit": `normal ${OUTPUT_BYTES_MAX} 0 0 pubsub ${OUTPUT_BYTES_MAX} 0 0`,
    "client-query-buffer-limit": String(limits.commandBytesMax),
    databases: "1",
    maxclients: String(hub.clientsMax),
    maxmemory: "0",
    "maxmemory-policy": "noeviction",
    "notify-keyspace-events": "",
    port: String(listening.port),
    "proto-max-bulk-len": String(limits.bulkBytesMax),
    save: "",
    timeout: String(Math.ceil(hub.idleMs / 1000)),
    unixsocket: listening.path,
  };
}

function configGet({ hub, resp }: Session, args: readonly Bytes[]): Bytes {
  const all = settings(hub);
  const found = new Map<Bytes, string>();
  for (const given of args.slice(1)) {
    const name = given.toLowerCase();
    if (!/[*?[]/.test(name)) {
      // A name comes back as it was written.
      const value = all[name];
      if (value !== undefined) found.set(given, value);
      continue;
    }
    for (const [one, value] of Object.entries(all)) if (matchesGlob(name, one)) found.set(one, value);
  }
  return map(
    [...found].flatMap(([name, value]) => [bulk(name), bulk(value)]),
    resp,
  );
}

function configSet(): never {
  throw new CommandError("ERR this server takes its settings when it is started; see echomq serve --help");
}

function resetStats({ hub }: Session): Bytes {
  for (const name of Object.keys(hub.stats) as (keyof typeof hub.stats)[]) hub.stats[name] = 0;
  return "+OK\r\n";
}

function role(): Bytes {
  return array([bulk("master"), integer(0), array([])]);
}

function noCluster(): never {
  throw new CommandError("ERR This instance has cluster support disabled");
}
