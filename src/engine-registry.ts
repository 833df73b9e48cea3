/**
 * Turns connections into engines, one for each identical connection.
 *
 * Twenty queues and twenty workers of one connection must share three sockets (valkey/wake-groups.ts), and the queues
 * and workers of `memory:` must meet in one store. So engines are kept by what they connect to and counted by their
 * users: the last release of an engine closes it. Only a store in memory is kept to the end of the process, because a
 * queue that is closed and opened again must find its jobs.
 */

import { DeferredEngine } from "./deferred-engine.ts";
import { EmbeddedEngine } from "./embedded/embedded-engine.ts";
import type { FsyncMode } from "./embedded/journal/journal-start.ts";
import type { Engine } from "./engine/engine.ts";
import type { Ports } from "./engine/ports.ts";
import { type FileConnectionOptions, isFileConnection, parseFileConnection } from "./file-connection.ts";
import type { FileEngineOptions } from "./node-file-engine.ts";
import { EchoMQError } from "./protocol/errors.ts";
import { WIRE_VERSION } from "./protocol/wire-version.ts";
import type { EngineLease } from "./queue/engine-lease.ts";
import { assertKnownOptions } from "./queue/option-check.ts";
import type { CallerClient } from "./valkey/client.ts";
import { CONNECTION_OPTION_NAMES, parseConnection, type ValkeyConnectionOptions } from "./valkey/connection.ts";
import { assertEngineOptions } from "./valkey/engine-options.ts";
import type { ValkeyEngineOptions } from "./valkey/valkey-engine.ts";

/** What the engine of a server can be told beside where it connects to. */
export type EngineOptions = Pick<
  ValkeyEngineOptions,
  "wireVersion" | "isReadonly" | "offline" | "commandTimeoutMs" | "maxPending" | "native"
>;

/** A connection as an options object. */
export type ConnectionOptions = ValkeyConnectionOptions & EngineOptions;

/**
 * Where a queue or worker connects to: `memory:` or `memory:name` for a store in this process; `file:` and a folder for
 * one that outlives it; `valkey://`, `valkeys://`, `redis://`, `rediss://` or `unix:` for a server, `valkey-cluster://`
 * for a cluster, `valkey-sentinel://` for a primary that sentinels watch; the same as options; an existing client of
 * iovalkey or ioredis; or an engine, as a test makes one with its own clock. The last two are used as they are and
 * never closed.
 */
export type ConnectionInput = string | ConnectionOptions | FileConnectionOptions | CallerClient | Engine;

/** The world that a registry works in. */
export interface EngineRegistryOptions {
  readonly ports: Ports;
  /** Environment variables: `ECHOMQ_URL` and `NODE_ENV` are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Loads and makes the engine of a server. */
  readonly openServer: (options: ValkeyEngineOptions) => Promise<Engine>;
  /** The one name of a folder. Throws where there are none. */
  readonly truePath: (path: string) => string;
  /** Loads and opens the engine over a folder. */
  readonly openFolder: (options: FileEngineOptions) => Promise<Engine>;
}

const ENGINE_OPTIONS = ["wireVersion", "isReadonly", "offline", "commandTimeoutMs", "maxPending", "native"] as const;

/** What a connection as an options object may hold, and what other queues and clients have that it cannot. */
const OPTION_TABLE = {
  owner: "A connection",
  known: [...CONNECTION_OPTION_NAMES, ...ENGINE_OPTIONS],
  foreign: {
    enableOfflineQueue: 'give offline: "fail" for false',
    enableReadyCheck: "leave it out: no call is sent before the server is ready",
    hostname: "it is called host",
    keyPrefix: "every key is emq:{queue}:…, with no prefix",
    lazyConnect: "leave it out: it connects at once, and calls wait for that",
    maxRetriesPerRequest: "leave it out: a call waits up to commandTimeoutMs for a server that is away",
    retryStrategy: "leave it out: a lost connection is tried again for ever, at most about 2 s apart",
  },
};

interface Shared {
  readonly engine: Engine;
  users: number;
}

/** A folder that is open. */
interface SharedFolder extends Shared {
  readonly fsync: FsyncMode;
}

/** The engines of one process. */
export class EngineRegistry {
  readonly #options: EngineRegistryOptions;
  readonly #stores = new Map<string, Engine>();
  readonly #servers = new Map<string, Shared>();
  readonly #folders = new Map<string, SharedFolder>();
  /** Folders that are being closed: who opens one again waits for that. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #clients = new WeakMap<CallerClient, Shared>();
  readonly #opaque = new WeakMap<object, number>();
  #opaqueCount = 0;
  #hasWarned = false;

  constructor(options: EngineRegistryOptions) {
    this.#options = options;
  }

  /**
   * A share in the engine of a connection; `undefined` is `ECHOMQ_URL`, else `memory:`.
   *
   * @throws EchoMQError `invalid_connection`, `unknown_option`, `invalid_option` or `unsupported`. What only a server
   *   can tell is told by the engine's `ready`.
   */
  lease(connection: ConnectionInput | undefined): EngineLease {
    const given = connection ?? this.#default();
    if (isFileConnection(given)) return this.#leaseFolder(given as string | FileConnectionOptions);
    if (typeof given !== "string") {
      if (isEngine(given)) return { engine: given, release: () => Promise.resolve() };
      if (isClient(given)) return this.#leaseClient(given);
      return this.#leaseServer(given);
    }
    if (given.startsWith("memory:")) return { engine: this.#store(given), release: () => Promise.resolve() };
    return this.#leaseServer({ url: given });
  }

  #default(): string {
    const { env, ports } = this.#options;
    const url = env["ECHOMQ_URL"];
    if (url !== undefined && url !== "") return url;
    if (env["NODE_ENV"] === "production" && !this.#hasWarned) {
      this.#hasWarned = true;
      ports.logger.warn("No connection was given, so jobs are kept in memory and end with this process", {
        code: "memory_in_production",
        action: "give connection or set ECHOMQ_URL; memory: says that it is meant",
      });
    }
    return "memory:";
  }

