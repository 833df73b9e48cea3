/**
 * The seam between the engine and the client libraries: the little that the engine needs of a socket, and where it
 * comes from.
 *
 * A library opens the socket, encrypts it, logs in and reads replies. Everything else it can do is turned off: it does
 * not reconnect, does not keep commands while it is away and never sends one twice, because only the engine knows which
 * act may be repeated. A **session** is one connected stretch of one socket; after its end another is opened. So one
 * code path serves the first connection, every reconnect and a client that belongs to somebody else.
 */

import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { BorrowedSession } from "./borrowed-session.ts";
import type { Call } from "./call.ts";
import { type Address, addressText, parseAddress } from "./cluster/address.ts";
import type { LibraryCluster, NodeSource } from "./cluster/node-source.ts";
import { type Connection, type SentinelPlace, tlsFor } from "./connection.ts";
import { OwnedSession } from "./owned-session.ts";
import { type OpenSession, SentinelSession } from "./sentinel-session.ts";

/**
 * What a socket is for. Each role has one socket a server, however many queues and workers share the engine, but for
 * the blocking ones, of which there is one for each group of queues.
 */
export type SocketRole = "command" | "blocking" | "stream" | "subscriber";

/** One connected stretch of one socket. */
export interface Session {
  /**
   * Writes a call now. False when it cannot be written now; nothing was sent then, and the call is used up.
   */
  send(call: Call): boolean;
  /** What the server said against user, password or database, as far as it is known. */
  readonly loginRefusal: Error | undefined;
  /**
   * Gives the session up; `onEnd` follows. `dead` says that the far side no longer answers, so that there is nothing
   * worth waiting for.
   */
  end(why: "closing" | "dead"): void;
}

/** Told about one session. None is called before `open` has returned, none after `onEnd`. */
export interface SessionEvents {
  /** The socket is open and logged in. */
  onOpen(): void;
  /** A message came on a channel that was subscribed by a call. */
  onMessage(channel: Bytes, payload: Bytes): void;
  /** The session is over, with the error that the library gave for it, if any. Called once. */
  onEnd(error: Error | undefined): void;
}

/** Where sessions come from. */
export interface Client {
  /** For messages: where it leads, without user and password. */
  readonly name: string;
  /** Starts a session; whether it comes to be is told to `events`. */
  open(role: SocketRole, events: SessionEvents): Session;
  /** Whether the socket of this role belongs to somebody else and opens when that one likes. */
  isBorrowed(role: SocketRole): boolean;
}

/**
 * A client of `iovalkey` or `ioredis`, for one server or a cluster, as a caller has it. Only what tells it from other
 * values stands here, so that every version of both libraries is one.
 */
export interface CallerClient {
  readonly status: string;
  /** As the library keeps them; see {@link libraryOption}. */
  readonly options: object;
  readonly isCluster?: boolean;
  connect(): Promise<void>;
  disconnect(reconnect?: boolean): void;
  /**
   * It is given a `Call`, which has every part of the library's own command that is used. No parameter says so, because
   * that type differs from version to version and has private parts: `never` lets every client be one.
   */
  sendCommand(command: never): unknown;
}

/** The part of a library's client that is used here. Both libraries have it in every version that is supported. */
export interface LibraryClient extends CallerClient {
  /** The socket; absent before the first connection. */
  readonly stream?: LibraryStream | null;
  /** The state of the present connection; `select` is the number of the database. */
  readonly condition?: { readonly select?: number } | null;
  duplicate(override?: Readonly<Record<string, unknown>>): LibraryClient;
  on(event: string, listener: (...args: never[]) => void): unknown;
  removeListener(event: string, listener: (...args: never[]) => void): unknown;
}

/** The part of a library's socket that is used here. */
export interface LibraryStream {
  readonly writable: boolean;
  readonly writableEnded: boolean;
  /** Bytes that wait for the socket, those of a corked one included. */
  readonly writableLength: number;
  cork(): void;
  uncork(): void;
  on(event: "error", listener: () => void): unknown;
  once(event: "data", listener: () => void): unknown;
}

