/**
 * A call that somebody waits for, and the list of all of them in the order of their deadlines.
 *
 * All calls of an engine have the same time, so the order in which they were made is the order in which they run out:
 * one timer for the head of a list serves any number of calls, and a settled one leaves the list in constant time. The
 * list is linked through the calls themselves, so an act costs no further object.
 */

import type { Reply } from "../engine/engine.ts";
import type { Timer } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import { Call, type CallContent, type CallHead, type CallOwner } from "./call.ts";
import type { Session } from "./client.ts";

/** A script as it is loaded into a server. */
export interface LoadableScript {
  readonly sha: string;
  readonly text: Bytes;
}

/** Whom a call answers. */
export interface CallEnd {
  onDone(reply: Reply): void;
  onFailed(error: EchoMQError): void;
}

/** What a pending call is made of. */
export interface PendingContent extends CallContent {
  /** What to load when the server does not know it; absent for a plain command. */
  readonly script?: LoadableScript | undefined;
  /** For a native command: the head of the same act as a script, for a server that does not know the command. */
  readonly scriptHead?: CallHead | undefined;
  /** For a script that was called before it was known what the server has: the head of the same act as a command. */
  readonly nativeHead?: CallHead | undefined;
}

/** A call that somebody waits for. The dispatcher alone writes its fields. */
export class PendingCall extends Call {
  readonly script: LoadableScript | undefined;
  readonly scriptHead: CallHead | undefined;
  readonly nativeHead: CallHead | undefined;
  readonly end: CallEnd;
  /** `waiting` for a connection, `sent`, `resting` before it is sent once more; `over` when it has left the list. */
  place: "waiting" | "sent" | "resting" | "over" = "waiting";
  /** Instant by the host's clock at which it is given up. */
  deadlineAt = 0;
  /** The session that it was sent on, and its position among all that were sent. */
  session: Session | undefined;
  sequence = 0;
  /** How often its script was missing, and how often the server was busy. */
  repairCount = 0;
  restCount = 0;
  /** How often it was sent on without a pause, and which server of a cluster it may ask by exception. */
  redirectCount = 0;
  askAddress: string | undefined;
  /** The slot of a cluster that it belongs to, once somebody has asked. */
  slot: number | undefined;
  /** What the server said last when it was busy. */
  busyText: Bytes = "";
  restTimer: Timer | undefined;
  previous: PendingCall | undefined;
  next: PendingCall | undefined;

  constructor(owner: CallOwner, end: CallEnd, content: PendingContent) {
    super(owner, content);
    this.script = content.script;
    this.scriptHead = content.scriptHead;
    this.nativeHead = content.nativeHead;
    this.end = end;
  }

  /** A fresh call for the same act, since a call is written at most once. It is in no list yet. */
  again(): PendingCall {
    return this.#copied(this.head, this.scriptHead);
  }

  /** The same for a native command, as a script. */
  againAsScript(scriptHead: CallHead): PendingCall {
    return this.#copied(scriptHead, undefined);
  }

  /** The same for a script, as a native command. */
  againAsNative(nativeHead: CallHead): PendingCall {
    return this.#copied(nativeHead, this.head);
  }

  #copied(head: CallHead, scriptHead: CallHead | undefined): PendingCall {
    const { keys, args, script } = this;
    const copy = new PendingCall(this.owner, this.end, { head, keys, args, script, scriptHead });
    copy.deadlineAt = this.deadlineAt;
    copy.repairCount = this.repairCount;
    copy.restCount = this.restCount;
    copy.redirectCount = this.redirectCount;
    copy.askAddress = this.askAddress;
    copy.slot = this.slot;
    copy.busyText = this.busyText;
    return copy;
  }
}

/** Pending calls in the order of their deadlines. */
export class PendingList {
  #first: PendingCall | undefined;
  #last: PendingCall | undefined;
  #count = 0;

  get first(): PendingCall | undefined {
    return this.#first;
  }

  get count(): number {
    return this.#count;
  }

  append(call: PendingCall): void {
    call.previous = this.#last;
    if (this.#last === undefined) this.#first = call;
    else this.#last.next = call;
    this.#last = call;
    this.#count += 1;
  }

  /** Takes a call out; its own links are gone then, and its place is `over`. */
  remove(call: PendingCall): void {
    const { previous, next } = call;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.#count -= 1;
    forget(call);
  }

  /** Puts a fresh call into the place of the one that it repeats. */
  replace(call: PendingCall, fresh: PendingCall): void {
    fresh.previous = call.previous;
    fresh.next = call.next;
    if (call.previous === undefined) this.#first = fresh;
    else call.previous.next = fresh;
    if (call.next === undefined) this.#last = fresh;
    else call.next.previous = fresh;
    forget(call);
  }
}

function forget(call: PendingCall): void {
  call.place = "over";
  call.previous = undefined;
  call.next = undefined;
  call.restTimer?.cancel();
  call.restTimer = undefined;
}
