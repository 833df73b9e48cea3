/**
 * Listens for clients of RESP2 and RESP3 and serves them from an embedded engine.
 *
 * It listens on 127.0.0.1 unless told otherwise, and on no public address without a password: whoever can reach it can
 * read and remove every job. Bounds: clients, output and input of each (`session.ts`), the time that one may take
 * nothing of what waits for it, and if wanted the time that one may say nothing.
 */

import { chmodSync, lstatSync, statSync, unlinkSync } from "node:fs";
import { connect, createServer, isIPv6, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { platform, umask } from "node:process";
import type { Door } from "../embedded/door.ts";
import type { Ports, Timer } from "../engine/ports.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { type ClientLimits, Hub } from "./hub.ts";
import { isLoopback } from "./loopback.ts";
import { type Peer, Session } from "./session.ts";

/** How often clients are looked at, in ms. */
const SWEEP_MS = 1000;
/** How long a client may take nothing of what waits for it, in ms. */
const STALL_MS_MAX = 60_000;
/** How long a client may stay without its password, in ms. */
const STRANGER_MS_MAX = 60_000;
/** Silence after which the system asks whether the other side is still there, in ms. */
const KEEP_ALIVE_MS = 60_000;
/** Clients that may knock at once; the system may hold fewer. */
const BACKLOG = 4096;
/** How long a socket file may take to answer whether somebody listens there, in ms. */
const PROBE_MS_MAX = 1000;

/** What the address of a unix socket holds without its last NUL; Windows has pipes. */
const SOCKET_PATH_BYTES_MAX = { linux: 107, win32: 256 }[platform as string] ?? 103;
/** A unix socket is its user's alone. */
const SOCKET_MODE = 0o700;

/** Digits of the name that `INFO` gives a start of the server. */
const RUN_ID_DIGITS = 40;

const TOO_MANY = "-ERR max number of clients reached\r\n";

/** Where a server listens: on a port, or at a path. */
export type Place = { readonly host: string; readonly port: number } | { readonly path: string };

/** What a {@link RespServer} works with; everything has been checked. */
export interface RespServerOptions {
  readonly door: Door;
  readonly ports: Ports;
  readonly place: Place;
  readonly password: string | undefined;
  readonly limits: ClientLimits;
  readonly clientsMax: number;
  /** 0 lets clients be silent for ever. */
  readonly idleMs: number;
}

/** A server that listens. */
export class RespServer {
  readonly #hub: Hub;
  readonly #server: Server;
  readonly #place: Place;
  #sweepTimer: Timer | undefined;
  #closed: Promise<void> | undefined;

  private constructor(options: RespServerOptions) {
    this.#place = options.place;
    this.#hub = new Hub({
      ...options,
      password: options.password === undefined ? undefined : bytesOf(options.password),
      runId: runIdOf(options.ports),
    });
    // A client may end its side and still want its replies, as `printf … | nc` does.
    const settings = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    this.#server = createServer(settings, (socket) => this.#welcome(socket));
  }

  /** Listens; see `createServer` for the errors. */
  static async listen(options: RespServerOptions): Promise<RespServer> {
    const { place } = options;
    if ("host" in place && options.password === undefined && !isLoopback(place.host)) {
      throw new EchoMQError(
        "cannot_listen",
        `${place.host} can be reached from other machines, and everybody there could read and remove every job. ` +
          "Give a password, or listen on 127.0.0.1 or a unix socket.",
      );
    }
    if ("path" in place) {
      assertFits(place.path);
      await clearStale(place.path);
    }
    const server = new RespServer(options);
    await server.#listen();
    return server;
  }

  /** The port that it listens on; 0 at a path. */
  get port(): number {
    return this.#hub.listening.port;
  }

  /** What a client connects to, without a password. */
  get url(): string {
    const { host, port, path } = this.#hub.listening;
    return path === "" ? `redis://${isIPv6(host) ? `[${host}]` : host}:${port}` : `unix:${path}`;
  }

  /** How many clients there are now. */
  get clientCount(): number {
    return this.#hub.sessionCount;
  }

  /**
   * Takes no further clients and no further commands, sends what is on its way, and lets go of all. Who has not taken
   * what is theirs after `timeoutMs` is cut off. The engine is left as it is. Closing twice is closing once.
   */
  close(timeoutMs: number): Promise<void> {
    this.#closed ??= this.#close(timeoutMs);
    return this.#closed;
  }

  async #close(timeoutMs: number): Promise<void> {
    this.#sweepTimer?.cancel();
    const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#hub.sessions()) session.end();
    const cutOff = (): void => {
      for (const session of this.#hub.sessions()) session.destroy();
    };
    const timer = this.#hub.ports.clock.after(timeoutMs, cutOff);
    await new Promise<void>((resolve) => this.#hub.onEmpty(resolve));
    timer.cancel();
    await stopped;
    this.#hub.close();
  }

  #listen(): Promise<void> {
    const place = this.#place;
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => {
        this.#hub.close();
        reject(cannotListen(place, error));
      });
      const onListening = (): void => {
        try {
          if ("path" in place) makePrivate(place.path);
        } catch (error) {
          this.#server.close();
          this.#hub.close();
          return reject(cannotListen(place, error as NodeJS.ErrnoException));
        }
        // Too many open files, for one: who was not let in tries again, and the server goes on.
        this.#server.removeAllListeners("error");
        this.#server.on("error", (error) => this.#hub.logger.error("A client could not be taken", { error }));
        this.#note();
        this.#sweep();
        resolve();
      };
      if ("host" in place) this.#server.listen({ ...place, backlog: BACKLOG }, onListening);
      else {
        listenInPrivate(() => {
          this.#server.listen({ ...place, backlog: BACKLOG }, onListening);
        });
      }
    });
  }

  #note(): void {
    const address = this.#server.address();
    this.#hub.listening =
      typeof address === "object" && address !== null
        ? { host: "host" in this.#place ? this.#place.host : address.address, port: address.port, path: "" }
        : { host: "", port: 0, path: address ?? "" };
  }

  #welcome(socket: Socket): void {
    if (this.#closed !== undefined || this.#hub.sessionCount >= this.#hub.clientsMax) {
      this.#hub.stats.rejectedConnections++;
      socket.on("error", () => {});
      socket.end(TOO_MANY, () => socket.destroy());
      return;
    }
    this.#hub.add(new Session(this.#hub, socket, this.#peerOf(socket)));
  }

  #peerOf(socket: Socket): Peer {
    const { path } = this.#hub.listening;
    if (path !== "") return { address: `${bytesOf(path)}:0`, localAddress: `${bytesOf(path)}:0`, isUnix: true };
    return {
      address: addressText(socket.remoteAddress, socket.remotePort),
      localAddress: addressText(socket.localAddress, socket.localPort),
      isUnix: false,
    };
  }

  /** Looks at all clients from time to time. */
  #sweep(): void {
    const { ports, idleMs, logger } = this.#hub;
    const look = (): void => {
      const now = this.#hub.now();
      for (const session of this.#hub.sessions()) {
        if (session.stalledMs(now) >= STALL_MS_MAX) {
          logger.warn("A client that takes nothing was disconnected", {
            code: "slow_reader",
            client: session.peer.address,
            waitingBytes: session.outputBytes,
          });
          session.destroy();
        } else if (isDone(session, now, idleMs)) session.end();
      }
      this.#sweep();
    };
    this.#sweepTimer = ports.clock.after(SWEEP_MS, look, { background: true });
  }
}

