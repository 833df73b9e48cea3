/**
 * A cluster: a command socket to each primary, a blocking socket a queue (two where its streams are read), and one
 * socket for channels on any node.
 *
 * Invariant: **no primary is used before the fence was passed on a connection to it.** The fence's key lies in one
 * slot, so a connection to any other primary asks the one that owns it; a primary that took over or was added later is
 * no exception, because it gets a connection of its own.
 *
 * Nobody tells a client that a cluster has changed. So the map is asked for again whenever a refusal or a lost
 * connection makes it doubtful, and until every owner of a slot is connected: ten times a second at first, then once.
 */

import type { EntryHandle, EntryListener, Reply, WakeHandle, WakeListener } from "../../engine/engine.ts";
import type { Timer } from "../../engine/ports.ts";
import { refusalWord } from "../../engine/refusal.ts";
import type { Bytes } from "../../protocol/bytes.ts";
import { causeText } from "../../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../../protocol/errors.ts";
import { reserveKey, splitQueueKey } from "../../protocol/key.ts";
import { ask as askSession } from "../ask.ts";
import type { Client, Session } from "../client.ts";
import { EntryHub, type EntryHubOptions } from "../entry-hub.ts";
import { type Ask, isFinalRefusal } from "../fence.ts";
import { Link } from "../link.ts";
import type { Site, SiteOptions } from "../site.ts";
import { WakeHub, type WakeHubOptions } from "../wake-hub.ts";
import { parseAddress } from "./address.ts";
import { keySlot } from "./call-slot.ts";
import type { ClusterMap } from "./cluster-map.ts";
import type { NodeSource } from "./node-source.ts";
import { type SlotRange, slotRanges } from "./slot-ranges.ts";
import { WakeLine } from "./wake-line.ts";

/**
 * Blocking sockets of one engine: one for each queue that is served, and one for each whose streams are read. Those
 * beyond wait for their beat alone.
 */
export const WAKE_LINES_MAX = 32;

/** First and longest pause between two looks at the map while it is in doubt, in ms; each is twice the one before. */
const LOOK_MS_MIN = 100;
const LOOK_MS_MAX = 1000;

/** Longest time for one node to tell the map, connecting included, in ms. */
const LOOK_TIMEOUT_MS = 3000;

/** How long a connection waits for the node that has the fence's key, in ms. */
const FENCE_OWNER_MS_MAX = 5000;

/** How long a node that owns no slot is kept, in ms: for answers that are on their way, and for slots on theirs. */
const SPARE_MS = 10_000;

/** Makes what a blocking socket does. */
type MakeHub<H> = (options: WakeHubOptions & EntryHubOptions) => H;

/** A node that has a command socket. */
interface Node {
  readonly link: Link;
  /** The last instant at which it was needed. */
  neededAt: number;
  isInspected: boolean;
}

/** The sockets to a cluster. */
export class ClusterSite implements Site {
  readonly #options: SiteOptions;
  readonly #loadSource: () => Promise<NodeSource>;
  readonly #map: ClusterMap;
  readonly #fenceSlot = keySlot(reserveKey("version"));
  readonly #nodes = new Map<string, Node>();
  readonly #lines = new Map<Bytes, WakeLine>();
  #source: NodeSource | undefined;
  #subscriberLink: Link | undefined;
  #subscriberAddress = "";
  #isSubscriberWanted = false;
  /** Those who wait for a node to rise. */
  #risenWaiters: (() => void)[] = [];
  #lookTimer: Timer | undefined;
  #lookMs = 0;
  #isLooking = false;
  #isDoubtful = true;
  #hasBeenReady = false;
  #cause: unknown;
  #isSaid = false;
  #isClosed = false;

