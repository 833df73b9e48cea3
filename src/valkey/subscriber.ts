/**
 * One socket for all subscriptions of an engine.
 *
 * A channel is subscribed once however many listen to it, and again on every new connection. What was published while
 * the connection was away is gone: a channel keeps nothing, so whoever needs every message must also ask.
 */

import type { Subscription } from "../engine/engine.ts";
import type { Ports, Timer } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { ask } from "./ask.ts";
import type { Session } from "./client.ts";

/** What a {@link Subscriber} works with. */
export interface SubscriberOptions {
  readonly ports: Ports;
  /** Longest time until a subscription holds, in ms. */
  readonly timeoutMs: number;
  /** Opens the socket. Called at the first subscription; calling it again does nothing. */
  readonly start: () => void;
}

/** One who listens. */
interface Listener {
  readonly onMessage: (payload: Bytes) => void;
  /** Told once when the subscription holds, or why it does not; `undefined` after that. */
  settle: ((error: EchoMQError | undefined) => void) | undefined;
}

/** A channel that somebody listens to. */
interface Channel {
  readonly name: Bytes;
  readonly listeners: Set<Listener>;
  /** Whether the present session has confirmed it. */
  isLive: boolean;
  /** The session that was asked for it and has not answered. */
  asked: Session | undefined;
}

/** One socket for all subscriptions. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #channels = new Map<Bytes, Channel>();
  #session: Session | undefined;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the subscription holds; see `Engine.subscribe`.
   *
   * @throws EchoMQError `permission` when the user may not listen, `timeout` when there is no answer in time.
   */
  async subscribe(name: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription> {
    const channel = this.#channels.get(name) ?? this.#create(name);
    const listener: Listener = { onMessage, settle: undefined };
    channel.listeners.add(listener);
    this.#options.start();
    // One that was refused when the connection came back is asked for anew: rights change while programs run.
    const session = this.#session;
    if (session !== undefined && !channel.isLive && channel.asked !== session) this.#join(channel, session);
    if (!channel.isLive) await this.#untilLive(channel, listener);
    return { close: () => this.#leave(channel, listener) };
  }

  onUp(session: Session): void {
    this.#session = session;
    for (const channel of this.#channels.values()) this.#join(channel, session);
  }

  onDown(): void {
    this.#session = undefined;
    for (const channel of this.#channels.values()) channel.isLive = false;
  }

  onMessage(name: Bytes, payload: Bytes): void {
    for (const listener of this.#channels.get(name)?.listeners ?? []) {
      // Also to whoever still waits for the subscription to hold: the server confirmed it before this message, and the
      // two may be read in one go.
      try {
        listener.onMessage(payload);
      } catch (error) {
        this.#options.ports.logger.error("A listener of a channel failed.", { channel: textOf(name), error });
      }
    }
  }

  /** Ends all subscriptions; those that do not hold yet are rejected with `reason`. */
  refuse(reason: EchoMQError): void {
    for (const channel of this.#channels.values()) this.#settle(channel, reason);
    this.#channels.clear();
  }

  #create(name: Bytes): Channel {
    const channel: Channel = { name, listeners: new Set(), isLive: false, asked: undefined };
    this.#channels.set(name, channel);
    return channel;
  }

  #untilLive(channel: Channel, listener: Listener): Promise<void> {
    const { ports, timeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const timer: Timer = ports.clock.after(timeoutMs, () => {
        const text = `The subscription to ${textOf(channel.name)} did not hold within ${timeoutMs} ms.`;
        listener.settle?.(new EchoMQError("timeout", text));
      });
      listener.settle = (error) => {
        timer.cancel();
        listener.settle = undefined;
        if (error === undefined) return resolve();
        this.#remove(channel, listener);
        reject(error);
      };
    });
  }

  #join(channel: Channel, session: Session): void {
    const { clock } = this.#options.ports;
    channel.asked = session;
    ask(session, ["SUBSCRIBE", channel.name], { clock, timeoutMs: this.#options.timeoutMs }).then(
      () => this.#joined(channel, session),
      (error: unknown) => this.#refused(channel, session, error),
    );
  }

  #joined(channel: Channel, session: Session): void {
    if (channel.asked === session) channel.asked = undefined;
    if (this.#session !== session || this.#channels.get(channel.name) !== channel) return;
    channel.isLive = true;
    this.#settle(channel, undefined);
  }

  /** A lost answer is repaired by the next session; a refusal is told to those who wait, or to the log. */
  #refused(channel: Channel, session: Session, error: unknown): void {
    if (channel.asked === session) channel.asked = undefined;
    if (!isEchoMQError(error) || error.code === "disconnected") return;
    if (error.code === "timeout") {
      // A subscription that may or may not hold is worse than none.
      if (this.#session === session) session.end("dead");
      return;
    }
    const isAwaited = [...channel.listeners].some((listener) => listener.settle !== undefined);
    if (!isAwaited)
      this.#options.ports.logger.error(error.message, { channel: textOf(channel.name), code: error.code });
    this.#settle(channel, error);
  }

  #settle(channel: Channel, error: EchoMQError | undefined): void {
    for (const listener of channel.listeners) listener.settle?.(error);
  }

  async #leave(channel: Channel, listener: Listener): Promise<void> {
    if (!channel.listeners.has(listener)) return;
    const session = this.#session;
    this.#remove(channel, listener);
    if (channel.listeners.size > 0 || session === undefined) return;
    const { clock } = this.#options.ports;
    // If it fails the session is over or dumb, and the next one does not subscribe again.
    await ask(session, ["UNSUBSCRIBE", channel.name], { clock, timeoutMs: this.#options.timeoutMs }).catch(() => null);
  }

  #remove(channel: Channel, listener: Listener): void {
    channel.listeners.delete(listener);
    if (channel.listeners.size === 0 && this.#channels.get(channel.name) === channel) {
      this.#channels.delete(channel.name);
    }
  }
}