  #store(url: string): Engine {
    const store = this.#stores.get(url) ?? new EmbeddedEngine({ ports: this.#options.ports });
    this.#stores.set(url, store);
    return store;
  }

  #leaseFolder(connection: string | FileConnectionOptions): EngineLease {
    const { path, fsync } = parseFileConnection(connection);
    const folder = this.#options.truePath(path);
    let shared = this.#folders.get(folder);
    if (shared === undefined) {
      shared = this.#openFolder(folder, fsync ?? "everysec");
      this.#folders.set(folder, shared);
    } else if (fsync !== undefined && fsync !== shared.fsync) {
      throw new EchoMQError(
        "invalid_option",
        `${folder} is open in this process with fsync ${shared.fsync}, so it cannot be opened with ${fsync} as well: ` +
          "give both the same",
        { details: { option: "fsync" } },
      );
    }
    return shareOf(shared, (closed) => {
      this.#folders.delete(folder);
      this.#closing.set(folder, closed);
      const forget = () => {
        if (this.#closing.get(folder) === closed) this.#closing.delete(folder);
      };
      closed.then(forget, forget);
    });
  }

  #openFolder(folder: string, fsync: FsyncMode): SharedFolder {
    const { ports, openFolder } = this.#options;
    const place = { kind: "embedded", ports, wireVersion: WIRE_VERSION } as const;
    const engine = new DeferredEngine(place, async () => {
      // How the earlier one ended, its own user was told.
      await this.#closing.get(folder)?.catch(() => undefined);
      return await openFolder({ ports, folder, fsync });
    });
    return { engine, fsync, users: 0 };
  }

  #leaseClient(client: CallerClient): EngineLease {
    let shared = this.#clients.get(client);
    if (shared === undefined) {
      shared = this.#open({ connection: client });
      this.#clients.set(client, shared);
    }
    return shareOf(shared, () => this.#clients.delete(client));
  }

  #leaseServer(connection: ConnectionOptions): EngineLease {
    const [where, how] = split(connection);
    // Refused here and now, where the connection was written; the engine reads it again.
    const parsed = parseConnection(where);
    assertEngineOptions(how);
    const key = JSON.stringify([parsed, how], (_, value: unknown) => this.#identity(value));
    let shared = this.#servers.get(key);
    if (shared === undefined) {
      shared = this.#open({ connection: where, ...how });
      this.#servers.set(key, shared);
    }
    return shareOf(shared, () => this.#servers.delete(key));
  }

  /**
   * A value for a key of {@link EngineRegistry}. The options of TLS may hold functions, and objects whose text says
   * nothing of what they hold, such as a key or a context: these are told apart by number.
   */
  #identity(value: unknown): unknown {
    if (typeof value !== "function" && !isOpaque(value)) return value;
    const number = this.#opaque.get(value) ?? ++this.#opaqueCount;
    this.#opaque.set(value, number);
    return `opaque ${number}`;
  }

  #open(options: Omit<ValkeyEngineOptions, "ports">): Shared {
    const { ports, openServer } = this.#options;
    const place = { kind: "valkey", ports, wireVersion: options.wireVersion ?? WIRE_VERSION } as const;
    const engine = new DeferredEngine(place, () => openServer({ ...options, ports }));
    return { engine, users: 0 };
  }
}

/** One more share; the last release closes the engine. */
function shareOf(shared: Shared, forget: (closed: Promise<void>) => void): EngineLease {
  shared.users++;
  let released: Promise<void> | undefined;
  const release = async () => {
    shared.users--;
    if (shared.users > 0) return;
    const closed = shared.engine.close();
    forget(closed);
    await closed;
  };
  return {
    engine: shared.engine,
    release: () => {
      released ??= release();
      return released;
    },
  };
}

/** Whether a value is an object of a class, which JSON may know nothing of; what has a text of its own is that text. */
function isOpaque(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

/** What says where, and what says how. */
function split(connection: ConnectionOptions): [ValkeyConnectionOptions, EngineOptions] {
  if (typeof connection !== "object" || connection === null || Array.isArray(connection)) return [connection, {}];
  assertKnownOptions(connection, OPTION_TABLE);
  const where: Record<string, unknown> = { ...connection };
  const how: Record<string, unknown> = {};
  for (const name of ENGINE_OPTIONS) {
    if (connection[name] !== undefined) how[name] = connection[name];
    delete where[name];
  }
  return [where, how];
}

/** Whether a connection is an engine already: nothing else has acts. */
function isEngine(connection: ConnectionOptions | CallerClient | Engine): connection is Engine {
  return connection !== null && typeof (connection as Partial<Engine>).act === "function";
}

/** Whether a connection is a client of a library: nothing else has commands to send. */
function isClient(connection: ConnectionOptions | CallerClient): connection is CallerClient {
  return connection !== null && typeof (connection as Partial<CallerClient>).sendCommand === "function";
}
