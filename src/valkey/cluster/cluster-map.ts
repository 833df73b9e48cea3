/**
 * Which node of a cluster answers for a call, as far as this engine knows.
 *
 * A small table of our own in place of the library's: a redirect is written to it at once, so a slot that moved costs
 * one refusal and not one a call, and a call is sent again only by the dispatcher, which alone knows which may be.
 */

import { refusalWord } from "../../engine/refusal.ts";
import type { Bytes } from "../../protocol/bytes.ts";
import type { Session } from "../client.ts";
import type { Route } from "../dispatch.ts";
import type { PendingCall } from "../pending-call.ts";
import { addressText, parseAddress } from "./address.ts";
import { ANY_SLOT, callSlot } from "./call-slot.ts";
import type { SlotRange } from "./slot-ranges.ts";

/** Told when the map has learned or suspects something. */
export interface ClusterMapEvents {
  /** The map may be out of date as a whole. */
  onStale(): void;
  /** A node was named that is needed now. */
  onNamed(address: string): void;
}

/** Slots, the nodes that own them, and the sessions of these nodes. */
export class ClusterMap implements Route {
  readonly #owners = new Map<number, string>();
  readonly #sessions = new Map<string, Session>();
  #hasChanged = false;
  /** Set by the site that keeps the nodes; until then there is nobody to tell. */
  events: ClusterMapEvents = { onStale() {}, onNamed() {} };

  /** Whether anything is known. */
  get isKnown(): boolean {
    return this.#owners.size > 0;
  }

  /** Every node that owns a slot. */
  get addresses(): Set<string> {
    return new Set(this.#owners.values());
  }

  /** Every node that can be asked now. */
  get upAddresses(): string[] {
    return [...this.#sessions.keys()];
  }

  ownerOf(slot: number): string | undefined {
    return this.#owners.get(slot);
  }

  sessionOf(address: string | undefined): Session | undefined {
    return address === undefined ? undefined : this.#sessions.get(address);
  }

  setSession(address: string, session: Session | undefined): void {
    if (session === undefined) this.#sessions.delete(address);
    else this.#sessions.set(address, session);
  }

  /** Takes over what a node says of all slots. */
  replace(ranges: readonly SlotRange[]): void {
    const before = new Map(this.#owners);
    this.#owners.clear();
    for (const { first, last, address } of ranges) {
      for (let slot = first; slot <= last; slot++) {
        this.#owners.set(slot, address);
        if (before.get(slot) !== address) this.#hasChanged = true;
      }
    }
  }

  /** Whether a slot has got another owner since this was asked last. */
  takeChange(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  sessionFor(call: PendingCall): Session | undefined {
    if (call.askAddress !== undefined) return this.#sessions.get(call.askAddress);
    call.slot ??= callSlot(call);
    if (call.slot === ANY_SLOT) return this.#sessions.values().next().value;
    return this.sessionOf(this.#owners.get(call.slot));
  }

  follow(call: PendingCall, text: Bytes): "moved" | "ask" | "wait" {
    const word = refusalWord(text);
    if (word === "MOVED") {
      call.askAddress = undefined;
      return this.noteMoved(text, call.session) ? "moved" : "wait";
    }
    if (word === "ASK") {
      const address = this.#named(text, call.session);
      if (address === undefined) return "wait";
      this.events.onNamed(address);
      if (!this.#sessions.has(address)) return "wait";
      call.askAddress = address;
      return "ask";
    }
    // A slot whose keys are on their way answers for them soon; all else means that somebody else may.
    if (word !== "TRYAGAIN") this.events.onStale();
    return "wait";
  }

  /** Takes note of `MOVED slot host:port`. False when it names nobody. */
  noteMoved(text: Bytes, from: Session | undefined): boolean {
    const slot = Number(text.split(" ")[1]);
    const address = this.#named(text, from);
    if (address === undefined || !Number.isInteger(slot)) return false;
    this.#hasChanged ||= this.#owners.get(slot) !== address;
    this.#owners.set(slot, address);
    this.events.onNamed(address);
    this.events.onStale();
    return true;
  }

  #named(text: Bytes, from: Session | undefined): string | undefined {
    const asked = [...this.#sessions].find(([, session]) => session === from)?.[0] ?? "";
    const address = parseAddress(text.split(" ")[2] ?? "", asked.slice(0, asked.lastIndexOf(":")));
    return address === undefined ? undefined : addressText(address);
  }
}
