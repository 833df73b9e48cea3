/**
 * One blocking socket that waits at the wake lists of a group of queues for all who listen there in this engine.
 *
 * The socket runs `BLPOP list list … seconds` whenever somebody is armed. Waiting for another set of lists takes a new
 * command, so the running one is ended (unblocker.ts). What must hold (docs/protocol/wake.md):
 *
 * - A token is never lost: it goes to the listener that has waited longest at its list, else to any that is open, else
 *   to one that is closing; if nobody is left it is put back.
 * - A closed place is told nothing any more, and `close` waits for exactly that.
 * - After the loss of the socket everybody is told, because a token may have gone with it. The lost connection is
 *   killed by its id as soon as there is a new one: a server may take long to notice, and would hand it the next token.
 *
 * A wait lasts some beats, for whoever waits asks at each beat all the same; so an idle worker costs little more than
 * that act. Where a server forbids `CLIENT UNBLOCK`, or told no id, it lasts one, which is what that costs in latency
 * at most.
 */

import type { Reply, WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Ports, Timer } from "../engine/ports.ts";
import { isBusyWord, refusalError, refusalWord } from "../engine/refusal.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { textOf } from "../protocol/bytes.ts";
import { Call, type CallOwner, commandHead } from "./call.ts";
import type { Session } from "./client.ts";
import type { Ask } from "./fence.ts";
import { RefusedKeys } from "./refused-keys.ts";
import { Seldom } from "./seldom.ts";
import { Unblocker } from "./unblocker.ts";

/**
 * How long a list that nobody is armed at any more is still waited for, in ms. A listener that asks and arms again
 * within this time costs no `CLIENT UNBLOCK`.
 */
const DISARM_MS = 10;

/** Beats that one wait lasts where it can be ended before. */
const BEATS_PER_WAIT = 5;

/** Longest wait in ms, below the patience of the heartbeat that stands behind it on the same socket (link.ts). */
const WAIT_MS_MAX = 5000;

/** Longest wait for the `BLPOP` to come back when the engine closes, in ms. */
const CLOSE_MS_MAX = 300;

const BLPOP = commandHead("BLPOP");

/** What a {@link WakeHub} works with. */
export interface WakeHubOptions {
  readonly ports: Ports;
  /** How often those who wait ask by themselves, in ms from 1 to 5000; a wait lasts some of them. */
  readonly beatMs: number;
  /** Opens the blocking socket. Called at the first `arm`; calling it again does nothing. */
  readonly start: () => void;
  /** Runs a command on the command socket. */
  readonly run: Ask;
  /** The server refused because another one answers for the lists, or none does now. Without it that is a fault. */
  readonly onRedirect?: (text: Bytes) => void;
  /** The server takes no writes, and every wait is one: the connection may lead to the wrong server. */
  readonly onReadonly?: () => void;
  /** What was told of late, shared by those that wait at one server. */
  readonly seldom?: Seldom;
}

/** The `BLPOP` that is on its way. */
interface Flight {
  readonly keys: ReadonlySet<Bytes>;
  readonly session: Session;
  /** Whether it is being ended before its time. */
  isInterrupted: boolean;
}

/** One blocking socket for the wake lists of a group. */
export class WakeHub implements CallOwner {
  readonly #options: WakeHubOptions;
  readonly #places = new Map<Bytes, Place[]>();
  /** Lists at which somebody is armed, the one served last at the end, so that none starves another. */
  readonly #armedKeys = new Set<Bytes>();
  /** Places that wait for the `BLPOP` to come back before they are gone. */
  readonly #leaving = new Set<Place>();
  readonly #refused: RefusedKeys;
  readonly #unblocker: Unblocker;
  #session: Session | undefined;
  #identity: { readonly id: Bytes; readonly name: Bytes } | undefined;
  #lostIdentity: { readonly id: Bytes; readonly name: Bytes } | undefined;
  #flight: Flight | undefined;
  #armCount = 0;
  #isStepPlanned = false;
  #isDisarmOver = false;
  #disarmTimer: Timer | undefined;
  #pauseTimer: Timer | undefined;
  #isClosed = false;
  #onIdle: (() => void) | undefined;
  readonly #seldom: Seldom;

