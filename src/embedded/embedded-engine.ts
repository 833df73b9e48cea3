/**
 * The embedded engine: the acts of the wire, in this process, over a keyspace in memory.
 *
 * An act runs at once and whole, in the order of the calls, and only its answer is a promise; so acts are atomic
 * without a lock. Acts that come without a pause leave the event loop its turns (breather.ts). An act that throws
 * leaves no trace: its writes are recorded and taken back. What a real server tells after an act (items for blocked
 * clients, messages) goes out in a later step of the program, never into a caller's stack.
 *
 * The order of refusals is that of docs/protocol: the transition judges shape, values and layout first, so the fence
 * is applied to what it answers, and the types of keys after everything that the transition itself refuses.
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
import type { Ports, Timer } from "../engine/ports.ts";
import { refusalError } from "../engine/refusal.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError } from "../protocol/errors.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import type { ErrorReply, Server, Transition, TransitionReply } from "../transition/server.ts";
import { TRANSITIONS } from "../transition/transitions.generated.ts";
import { Breather } from "./breather.ts";
import { Channels } from "./channels.ts";
import type { Answer } from "./command/command.ts";
import { CommandTable } from "./command/command-table.ts";
import { Door } from "./door.ts";
import { EntryWaits } from "./entry-waits.ts";
import { ForeignKeys } from "./foreign-keys.ts";
import { KeyWaits } from "./key-waits.ts";
import { createServer } from "./server.ts";
import { CommandError, wrongType } from "./store/command-error.ts";
import { Keyspace } from "./store/keyspace.ts";
import { StringValue } from "./store/string-value.ts";
import { WakeLists } from "./wake-lists.ts";
import { Watches } from "./watches.ts";

const VERSION_KEY = "{emq}:version";

/** Keys that are taken out at one go when they expire; more follow in the next step of the program. */
const EXPIRED_KEYS_MAX = 1000;

export interface EmbeddedEngineOptions {
  readonly ports: Ports;
  /** What the fence compares with; default the version of this wire. */
  readonly wireVersion?: string;
  /** The acts; default those of the wire. */
  readonly transitions?: Readonly<Partial<Record<Verb, Transition>>>;
}

export class EmbeddedEngine implements Engine {
  readonly kind = "embedded";
  readonly ports: Ports;
  #state: EngineState = "ready";
  readonly #stateListeners: Set<(state: EngineState) => void> = new Set();

  readonly wireVersion: Bytes;
  readonly #transitions: Readonly<Partial<Record<Verb, Transition>>>;
  readonly #keyspace: Keyspace;
  readonly #table: CommandTable;
  readonly #server: Server;
  readonly #channels: Channels;
  readonly #wakeLists: WakeLists;
  readonly #entryWaits: EntryWaits;
  readonly #keyWaits = new KeyWaits();
  readonly #foreignKeys: ForeignKeys;
  readonly #breather: Breather;

  /** The way in for servers of RESP, which need answers as commands give them; see {@link Door}. */
  readonly door: Door;
  /** Steps of servers that have begun and not ended: nobody is told of anything meanwhile. */
  #steps = 0;

  /** Set for `#expiryAt`, the earliest instant at which a key expires. */
  #expiryTimer: Timer | undefined;
  #expiryAt: number | undefined;

