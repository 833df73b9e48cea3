/**
 * Engine two: a Valkey or Redis server, or a cluster of them, spoken to through Lua.
 *
 * It ties together what the other files of this folder do one each: the dispatcher that sends acts and decides what the
 * end of each means, the subscriber, and the site that keeps the sockets (`single-site.ts`, `cluster/cluster-site.ts`).
 * What stays here is the engine's own state: whether it can be asked, and why not.
 */

import type {
  Engine,
  EngineState,
  EntryHandle,
  EntryListener,
  Reply,
  Subscription,
  WakeHandle,
  WakeListener,
} from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { VERBS, type Verb } from "../protocol/verbs.generated.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { type CallHead, commandHead, nativeHead, scriptHead } from "./call.ts";
import { borrowClient, type CallerClient, isLibraryClient, isLibraryCluster, loadClient, loadNodes } from "./client.ts";
import { ClusterMap } from "./cluster/cluster-map.ts";
import { ClusterSite } from "./cluster/cluster-site.ts";
import { borrowNodes, type NodeSource } from "./cluster/node-source.ts";
import { parseConnection, type ValkeyConnectionOptions } from "./connection.ts";
import { Dispatcher, type Route } from "./dispatch.ts";
import { assertEngineOptions } from "./engine-options.ts";
import { type Ask, passFence } from "./fence.ts";
import { NativeForm, type NativeMode } from "./native-form.ts";
import type { LoadableScript } from "./pending-call.ts";
import { SCRIPTS } from "./scripts.generated.ts";
import { SingleSite } from "./single-site.ts";
import type { Site, SiteOptions } from "./site.ts";
import { STREAM_READS, streamReadOf } from "./stream-read.ts";
import { Subscriber } from "./subscriber.ts";
import { assertSuitable } from "./suitability.ts";

/** A URL, an options object, or a client of `iovalkey` or `ioredis` that belongs to the caller. */
export type ValkeyConnection = string | ValkeyConnectionOptions | CallerClient;

/** Options of {@link ValkeyEngine}. Unknown ones are refused. */
export interface ValkeyEngineOptions {
  /** Where to. A client is used as it is and never closed; sockets to block and to listen are made from it. */
  readonly connection: ValkeyConnection;
  readonly ports: Ports;
  /** What `{emq}:version` must hold; default {@link WIRE_VERSION}. */
  readonly wireVersion?: string;
  /**
   * A host that only reads, for a replica or a user without the right to write: it passes the fence on an absent
   * version and never sets it, and verbs that write are refused with `unsupported` before anything is sent. Default
   * false.
   */
  readonly isReadonly?: boolean;
  /**
   * What becomes of calls while there is no connection: `wait` (default) until their time is over, or `fail` at once.
   */
  readonly offline?: "wait" | "fail";
  /** Time of every act and command, in ms; default 5000. */
  readonly commandTimeoutMs?: number;
  /** Acts and commands that may be pending at a time; default 100,000. One more is refused with `overloaded`. */
  readonly maxPending?: number;
  /**
   * Whether acts go to the server's native half: `auto` (default) where it has one that speaks this wire, `require`,
   * which refuses a server without it for good (`unsuitable_server`), or `off`, which sends scripts.
   */
  readonly native?: NativeMode;
  /**
   * Longest wait of one `XREAD` and a fifth of that of a `BLPOP`, which is 5 s at most; in ms from 1 to 5000, default
   * 1000.
   */
  readonly beatMs?: number;
}

const COMMAND_TIMEOUT_MS_DEFAULT = 5000;
const PENDING_MAX_DEFAULT = 100_000;
const BEAT_MS_DEFAULT = 1000;

/** Commands that change what the shared socket is, or hold it up for everybody. */
const FOREIGN_COMMANDS: ReadonlySet<string> = new Set(
  (
    "subscribe psubscribe ssubscribe unsubscribe punsubscribe sunsubscribe monitor quit reset select auth hello multi " +
    "exec discard watch unwatch sync psync asking readonly readwrite blpop brpop blmove brpoplpush blmpop bzpopmin " +
    "bzpopmax bzmpop wait waitaof"
  ).split(" "),
);

