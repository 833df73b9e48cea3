/**
 * One server and the three sockets to it: commands, blocking, channels.
 *
 * The last two are opened when they are first needed, so a producer holds one socket. There are never more than three,
 * whatever the number of queues and workers that share the engine.
 */

import type { WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Client, SocketRole } from "./client.ts";
import type { Ask } from "./fence.ts";
import { Link } from "./link.ts";
import type { Site, SiteOptions } from "./site.ts";
import { WakeHub } from "./wake-hub.ts";

/** The sockets to one server. */
export class SingleSite implements Site {
  readonly #options: SiteOptions;
  readonly #loadClient: () => Promise<Client>;
  readonly #hub: WakeHub;
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

  endWaits(): Promise<void> {
    return this.#hub.close();
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
    if (role === "blocking") {
      return new Link({
        ...common,
        isServerUp,
        prepare: (ask) => fence(ask).then(() => this.#hub.prepare(ask)),
        onUp: (session) => this.#hub.onUp(session),
        onDown: () => this.#hub.onDown(),
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
    if (this.#isInspected) return;
    await this.#options.inspect(ask);
    this.#isInspected = true;
  }
}