  /** An empty store, ready at once, marked with its wire version. */
  constructor(options: EmbeddedEngineOptions) {
    this.ports = options.ports;
    this.wireVersion = options.wireVersion ?? WIRE_VERSION;
    this.#transitions = options.transitions ?? TRANSITIONS;
    this.#keyspace = new Keyspace({
      onPush: (key) => {
        this.#wakeLists.onPush(key);
        this.#keyWaits.onChange(key);
      },
      onAppend: (key) => {
        this.#entryWaits.onAppend(key);
        this.#keyWaits.onChange(key);
      },
      onForeignWrite: (key, value) => this.#foreignKeys.note(key, value),
      onExpiryChange: () => this.#setExpiryTimer(),
    });
    this.#foreignKeys = new ForeignKeys(this.#keyspace);
    this.#breather = new Breather(this.ports);
    this.#wakeLists = new WakeLists(this.#keyspace, this.ports);
    this.#entryWaits = new EntryWaits(this.#keyspace, this.ports);
    this.#channels = new Channels(this.ports);
    this.#table = new CommandTable(this.#keyspace, (channel, payload) => this.#channels.publish(channel, payload));
    this.#server = createServer(this.#table, this.#keyspace);
    this.door = new Door({
      wireVersion: this.wireVersion,
      keyspace: this.#keyspace,
      table: this.#table,
      channels: this.#channels,
      keyWaits: this.#keyWaits,
      watches: new Watches(this.#keyspace),
      step: (action) => this.#step(action),
      perform: (verb, keys, args) => this.#perform(verb, keys, args),
      fenceRefusal: () => this.#fenceRefusal(),
    });
    this.#claimFence();
  }

  get state(): EngineState {
    return this.#state;
  }

  ready(): Promise<void> {
    return this.#state === "closed" ? Promise.reject(closedError()) : Promise.resolve();
  }

  act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply> {
    try {
      return this.#answer(this.#act(verb, keys, args));
    } catch (error) {
      return this.#refuse(hostError(error));
    }
  }

  command(parts: readonly Bytes[]): Promise<Reply> {
    try {
      return this.#answer(this.#command(parts));
    } catch (error) {
      return this.#refuse(hostError(error));
    }
  }

  listenForWake(key: Bytes, listener: WakeListener): WakeHandle {
    const handle = this.#wakeLists.listen(key, listener);
    const arm = () => {
      this.#readClock();
      handle.arm();
    };
    return { arm, disarm: handle.disarm, close: handle.close };
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    return this.#entryWaits.listen(key, listener);
  }

  subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription> {
    if (this.#state === "closed") return Promise.reject(closedError());
    return Promise.resolve(this.#channels.subscribe(channel, onMessage));
  }

  onState(listener: (state: EngineState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => {
      this.#stateListeners.delete(listener);
    };
  }

  /** Ends the engine and forgets what it stored. */
  close(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    this.#state = "closed";
    this.#wakeLists.close();
    this.#entryWaits.close();
    this.#keyWaits.close();
    this.#channels.close();
    this.#keyspace.clear();
    for (const listener of this.#stateListeners) listener("closed");
    this.#stateListeners.clear();
    return Promise.resolve();
  }

  #answer(reply: Reply): Promise<Reply> {
    if (!this.#breather.mustHold(this.#keyspace.now)) return Promise.resolve(reply);
    return new Promise((resolve) => this.#breather.hold(() => resolve(reply)));
  }

  #refuse(error: EchoMQError): Promise<never> {
    if (!this.#breather.mustHold(this.#keyspace.now)) return Promise.reject(error);
    return new Promise((_, reject) => this.#breather.hold(() => reject(error)));
  }

  #act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Reply {
    return hostReply(this.#perform(verb, keys, args));
  }

  /** Runs an act; its answer is as the transition gave it. */
  #perform(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): TransitionReply {
    if (this.#state === "closed") throw closedError();
    const transition = this.#transitions[verb];
    if (transition === undefined) throw new CommandError(`ERR unknown command 'EMQ.${verb}'`);
    this.#readClock();
    this.#keyspace.begin();
    let reply: TransitionReply;
    try {
      // Transitions never write to what they are given; their type says otherwise for the sake of Lua.
      reply = transition(this.#server, keys as Bytes[], args as Bytes[]);
      if (!this.#isFenceRight() || this.#foreignKeys.any) this.#judge(verb, keys, reply);
    } catch (error) {
      this.#takeBack();
      throw error instanceof CommandError ? (this.#fenceRefusal() ?? error) : error;
    }
    this.#keyspace.commit();
    this.#tell();
    if (isError(reply)) throw new CommandError(reply.err);
    return reply;
  }

  /** What a server runs on behalf of one client: whoever waits is served when all of it has run. */
  #step<Result>(action: () => Result): Result {
    if (this.#state === "closed") throw closedError();
    this.#readClock();
    this.#steps++;
    try {
      return action();
    } finally {
      this.#steps--;
      this.#tell();
    }
  }

  /** Refuses what a transition did on a store that is marked for another wire, or holds a value of a foreign type. */
  #judge(verb: Verb, keys: readonly Bytes[], reply: TransitionReply): void {
    // Shape, values and layout come before the fence, and all refusals before the types.
    if (isError(reply) && reply.err.startsWith("ERR ")) return;
    const refusal = this.#fenceRefusal();
    if (refusal !== undefined) throw refusal;
    if (isError(reply) || !this.#keyspace.undo.hasRecords) return;
    if (this.#foreignKeys.any && this.#foreignKeys.concern(verb, keys)) throw wrongType();
    this.#claimFence();
  }

  #command(parts: readonly Bytes[]): Reply {
    if (this.#state === "closed") throw closedError();
    this.#readClock();
    const [name = "", ...args] = parts;
    const answer = this.#table.run(name, args);
    this.#tell();
    return hostReply(answer);
  }

  #readClock(): void {
    this.#keyspace.now = Math.floor(this.ports.clock.now());
  }

  #tell(): void {
    if (this.#steps > 0) return;
    this.#wakeLists.serve();
    this.#entryWaits.serve();
    this.#keyWaits.serve();
    this.#channels.release();
  }

  #takeBack(): void {
    this.#keyspace.rollBack();
    this.#wakeLists.forget();
    this.#entryWaits.forget();
    this.#channels.discard();
  }

  #isFenceRight(): boolean {
    const value = this.#keyspace.find(VERSION_KEY);
    return value instanceof StringValue && value.text === this.wireVersion;
  }

  /** The refusal by the fence; `undefined` when the mark is right or absent. */
  #fenceRefusal(): CommandError | undefined {
    const value = this.#keyspace.find(VERSION_KEY);
    if (value === undefined) return undefined;
    if (!(value instanceof StringValue)) return wrongType();
    if (value.text === this.wireVersion) return undefined;
    return new CommandError(`EMQFENCE wire version is ${value.text}, this server speaks ${this.wireVersion}`);
  }

  #claimFence(): void {
    if (this.#keyspace.find(VERSION_KEY) !== undefined) return;
    this.#keyspace.put(VERSION_KEY, new StringValue(this.wireVersion));
  }

  #setExpiryTimer(): void {
    const at = this.#state === "closed" ? undefined : this.#keyspace.nextExpiry();
    if (at === this.#expiryAt) return;
    this.#expiryTimer?.cancel();
    this.#expiryAt = at;
    if (at === undefined) return;
    // A key is gone from the millisecond after its instant on.
    const delayMs = Math.max(0, at + 1 - this.ports.clock.now());
    this.#expiryTimer = this.ports.clock.after(delayMs, () => this.#expire(), { background: true });
  }

  #expire(): void {
    this.#readClock();
    this.#keyspace.removeExpired(EXPIRED_KEYS_MAX);
    this.#expiryAt = undefined;
    this.#setExpiryTimer();
  }
}

function closedError(): EchoMQError {
  return new EchoMQError("closed", "the engine was closed");
}

/** What callers are told: a refusal by its class; anything else is a fault of EchoMQ itself. */
function hostError(error: unknown): EchoMQError {
  if (error instanceof CommandError) return refusalError(error.text);
  if (error instanceof EchoMQError) return error;
  const message = causeText(error);
  return new EchoMQError("internal", `an act failed and was taken back: ${message}`, { cause: error });
}

function isError(reply: TransitionReply): reply is ErrorReply {
  return typeof reply === "object" && !Array.isArray(reply);
}

/** The reply with `null` for `false`, in place: no reply is used twice. */
function hostReply(reply: Answer | TransitionReply): Reply {
  if (reply === false) return null;
  if (typeof reply === "bigint") return Number(reply);
  if (!Array.isArray(reply)) return reply as Reply;
  const items = reply as (Answer | Reply)[];
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (item === false || typeof item === "object" || typeof item === "bigint") items[at] = hostReply(item as Answer);
  }
  return items as Reply;
}