/** Whether a client has been silent for too long. One that waits or listens has reason to be. */
function isDone(session: Session, now: number, idleMs: number): boolean {
  if (!session.isTrusted && now - session.startedAt >= STRANGER_MS_MAX) return true;
  const isWaiting = session.blocked !== undefined || session.isSubscribed;
  return idleMs > 0 && !isWaiting && now - session.lastAt >= idleMs;
}

/** A name of this start of the server, in the form that clients expect: 40 hexadecimal digits. It is no secret. */
function runIdOf(ports: Ports): string {
  return Array.from({ length: RUN_ID_DIGITS }, () => Math.floor(ports.random() * 16).toString(16)).join("");
}

function addressText(host: string | undefined, port: number | undefined): Bytes {
  if (host === undefined) return "?:0";
  return `${isIPv6(host) ? `[${host}]` : host}:${port ?? 0}`;
}

/** A longer path would be cut by the system without a word, and the socket be found under another name. */
function assertFits(path: string): void {
  if (bytesOf(path).length <= SOCKET_PATH_BYTES_MAX) return;
  throw new EchoMQError(
    "cannot_listen",
    `Cannot listen at ${path}: the path of a unix socket has at most ${SOCKET_PATH_BYTES_MAX} bytes. Take a shorter ` +
      "path, or a relative one.",
  );
}

/**
 * Listens so that nobody else may open the socket, not even for a moment: what the process makes is open to a group,
 * or to all, where its mask says so. Threads may not change the mask; `listen` sets the rights afterwards as well.
 */
function listenInPrivate(listen: () => void): void {
  let mask: number | undefined;
  try {
    mask = umask(0o077);
  } catch {
    // A thread of the program, or a system without masks.
  }
  try {
    listen();
  } finally {
    if (mask !== undefined) umask(mask);
  }
}

function makePrivate(path: string): void {
  if (isSocketFile(path)) chmodSync(path, SOCKET_MODE);
}

function isSocketFile(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    // None is there, or it has no name among the files.
    return false;
  }
}

/** Takes away the socket file of a server that is gone. One that answers, and any other file, is let be. */
async function clearStale(path: string): Promise<void> {
  if (!isSocketFile(path) || (await isAnswered(path))) return;
  unlinkSync(path);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.setTimeout(PROBE_MS_MAX, () => socket.destroy(new Error("no answer")));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    // Only a refusal says that nobody listens; a socket of somebody else, say, is not ours to take.
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED"));
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "somebody else listens there",
  EACCES: "this user may not",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host",
  ENOENT: "there is no such folder",
};

function cannotListen(place: Place, cause: NodeJS.ErrnoException): EchoMQError {
  const where = "path" in place ? place.path : `${place.host}:${place.port}`;
  // The system's library tells of a missing folder as of one without rights.
  const isFolderless = "path" in place && statSync(dirname(place.path), { throwIfNoEntry: false }) === undefined;
  const code = isFolderless ? "ENOENT" : (cause.code ?? "");
  const reason = REASONS[code] ?? cause.message;
  return new EchoMQError("cannot_listen", `Cannot listen at ${where}: ${reason}. Take another port or path.`, {
    cause,
  });
}