/** What is sent for a verb, made once. */
interface Act {
  readonly scriptHead: CallHead;
  readonly nativeHead: CallHead;
  readonly script: LoadableScript;
}

const ACTS = Object.fromEntries((Object.keys(VERBS) as Verb[]).map((verb) => [verb, actOf(verb)])) as Readonly<
  Record<Verb, Act>
>;

function actOf(verb: Verb): Act {
  const script = SCRIPTS[verb];
  return {
    scriptHead: scriptHead(script.sha, script.readonly),
    nativeHead: nativeHead(verb),
    script: { sha: script.sha, text: bytesOf(script.text) },
  };
}

/** The engine for a Valkey or Redis server. */
export class ValkeyEngine implements Engine {
  readonly kind = "valkey";
  readonly ports: Ports;
  readonly wireVersion: string;
  readonly #isReadonly: boolean;
  readonly #dispatcher: Dispatcher;
  readonly #subscriber: Subscriber;
  readonly #native: NativeForm;
  readonly #site: Site;
  readonly #listeners = new Set<(state: EngineState) => void>();
  #state: EngineState = "connecting";
  /** Why the engine will never be ready, or never again. */
  #refusal: EchoMQError | undefined;
  /** Those who wait in `ready`. */
  #waiters: { resolve(): void; reject(error: EchoMQError): void }[] = [];
  #closed: Promise<void> | undefined;

  /**
   * Begins to connect at once.
   *
   * @throws EchoMQError `invalid_connection`, `invalid_option` or `unknown_option`; whatever takes a server to know is
   *   told by {@link ready}.
   */
  constructor(options: ValkeyEngineOptions) {
    assertOptions(options);
    const { ports, connection } = options;
    const timeoutMs = options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS_DEFAULT;
    this.ports = ports;
    this.wireVersion = options.wireVersion ?? WIRE_VERSION;
    this.#isReadonly = options.isReadonly ?? false;
    this.#native = new NativeForm({ mode: options.native ?? "auto", wireVersion: this.wireVersion });
    const { name, route, open } = placeOf(connection, ports);
    this.#dispatcher = new Dispatcher({
      ports,
      name,
      offline: options.offline ?? "wait",
      timeoutMs,
      pendingMax: options.maxPending ?? PENDING_MAX_DEFAULT,
      whyDown: () => this.#site.cause,
      onReadonly: () => this.#site.renew(),
      onNoNative: () => this.#native.giveUp(),
      isNative: () => this.#native.isOn,
      ...(route === undefined ? {} : { route }),
    });
    this.#subscriber = new Subscriber({ ports, timeoutMs, start: () => this.#site.startSubscriber() });
    this.#site = open({
      ports,
      beatMs: options.beatMs ?? BEAT_MS_DEFAULT,
      dispatcher: this.#dispatcher,
      subscriber: this.#subscriber,
      fence: (ask) => this.#fence(ask),
      inspect: (ask) => assertSuitable(ask, ports.logger),
      probe: (ask) => this.#native.probe(ask),
      onReady: () => this.#risen(),
      onDown: () => this.#setState("down"),
      onFinal: (error) => this.#refuse(error),
    });
    this.#site.start();
  }

  get state(): EngineState {
    return this.#state;
  }

  get whyDown(): unknown {
    if (this.#state === "ready" || this.#state === "closed") return undefined;
    return this.#refusal ?? this.#site.cause;
  }

  ready(): Promise<void> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    if (this.#state === "ready") return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#refusal !== undefined) return reject(this.#refusal);
      if (this.#isReadonly && !SCRIPTS[verb].readonly) return reject(onlyReads(verb));
      const { scriptHead, nativeHead, script } = ACTS[verb];
      const content = this.#native.isOn
        ? { head: nativeHead, keys, args, script, scriptHead }
        : { head: scriptHead, keys, args, script, nativeHead: this.#native.isOpen ? nativeHead : undefined };
      this.#dispatcher.start(content, { onDone: resolve, onFailed: reject });
    });
  }

  command(parts: readonly Bytes[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#refusal !== undefined) return reject(this.#refusal);
      const head = commandHead(parts[0] ?? "");
      const args = parts.slice(1);
      // A read of streams may wait too, which would hold up everybody.
      if (FOREIGN_COMMANDS.has(head.name) || (STREAM_READS.has(head.name) && streamReadOf(args).blocks)) {
        const text = `${head.name.toUpperCase()} cannot be run on the socket that all share; use a client of your own.`;
        return reject(new EchoMQError("unsupported", text));
      }
      this.#dispatcher.start({ head, args }, { onDone: resolve, onFailed: reject });
    });
  }

  async primaries(): Promise<readonly Ask[]> {
    await this.ready();
    return this.#site.primaries?.() ?? [(parts) => this.command(parts)];
  }

  listenForWake(key: Bytes, listener: WakeListener): WakeHandle {
    return this.#site.listen(key, listener);
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    return this.#site.listenForEntries(key, listener);
  }

  subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    return this.#subscriber.subscribe(channel, onMessage);
  }

  onState(listener: (state: EngineState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#shut();
    return this.#closed;
  }

  async #shut(): Promise<void> {
    const reason = new EchoMQError("closed", "The engine was closed.");
    this.#refusal = reason;
    this.#setState("closed");
    this.#tellWaiters(reason);
    // Waits need the command socket to be ended, and to put a token back.
    await this.#site.endWaits();
    this.#dispatcher.refuse(reason);
    this.#subscriber.refuse(reason);
    await this.#site.close();
    this.#listeners.clear();
  }

  #risen(): void {
    if (this.#refusal !== undefined) return;
    this.#setState("ready");
    this.#tellWaiters(undefined);
  }

  #fence(ask: Ask): Promise<void> {
    return passFence(ask, { wireVersion: this.wireVersion, isReadonly: this.#isReadonly });
  }

  /** Nothing can be asked any more, ever. */
  #refuse(error: EchoMQError): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = error;
    this.ports.logger.error(error.message, { code: error.code });
    this.#dispatcher.refuse(error);
    this.#subscriber.refuse(error);
    this.#setState("down");
    this.#tellWaiters(error);
    void this.#site.close();
  }

  #tellWaiters(error: EchoMQError | undefined): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (error === undefined) waiter.resolve();
      else waiter.reject(error);
    }
  }

  #setState(state: EngineState): void {
    if (this.#state === state || this.#state === "closed") return;
    this.#state = state;
    for (const listener of this.#listeners) {
      try {
        listener(state);
      } catch (error) {
        this.ports.logger.error("A listener of the engine's state failed.", { error });
      }
    }
  }
}