/** A client class of a library. */
interface LibraryClass {
  new (options: Readonly<Record<string, unknown>>): LibraryClient;
  readonly defaultOptions?: Readonly<Record<string, unknown>>;
}

/** Sockets that hang after a farewell are cut this long after it, in ms. */
const FAREWELL_MS = 10;

/** What makes a library's client a plain socket. */
const PLAIN_SOCKET: Readonly<Record<string, unknown>> = {
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  commandTimeout: undefined,
  blockingTimeout: undefined,
  connectionName: null,
  disconnectTimeout: FAREWELL_MS,
  enableAutoPipelining: false,
  enableOfflineQueue: false,
  // The fence asks the server and waits while it loads; the library's own check needs the right to INFO.
  enableReadyCheck: false,
  keepAlive: 10_000,
  keyPrefix: "",
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  monitor: false,
  noDelay: true,
  reconnectOnError: null,
  replyMapping: "legacy",
  retryStrategy: null,
  socketTimeout: undefined,
  stringNumbers: false,
};

/**
 * Loads the library that a connection names, on first use, so that a program without Valkey never carries it.
 *
 * @throws EchoMQError `invalid_connection` when the library is not installed or too old for what is asked of it.
 */
export async function loadClient(
  connection: Connection,
  { soon, clock }: Pick<Ports, "soon" | "clock">,
): Promise<Client> {
  const library = await loadLibrary(connection);
  const options = { ...PLAIN_SOCKET, ...libraryOptions(connection) };
  const { sentinel } = connection;
  if (sentinel !== undefined) {
    const open = (address: Address, own: Readonly<Record<string, unknown>>): OpenSession => {
      const given = { ...options, ...address, ...own };
      return (events) => new OwnedSession(new library(given), events, soon);
    };
    return {
      name: connection.name,
      isBorrowed: () => false,
      open: (_role, events) =>
        new SentinelSession(events, {
          place: sentinel,
          clock,
          openSentinel: (address) => open(address, sentinelOptions(sentinel, address)),
          openServer: (address) => open(address, serverTls(connection.tls, address)),
        }),
    };
  }
  return {
    name: connection.name,
    isBorrowed: () => false,
    open: (_role, events) => new OwnedSession(new library(options), events, soon),
  };
}

/**
 * Loads the library for a cluster and gives its nodes, each with sockets of our own.
 *
 * @throws EchoMQError as {@link loadClient} does.
 */
export async function loadNodes(connection: Connection, soon: (action: () => void) => void): Promise<NodeSource> {
  const library = await loadLibrary(connection);
  const common = { ...PLAIN_SOCKET, ...libraryOptions(connection) };
  return {
    name: connection.name,
    seeds: () => (connection.cluster ?? []).map(addressText),
    client(text) {
      const address = parseAddress(text, "") ?? { host: text, port: 0 };
      const tls = connection.tls === undefined ? undefined : tlsFor(address.host, connection.tls);
      const options = { ...common, ...address, ...(tls === undefined ? {} : { tls }) };
      return {
        name: `${tls === undefined ? "valkey" : "valkeys"}://${text}/0`,
        isBorrowed: () => false,
        open: (_role, events) => new OwnedSession(new library(options), events, soon),
      };
    },
  };
}

/**
 * Uses a client that belongs to the caller: its socket for commands, and sockets of its kind, which are ours, to block
 * and to listen on.
 *
 * @throws EchoMQError `invalid_connection` when it has a key prefix or is no client for one server.
 */
export function borrowClient(caller: CallerClient, soon: (action: () => void) => void): Client {
  // It comes from a library, so it has the rest of what is used here as well.
  const existing = caller as LibraryClient;
  assertUsable(existing);
  return {
    name: nameOf(existing),
    isBorrowed: (role) => role === "command",
    open(role, events) {
      if (role === "command") return new BorrowedSession(existing, events, soon);
      const db = existing.condition?.select ?? libraryOption(existing, "db");
      return new OwnedSession(existing.duplicate({ ...PLAIN_SOCKET, db }), events, soon);
    },
  };
}

