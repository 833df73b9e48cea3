/**
 * Reads what a user gives as a connection into one plain description.
 *
 * A wrong connection must be refused where it is written and not seconds later by a socket, so everything that can be
 * known without a server is checked here, and each refusal says what would be right. Passwords never get into a
 * message: `name` is the only form of a connection that is ever printed.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { type Address, addressText } from "./cluster/address.ts";

/** The libraries that can carry the connection. `iovalkey` comes with this package, `ioredis` is the user's. */
export type ClientName = "iovalkey" | "ioredis";

/** A connection as an options object. Exactly one of `url`, `path` and `host` says where; no one means localhost. */
export interface ValkeyConnectionOptions {
  /** As in {@link parseConnection}; the other options win over its parts. */
  readonly url?: string;
  /** Default `localhost`. */
  readonly host?: string;
  /** Default 6379. */
  readonly port?: number;
  /** A unix socket. */
  readonly path?: string;
  readonly username?: string;
  readonly password?: string;
  /** Number of the database, default 0. */
  readonly db?: number;
  /** Encrypt: `true`, or the options of `tls.connect`. */
  readonly tls?: boolean | Readonly<Record<string, unknown>>;
  /** Default `iovalkey`. */
  readonly client?: ClientName;
  /** Version of the protocol, default 2. 3 needs `ioredis` 6. */
  readonly protocol?: 2 | 3;
  /** Longest time to open a socket, in ms, default 5000. */
  readonly connectTimeoutMs?: number;
  /** Nodes of a cluster, at least one; the others are found from there. In place of `host`, `port` and `path`. */
  readonly cluster?: readonly ServerAddress[];
  /** Sentinels, at least one, of the primary that `name` names. In place of `host`, `port` and `path`. */
  readonly sentinels?: readonly ServerAddress[];
  /** The name of the primary among the sentinels. */
  readonly name?: string;
  /** User and password at the sentinels, if they want any; those of the server are not sent to them. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  /** Encrypt the connections to the sentinels: `true`, or the options of `tls.connect`. Default: not. */
  readonly sentinelTls?: boolean | Readonly<Record<string, unknown>>;
}

/** Where one of several servers listens; the port is 6379, and 26379 for a sentinel, unless it is given. */
export interface ServerAddress {
  readonly host: string;
  readonly port?: number;
}

/** How to find a primary by sentinels. */
export interface SentinelPlace {
  readonly sentinels: readonly Address[];
  readonly name: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: Readonly<Record<string, unknown>> | undefined;
}

/** A connection that was read and found sound. */
export interface Connection {
  readonly place: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly db: number;
  readonly tls: Readonly<Record<string, unknown>> | undefined;
  readonly client: ClientName;
  readonly protocol: 2 | 3;
  readonly connectTimeoutMs: number;
  /** Nodes of the cluster; `place` is the first of them then. */
  readonly cluster: readonly Address[] | undefined;
  /** The sentinels to ask; `place` is the first of them then. */
  readonly sentinel: SentinelPlace | undefined;
  /** For messages and logs: where, without user and password. */
  readonly name: string;
}

const PORT_DEFAULT = 6379;
const SENTINEL_PORT_DEFAULT = 26_379;
const CONNECT_TIMEOUT_MS_DEFAULT = 5000;

/** What a timer of the platform can wait for. */
const CONNECT_TIMEOUT_MS_MAX = 2 ** 31 - 1;

const PORT_RANGE = { min: 1, max: 65_535 } as const;

/** The server has 16 databases unless it is told otherwise; this only catches nonsense. */
const DB_MAX = 2 ** 31 - 1;

const FORMS =
  "valkey://host:port/db, valkeys:// (TLS), redis://, rediss:// (TLS), unix:/path?db=0, " +
  "valkey-cluster://host:port,host:port, valkey-sentinel://host:port,host:port/name/db, file:./folder or memory:";

