/**
 * The embedded engine: the acts of the wire, in this process, over a keyspace in memory.
 *
 * An act runs at once and whole, in the order of the calls, and only its answer is a promise; so acts are atomic
 * without a lock. Acts that come without a pause leave the event loop its turns (breather.ts). An act that throws
 * leaves no trace: its writes are recorded and taken back. What a real server tells after an act (items for blocked
 * clients, messages) goes out in a later step of the program, never into a caller's stack.
 *
 * With a journal (journal/journal.ts) the keyspace is that of a folder. What runs is recorded, and answers, messages
 * and tokens wait until the record is stored as the journal promises; what cannot be stored is taken back and refused.
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
import type { Journal } from "./journal/journal.ts";
import { openStore, type StoreOptions } from "./journal/store-opening.ts";
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
  /** Where the keyspace is kept, for {@link EmbeddedEngine.open}; without it in memory alone. */
  readonly store?: Omit<StoreOptions, "ports">;
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
  readonly #keyWaits: KeyWaits;
  readonly #foreignKeys: ForeignKeys;
  readonly #breather: Breather;
  /** Set by {@link EmbeddedEngine.open}. */
  #journal: Journal | undefined;
  /** What runs inside one another and becomes one record. */
  #depth = 0;

  /** The way in for servers of RESP, which need answers as commands give them; see {@link Door}. */
  readonly door: Door;

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
      onStreamLoss: (key) => this.#keyWaits.onStreamLoss(key),
      onForeignWrite: (key, value) => this.#foreignKeys.note(key, value),
      onExpiryChange: () => this.#setExpiryTimer(),
    });
    this.#keyWaits = new KeyWaits(this.#keyspace);
    this.#foreignKeys = new ForeignKeys(this.#keyspace);
    this.#breather = new Breather(this.ports);
    this.#wakeLists = new WakeLists(this.#keyspace, this.ports, (key) => void this.#table.run("LPOP", [key]));
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
      held: () => this.#held(),
    });
    if (options.store === undefined) this.#claimFence();
    else this.#state = "connecting";
  }

  /**
   * An engine over the store in a folder, ready when this resolves.
   *
   * @throws EchoMQError `invalid_folder`, `folder_in_use`, `folder_format` or `folder_damaged`.
   */
  static async open(
    options: EmbeddedEngineOptions & { readonly store: Omit<StoreOptions, "ports"> },
  ): Promise<EmbeddedEngine> {
    const engine = new EmbeddedEngine(options);
    await engine.#open(options.store);
    return engine;
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
      if (this.#state === "closed") return;
      this.#enter();
      handle.arm();
      this.#leave();
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

  /**
   * Ends the engine. What it stored in memory is forgotten; what it stored in a folder is safe when this resolves.
   *
   * @throws EchoMQError `not_stored` when a folder did not take what had been answered for.
   */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#expiryTimer?.cancel();
    this.#wakeLists.close();
    this.#entryWaits.close();
    this.#keyWaits.close();
    for (const listener of this.#stateListeners) listener("closed");
    this.#stateListeners.clear();
    try {
      // Without a journal all of it happens at once.
      if (this.#journal !== undefined) await this.#journal.close();
    } finally {
      this.#channels.close();
      this.#table.journal = undefined;
      this.#keyspace.clear();
    }
  }

  async #open(store: Omit<StoreOptions, "ports">): Promise<void> {
    const target = { keyspace: this.#keyspace, table: this.#table };
    const journal = await openStore({ ...store, ports: this.ports }, target);
    this.#journal = journal;
    this.#table.journal = journal;
    journal.listen({ onKept: () => this.#serve(), onLost: () => this.#lookAgain() });
    this.#state = "ready";
    this.#enter();
    this.#claimFence();
    this.#leave();
    this.#setExpiryTimer();
  }

  #answer(reply: Reply): Promise<Reply> {
    if (this.#journal?.isPending === true) return this.#whenStored(this.#journal, reply);
    if (!this.#breather.mustHold()) return Promise.resolve(reply);
    return new Promise((resolve) => this.#breather.hold(() => resolve(reply)));
  }

  #refuse(error: EchoMQError): Promise<Reply> {
    // A refusal may rest on what is not stored yet.
    if (this.#journal?.isPending === true) return this.#whenStored(this.#journal, error);
    if (!this.#breather.mustHold()) return Promise.reject(error);
    return new Promise((_, reject) => this.#breather.hold(() => reject(error)));
  }

  /** A reply or a refusal, once all that ran so far is stored. */
  #whenStored(journal: Journal, outcome: Reply | EchoMQError): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const give = () => (outcome instanceof EchoMQError ? reject(outcome) : resolve(outcome));
      const keep = () => {
        if (this.#breather.mustHold()) this.#breather.hold(give);
        else give();
      };
      journal.hold(keep, reject);
    });
  }

  /** What a server waits for before it tells of what ran. */
  #held(): Promise<void> | undefined {
    const journal = this.#journal;
    if (journal?.isPending !== true) return undefined;
    return new Promise((resolve, reject) => journal.hold(resolve, reject));
  }

  /** Begins what is one record: with one reading of the clock. */
  #enter(): void {
    if (this.#depth++ > 0) return;
    this.#journal?.makeRoom();
    this.#readClock();
  }

  /** Ends it. Whoever waits is served once all of it has run, and is stored. */
  #leave(): void {
    if (--this.#depth > 0) return;
    const journal = this.#journal;
    if (journal === undefined) {
      this.#tell();
      return;
    }
    journal.end();
    if (!journal.isPending) {
      this.#channels.release();
      this.#serve();
      return;
    }
    const messages = this.#channels.take();
    if (messages.length > 0) journal.hold(() => this.#channels.send(messages), ignore);
  }

  #act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Reply {
    return hostReply(this.#perform(verb, keys, args));
  }

  /** Runs an act; its answer is as the transition gave it. */
  #perform(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): TransitionReply {
    if (this.#state === "closed") throw closedError();
    const transition = this.#transitions[verb];
    if (transition === undefined) throw new CommandError(`ERR unknown command 'EMQ.${verb}'`);
    this.#enter();
    try {
      return this.#run(verb, transition, { keys, args });
    } finally {
      this.#leave();
    }
  }

  #run(
    verb: Verb,
    transition: Transition,
    { keys, args }: { readonly keys: readonly Bytes[]; readonly args: readonly Bytes[] },
  ): TransitionReply {
    const mark = this.#journal?.mark();
    const messages = this.#channels.mark();
    this.#keyspace.begin();
    let reply: TransitionReply;
    try {
      // Transitions never write to what they are given; their type says otherwise for the sake of Lua.
      reply = transition(this.#server, keys as Bytes[], args as Bytes[]);
      if (!this.#isFenceRight() || this.#foreignKeys.any) this.#judge(verb, keys, reply);
    } catch (error) {
      this.#keyspace.rollBack();
      this.#channels.rewind(messages);
      if (mark !== undefined) this.#journal?.rewind(mark);
      throw error instanceof CommandError ? (this.#fenceRefusal() ?? error) : error;
    }
    this.#keyspace.commit();
    if (isError(reply)) throw new CommandError(reply.err);
    return reply;
  }

  /** What a server runs on behalf of one client: whoever waits is served when all of it has run. */
  #step<Result>(action: () => Result): Result {
    if (this.#state === "closed") throw closedError();
    this.#enter();
    try {
      return action();
    } finally {
      this.#leave();
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
    const [name = "", ...args] = parts;
    this.#enter();
    try {
      return hostReply(this.#table.run(name, args));
    } finally {
      this.#leave();
    }
  }

  #readClock(): void {
    const now = Math.floor(this.ports.clock.now());
    if (this.#journal !== undefined && now < this.#keyspace.now) {
      // What has expired by now would live again, here or when the journal is read.
      this.#keyspace.removeAllExpired();
      this.#journal.setBack();
    }
    this.#keyspace.now = now;
  }

  /** In memory: messages go out, as they were published by what ran, and then whoever waits is served. */
  #tell(): void {
    this.#channels.release();
    this.#wakeLists.serve();
    this.#entryWaits.serve();
    this.#keyWaits.serve();
  }

  /**
   * Whoever waits is served, with a journal: what they take is recorded. Who waits in this process does not wait for
   * that as well; a client of a server does, see {@link Door.held}.
   */
  #serve(): void {
    if (!this.#hasToServe()) return;
    this.#depth++;
    this.#wakeLists.serve();
    this.#entryWaits.serve();
    this.#keyWaits.serve();
    this.#depth--;
    this.#journal?.end();
  }

  /** After acts were taken back: whoever waits is tried again with what runs next. */
  #lookAgain(): void {
    this.#wakeLists.lookAgain();
    this.#keyWaits.lookAgain();
  }

  #hasToServe(): boolean {
    return this.#wakeLists.hasPushed || this.#entryWaits.hasGrown || this.#keyWaits.hasChanged;
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
    this.#table.run("SET", [VERSION_KEY, this.wireVersion]);
  }

  #setExpiryTimer(): void {
    const at = this.#state === "ready" ? this.#keyspace.nextExpiry() : undefined;
    if (at === this.#expiryAt) return;
    this.#expiryTimer?.cancel();
    this.#expiryAt = at;
    if (at === undefined) return;
    // A key is gone from the millisecond after its instant on.
    const delayMs = Math.max(0, at + 1 - this.ports.clock.now());
    this.#expiryTimer = this.ports.clock.after(delayMs, () => this.#expire(), { background: true });
  }

  #expire(): void {
    this.#enter();
    this.#keyspace.removeExpired(EXPIRED_KEYS_MAX);
    this.#leave();
    this.#expiryAt = undefined;
    this.#setExpiryTimer();
  }
}

function ignore(): void {
  // What was to be told has not happened.
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
