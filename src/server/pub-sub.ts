/**
 * Who of the clients listens to which channels and patterns.
 *
 * Subscribers in the program of the server itself are the engine's; both get every message, and `PUBLISH` counts both.
 */

import type { ChannelTap, Delivery } from "../embedded/channels.ts";
import { matchesGlob } from "../embedded/command/glob.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bulk, push } from "./frames.ts";
import type { Session } from "./session.ts";

/** What can be listened to: channels by name, or by pattern. */
export type Listening = "channels" | "patterns";

export class PubSub implements ChannelTap {
  readonly #listeners: Readonly<Record<Listening, Map<Bytes, Set<Session>>>> = {
    channels: new Map(),
    patterns: new Map(),
  };

  /** Number of patterns that somebody listens to. */
  get patternCount(): number {
    return this.#listeners.patterns.size;
  }

  /** Channels that somebody listens to by name. */
  channels(): Bytes[] {
    return [...this.#listeners.channels.keys()];
  }

  /** How many listen to a channel by its name. */
  subscribers(channel: Bytes): number {
    return this.#listeners.channels.get(channel)?.size ?? 0;
  }

  join(session: Session, kind: Listening, name: Bytes): void {
    session[kind].add(name);
    const listeners = this.#listeners[kind].get(name);
    if (listeners === undefined) this.#listeners[kind].set(name, new Set([session]));
    else listeners.add(session);
  }

  leave(session: Session, kind: Listening, name: Bytes): void {
    session[kind].delete(name);
    const listeners = this.#listeners[kind].get(name);
    if (listeners?.delete(session) && listeners.size === 0) this.#listeners[kind].delete(name);
  }

  /** Forgets a client. */
  leaveAll(session: Session): void {
    for (const kind of ["channels", "patterns"] as const) {
      for (const name of session[kind]) this.leave(session, kind, name);
    }
  }

  onPublish(channel: Bytes, payload: Bytes): Delivery {
    // Each is settled in the form that the client speaks now.
    const messages: (readonly [Session, Bytes])[] = [];
    const address = (sessions: ReadonlySet<Session>, ...frames: readonly Bytes[]): void => {
      const texts = { 2: push(frames, 2), 3: push(frames, 3) };
      for (const session of sessions) messages.push([session, texts[session.resp]]);
    };
    const named = this.#listeners.channels.get(channel);
    if (named !== undefined) address(named, bulk("message"), bulk(channel), bulk(payload));
    for (const [pattern, sessions] of this.#listeners.patterns) {
      if (!matchesGlob(pattern, channel)) continue;
      address(sessions, bulk("pmessage"), bulk(pattern), bulk(channel), bulk(payload));
    }
    const deliver = (): void => {
      for (const [session, text] of messages) session.push(text);
    };
    return { receivers: messages.length, deliver };
  }
}
