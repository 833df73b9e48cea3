/**
 * Publish and subscribe within one engine.
 *
 * A message belongs to the act that published it: it is held until the act has ended, and dropped when the act is taken
 * back. It is then delivered in a later step of the program, so a listener never runs inside an act.
 */

import type { Subscription } from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";

interface Subscriber {
  readonly onMessage: (payload: Bytes) => void;
  /** Cleared by `close`; read by deliveries that are on their way. */
  open: boolean;
}

interface Message {
  readonly channel: Bytes;
  readonly payload: Bytes;
}

/** One who hears all channels, and knows by itself who listens to which. */
export interface ChannelTap {
  /** How many would get a message on a channel. */
  receivers(channel: Bytes): number;
  /** A message was published by an act or command that has ended. */
  onMessage(channel: Bytes, payload: Bytes): void;
}

const NONE: readonly Message[] = [];

export class Channels {
  readonly #ports: Ports;
  readonly #subscribers: Map<Bytes, Set<Subscriber>> = new Map();
  /** Messages of the act or command that runs. */
  #held: Message[] = [];
  readonly #taps: Set<ChannelTap> = new Set();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Holds a message back until `release`; answers how many subscriptions will get it. */
  publish(channel: Bytes, payload: Bytes): number {
    let receivers = this.#subscribers.get(channel)?.size ?? 0;
    for (const tap of this.#taps) receivers += tap.receivers(channel);
    if (receivers > 0) this.#held.push({ channel, payload });
    return receivers;
  }

  /** Sends the messages that are held back. */
  release(): void {
    if (this.#held.length > 0) this.send(this.take());
  }

  /** The messages that are held back, for whoever holds them longer. */
  take(): readonly Message[] {
    if (this.#held.length === 0) return NONE;
    const messages = this.#held;
    this.#held = [];
    return messages;
  }

  /** Sends messages that were taken. */
  send(messages: readonly Message[]): void {
    for (const { channel, payload } of messages) {
      for (const subscriber of this.#subscribers.get(channel) ?? []) this.#deliver(subscriber, payload);
      for (const tap of this.#taps) tap.onMessage(channel, payload);
    }
  }

  /** A place to go back to among the messages that are held back. */
  mark(): number {
    return this.#held.length;
  }

  /** Forgets the messages that came after a mark. */
  rewind(mark: number): void {
    this.#held.length = mark;
  }

  /** Hears all channels, at once when an act has ended, until the function that it returns is called. */
  tap(tap: ChannelTap): () => void {
    this.#taps.add(tap);
    return () => void this.#taps.delete(tap);
  }

  subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Subscription {
    const subscriber: Subscriber = { onMessage, open: true };
    const others = this.#subscribers.get(channel);
    if (others === undefined) this.#subscribers.set(channel, new Set([subscriber]));
    else others.add(subscriber);
    return {
      close: () => {
        this.#remove(channel, subscriber);
        return Promise.resolve();
      },
    };
  }

  /** Ends all subscriptions; nothing is delivered any more. */
  close(): void {
    for (const [channel, subscribers] of this.#subscribers) {
      for (const subscriber of subscribers) this.#remove(channel, subscriber);
    }
    this.#taps.clear();
  }

  #deliver(subscriber: Subscriber, payload: Bytes): void {
    this.#ports.soon(() => {
      if (subscriber.open) subscriber.onMessage(payload);
    });
  }

  #remove(channel: Bytes, subscriber: Subscriber): void {
    subscriber.open = false;
    const others = this.#subscribers.get(channel);
    if (others === undefined) return;
    others.delete(subscriber);
    if (others.size === 0) this.#subscribers.delete(channel);
  }
}