/** Whether a value is a client of one of the libraries, by its shape: it may come from another copy of the library. */
export function isLibraryClient(value: unknown): value is CallerClient {
  if (typeof value !== "object" || value === null) return false;
  const client = value as Partial<LibraryClient>;
  return typeof client.sendCommand === "function" && typeof client.disconnect === "function";
}

/** One of the options that a client of the caller's was made with. */
export function libraryOption(client: LibraryClient, name: string): unknown {
  return (client.options as Readonly<Record<string, unknown>>)[name];
}

/** Whether a client speaks to the nodes of a cluster. */
export function isLibraryCluster(client: CallerClient): client is LibraryCluster {
  return client.isCluster === true;
}

function assertUsable(existing: LibraryClient): void {
  if (typeof existing.duplicate !== "function") {
    throw new EchoMQError("invalid_connection", "The client cannot be used: it makes no further sockets.");
  }
  const prefix = libraryOption(existing, "keyPrefix");
  if (prefix !== undefined && prefix !== null && prefix !== "") {
    throw new EchoMQError(
      "invalid_connection",
      "A client with a keyPrefix cannot be used, because the keys are the protocol; give one without.",
    );
  }
  if (libraryOption(existing, "monitor") === true) {
    throw new EchoMQError("invalid_connection", "A monitoring client cannot be used; give one for commands.");
  }
}

async function loadLibrary({ client: name, protocol }: Connection): Promise<LibraryClass> {
  const library = await importLibrary(name);
  if (protocol === 3 && library.defaultOptions?.["protocol"] === undefined) {
    throw new EchoMQError("invalid_connection", "Protocol 3 needs ioredis 6; an older one is installed.");
  }
  return library;
}

async function importLibrary(name: Connection["client"]): Promise<LibraryClass> {
  try {
    // Written out, so that bundlers see both names and can split them off.
    const module: unknown = await (name === "iovalkey" ? import("iovalkey") : import("ioredis"));
    // The first versions of ioredis 5 have their class only as the whole of the module.
    const { Redis, default: whole } = module as { Redis?: LibraryClass; default: LibraryClass };
    return Redis ?? whole;
  } catch (cause) {
    throw new EchoMQError("invalid_connection", `The client ${name} cannot be loaded; run npm install ${name}.`, {
      cause,
    });
  }
}

/** What a socket to a sentinel has in place of what the server's has. */
function sentinelOptions(place: SentinelPlace, { host }: Address): Readonly<Record<string, unknown>> {
  const { username, password, tls } = place;
  return { username, password, db: 0, tls: tls === undefined ? undefined : tlsFor(host, tls) };
}

function serverTls(tls: Connection["tls"], { host }: Address): Readonly<Record<string, unknown>> {
  return tls === undefined ? {} : { tls: tlsFor(host, tls) };
}

function libraryOptions(connection: Connection): Record<string, unknown> {
  return {
    ...connection.place,
    // Either family: the host name decides, and the socket tries both.
    family: 0,
    ...(connection.username === undefined ? {} : { username: connection.username }),
    ...(connection.password === undefined ? {} : { password: connection.password }),
    db: connection.db,
    ...(connection.tls === undefined ? {} : { tls: connection.tls }),
    protocol: connection.protocol,
    connectTimeout: connection.connectTimeoutMs,
  };
}

function nameOf(existing: LibraryClient): string {
  const { path, host, port, db } = existing.options as { path?: string; host?: string; port?: number; db?: number };
  const number = existing.condition?.select ?? db ?? 0;
  if (typeof path === "string" && path !== "") return `unix:${path}?db=${number}`;
  return `valkey://${host ?? "localhost"}:${port ?? 6379}/${number}`;
}
