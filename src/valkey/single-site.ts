/**
 * One server and the sockets to it: commands, waiting for work, waiting at streams, channels.
 *
 * All but the first are opened when they are first needed, so a producer holds one socket, and a worker that reads no
 * streams three. There are never more than four, whatever the number of queues, workers and readers that share the
 * engine.
 */

import type { EntryHandle, EntryListener, WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Client, SocketRole } from "./client.ts";
import { EntryHub } from "./entry-hub.ts";
import type { Ask } from "./fence.ts";
import { Link } from "./link.ts";
import type { Site, SiteOptions } from "./site.ts";
import { WakeHub } from "./wake-hub.ts";

/** The sockets to one server. */
export class SingleSite implements Site {
  readonly #options: SiteOptions;
  readonly #loadClient: () => Promise<Client>;
  readonly #hub: WakeHub;
  readonly #entryHub: EntryHub;
  readonly #links = new Map<SocketRole, Link>();
  /** Links that were asked for before the library was loaded. */
  readonly #early = new Set<SocketRole>();
  #client: Client | undefined;
  #isInspected = false;
  /** Whether the socket for commands is up. */
  #isUp = false;
  #isClosed = false;

  /** @param loadClient gives the client that sessions come from; an `EchoMQError` that it rejects with is final. */
  constructor(options: SiteOptions, loadClient: () => Promise<Client>) {
    this.#options = options;
    this.#loadClient = loadClient;
    this.#hub = new WakeHub({
      ports: options.ports,
      beatMs: options.beatMs,
      start: () => this.#startLink("blocking"),
      run: (parts) => options.dispatcher.run(parts),
      onReadonly: () => this.renew(),
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
        for (const role of this.#early) this.#startLink(role);
        this.#early.clear();
      },
      (error: EchoMQError) => this.#options.onFinal(error),
    );
  }

  /** All sockets, since what is true of the address of one is true of all; each link limits how often. */
  renew(): void {
    for (const link of this.#links.values()) link.renew();
  }

  startSubscriber(): void {
    this.#startLink("subscriber");
  }

  listen(key: Bytes, listener: WakeListener): WakeHandle {
    return this.#hub.listen(key, listener);
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    return this.#entryHub.listen(key, listener);
  }

  async endWaits(): Promise<void> {
    await Promise.all([this.#hub.close(), this.#entryHub.close()]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  #startLink(role: SocketRole): void {
    if (this.#isClosed) return;
    if (this.#client === undefined) {
      this.#early.add(role);
      return;
    }
    if (!this.#links.has(role)) this.#links.set(role, this.#newLink(role, this.#client));
    this.#links.get(role)?.start();
  }

  #newLink(role: SocketRole, client: Client): Link {
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
    const isServerUp = (): boolean => this.#isUp;
    if (role === "blocking" || role === "stream") {
      const hub = role === "blocking" ? this.#hub : this.#entryHub;
      return new Link({
        ...common,
        isServerUp,
        prepare: (ask) => fence(ask).then(() => hub.prepare(ask)),
        onUp: (session) => hub.onUp(session),
        onDown: () => hub.onDown(),
      });
    }
    return new Link({
      ...common,
      isServerUp,
      prepare: fence,
      onUp: (session) => subscriber.onUp(session),
      onDown: () => subscriber.onDown(),
      onMessage: (channel, payload) => subscriber.onMessage(channel, payload),
    });
  }

  async #prepare(ask: Ask): Promise<void> {
    await this.#options.fence(ask);
    await this.#options.probe(ask);
    if (this.#isInspected) return;
    await this.#options.inspect(ask);
    this.#isInspected = true;
  }
}