/** What an options object may say of where a server is. */
export const CONNECTION_OPTION_NAMES: readonly (keyof ValkeyConnectionOptions)[] = [
  "url",
  "host",
  "port",
  "path",
  "username",
  "password",
  "db",
  "tls",
  "client",
  "protocol",
  "connectTimeoutMs",
  "cluster",
  "sentinels",
  "name",
  "sentinelUsername",
  "sentinelPassword",
  "sentinelTls",
];

/** What a URL may carry behind the question mark. */
const QUERY_NAMES = ["db", "client", "protocol"] as const;

const PLAIN_SCHEMES = new Set(["valkey:", "redis:"]);
const TLS_SCHEMES = new Set(["valkeys:", "rediss:"]);

/**
 * Reads a URL or an options object.
 *
 * A URL is `valkey://[user[:password]@]host[:port][/db]`, the same with `valkeys:`, `redis:` or `rediss:` (the plural
 * ones encrypt), or `unix:[//user:password@]/path`; each takes `?db=0&client=ioredis&protocol=3`. Parts are
 * percent-decoded.
 *
 * `valkey-cluster://[user[:password]@]host[:port],host[:port]` names nodes of a cluster, and
 * `valkey-sentinel://[user[:password]@]host[:port],host[:port]/name[/db]` sentinels and the primary's name; with
 * `valkeys-` in front they encrypt.
 *
 * @throws EchoMQError `invalid_connection` with what is wrong and what would be right; `unknown_option` for an option
 *   or query name that does not exist.
 */
export function parseConnection(input: string | ValkeyConnectionOptions): Connection {
  const options = typeof input === "string" ? optionsOfUrl(input) : ownOptions(input);
  const cluster = addressesOf("cluster", options.cluster, PORT_DEFAULT);
  const sentinel = sentinelOf(options);
  const several = cluster ?? sentinel?.sentinels;
  if (several !== undefined) assertAlone(options);
  const place = several?.[0] ?? placeOf(options);
  const tls = several === undefined ? tlsOf(options, place) : ownTls("tls", options.tls);
  const db = wholeNumber("db", options.db ?? 0, { min: 0, max: DB_MAX });
  if (cluster !== undefined && db !== 0) throw invalid("A cluster has the database 0 only.");
  return {
    place,
    username: text("username", options.username),
    password: text("password", options.password),
    db,
    tls,
    client: oneOf("client", options.client ?? "iovalkey", ["iovalkey", "ioredis"]),
    protocol: protocolOf(options),
    connectTimeoutMs: wholeNumber("connectTimeoutMs", options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS_DEFAULT, {
      min: 1,
      max: CONNECT_TIMEOUT_MS_MAX,
    }),
    cluster,
    sentinel,
    name: nameOf({ place, db, tls, cluster, sentinel }),
  };
}

function ownOptions(input: ValkeyConnectionOptions): ValkeyConnectionOptions {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw invalid(`Give ${FORMS}, an options object or a client.`);
  for (const name of Object.keys(input)) {
    if (!CONNECTION_OPTION_NAMES.includes(name as keyof ValkeyConnectionOptions)) {
      throw new EchoMQError(
        "unknown_option",
        `A connection has no option ${name}; it takes ${list(CONNECTION_OPTION_NAMES)}.`,
      );
    }
  }
  if (input.url === undefined) return input;
  const { url, ...own } = input;
  if (typeof url !== "string") throw invalid(`The option url must be a text: ${FORMS}.`);
  return { ...optionsOfUrl(url), ...own };
}

