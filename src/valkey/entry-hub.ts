/**
 * One blocking socket that waits at many streams for all who read them in this engine.
 *
 * The socket runs `XREAD` with `BLOCK` whenever somebody is armed, each stream from the lowest id that anybody there
 * waits above. An `XREAD` takes nothing out, so nothing can be lost with its answer: it only says that there is
 * something, and everyone who waits at that stream is told and reads by a command of its own. That is why one socket
 * serves readers of any group, and why the reader, not the hub, knows how far it has got.
 *
 * Waiting at another set of streams takes a new command, so the running one is ended (unblocker.ts). Waiting ends by
 * itself at the beat.
 */

import type { EntryHandle, EntryListener, Reply } from "../engine/engine.ts";
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

/** How long a wait goes on for which nobody is armed any more, in ms. Who reads and arms again costs no `UNBLOCK`. */
const DISARM_MS = 10;

/** Longest wait for the `XREAD` to come back when the engine closes, in ms. */
const CLOSE_MS_MAX = 300;

const XREAD = commandHead("XREAD");

/** What an {@link EntryHub} works with. */
export interface EntryHubOptions {
  readonly ports: Ports;
  /** Longest wait of one `XREAD`, in ms; at least 1. */
  readonly beatMs: number;
  /** Opens the blocking socket. Called at the first `arm`; calling it again does nothing. */
  readonly start: () => void;
  /** Runs a command on the command socket. */
  readonly run: Ask;
  /** The server refused because another one answers for the streams, or none does now. */
  readonly onRedirect?: (text: Bytes) => void;
}

/** The `XREAD` that is on its way, with the id above which it waits at each stream. */
interface Flight {
  readonly afters: ReadonlyMap<Bytes, Bytes>;
  isInterrupted: boolean;
}

