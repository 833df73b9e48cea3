/**
 * One command on its way: what is written, and whom to tell.
 *
 * It is handed to a client library in the place of the library's own command object, of which it has every part that
 * the library touches. That object costs three times the rest of an act (measured with 300 arguments: 112 µs of client
 * CPU against 36), for key prefixes, transformers and promises that are not wanted here.
 *
 * Invariant: **a call is written at most once.** A library may send what it holds again after a reconnect; a call that
 * was written before, or was given up meanwhile, then writes a `PING` instead, which keeps the order of replies and
 * does nothing. Sending an act again is a decision of the dispatcher, and takes a fresh call.
 */

import type { Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { callBytes } from "./call-bytes.ts";
import { normalReply } from "./reply.ts";

/** Whoever sends a call decides what its end means. */
export interface CallOwner {
  onReply(call: Call, reply: Reply): void;
  /** The server refused; `text` is its own. */
  onRefusal(call: Call, text: Bytes): void;
  /** The library gave the call up without an answer. */
  onLost(call: Call, cause: unknown): void;
}

/** What is written: a command's name and the parts that never change, encoded once. */
export interface CallHead {
  /** The command, in small letters, as libraries compare it. */
  readonly name: string;
  /** The first parts in their wire form. */
  readonly bytes: Bytes;
  /** How many parts `bytes` holds. */
  readonly parts: number;
  /** Whether keys follow with their number before them, as in `EVALSHA`. */
  readonly isScript: boolean;
}

/** What is written in place of a call that must not be written. */
const NOTHING = Buffer.from("*1\r\n$4\r\nPING\r\n", "latin1");

const NO_KEYS: readonly Bytes[] = [];

/** The head of a plain command, which has no script. */
export function commandHead(name: Bytes): CallHead {
  return { name: name.toLowerCase(), bytes: encoded([name]), parts: 1, isScript: false };
}

/** The head of a call of a script by its digest. */
export function scriptHead(sha: string, isReadonly: boolean): CallHead {
  const name = isReadonly ? "EVALSHA_RO" : "EVALSHA";
  return { name: name.toLowerCase(), bytes: encoded([name, sha]), parts: 2, isScript: true };
}

/** The head of an act as a native command. Its keys follow as those of a script do. */
export function nativeHead(verb: string): CallHead {
  const name = `EMQ.${verb}`;
  return { name: name.toLowerCase(), bytes: encoded([name]), parts: 1, isScript: true };
}

/** Parts in their wire form, one after the other. */
function encoded(parts: readonly Bytes[]): Bytes {
  return parts.map((part) => `$${part.length}\r\n${part}\r\n`).join("");
}

/** The parts of a call beside its owner. */
export interface CallContent {
  readonly head: CallHead;
  readonly keys?: readonly Bytes[];
  readonly args: readonly Bytes[];
}

/** A command on its way. Members without `#` and without a comment are those that libraries read. */
export class Call {
  readonly name: string;
  readonly args: readonly Bytes[];
  readonly promise = undefined;
  readonly isTraced = true;
  readonly inTransaction = false;
  readonly pipelineIndex = undefined;

  readonly head: CallHead;
  readonly keys: readonly Bytes[];
  /** Whom to tell. */
  readonly owner: CallOwner;
  /** Whether the bytes went to a socket; written by {@link toWritable}, read by the owner. */
  isWritten = false;
  /** Whether the call has ended; nobody is told anything after that. */
  isSettled = false;

  constructor(owner: CallOwner, content: CallContent) {
    this.head = content.head;
    this.name = content.head.name;
    this.args = content.args;
    this.keys = content.keys ?? NO_KEYS;
    this.owner = owner;
  }

  /** Ends the call without telling anybody: what a library still does with it has no effect. */
  abandon(): void {
    this.isSettled = true;
  }

  /** The bytes for the socket. Libraries call it when they write, and after a reconnect perhaps again. */
  toWritable(): Uint8Array {
    if (this.isWritten || this.isSettled) return NOTHING;
    this.isWritten = true;
    return callBytes(this);
  }

  resolve(raw: unknown): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.owner.onReply(this, normalReply(raw));
  }

  reject(error: unknown): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const text = refusalText(error);
    if (text === undefined) this.owner.onLost(this, error);
    else this.owner.onRefusal(this, text);
  }

  // Time-outs, tracing, key positions and reply shapes are not the library's business here.
  setTimeout(): void {}
  setBlockingTimeout(): void {}
  extractBlockingTimeout(): undefined {}
  setReplyContext(): void {}
  getSlot(): null {
    return null;
  }
  getKeys(): readonly Bytes[] {
    return this.keys;
  }
}

/** The server's text of a refusal, or `undefined` when the error is the library's own. */
export function refusalText(error: unknown): Bytes | undefined {
  if (!(error instanceof Error) || error.name !== "ReplyError") return undefined;
  return Buffer.from(error.message, "utf8").toString("latin1");
}