/** The parts of a URL that names several hosts, which no parser of URLs takes: before, among and behind the hosts. */
const SEVERAL = /^(valkeys?|rediss?)-(cluster|sentinel):\/\/((?:[^@/?#]*@)?)([^/?#@]+)((?:\/[^?#]*)?)(.*)$/s;

function optionsOfSeveral(match: RegExpExecArray): ValkeyConnectionOptions {
  const [, scheme = "", kind, user = "", hosts = "", path = "", rest = ""] = match;
  const isCluster = kind === "cluster";
  const addresses = hosts.split(",").map((host) => {
    const { host: name, port } = optionsOfUrl(`valkey://${host}`);
    const isBare = !/:\d+$/.test(host);
    return { host: name ?? "", ...(isBare || port === undefined ? {} : { port }) };
  });
  const [name = "", ...dbPath] = path.slice(1).split("/");
  const one = `${scheme}://${user}one${isCluster ? path : `/${dbPath.join("/")}`}${rest}`;
  const { host: _host, port: _port, ...own } = optionsOfUrl(one);
  return isCluster ? { ...own, cluster: addresses } : { ...own, sentinels: addresses, name: decoded(name, "name") };
}

function optionsOfUrl(source: string): ValkeyConnectionOptions {
  const several = SEVERAL.exec(source);
  if (several !== null) return optionsOfSeveral(several);
  let url: URL;
  // A user without a host is no URL, but it is how a unix socket is written; the host that is put in is not used.
  const hosted = source.replace(/^(unix:\/\/[^/?#]*@)\//, "$1unix/");
  try {
    url = new URL(hosted);
  } catch {
    // The text may hold a password, so it is not repeated.
    throw invalid(`The connection is no URL; give ${FORMS}.`);
  }
  if (url.hash !== "") throw invalid("A # in a user, password or path must be written as %23.");
  const own = { ...credentialsOf(url), ...queryOf(url) };
  if (url.protocol === "unix:") {
    const path = hosted === source ? url.host + url.pathname : url.pathname;
    return { ...own, path: decoded(path, "path") };
  }
  if (url.protocol === "memory:") throw invalid("A store in memory takes no options: give memory: in their place.");
  const isTls = TLS_SCHEMES.has(url.protocol);
  if (!isTls && !PLAIN_SCHEMES.has(url.protocol)) {
    throw invalid(`The scheme ${url.protocol} is not known; give ${FORMS}.`);
  }
  if (url.hostname === "") throw invalid(`The connection names no host; give ${FORMS}.`);
  return {
    ...dbOfPath(url.pathname),
    ...own,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? PORT_DEFAULT : Number(url.port),
    ...(isTls ? { tls: true } : {}),
  };
}

function credentialsOf(url: URL): ValkeyConnectionOptions {
  if (url.username === "" && url.password === "") return {};
  const username = decoded(url.username, "user");
  return { ...(username === "" ? {} : { username }), password: decoded(url.password, "password") };
}

function queryOf(url: URL): ValkeyConnectionOptions {
  const query: { db?: number; client?: ClientName; protocol?: 2 | 3 } = {};
  for (const [name, value] of url.searchParams) {
    if (name === "db") query.db = decimal("db", value);
    else if (name === "client") query.client = value as ClientName;
    else if (name === "protocol") query.protocol = decimal("protocol", value) as 2 | 3;
    else {
      throw new EchoMQError("unknown_option", `A connection URL has no ${name}; it takes ${list(QUERY_NAMES)}.`);
    }
  }
  return query;
}

function dbOfPath(path: string): ValkeyConnectionOptions {
  const number = path.replace(/^\//, "").replace(/\/$/, "");
  return number === "" ? {} : { db: decimal("db", number) };
}

function placeOf(options: ValkeyConnectionOptions): Connection["place"] {
  const path = text("path", options.path);
  if (path === undefined) {
    const host = text("host", options.host) ?? "localhost";
    if (host === "") throw invalid("The option host is empty.");
    return { host, port: wholeNumber("port", options.port ?? PORT_DEFAULT, PORT_RANGE) };
  }
  if (path === "" || path === "/") throw invalid("A unix socket needs a path, such as unix:/run/valkey/valkey.sock.");
  if (options.host !== undefined) throw invalid("Give a host or the path of a unix socket, not both.");
  return { path };
}

function tlsOf(options: ValkeyConnectionOptions, place: Connection["place"]): Connection["tls"] {
  const own = ownTls("tls", options.tls);
  return own === undefined || "path" in place ? own : tlsFor(place.host, own);
}

function ownTls(option: string, tls: ValkeyConnectionOptions["tls"] = false): Connection["tls"] {
  if (tls === false) return undefined;
  if (tls === true) return {};
  if (typeof tls === "object" && tls !== null) return tls;
  throw invalid(`The option ${option} is true, false or an object of options for tls.connect.`);
}

/** The options of TLS for one host: certificates are checked against its name; an address may not be sent as one. */
export function tlsFor(host: string, tls: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return /^[\d.]+$|:/.test(host) ? tls : { servername: host, ...tls };
}

function addressesOf(option: string, given: unknown, portDefault: number): Address[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length === 0) {
    throw invalid(`The option ${option} is a list of at least one { host, port }.`);
  }
  return given.map((each: unknown) => {
    const { host, port } = (each ?? {}) as Partial<ServerAddress>;
    if (typeof host !== "string" || host === "") throw invalid(`Each of ${option} is { host, port }.`);
    return { host, port: wholeNumber(`${option} port`, port ?? portDefault, PORT_RANGE) };
  });
}

function sentinelOf(options: ValkeyConnectionOptions): SentinelPlace | undefined {
  const sentinels = addressesOf("sentinels", options.sentinels, SENTINEL_PORT_DEFAULT);
  const name = text("name", options.name);
  if (sentinels === undefined) {
    const stray = (["name", "sentinelUsername", "sentinelPassword", "sentinelTls"] as const).find(
      (option) => options[option] !== undefined,
    );
    if (stray !== undefined) throw invalid(`The option ${stray} goes with sentinels.`);
    return undefined;
  }
  if (name === undefined || name === "") throw invalid("The option name says which primary the sentinels watch.");
  return {
    sentinels,
    name,
    username: text("sentinelUsername", options.sentinelUsername),
    password: text("sentinelPassword", options.sentinelPassword),
    tls: ownTls("sentinelTls", options.sentinelTls),
  };
}

function assertAlone(options: ValkeyConnectionOptions): void {
  const places = (["cluster", "sentinels", "host", "port", "path"] as const).filter(
    (option) => options[option] !== undefined,
  );
  if (places.length > 1) throw invalid(`Give one of ${list(places)}, not all of them.`);
}

function protocolOf(options: ValkeyConnectionOptions): 2 | 3 {
  const protocol = options.protocol ?? 2;
  if (protocol !== 2 && protocol !== 3) throw invalid("The option protocol is 2 or 3.");
  if (protocol === 3 && options.client !== "ioredis") {
    throw invalid("Protocol 3 needs ioredis 6: set client to ioredis, or leave protocol at 2.");
  }
  return protocol;
}

function nameOf(connection: Pick<Connection, "place" | "db" | "tls" | "cluster" | "sentinel">): string {
  const { place, db, tls, cluster, sentinel } = connection;
  const scheme = tls === undefined ? "valkey" : "valkeys";
  if (cluster !== undefined) return `${scheme}-cluster://${cluster.map(addressText).join(",")}`;
  if (sentinel !== undefined) {
    return `${scheme}-sentinel://${sentinel.sentinels.map(addressText).join(",")}/${sentinel.name}/${db}`;
  }
  if ("path" in place) return `unix:${place.path}?db=${db}`;
  const host = place.host.includes(":") ? `[${place.host}]` : place.host;
  return `${scheme}://${host}:${place.port}/${db}`;
}

function text(option: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`The option ${option} must be a text.`);
}

function oneOf<T extends string>(option: string, value: T, words: readonly T[]): T {
  if (words.includes(value)) return value;
  throw invalid(`The option ${option} is one of ${list(words)}.`);
}

function wholeNumber(
  option: string,
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(`The option ${option} is a whole number from ${min} to ${max}.`);
}

function decimal(option: string, value: string): number {
  if (/^\d{1,10}$/.test(value)) return Number(value);
  throw invalid(`The option ${option} is a whole number.`);
}

function decoded(part: string, name: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid(`The ${name} has a broken percent escape; write % as %25.`);
  }
}

function list(words: readonly string[]): string {
  return words.join(", ");
}

function invalid(message: string): EchoMQError {
  return new EchoMQError("invalid_connection", message);
}
