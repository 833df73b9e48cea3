/**
 * Waiting for a token of a wake list, as `BLPOP` does it.
 *
 * Listeners of one list are served in the order in which they were armed, each with one item from the head. As in the
 * server, that happens after the act that pushed: the act itself still finds its items in the list. A list that holds
 * an item therefore has no armed listener between acts.
 */

import type { WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { Keyspace } from "./store/keyspace.ts";
import { ListValue } from "./store/list-value.ts";

/** One listener's place. */
interface Place {
  readonly key: Bytes;
  readonly listener: WakeListener;
  /** Tokens that were taken for it and not yet handed over. */
  onTheirWay: number;
  closed: boolean;
  /** Called once `closed` is set and nothing is on its way. */
  readonly whenQuiet: (() => void)[];
}

export class WakeLists {
  readonly #keyspace: Keyspace;
  readonly #ports: Ports;
  /** Takes the head of a list, as a command. */
  readonly #pop: (key: Bytes) => void;
  /** Places that wait, by list, the longest-armed first. A list without any has no entry. */
  readonly #armed: Map<Bytes, Set<Place>> = new Map();
  /** Lists with a waiting place that got an item in the act that runs. */
  readonly #pushed: Set<Bytes> = new Set();
  #closed = false;

  constructor(keyspace: Keyspace, ports: Ports, pop: (key: Bytes) => void) {
    this.#keyspace = keyspace;
    this.#ports = ports;
    this.#pop = pop;
  }

  /** Whether a list that somebody waits at got an item that nobody has looked at. */
  get hasPushed(): boolean {
    return this.#pushed.size > 0;
  }

  listen(key: Bytes, listener: WakeListener): WakeHandle {
    const place: Place = { key, listener, onTheirWay: 0, closed: false, whenQuiet: [] };
    return {
      arm: () => this.#arm(place),
      disarm: () => this.#disarm(place),
      close: () => this.#leave(place),
    };
  }

  /** A list got an item; it is looked at when the act has ended. */
  onPush(key: Bytes): void {
    if (this.#armed.size > 0 && this.#armed.has(key)) this.#pushed.add(key);
  }

  /** After an act: hands items to those who wait for them. */
  serve(): void {
    if (this.#pushed.size === 0) return;
    for (const key of this.#pushed) this.#serveList(key);
    this.#pushed.clear();
  }

  /** After acts were taken back: lists that others wait at may hold again what was taken from them. */
  lookAgain(): void {
    for (const key of this.#armed.keys()) this.#pushed.add(key);
  }

  /** Ends all waiting; nothing is handed over any more. */
  close(): void {
    this.#closed = true;
    this.#armed.clear();
    this.#pushed.clear();
  }

  #arm(place: Place): void {
    if (this.#closed || place.closed) return;
    const others = this.#armed.get(place.key);
    if (others === undefined) this.#armed.set(place.key, new Set([place]));
    else others.add(place);
    this.#serveList(place.key);
  }

  #disarm(place: Place): void {
    const others = this.#armed.get(place.key);
    if (others?.delete(place) && others.size === 0) this.#armed.delete(place.key);
  }

  #leave(place: Place): Promise<void> {
    place.closed = true;
    this.#disarm(place);
    if (place.onTheirWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      place.whenQuiet.push(resolve);
    });
  }

  #serveList(key: Bytes): void {
    const list = this.#keyspace.find(key);
    const places = this.#armed.get(key);
    // A value of another type is waited out; the server would refuse, and refuse each act that wants to push.
    if (!(list instanceof ListValue) || places === undefined) return;
    for (const place of places) {
      if (list.length === 0) break;
      this.#pop(key);
      this.#disarm(place);
      this.#deliver(place);
    }
  }

  #deliver(place: Place): void {
    place.onTheirWay++;
    this.#ports.soon(() => {
      place.onTheirWay--;
      if (!this.#closed) place.listener.onToken();
      if (!place.closed || place.onTheirWay > 0) return;
      for (const quiet of place.whenQuiet) quiet();
    });
  }
}
