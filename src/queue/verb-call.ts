/**
 * What every low-level verb needs: keys of one queue, numbers and bytes as arguments, refusals as outcomes.
 *
 * A refusal that a verb names as an outcome (`stale`, `gone`) is a value for its caller; every other refusal stays the
 * error that the engine threw (docs/protocol/calls.md). The list of outcomes stands at each call, so no refusal is
 * swallowed by accident.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { type Bytes, bytesFrom, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertValidId } from "../protocol/id.ts";
import { assertValidQueue, baseKey } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import type { Verb } from "../protocol/verbs.generated.ts";

/** What a caller gives as payload, result, error or line: text is written as UTF-8, bytes as they are. */
export type Data = string | Uint8Array;

/** Refusals that verbs answer as a value. */
export type Refusal = "gone" | "stale" | "kind" | "state" | "locked" | "rate";

/** The keys of one queue that verbs declare, each composed once. */
export class QueueKeys {
  /** The name as the caller wrote it. */
  readonly queue: string;
  readonly base: Bytes;
  readonly pending: Bytes;
  readonly active: Bytes;
  readonly schedule: Bytes;
  /** The jobs that wait for their children. */
  readonly awaiting: Bytes;
  readonly dead: Bytes;
  readonly meta: Bytes;
  readonly wake: Bytes;
  /** The channel that tells of ended jobs whose results somebody waits for. */
  readonly results: Bytes;
  /** The channel of events, and the key that is there while somebody reads them. */
  readonly events: Bytes;
  readonly listeners: Bytes;
  /** Who asks for work of the queue. */
  readonly workers: Bytes;
  /** The channel on which workers hear of cancelled jobs, and of themselves being paused. */
  readonly control: Bytes;

  /** Throws `invalid_queue` for a name with a brace or NUL; the empty name passes, as it does on the wire. */
  constructor(queue: string) {
    assertValidQueue(queue);
    const base = baseKey(bytesOf(queue));
    this.queue = queue;
    this.base = base;
    this.pending = `${base}pending`;
    this.active = `${base}active`;
    this.schedule = `${base}schedule`;
    this.awaiting = `${base}awaiting`;
    this.dead = `${base}dead`;
    this.meta = `${base}meta`;
    this.wake = `${base}wake`;
    this.results = `${base}results`;
    this.events = `${base}events`;
    this.listeners = `${base}listeners`;
    this.workers = `${base}workers`;
    this.control = `${base}control`;
  }

  /** The key of a job's row. Throws `invalid_id` for a malformed id, whatever its namespace. */
  row(id: string): Bytes {
    return `${this.base}job:${assertValidId(id)}`;
  }
}

/** The byte string of what a caller gave. */
export function dataBytes(data: Data): Bytes {
  if (typeof data === "string") return bytesOf(data);
  if (data instanceof Uint8Array) return bytesFrom(data);
  throw new EchoMQError("invalid_payload", `${quote(data)} is neither text nor bytes: encode it first`);
}

/**
 * A whole number as an argument. Its range is the act's to judge.
 *
 * @throws EchoMQError `invalid_option` for what is no safe integer, because its text would not be decimal.
 */
export function decimal(value: number, name: string): Bytes {
  if (!Number.isSafeInteger(value)) {
    throw new EchoMQError("invalid_option", `${name} must be a whole number, not ${quote(value)}`, {
      details: { option: name, value },
    });
  }
  return String(value);
}

/** Runs an act; a refusal in `refusals` becomes its word, any other is thrown. */
export async function actOrRefusal(
  engine: Engine,
  call: { readonly verb: Verb; readonly keys: readonly Bytes[]; readonly args: readonly Bytes[] },
  refusals: readonly Refusal[],
): Promise<Reply> {
  try {
    return await engine.act(call.verb, call.keys, call.args);
  } catch (error) {
    const word = refusalOf(error);
    if (word !== undefined && refusals.includes(word)) return word;
    throw error;
  }
}

/** The refusal that an error stands for; a job that is gone has a class of its own here, although the wire has none. */
function refusalOf(error: unknown): Refusal | undefined {
  if (!isEchoMQError(error)) return undefined;
  switch (error.code) {
    case "stale":
      return error.message.startsWith("EMQSTALE job gone") ? "gone" : "stale";
    case "kind":
    case "state":
    case "locked":
    case "rate":
      return error.code;
    default:
      return undefined;
  }
}

/** The list that a reply must be. */
export function listOf(reply: Reply): readonly Reply[] {
  if (typeof reply === "object" && reply !== null) return reply;
  throw unexpected(reply);
}

/** A hash as a map, from a flat list of fields and values. */
export function pairsOf(reply: Reply): Map<string, Bytes> {
  const parts = listOf(reply);
  const fields = new Map<string, Bytes>();
  for (let at = 0; at + 1 < parts.length; at += 2) fields.set(bytesReply(parts[at]), bytesReply(parts[at + 1]));
  return fields;
}

/** The text or bytes that a reply must be; a number comes as its text. */
export function bytesReply(reply: Reply | undefined): Bytes {
  if (typeof reply === "string") return reply;
  if (typeof reply === "number") return String(reply);
  throw unexpected(reply);
}

/** The number that a reply must be; decimal text is read, since doubles come as their text. */
export function numberReply(reply: Reply | undefined): number {
  if (typeof reply === "number") return reply;
  if (typeof reply === "string" && reply !== "" && Number.isFinite(Number(reply))) return Number(reply);
  throw unexpected(reply);
}

/** A reply that the contract does not know: a fault of EchoMQ or of the server, never of the caller. */
export function unexpected(reply: unknown): EchoMQError {
  return new EchoMQError("internal", `The server answered ${quote(reply)}, which the verb's contract does not name`);
}