  constructor(options: WakeHubOptions) {
    const { run, ports } = options;
    const { clock, logger } = ports;
    this.#options = options;
    this.#seldom = options.seldom ?? new Seldom(clock);
    this.#refused = new RefusedKeys({ clock, run, probe: "LLEN", onOver: () => this.#plan() });
    this.#unblocker = new Unblocker({
      clock,
      run,
      idOf: () => this.#identity?.id,
      onForbidden: ({ message, code }) => {
        if (this.#seldom.mayTell(message)) logger.info(`Waits end at the beat only: ${message}`, { code });
      },
    });
  }

  /** A place at a wake list; see `Engine.listenForWake`. */
  listen(key: Bytes, listener: WakeListener): WakeHandle {
    const place = new Place(key, listener, this);
    const places = this.#places.get(key);
    if (places === undefined) this.#places.set(key, [place]);
    else places.push(place);
    return place;
  }

  /** Names a fresh session and learns its id; part of preparing it. A server that forbids this is got along with. */
  async prepare(ask: Ask): Promise<void> {
    const { ports } = this.#options;
    const name = `echomq:${ports.processName}:${Math.floor(ports.random() * 2 ** 32).toString(36)}:blocking`;
    const safeName = name.replace(/[^\x21-\x7e]/g, "_");
    const [, id] = await Promise.all([
      ask(["CLIENT", "SETNAME", safeName]).catch(() => null),
      ask(["CLIENT", "ID"]).catch(() => null),
    ]);
    this.#identity = id === null ? undefined : { id: String(id), name: safeName };
  }

  onUp(session: Session): void {
    this.#session = session;
    this.#pauseTimer?.cancel();
    this.#pauseTimer = undefined;
    const lost = this.#lostIdentity;
    this.#lostIdentity = undefined;
    // Told to nobody if it fails: the server then notices the dead connection in its own time.
    if (lost !== undefined) this.#kill(lost).catch(() => {});
    this.#plan();
  }

  onDown(): void {
    this.#session = undefined;
    this.#lostIdentity = this.#identity;
    this.#flightOver();
    if (this.#isClosed) return;
    for (const places of this.#places.values()) {
      for (const place of places) if (!place.isClosed) this.#tell(() => place.listener.onLost());
    }
  }

  /**
   * Ends all waiting. Resolves when the `BLPOP` has come back and its token, if it took one, was put back; at the
   * latest after {@link CLOSE_MS_MAX}.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#armedKeys.clear();
    this.#disarmTimer?.cancel();
    this.#pauseTimer?.cancel();
    if (this.#flight !== undefined) {
      await new Promise<void>((resolve) => {
        const timer = this.#options.ports.clock.after(CLOSE_MS_MAX, resolve);
        this.#onIdle = () => {
          timer.cancel();
          resolve();
        };
        this.#interrupt();
      });
    }
    this.#flightOver();
  }

  /** Part of a place: it begins to wait. */
  armed(place: Place): void {
    if (this.#isClosed) return;
    place.armedAt = ++this.#armCount;
    this.#armedKeys.add(place.key);
    this.#options.start();
    if (this.#flight?.keys.has(place.key) !== true) this.#plan();
  }

  /** Part of a place: it waits no longer. */
  disarmed(place: Place): void {
    if (this.#places.get(place.key)?.some((other) => other.isArmed) === true) return;
    this.#armedKeys.delete(place.key);
    if (this.#flight?.keys.has(place.key) !== true || this.#disarmTimer !== undefined) return;
    const over = (): void => {
      this.#disarmTimer = undefined;
      this.#isDisarmOver = true;
      this.#plan();
    };
    this.#disarmTimer = this.#options.ports.clock.after(DISARM_MS, over, { background: true });
  }

  /** Part of a place: it closes, and `done` is called when no token can reach it. */
  closing(place: Place, done: () => void): void {
    const isAwaited = this.#flight?.keys.has(place.key) === true;
    const hasHeir = this.#places.get(place.key)?.some((other) => !other.isClosed) === true;
    // A token goes to another listener of the same list, if there is one.
    if (!isAwaited || hasHeir) {
      this.#drop(place);
      return done();
    }
    place.onDropped = done;
    this.#leaving.add(place);
    this.#plan();
  }

  onReply(_call: Call, reply: Reply): void {
    const key = Array.isArray(reply) ? (reply as readonly Reply[])[0] : undefined;
    const token = Array.isArray(reply) ? (reply as readonly Reply[])[1] : undefined;
    if (typeof key === "string") this.#deliver(key, String(token));
    this.#flightOver();
    this.#plan();
  }

  onRefusal(_call: Call, text: Bytes): void {
    const keys = [...(this.#flight?.keys ?? [])];
    this.#flightOver();
    if (this.#options.onRedirect !== undefined && isBusyWord(refusalWord(text))) {
      this.#pause();
      return this.#options.onRedirect(text);
    }
    this.#pause();
    // A server that is busy refuses every beat; a line each would flood the log.
    if (this.#seldom.mayTell(refusalWord(text))) {
      this.#options.ports.logger.warn(`The server refused to wait for work: ${textOf(text)}`, {
        code: refusalError(text).code,
      });
    }
    if (isBusyWord(refusalWord(text))) {
      if (refusalWord(text) === "READONLY") this.#options.onReadonly?.();
      return;
    }
    this.#refused.find(keys);
  }

  onLost(): void {
    // The link tells the end of the session as well, and that is where everybody is told.
    this.#flightOver();
    this.#pause();
  }

  /** Looks soon at what should be waited for, once however often it is asked for. */
  #plan(): void {
    if (this.#isStepPlanned) return;
    this.#isStepPlanned = true;
    this.#options.ports.soon(() => {
      this.#isStepPlanned = false;
      this.#step();
    });
  }

  #step(): void {
    if (this.#flight !== undefined) {
      if (this.#mustInterrupt(this.#flight)) this.#interrupt();
      return;
    }
    if (this.#session === undefined || this.#isClosed || this.#pauseTimer !== undefined) return;
    const keys = this.#goodKeys();
    if (keys.length > 0) this.#fly(keys, this.#session);
  }

  #mustInterrupt(flight: Flight): boolean {
    if (this.#isClosed) return true;
    for (const key of this.#armedKeys) if (!flight.keys.has(key) && !this.#refused.has(key)) return true;
    if (this.#leaving.size > 0) return true;
    const isStale = this.#isDisarmOver;
    this.#isDisarmOver = false;
    if (isStale) for (const key of flight.keys) if (!this.#armedKeys.has(key)) return true;
    return false;
  }

  #goodKeys(): Bytes[] {
    this.#refused.review();
    return [...this.#armedKeys].filter((key) => !this.#refused.has(key));
  }

  #fly(keys: readonly Bytes[], session: Session): void {
    this.#isDisarmOver = false;
    this.#flight = { keys: new Set(keys), session, isInterrupted: false };
    // Three decimals: a server reads "0.000" as for ever, which a whole number of milliseconds above 0 never gives.
    const seconds = (this.#waitMs() / 1000).toFixed(3);
    if (!session.send(new Call(this, { head: BLPOP, args: [...keys, seconds] }))) this.onLost();
  }

  #waitMs(): number {
    const { beatMs } = this.#options;
    const canEnd = this.#identity !== undefined && this.#unblocker.isAllowed;
    return canEnd ? Math.min(beatMs * BEATS_PER_WAIT, WAIT_MS_MAX) : beatMs;
  }

  /** Nothing waits at the server any more: whoever closes may go. */
  #flightOver(): void {
    this.#flight = undefined;
    for (const place of this.#leaving) {
      const done = place.onDropped;
      this.#drop(place);
      done?.();
    }
    this.#leaving.clear();
    this.#onIdle?.();
    this.#onIdle = undefined;
  }

  #drop(place: Place): void {
    const left = this.#places.get(place.key)?.filter((other) => other !== place) ?? [];
    if (left.length > 0) this.#places.set(place.key, left);
    else this.#places.delete(place.key);
    place.onDropped = undefined;
  }

  #deliver(key: Bytes, token: Bytes): void {
    const place = this.#isClosed ? undefined : this.#heir(key);
    // The next wait begins with the other lists.
    if (this.#armedKeys.delete(key) && this.#places.get(key)?.some((other) => other !== place && other.isArmed)) {
      this.#armedKeys.add(key);
    }
    if (place === undefined) {
      // A token that cannot be put back is lost with this host, which the beat of the others makes up for.
      this.#options.run(["LPUSH", key, token]).catch(() => {});
      return;
    }
    place.isArmed = false;
    this.#tell(() => place.listener.onToken());
  }

  /** Whoever has waited longest, else anybody who is open, else anybody who is closing. */
  #heir(key: Bytes): Place | undefined {
    let best: Place | undefined;
    for (const place of this.#places.get(key) ?? []) if (best === undefined || place.isBefore(best)) best = place;
    return best;
  }

  #interrupt(): void {
    const flight = this.#flight;
    if (flight === undefined || flight.isInterrupted || !this.#unblocker.isAllowed) return;
    flight.isInterrupted = true;
    this.#unblocker.unblock(() => this.#flight === flight);
  }

  /** Ids begin anew when a server restarts, so the name must agree before a connection is killed. */
  async #kill(lost: { readonly id: Bytes; readonly name: Bytes }): Promise<void> {
    const found = await this.#options.run(["CLIENT", "LIST", "ID", lost.id]);
    if (String(found).includes(` name=${lost.name} `)) await this.#options.run(["CLIENT", "KILL", "ID", lost.id]);
  }

  /** Waits a beat before the next try, so that what fails at once is no hot loop. */
  #pause(): void {
    if (this.#pauseTimer !== undefined || this.#isClosed) return;
    const over = (): void => {
      this.#pauseTimer = undefined;
      this.#plan();
    };
    this.#pauseTimer = this.#options.ports.clock.after(this.#options.beatMs, over, { background: true });
  }

  #tell(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#options.ports.logger.error("A wake listener failed.", { error });
    }
  }
}

/** One listener's place at a wake list. The hub alone writes its fields. */
class Place implements WakeHandle {
  readonly key: Bytes;
  readonly listener: WakeListener;
  readonly #hub: WakeHub;
  isArmed = false;
  isClosed = false;
  /** Position among all that were armed. */
  armedAt = 0;
  /** Set while `close` waits. */
  onDropped: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(key: Bytes, listener: WakeListener, hub: WakeHub) {
    this.key = key;
    this.listener = listener;
    this.#hub = hub;
  }

  arm(): void {
    if (this.isArmed || this.isClosed) return;
    this.isArmed = true;
    this.#hub.armed(this);
  }

  disarm(): void {
    if (!this.isArmed) return;
    this.isArmed = false;
    this.#hub.disarmed(this);
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.isClosed = true;
      this.disarm();
      this.#hub.closing(this, resolve);
    });
    return this.#closed;
  }

  /** Whether a token goes here rather than there. */
  isBefore(other: Place): boolean {
    if (this.isArmed !== other.isArmed) return this.isArmed;
    if (this.isArmed) return this.armedAt < other.armedAt;
    return !this.isClosed && other.isClosed;
  }
}
