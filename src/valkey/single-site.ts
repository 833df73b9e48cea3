/**
 * One server and the sockets to it: commands, waiting for work, waiting at streams, channels.
 *
 * All but the first are opened when they are first needed, so a producer holds one socket, and a worker that reads no
 * streams three. Whatever the number of queues, workers and readers that share the engine, there is one of each kind,
 * but for those that wait for work: one for so many queues as wake-groups.ts says.
 */

import type { EntryHandle, EntryListener, WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Client, SocketRole } from "./client.ts";
import { EntryHub } from "./entry-hub.ts";
import type { Ask } from "./fence.ts";
import { Link } from "./link.ts";
import { Seldom } from "./seldom.ts";
import type { Site, SiteOptions } from "./site.ts";
import { type GroupSocket, WakeGroups } from "./wake-groups.ts";
import { WakeHub } from "./wake-hub.ts";

/** What one socket is enough for. */
type SingleRole = Exclude<SocketRole, "blocking">;

/** The sockets to one server. */
export class SingleSite implements Site {
  readonly #options: SiteOptions;
  readonly #loadClient: () => Promise<Client>;
  readonly #wakeGroups: WakeGroups;
  readonly #entryHub: EntryHub;
  /** Of the sockets that wait: whatever their number, trouble of all of them is told once. */
  readonly #waitSeldom: Seldom;
  readonly #links = new Map<SingleRole, Link>();
  /** Starts what was asked for before the library was loaded. */
  readonly #early = new Map<SingleRole | WakeHub, () => void>();
  #client: Client | undefined;
  #isInspected = false;
  /** Whether the socket for commands is up. */
  #isUp = false;
  #isClosed = false;

  /** @param loadClient gives the client that sessions come from; an `EchoMQError` that it rejects with is final. */
  constructor(options: SiteOptions, loadClient: () => Promise<Client>) {
    this.#options = options;
    this.#loadClient = loadClient;
    const seldom = new Seldom(options.ports.clock);
    this.#waitSeldom = seldom;
    this.#wakeGroups = new WakeGroups({
      makeHub: (start) =>
        new WakeHub({
          ports: options.ports,
          beatMs: options.beatMs,
          start,
          run: (parts) => options.dispatcher.run(parts),
          onReadonly: () => this.renew(),
          seldom,
        }),
      makeSocket: (hub) => this.#wakeSocket(hub),
    });
    this.#entryHub = new EntryHub({
      ports: options.ports,
      beatMs: options.beatMs,
      start: () => this.#startLink("stream"),
      run: (parts) => options.dispatcher.run(parts),
    });
  }

  get cause(): unknown {
    return this.#links.get("command")?.cause;
  }

  start(): void {
    this.#loadClient().then(
      (client) => {
        this.#client = client;
        this.#startLink("command");
        for (const start of this.#early.values()) start();
        this.#early.clear();
      },
      (error: EchoMQError) => this.#options.onFinal(error),
    );
  }

  /** All sockets, since what is true of the address of one is true of all; each link limits how often. */
  renew(): void {
    for (const link of this.#links.values()) link.renew();
    this.#wakeGroups.renew();
  }

  startSubscriber(): void {
    this.#startLink("subscriber");
  }

  listen(key: Bytes, listener: WakeListener): WakeHandle {
    return this.#wakeGroups.listen(key, listener);
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    return this.#entryHub.listen(key, listener);
  }

  async endWaits(): Promise<void> {
    await Promise.all([this.#wakeGroups.endWaits(), this.#entryHub.close()]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#wakeGroups.close(), ...[...this.#links.values()].map((link) => link.close())]);
  }

  #startLink(role: SingleRole): void {
    if (this.#isClosed) return;
    if (this.#client === undefined) {
      this.#early.set(role, () => this.#startLink(role));
      return;
    }
    if (!this.#links.has(role)) this.#links.set(role, this.#newLink(role, this.#client));
    this.#links.get(role)?.start();
  }

  #newLink(role: SingleRole, client: Client): Link {
    const { ports, dispatcher, subscriber, fence, onReady, onDown, onFinal } = this.#options;
    const common = { client, role, ports, onFinal };
    if (role === "command") {
      return new Link({
        ...common,
        prepare: (ask) => this.#prepare(ask),
        onUp: (session) => {
          this.#isUp = true;
          dispatcher.onUp(session);
          onReady();
        },
        onDown: (cause) => {
          this.#isUp = false;
          onDown();
          dispatcher.onDown(cause);
        },
      });
    }
    if (role === "stream") return this.#newWait(role, this.#entryHub, client);
    return new Link({
      ...common,
      isServerUp: () => this.#isUp,
      prepare: fence,
      onUp: (session) => subscriber.onUp(session),
      onDown: () => subscriber.onDown(),
      onMessage: (channel, payload) => subscriber.onMessage(channel, payload),
    });
  }

  /** A socket that blocks. */
  #newWait(role: "blocking" | "stream", hub: WakeHub | EntryHub, client: Client): Link {
    const { ports, fence, onFinal } = this.#options;
    return new Link({
      client,
      role,
      ports,
      onFinal,
      seldom: this.#waitSeldom,
      isServerUp: () => this.#isUp,
      prepare: (ask) => fence(ask).then(() => hub.prepare(ask)),
      onUp: (session) => hub.onUp(session),
      onDown: () => hub.onDown(),
    });
  }

  #wakeSocket(hub: WakeHub): GroupSocket {
    let link: Link | undefined;
    let closed: Promise<void> | undefined;
    const start = (): void => {
      if (this.#isClosed || closed !== undefined) return;
      if (this.#client === undefined) {
        this.#early.set(hub, start);
        return;
      }
      link ??= this.#newWait("blocking", hub, this.#client);
      link.start();
    };
    return {
      start,
      renew: () => link?.renew(),
      close: () => {
        this.#early.delete(hub);
        closed ??= link?.close() ?? Promise.resolve();
        return closed;
      },
    };
  }

  async #prepare(ask: Ask): Promise<void> {
    await this.#options.fence(ask);
    await this.#options.probe(ask);
    if (this.#isInspected) return;
    await this.#options.inspect(ask);
    this.#isInspected = true;
  }
}
