/**
 * Starts real servers for tests and benches, and sees to it that none outlives them.
 *
 * A server listens on a unix socket in a temporary folder, by wish on a free loopback port as well. Readiness is found
 * by asking, never by waiting a fixed time. Two things end a server: `stop()`, and a watcher process whose standard
 * input closes when this thread or process is gone in any way, SIGKILL included.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findRedis, findServer } from "../../scripts/server/find-server.mjs";
import { type ReplyValue, WireClient } from "./wire-client.ts";

export interface ServerOptions {
  /** Which product; `valkey` is the default. */
  readonly kind?: "valkey" | "redis";
  /** Also listen on a free port of 127.0.0.1; `url` then names the port. */
  readonly tcp?: boolean;
  /** Settings of the server's configuration, such as `{ requirepass: "secret", appendonly: "yes" }`. */
  readonly config?: Readonly<Record<string, string>>;
  /** Further command line arguments, after everything else. */
  readonly args?: readonly string[];
  /** Speak TLS on the port of `tcp`, with these files; `url` is then a `valkeys://` one. The socket stays plain. */
  readonly tls?: ServerTls;
  /** Text of a configuration file, for what no command line takes, such as the masters of a sentinel. */
  readonly configFile?: string;
  /** Also take a free port for the bus of a cluster. */
  readonly hasBus?: boolean;
}

/** What a server needs to speak TLS: paths of PEM files. */
export interface ServerTls {
  readonly caPath: string;
  readonly certPath: string;
  readonly keyPath: string;
  /** Whether a client must show a certificate of the same authority. */
  readonly asksClients: boolean;
}

/** Longest time from start to the first answer, and from a signal to the end, in ms. */
const START_MS_MAX = 60_000;

/** Pause between two attempts to reach a starting server, in ms. */
const RETRY_MS = 5;

/** Starts of a server on another port before giving up: a port that was free may be taken a moment later. */
const PORT_TRIES = 5;

/** Where a server lives. */
interface ServerPlace {
  readonly folder: string;
  readonly program: string;
  readonly port: number | undefined;
  readonly busPort: number | undefined;
}

/** A server that belongs to the caller. */
export class TestServer {
  readonly kind: "valkey" | "redis";
  readonly socketPath: string;
  /** The port on 127.0.0.1, when `tcp` was asked for. It stays the same over a restart. */
  readonly port: number | undefined;
  /** The port of the cluster's bus, when `hasBus` was asked for. */
  readonly busPort: number | undefined;
  readonly #folder: string;
  readonly #options: ServerOptions;
  readonly #program: string;
  #child: ChildProcess | undefined;
  #watcher: ChildProcess | undefined;

  /** Use {@link startServer}. */
  constructor(place: ServerPlace, options: ServerOptions) {
    this.kind = options.kind ?? "valkey";
    this.#folder = place.folder;
    this.#program = place.program;
    this.#options = options;
    this.port = place.port;
    this.busPort = place.busPort;
    this.socketPath = join(place.folder, "s");
  }

  /** What a connection takes: `unix:/path`, or `valkey://127.0.0.1:port` where a port was asked for. */
  get url(): string {
    if (this.port === undefined) return `unix:${this.socketPath}`;
    const scheme = this.kind === "valkey" ? "valkey" : "redis";
    return `${scheme}${this.#options.tls === undefined ? "" : "s"}://127.0.0.1:${this.port}`;
  }

