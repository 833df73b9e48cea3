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

/** A message on its way to those who listened when it was published, whoever comes or goes meanwhile. */
interface Message {
  readonly payload: Bytes;
  readonly subscribers: readonly Subscriber[];
  readonly deliveries: readonly Delivery[];
}

/** Gives one message to those of a {@link ChannelTap} who are to get it. */
export interface Delivery {
  readonly receivers: number;
  readonly deliver: () => void;
}

/** One who hears all channels, and knows by itself who listens to which. */
export interface ChannelTap {
  /**
   * Settles who gets a message that is published now. It is delivered at once when the act or command has ended that
   * published it, and not at all when that is taken back.
   */
  onPublish(channel: Bytes, payload: Bytes): Delivery;
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
    const subscribers = [...(this.#subscribers.get(channel) ?? [])];
    const deliveries: Delivery[] = [];
    let receivers = subscribers.length;
    for (const tap of this.#taps) {
      const delivery = tap.onPublish(channel, payload);
      if (delivery.receivers > 0) deliveries.push(delivery);
      receivers += delivery.receivers;
    }
    if (receivers > 0) this.#held.push({ payload, subscribers, deliveries });
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
    for (const { payload, subscribers, deliveries } of messages) {
      for (const subscriber of subscribers) this.#deliver(subscriber, payload);
      for (const { deliver } of deliveries) deliver();
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

  /** Hears all channels until the function that it returns is called. */
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
