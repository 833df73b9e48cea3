/**
 * The entry point `echomq/server`: an embedded engine as a server for every client of RESP2 and RESP3.
 *
 * It stands apart from `echomq` because it opens sockets, which no browser bundle should carry.
 */

import { EmbeddedEngine } from "../embedded/embedded-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { assertKnownOptions, assertWhole } from "../queue/option-check.ts";
import { type Place, RespServer } from "./resp-server.ts";

const HOST_DEFAULT = "127.0.0.1";
const PORT_DEFAULT = 6379;
const PORT_MAX = 65_535;
const CLIENTS_MAX_DEFAULT = 10_000;
const CLIENTS_MAX_MAX = 1_000_000;
const BULK_BYTES_DEFAULT = 64 * 1024 * 1024;
/** Longest text of JavaScript that every release of Node.js can hold, with room for what stands around it. */
const BULK_BYTES_MAX = 256 * 1024 * 1024;
const CLOSE_MS_DEFAULT = 5000;

/** Options of {@link createServer}. */
export interface ServerOptions {
  /**
   * The engine to serve, an embedded one: `connect("memory:").engine`, or that of a folder, `connect("file:jobs")`. It
   * is never closed by the server.
   */
  readonly engine: Engine;
  /** Port to listen on; 0 takes a free one. Default 6379, unless there is a `path`. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`; an address that other machines reach needs a `password`. */
  readonly host?: string;
  /** Path of a unix socket to listen on instead of a port. A socket file that nobody serves any more is replaced. */
  readonly path?: string;
  /** What clients have to give before anything else, as `AUTH` or in the URL. Default: nothing. */
  readonly password?: string;
  /** How many clients there may be; one more is told so and let go. Default 10,000. */
  readonly maxClients?: number;
  /** How long a client may be silent that neither listens nor waits; default 0, for ever. */
  readonly idleTimeout?: Duration;
  /** Longest argument of a command, in bytes; default 64 MiB. A whole command may have twice as much. */
  readonly maxArgumentBytes?: number;
}

/** Options of {@link RunningServer.close}. */
export interface ServerCloseOptions {
  /** How long clients may take to receive what is on its way; default 5 s. */
  readonly timeout?: Duration;
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** What clients connect to: `redis://127.0.0.1:6379`, or `unix:/run/jobs.sock`. It never holds the password. */
  readonly url: string;
  /** The port it listens on; 0 at a path. */
  readonly port: number;
  /** How many clients there are now. */
  readonly clientCount: number;
  /**
   * Takes no further clients and commands, sends what is on its way, and ends all connections; the engine goes on.
   * Closing twice is closing once.
   */
  close(options?: ServerCloseOptions): Promise<void>;
}

/**
 * Serves an embedded engine over RESP2 and RESP3, on a port or a unix socket, so that other processes share its queues.
 *
 * @example
 * const server = await createServer({ engine: connect("memory:").engine, port: 0 });
 * const mail = new Queue("mail", { connection: server.url });
 * @throws EchoMQError `cannot_listen` for an address that is taken or cannot be had, and for a public one without a
 *   password; `unsupported` for an engine that is not embedded; `invalid_option`, `unknown_option`; what opening the
 *   folder of the engine throws.
 */
export async function createServer(options: ServerOptions): Promise<RunningServer> {
  assertKnownOptions(options, {
    owner: "A server",
    known: ["engine", "port", "host", "path", "password", "maxClients", "idleTimeout", "maxArgumentBytes"],
  });
  const { maxClients = CLIENTS_MAX_DEFAULT, maxArgumentBytes = BULK_BYTES_DEFAULT } = options;
  const engine = await trueEngine(options.engine);
  if (!(engine instanceof EmbeddedEngine)) {
    throw new EchoMQError("unsupported", 'A server serves an embedded engine, such as connect("memory:").engine');
  }
  assertWhole(maxClients, "maxClients", { min: 1, max: CLIENTS_MAX_MAX });
  assertWhole(maxArgumentBytes, "maxArgumentBytes", { min: 1, max: BULK_BYTES_MAX });
  const server = await RespServer.listen({
    door: engine.door,
    ports: engine.ports,
    place: placeOf(options),
    password: passwordOf(options),
    limits: { bulkBytesMax: maxArgumentBytes, commandBytesMax: 2 * maxArgumentBytes },
    clientsMax: maxClients,
    idleMs: durationMs(options.idleTimeout ?? 0, "idleTimeout"),
  });
  const close = (closing: ServerCloseOptions = {}): Promise<void> => {
    assertKnownOptions(closing, { owner: "close", known: ["timeout"] });
    return server.close(durationMs(closing.timeout ?? CLOSE_MS_DEFAULT, "timeout"));
  };
  return {
    url: server.url,
    port: server.port,
    get clientCount() {
      return server.clientCount;
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The engine behind one that stands for it while it opens its folder. */
async function trueEngine(engine: Engine): Promise<Engine> {
  const { loaded } = (engine ?? {}) as { loaded?: (this: Engine) => Promise<Engine> };
  return typeof loaded === "function" ? await loaded.call(engine) : engine;
}

function placeOf({ path, host, port }: ServerOptions): Place {
  if (path === undefined) {
    const place = { host: host ?? HOST_DEFAULT, port: port ?? PORT_DEFAULT };
    assertWhole(place.port, "port", { min: 0, max: PORT_MAX });
    assertText(place.host, "host");
    return place;
  }
  if (host !== undefined || port !== undefined) {
    throw new EchoMQError("invalid_option", "A server listens on a port or at a path: give port and host, or path");
  }
  assertText(path, "path");
  return { path };
}

function passwordOf({ password }: ServerOptions): string | undefined {
  if (password !== undefined) assertText(password, "password");
  return password;
}

function assertText(value: unknown, name: string): void {
  if (typeof value === "string" && value !== "") return;
  // A password that is a text is never shown; it is right, or empty.
  throw new EchoMQError("invalid_option", `${name} must be a text that is not empty, not ${quote(value)}`);
}