/** One blocking socket for all streams. */
export class EntryHub implements CallOwner {
  readonly #options: EntryHubOptions;
  readonly #armed = new Map<Bytes, Set<Place>>();
  readonly #places = new Set<Place>();
  readonly #refused: RefusedKeys;
  readonly #unblocker: Unblocker;
  readonly #seldom: Seldom;
  #session: Session | undefined;
  #id: Bytes | undefined;
  #flight: Flight | undefined;
  #isStepPlanned = false;
  #disarmTimer: Timer | undefined;
  #pauseTimer: Timer | undefined;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(options: EntryHubOptions) {
    const { run, ports } = options;
    const { clock } = ports;
    this.#options = options;
    this.#seldom = new Seldom(clock);
    this.#refused = new RefusedKeys({ clock, run, probe: "XLEN", onOver: () => this.#plan() });
    this.#unblocker = new Unblocker({ clock, run, idOf: () => this.#id });
  }

  /** A place at a stream; see `Engine.listenForEntries`. */
  listen(key: Bytes, listener: EntryListener): EntryHandle {
    const place = new Place(key, listener);
    this.#places.add(place);
    return {
      arm: (after) => this.#arm(place, after),
      disarm: () => this.#disarm(place),
      close: () => {
        place.isClosed = true;
        this.#disarm(place);
        this.#places.delete(place);
        return Promise.resolve();
      },
    };
  }

  /** Learns the id of a fresh session; part of preparing it. A server that forbids this is got along with. */
  async prepare(ask: Ask): Promise<void> {
    const name = `echomq:${this.#options.ports.processName}:streams`.replace(/[^\x21-\x7e]/g, "_");
    const [, id] = await Promise.all([
      ask(["CLIENT", "SETNAME", name]).catch(() => null),
      ask(["CLIENT", "ID"]).catch(() => null),
    ]);
    this.#id = id === null ? undefined : String(id);
  }

  onUp(session: Session): void {
    this.#session = session;
    this.#pauseTimer?.cancel();
    this.#pauseTimer = undefined;
    this.#plan();
  }

  onDown(): void {
    this.#session = undefined;
    this.#flightOver();
    if (this.#isClosed) return;
    for (const place of this.#places) this.#tell(() => place.listener.onLost());
  }

  /** Ends all waiting. Resolves when the `XREAD` has come back, at the latest after {@link CLOSE_MS_MAX}. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#armed.clear();
    this.#disarmTimer?.cancel();
    this.#pauseTimer?.cancel();
    if (this.#flight === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.ports.clock.after(CLOSE_MS_MAX, resolve);
      this.#onIdle = () => {
        timer.cancel();
        resolve();
      };
      this.#interrupt();
    });
    this.#flightOver();
  }

  onReply(_call: Call, reply: Reply): void {
    const grown = keysOf(reply);
    this.#flightOver();
    for (const key of grown) this.#deliver(key);
    this.#plan();
  }

  onRefusal(_call: Call, text: Bytes): void {
    const keys = [...(this.#flight?.afters.keys() ?? [])];
    this.#flightOver();
    this.#pause();
    const word = refusalWord(text);
    if (this.#options.onRedirect !== undefined && isBusyWord(word)) return this.#options.onRedirect(text);
    if (this.#seldom.mayTell(word)) {
      const code = refusalError(text).code;
      this.#options.ports.logger.warn(`The server refused to wait for entries: ${textOf(text)}`, { code });
    }
    if (!isBusyWord(word)) this.#refused.find(keys);
  }

  onLost(): void {
    // The link tells the end of the session as well, and that is where everybody is told.
    this.#flightOver();
    this.#pause();
  }

  #arm(place: Place, after: Bytes): void {
    if (this.#isClosed || place.isClosed) return;
    place.after = after;
    const others = this.#armed.get(place.key);
    if (others === undefined) this.#armed.set(place.key, new Set([place]));
    else others.add(place);
    this.#options.start();
    this.#plan();
  }

  #disarm(place: Place): void {
    const others = this.#armed.get(place.key);
    if (others?.delete(place) !== true || others.size > 0) return;
    this.#armed.delete(place.key);
    if (this.#flight?.afters.has(place.key) !== true || this.#disarmTimer !== undefined) return;
    const over = (): void => {
      this.#disarmTimer = undefined;
      const flight = this.#flight;
      if (flight !== undefined && [...flight.afters.keys()].some((key) => !this.#armed.has(key))) this.#interrupt();
    };
    this.#disarmTimer = this.#options.ports.clock.after(DISARM_MS, over, { background: true });
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
    if (this.#isClosed) return;
    if (this.#flight !== undefined) {
      if (this.#mustInterrupt(this.#flight)) this.#interrupt();
      return;
    }
    if (this.#session === undefined || this.#pauseTimer !== undefined) return;
    const afters = this.#goodStreams();
    if (afters.size > 0) this.#fly(afters, this.#session);
  }

  /** Whether somebody waits at a stream, or above an id, that the running command leaves out. */
  #mustInterrupt({ afters }: Flight): boolean {
    for (const [key, places] of this.#armed) {
      if (this.#refused.has(key)) continue;
      const after = afters.get(key);
      if (after === undefined || isAbove(after, lowest(places))) return true;
    }
    return false;
  }

  #goodStreams(): Map<Bytes, Bytes> {
    this.#refused.review();
    const afters = new Map<Bytes, Bytes>();
    for (const [key, places] of this.#armed) if (!this.#refused.has(key)) afters.set(key, lowest(places));
    return afters;
  }

  #fly(afters: ReadonlyMap<Bytes, Bytes>, session: Session): void {
    this.#flight = { afters, isInterrupted: false };
    const beat = String(Math.max(1, Math.round(this.#options.beatMs)));
    const args = ["COUNT", "1", "BLOCK", beat, "STREAMS", ...afters.keys(), ...afters.values()];
    if (!session.send(new Call(this, { head: XREAD, args }))) this.onLost();
  }

  #flightOver(): void {
    this.#flight = undefined;
    this.#onIdle?.();
    this.#onIdle = undefined;
  }

  #deliver(key: Bytes): void {
    const places = this.#armed.get(key);
    this.#armed.delete(key);
    for (const place of places ?? []) if (!place.isClosed) this.#tell(() => place.listener.onEntry());
  }

  #interrupt(): void {
    const flight = this.#flight;
    if (flight === undefined || flight.isInterrupted || !this.#unblocker.isAllowed) return;
    flight.isInterrupted = true;
    this.#unblocker.unblock(() => this.#flight === flight);
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
      this.#options.ports.logger.error("A listener for entries failed.", { error });
    }
  }
}

/** One reader's place at a stream. The hub alone writes its fields. */
class Place {
  readonly key: Bytes;
  readonly listener: EntryListener;
  after: Bytes = "0-0";
  isClosed = false;

  constructor(key: Bytes, listener: EntryListener) {
    this.key = key;
    this.listener = listener;
  }
}

/** The keys that a reply of `XREAD` has entries of: a list of pairs, or by protocol 3 names and entries in turn. */
function keysOf(reply: Reply): Bytes[] {
  if (!Array.isArray(reply)) return [];
  const parts = reply as readonly Reply[];
  if (Array.isArray(parts[0])) return parts.map((pair) => String((pair as readonly Reply[])[0]));
  return parts.filter((_, at) => at % 2 === 0).map(String);
}

function lowest(places: Iterable<Place>): Bytes {
  let low: Bytes | undefined;
  for (const { after } of places) if (low === undefined || isAbove(low, after)) low = after;
  return low ?? "0-0";
}

/** Whether an id is above another. Both are as a server writes them. */
function isAbove(one: Bytes, other: Bytes): boolean {
  const [ms = 0, seq = 0] = one.split("-").map(Number);
  const [otherMs = 0, otherSeq = 0] = other.split("-").map(Number);
  return ms > otherMs || (ms === otherMs && seq > otherSeq);
}