  /** @param loadSource gives the nodes; an `EchoMQError` that it rejects with is final. */
  constructor(options: SiteOptions, map: ClusterMap, loadSource: () => Promise<NodeSource>) {
    this.#options = options;
    this.#map = map;
    this.#loadSource = loadSource;
    map.events = { onStale: () => this.#doubt(), onNamed: (address) => this.#need(address) };
  }

  get cause(): unknown {
    for (const address of this.#map.addresses) {
      if (this.#map.sessionOf(address) === undefined) return this.#nodes.get(address)?.link.cause ?? this.#cause;
    }
    return this.#cause;
  }

  start(): void {
    this.#loadSource().then(
      (source) => {
        this.#source = source;
        this.#look();
      },
      (error: EchoMQError) => this.#options.onFinal(error),
    );
  }

  renew(): void {
    this.#doubt();
  }

  startSubscriber(): void {
    this.#isSubscriberWanted = true;
    if (this.#isClosed || this.#source === undefined || !this.#map.isKnown) return;
    this.#subscriberLink ??= this.#newSubscriberLink(this.#source);
    this.#subscriberLink.start();
  }

  primaries(): readonly Ask[] {
    return [...this.#map.addresses].map((address) => (parts) => this.#runAt(address, parts));
  }

  listen(key: Bytes, listener: WakeListener): WakeHandle {
    const line = this.#use(key, (options) => new WakeHub(options));
    const handle = line.hub.listen(key, listener);
    return {
      arm: () => handle.arm(),
      disarm: () => handle.disarm(),
      close: this.#closing(key, line, handle),
    };
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    // One socket for all streams of a queue: they lie in one slot.
    const name = `${splitQueueKey(key)?.queue ?? key} streams`;
    const line = this.#use(name, (options) => new EntryHub(options), key);
    const handle = line.hub.listen(key, listener);
    return {
      arm: (after) => handle.arm(after),
      disarm: () => handle.disarm(),
      close: this.#closing(name, line, handle),
    };
  }

  async endWaits(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.endWait()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#lookTimer?.cancel();
    this.#wakeWaiters();
    const links = [...this.#nodes.values()].map((node) => node.link);
    if (this.#subscriberLink !== undefined) links.push(this.#subscriberLink);
    await Promise.all([...links, ...this.#lines.values()].map((each) => each.close()));
  }

  // The map.

  /** Looks again soon. */
  #doubt(): void {
    this.#isDoubtful = true;
    this.#plan();
  }

  #plan(): void {
    if (this.#isClosed || this.#source === undefined || this.#isLooking || this.#lookTimer !== undefined) return;
    const { clock } = this.#options.ports;
    this.#lookMs = Math.min(Math.max(this.#lookMs * 2, LOOK_MS_MIN), LOOK_MS_MAX);
    this.#lookTimer = clock.after(this.#lookMs, () => this.#look(), { background: this.#map.upAddresses.length > 0 });
  }

  #look(): void {
    this.#lookTimer = undefined;
    if (this.#isClosed || this.#source === undefined) return;
    this.#isLooking = true;
    this.#isDoubtful = false;
    this.#newestRanges(this.#source)
      .then((ranges) => this.#learn(ranges))
      .catch((error: unknown) => this.#lookFailed(error))
      .finally(() => {
        this.#isLooking = false;
        if (this.#isDoubtful || !this.#isWhole()) this.#plan();
      });
  }

  /** Asks nodes one after the other until one answers: those that are connected first, in no fixed order. */
  async #newestRanges(source: NodeSource): Promise<SlotRange[]> {
    const up = shuffled(this.#map.upAddresses, this.#options.ports.random);
    const others = shuffled([...new Set([...this.#map.addresses, ...source.seeds()])], this.#options.ports.random);
    let failure = new Error("no node of the cluster is known");
    for (const address of new Set([...up, ...others])) {
      try {
        const reply = await this.#ranges(source, address);
        return slotRanges(reply, parseAddress(address, "") ?? { host: "", port: 0 });
      } catch (error) {
        failure = asError(error);
        // The same user and the same certificates everywhere: what one node refuses for good, all do.
        if (isFinalRefusal(error) && !this.#hasBeenReady) throw error;
      }
      if (this.#isClosed) break;
    }
    throw failure;
  }

  async #ranges(source: NodeSource, address: string): Promise<Reply> {
    const session = this.#map.sessionOf(address);
    if (session !== undefined) return await this.#question(session, LOOK_TIMEOUT_MS)(["CLUSTER", "SLOTS"]);
    return await this.#scout(source.client(address));
  }

  /** Asks a node over a session that is made for this one question. */
  #scout(client: Client): Promise<Reply> {
    const { clock } = this.#options.ports;
    return new Promise((resolve, reject) => {
      const late = new EchoMQError("timeout", `${client.name} did not answer within ${LOOK_TIMEOUT_MS} ms.`);
      const timer = clock.after(LOOK_TIMEOUT_MS, () => over(() => reject(late)));
      const over = (settle: () => void): void => {
        timer.cancel();
        settle();
        session.end("closing");
      };
      const session: Session = client.open("command", {
        onOpen: () => {
          this.#question(
            session,
            LOOK_TIMEOUT_MS,
          )(["CLUSTER", "SLOTS"]).then(
            (reply) => over(() => resolve(reply)),
            (error: unknown) => over(() => reject(notCluster(session.loginRefusal ?? error, client.name))),
          );
        },
        onMessage() {},
        onEnd: (error) => {
          timer.cancel();
          reject(error ?? new EchoMQError("disconnected", `${client.name} closed the connection.`));
        },
      });
    });
  }

  #learn(ranges: readonly SlotRange[]): void {
    if (this.#isClosed) return;
    this.#cause = undefined;
    this.#map.replace(ranges);
    if (this.#map.takeChange()) this.#vouch();
    for (const address of this.#map.addresses) this.#need(address);
    this.#dropSpare();
    this.#settle();
    if (this.#isSubscriberWanted) this.startSubscriber();
  }

  #lookFailed(error: unknown): void {
    this.#cause = error;
    if (this.#isClosed) return;
    if (isFinalRefusal(error) && !this.#hasBeenReady) return this.#options.onFinal(error);
    this.#isDoubtful = true;
    if (this.#isSaid || this.#map.upAddresses.length > 0) return;
    this.#isSaid = true;
    const reason = causeText(error);
    this.#options.ports.logger.warn(`No node of the cluster answers: ${reason}. Trying again.`, { socket: "command" });
  }

  /** Whether every owner of a slot can be asked. */
  #isWhole(): boolean {
    if (!this.#map.isKnown) return false;
    for (const address of this.#map.addresses) if (this.#map.sessionOf(address) === undefined) return false;
    return true;
  }

  /** What waits is sent to where it belongs now, and the engine is told how things stand. */
  #settle(): void {
    const { dispatcher, onReady, onDown } = this.#options;
    for (const line of this.#lines.values()) line.settle();
    dispatcher.resume();
    if (this.#isWhole()) {
      this.#lookMs = 0;
      this.#hasBeenReady = true;
      this.#isSaid = false;
      onReady();
    } else if (this.#hasBeenReady) {
      onDown();
    }
  }

  // Nodes.

  /** A node is needed now: it gets a socket if it has none. */
  #need(address: string): void {
    const { ports } = this.#options;
    const known = this.#nodes.get(address);
    if (known !== undefined) {
      known.neededAt = ports.clock.now();
      return;
    }
    if (this.#isClosed || this.#source === undefined) return;
    const link = new Link({
      client: this.#source.client(address),
      role: "command",
      ports,
      prepare: (ask) => this.#prepare(ask, address),
      onUp: (session) => this.#risen(address, session),
      onDown: (cause) => this.#fallen(address, cause),
      onFinal: (error) => this.#options.onFinal(error),
    });
    this.#nodes.set(address, { link, neededAt: ports.clock.now(), isInspected: false });
    link.start();
  }

  #dropSpare(): void {
    const now = this.#options.ports.clock.now();
    const owners = this.#map.addresses;
    let isAnyKept = false;
    for (const [address, node] of this.#nodes) {
      if (owners.has(address)) continue;
      isAnyKept = true;
      if (now - node.neededAt < SPARE_MS) continue;
      this.#nodes.delete(address);
      this.#forget(address, new Error("the node serves no slot any more"));
      void node.link.close();
    }
    if (isAnyKept) this.#options.ports.clock.after(SPARE_MS, () => this.#isClosed || this.#dropSpare(), SPARE_TIMER);
  }

  async #prepare(ask: Ask, address: string): Promise<void> {
    await this.#passFence(ask, address);
    await this.#options.probe(ask);
    const node = this.#nodes.get(address);
    if (node === undefined || node.isInspected) return;
    await this.#options.inspect(ask);
    node.isInspected = true;
  }

  /**
   * Tells every primary once more that the fence was passed, since another may own its key now. A native half on a node
   * that does not own it has no other way to know. What a node answers is no matter here: each was asked when it was
   * connected, and a refusal turns its acts to scripts.
   */
  #vouch(): void {
    for (const address of this.#map.upAddresses) {
      this.#options.probe((parts) => this.#runAt(address, parts)).catch(() => {});
    }
  }

  #risen(address: string, session: Session): void {
    this.#map.setSession(address, session);
    this.#options.dispatcher.onUp(session);
    this.#wakeWaiters();
    this.#settle();
  }

  #fallen(address: string, cause: unknown): void {
    this.#forget(address, cause);
    if (this.#map.addresses.has(address) && this.#hasBeenReady) this.#options.onDown();
    this.#doubt();
  }

  #forget(address: string, cause: unknown): void {
    const session = this.#map.sessionOf(address);
    if (session === undefined) return;
    this.#map.setSession(address, undefined);
    this.#options.dispatcher.onDown(cause, session);
  }

  // The fence.

  async #passFence(ask: Ask, address: string): Promise<void> {
    try {
      await this.#options.fence(ask);
    } catch (error) {
      const owner = this.#map.ownerOf(this.#fenceSlot);
      if (!isRedirect(error)) throw error;
      if (owner === undefined || owner === address) {
        this.#doubt();
        throw error;
      }
      await this.#options.fence(this.#question(await this.#sessionSoon(owner, error), FENCE_OWNER_MS_MAX));
    }
  }

  async #sessionSoon(address: string, reason: unknown): Promise<Session> {
    const { clock } = this.#options.ports;
    const deadline = clock.now() + FENCE_OWNER_MS_MAX;
    for (;;) {
      const session = this.#map.sessionOf(address);
      if (session !== undefined) return session;
      const leftMs = deadline - clock.now();
      if (leftMs <= 0 || this.#isClosed) throw reason;
      await new Promise<void>((resolve) => {
        const timer = clock.after(leftMs, resolve);
        this.#risenWaiters.push(() => {
          timer.cancel();
          resolve();
        });
      });
    }
  }

  #wakeWaiters(): void {
    const waiters = this.#risenWaiters;
    this.#risenWaiters = [];
    for (const wake of waiters) wake();
  }

  #question(session: Session, timeoutMs: number): Ask {
    return (parts) => askSession(session, parts, { clock: this.#options.ports.clock, timeoutMs });
  }

  // Waits and channels.

  /** The line of a name with one more user. A name stands for one kind of hub. */
  #use<H extends WakeHub | EntryHub>(name: Bytes, makeHub: MakeHub<H>, key: Bytes = name): WakeLine<H> {
    const line = (this.#lines.get(name) as WakeLine<H> | undefined) ?? this.#newLine(name, makeHub, key);
    line.users += 1;
    return line;
  }

  /** Closes a handle once, and its line when that was the last. */
  #closing(name: Bytes, line: WakeLine, handle: { close(): Promise<void> }): () => Promise<void> {
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await handle.close();
      line.users -= 1;
      if (line.users === 0) await this.#dropLine(name, line);
    };
    return () => {
      closed ??= close();
      return closed;
    };
  }

  #newLine<H extends WakeHub | EntryHub>(name: Bytes, makeHub: MakeHub<H>, key: Bytes): WakeLine<H> {
    const { ports, beatMs, dispatcher, onFinal } = this.#options;
    const line: WakeLine<H> = new WakeLine({
      ports,
      beatMs,
      key,
      makeHub,
      ownerOf: (slot) => (this.#source === undefined ? undefined : this.#map.ownerOf(slot)),
      clientOf: (address) => this.#sourceNow().client(address),
      isNodeUp: (address) => this.#map.sessionOf(address) !== undefined,
      fence: (ask, address) => this.#passFence(ask, address),
      runAt: (address, parts) => this.#runAt(address, parts),
      run: (parts) => dispatcher.run(parts),
      onRedirect: (text, from) => {
        if (refusalWord(text) !== "MOVED" || !this.#map.noteMoved(text, from)) this.#doubt();
        line.settle();
      },
      onFinal,
    });
    this.#lines.set(name, line);
    this.#permitLines();
    return line;
  }

  /** Lets the first lines have sockets, as many as there may be. */
  #permitLines(): void {
    const lines = [...this.#lines.values()];
    let free = WAKE_LINES_MAX - lines.filter((line) => line.mayBlock).length;
    for (const line of lines) {
      if (free <= 0) return;
      if (line.mayBlock) continue;
      line.permit();
      free -= 1;
    }
  }

  async #dropLine(key: Bytes, line: WakeLine): Promise<void> {
    if (this.#lines.get(key) === line) this.#lines.delete(key);
    await line.close();
    if (!this.#isClosed) this.#permitLines();
  }

  #runAt(address: string | undefined, parts: readonly Bytes[]): Promise<Reply> {
    const session = this.#map.sessionOf(address);
    if (session !== undefined) return this.#question(session, LOOK_TIMEOUT_MS)(parts);
    return Promise.reject(new EchoMQError("disconnected", `The node ${address ?? "of the queue"} is not connected.`));
  }

  #sourceNow(): NodeSource {
    if (this.#source === undefined) throw new EchoMQError("internal", "A node was asked for before there were any.");
    return this.#source;
  }

  /** A message reaches every node of a cluster, so any will do; each session may lead to another. */
  #newSubscriberLink(source: NodeSource): Link {
    const { ports, subscriber, onFinal } = this.#options;
    const next = (): string => {
      const [first] = shuffled(this.#map.upAddresses, ports.random);
      return first ?? [...this.#map.addresses][0] ?? source.seeds()[0] ?? "";
    };
    this.#subscriberAddress = next();
    return new Link({
      client: {
        name: source.name,
        isBorrowed: () => false,
        open: (role, events) => {
          this.#subscriberAddress = next();
          return source.client(this.#subscriberAddress).open(role, events);
        },
      },
      role: "subscriber",
      ports,
      prepare: (ask) => this.#passFence(ask, this.#subscriberAddress),
      onUp: (session) => subscriber.onUp(session),
      onDown: () => subscriber.onDown(),
      onMessage: (channel, payload) => subscriber.onMessage(channel, payload),
      onFinal,
    });
  }
}

const SPARE_TIMER = { background: true } as const;

function isRedirect(error: unknown): boolean {
  if (!isEchoMQError(error, "server_busy")) return false;
  const word = refusalWord(error.message);
  return word === "MOVED" || word === "ASK";
}

/** A single server says that it is no cluster in a plain error. */
function notCluster(error: unknown, name: string): Error {
  if (!isEchoMQError(error, "refused") || !error.message.includes("cluster support disabled")) return asError(error);
  const text = `The server ${name} is no node of a cluster; connect to it by valkey://.`;
  return new EchoMQError("invalid_connection", text, { cause: error });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