/** Where a connection leads: its name for messages, and what opens the sockets. */
interface Place {
  readonly name: string;
  readonly route?: Route;
  open(options: SiteOptions): Site;
}

function placeOf(connection: ValkeyConnection, ports: Ports): Place {
  const soon = (action: () => void): void => ports.soon(action);
  if (isLibraryClient(connection)) {
    if (isLibraryCluster(connection)) {
      const nodes = borrowNodes(connection, (node) => borrowClient(node, soon), soon);
      return clusterPlace(nodes.name, () => Promise.resolve(nodes));
    }
    const client = borrowClient(connection, soon);
    return { name: client.name, open: (options) => new SingleSite(options, () => Promise.resolve(client)) };
  }
  const parsed = parseConnection(connection);
  if (parsed.cluster !== undefined) return clusterPlace(parsed.name, () => loadNodes(parsed, soon));
  return { name: parsed.name, open: (options) => new SingleSite(options, () => loadClient(parsed, ports)) };
}

function clusterPlace(name: string, load: () => Promise<NodeSource>): Place {
  const map = new ClusterMap();
  return { name, route: map, open: (options) => new ClusterSite(options, map, load) };
}

const OPTION_NAMES: readonly (keyof ValkeyEngineOptions)[] = [
  "connection",
  "ports",
  "wireVersion",
  "isReadonly",
  "offline",
  "commandTimeoutMs",
  "maxPending",
  "beatMs",
  "native",
];

function assertOptions(options: ValkeyEngineOptions): void {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.includes(name as keyof ValkeyEngineOptions)) {
      throw new EchoMQError("unknown_option", `There is no option ${name}; there are ${OPTION_NAMES.join(", ")}.`);
    }
  }
  assertEngineOptions(options);
}

function onlyReads(verb: Verb): EchoMQError {
  return new EchoMQError("unsupported", `${verb} writes, and this connection was opened with isReadonly.`);
}