  /** The process id. Throws when the server does not run. */
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error("the server does not run");
    return pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts the process and resolves when it answers. Part of {@link startServer} and {@link restart}. */
  async start(): Promise<void> {
    const { configFile } = this.#options;
    if (configFile !== undefined) writeFileSync(join(this.#folder, "conf"), configFile);
    const child = spawn(this.#program, this.#arguments(), { cwd: this.#folder, stdio: "ignore" });
    this.#child = child;
    child.once("error", () => this.#forget(child));
    child.once("exit", () => this.#forget(child));
    if (child.pid !== undefined) this.#watcher = watch(child.pid, this.#folder);
    await this.#untilReady(child);
  }

  /** Runs one command on a connection of its own, bytes as Latin-1 text. A refusal is thrown as an `Error`. */
  async command(...parts: readonly string[]): Promise<ReplyValue> {
    const client = await this.client();
    try {
      return await client.command(...parts);
    } finally {
      client.close();
    }
  }

  /** A raw connection, past `requirepass` if that is set. The caller closes it. */
  async client(): Promise<WireClient> {
    const client = await WireClient.connect(this.socketPath);
    const password = this.#options.config?.["requirepass"];
    if (password !== undefined && password !== "") await client.command("AUTH", password);
    return client;
  }

  /** Ends the server (SIGTERM, then SIGKILL) and removes its folder. Calling it twice is harmless. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Kills the server as a crash does and resolves when it is gone. Its files stay for {@link restart}. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Ends the server if it runs and starts it again at the same address. Data come back as `config` keeps them. */
  async restart(): Promise<void> {
    await this.#end("SIGTERM");
    await this.start();
  }

  /** Stops the process where it stands: connections stay open and nothing is answered. */
  freeze(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  /** Lets a frozen process go on. */
  thaw(): void {
    process.kill(this.pid, "SIGCONT");
  }

  /** What the server wrote to its log so far. */
  log(): string {
    try {
      return readFileSync(join(this.#folder, "log"), "utf8");
    } catch {
      return "";
    }
  }

  #arguments(): string[] {
    const { configFile, tls } = this.#options;
    const settings: Record<string, string> = {
      ...portSettings(this.port, tls),
      ...(this.busPort === undefined ? {} : { "cluster-port": String(this.busPort) }),
      bind: "127.0.0.1",
      unixsocket: this.socketPath,
      dir: this.#folder,
      logfile: join(this.#folder, "log"),
      daemonize: "no",
      save: "",
      // A replica of a test is the only one, so nobody is worth waiting for.
      "repl-diskless-sync-delay": "0",
      ...this.#options.config,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const file = configFile === undefined ? [] : [join(this.#folder, "conf")];
    return [...file, ...flags, ...(this.#options.args ?? [])];
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + START_MS_MAX;
    while (performance.now() < deadline) {
      if (this.#child !== child) throw new Error(`the server ended at once:\n${this.log()}`);
      if (await this.#isReady()) return;
      await pause(RETRY_MS);
    }
    await this.kill();
    throw new Error(`the server did not answer within ${START_MS_MAX} ms:\n${this.log()}`);
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await this.command("PING")) === "PONG";
    } catch (error) {
      // A wrong password of the test's own making is an answer; LOADING and a missing socket are not.
      return error instanceof Error && /^(?:NOAUTH|WRONGPASS|NOPERM|MASTERDOWN)/.test(error.message);
    }
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    // A frozen process takes the signal only once it goes on.
    child.kill("SIGCONT");
    const force = setTimeout(() => child.kill("SIGKILL"), START_MS_MAX / 3);
    await ended;
    clearTimeout(force);
  }

  #forget(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#watcher?.kill("SIGKILL");
    this.#watcher = undefined;
  }
}

/** Starts a server and resolves when it answers. Throws when none is to be had; see `whyNoRedis` for Redis. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const { path } = options.kind === "redis" ? findRedis() : findServer();
  for (let attempt = 1; ; attempt++) {
    const folder = mkdtempSync(join(tmpdir(), "echomq-"));
    const port = options.tcp === true ? await freePort() : undefined;
    const busPort = options.hasBus === true ? await freePort() : undefined;
    const server = new TestServer({ folder, program: path, port, busPort }, options);
    try {
      await server.start();
      return server;
    } catch (error) {
      const isTaken = /Address already in use|Failed listening/.test(server.log());
      await server.stop();
      if (!isTaken || attempt === PORT_TRIES) throw error;
    }
  }
}

function portSettings(port: number | undefined, tls: ServerTls | undefined): Record<string, string> {
  if (tls === undefined) return { port: String(port ?? 0) };
  return {
    port: "0",
    "tls-port": String(port ?? 0),
    "tls-ca-cert-file": tls.caPath,
    "tls-cert-file": tls.certPath,
    "tls-key-file": tls.keyPath,
    "tls-auth-clients": tls.asksClients ? "yes" : "no",
  };
}

/** Starts a replica of a server with a port and resolves when it has the same data. */
export async function startReplica(primary: TestServer, options: ServerOptions = {}): Promise<TestServer> {
  const args = [...(options.args ?? []), "--replicaof", "127.0.0.1", String(primary.port)];
  const replica = await startServer({ ...options, kind: primary.kind, tcp: true, args });
  const deadline = performance.now() + START_MS_MAX;
  while (!String(await replica.command("INFO", "replication")).includes("master_link_status:up")) {
    if (performance.now() > deadline) {
      await replica.stop();
      throw new Error("the replica did not reach its primary");
    }
    await pause(RETRY_MS);
  }
  return replica;
}

/**
 * Ports that no system hands out by itself, neither to who connects nor to who asks for any: one that is free here may
 * stay so until its server is there, and while it is away.
 */
const PORTS = { min: 10_000, max: 32_000 } as const;

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.min, PORTS.max);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/**
 * A shell in a session of its own that waits for the end of its input, which this process holds open, and then kills
 * the server. It ignores signals, so that a Ctrl-C which ends the tests does not end it first.
 */
function watch(pid: number, folder: string): ChildProcess {
  const script = 'trap "" INT TERM HUP; read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
  const watcher = spawn("sh", ["-c", script, "watch", String(pid), folder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  return watcher;
}
