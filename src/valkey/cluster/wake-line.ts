/**
 * A blocking socket of one queue of a cluster: for its wake list, or for its streams.
 *
 * A `BLPOP` over the wake lists of two queues is refused there, because they lie in two slots, so each queue has a
 * socket of its own to the node that owns its slot; what waits at streams is told apart in the same way. The socket
 * follows the slot: it is opened anew when that moves.
 */

import type { Ports } from "../../engine/ports.ts";
import type { Bytes } from "../../protocol/bytes.ts";
import type { EchoMQError } from "../../protocol/errors.ts";
import type { Client, Session } from "../client.ts";
import type { EntryHub, EntryHubOptions } from "../entry-hub.ts";
import type { Ask } from "../fence.ts";
import { Link } from "../link.ts";
import type { WakeHub, WakeHubOptions } from "../wake-hub.ts";
import { keySlot } from "./call-slot.ts";

/** What a wake line works with. */
export interface WakeLineOptions<H extends WakeHub | EntryHub> {
  readonly ports: Ports;
  readonly beatMs: number;
  /** A key of the queue; all of them lie in one slot. */
  readonly key: Bytes;
  /** Makes what the socket does, out of how it reaches the server. */
  readonly makeHub: (options: WakeHubOptions & EntryHubOptions) => H;
  /** The address of the node that owns a slot; `undefined` while nobody knows. */
  readonly ownerOf: (slot: number) => string | undefined;
  readonly clientOf: (address: string) => Client;
  /** Whether the node of an address has a socket for commands that is up. */
  readonly isNodeUp: (address: string) => boolean;
  /** Passes the fence over a fresh session to a node. */
  readonly fence: (ask: Ask, address: string) => Promise<void>;
  /** Runs a command on the node of an address, for the blocking socket itself. */
  readonly runAt: (address: string | undefined, parts: readonly Bytes[]) => ReturnType<Ask>;
  /** Runs a command on whichever node answers for its key. */
  readonly run: Ask;
  /** The node said that it does not answer for the list (any more). */
  readonly onRedirect: (text: Bytes, from: Session | undefined) => void;
  readonly onFinal: (error: EchoMQError) => void;
}

/** One queue's wait. */
export class WakeLine<H extends WakeHub | EntryHub = WakeHub | EntryHub> {
  readonly #options: WakeLineOptions<H>;
  readonly #slot: number;
  /** Keeps who waits, and tells them. */
  readonly hub: H;
  #link: Link | undefined;
  /** The node that the present session leads to. */
  #address: string | undefined;
  #session: Session | undefined;
  #isWanted = false;
  #mayBlock = false;
  #isClosed = false;
  /** Handles that are not closed. Written by the site. */
  users = 0;

  constructor(options: WakeLineOptions<H>) {
    this.#options = options;
    this.#slot = keySlot(options.key);
    this.hub = options.makeHub({
      ports: options.ports,
      beatMs: options.beatMs,
      start: () => {
        this.#isWanted = true;
        this.settle();
      },
      // What concerns the connection itself must be said to the server that has it.
      run: (parts) => (parts[0] === "CLIENT" ? options.runAt(this.#address, parts) : options.run(parts)),
      onRedirect: (text) => options.onRedirect(text, this.#session),
    });
  }

  /** Whether it has, or may open, a socket. */
  get mayBlock(): boolean {
    return this.#mayBlock;
  }

  /** Lets it have a socket. Until then nothing is delivered, and the beat of each listener is all there is. */
  permit(): void {
    this.#mayBlock = true;
    this.settle();
  }

  /** Connects to the node that owns the slot, if that is another than before, or none yet. */
  settle(): void {
    const owner = this.#options.ownerOf(this.#slot);
    if (this.#isClosed || !this.#isWanted || !this.#mayBlock || owner === undefined) return;
    if (this.#link === undefined) {
      this.#link = this.#newLink();
      this.#link.start();
    } else if (owner !== this.#address) {
      this.#link.reopen("the slot has moved to another node");
    }
  }

  /** Ends the wait while commands can still be sent; see `WakeHub.close`. */
  endWait(): Promise<void> {
    this.#isClosed = true;
    return this.hub.close();
  }

  async close(): Promise<void> {
    await this.endWait();
    await this.#link?.close();
  }

  #newLink(): Link {
    const { ports, fence, isNodeUp, onFinal } = this.#options;
    return new Link({
      client: this.#client(),
      role: "blocking",
      ports,
      isServerUp: () => isNodeUp(this.#address ?? ""),
      prepare: (ask) => fence(ask, this.#address ?? "").then(() => this.hub.prepare(ask)),
      onUp: (session) => {
        this.#session = session;
        this.hub.onUp(session);
      },
      onDown: () => {
        this.#session = undefined;
        this.hub.onDown();
      },
      onFinal,
    });
  }

  /** Leads wherever the slot is at the moment of opening. */
  #client(): Client {
    const { ownerOf, clientOf } = this.#options;
    const present = (): Client => {
      this.#address = ownerOf(this.#slot) ?? this.#address ?? "";
      return clientOf(this.#address);
    };
    const nameNow = (): string => clientOf(this.#address ?? "").name;
    return {
      get name() {
        return nameNow();
      },
      isBorrowed: () => false,
      open: (role, events) => present().open(role, events),
    };
  }
}
