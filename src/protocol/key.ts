/**
 * Builds and splits the keys of the wire: `emq:{q}:<type>` for a queue, `{emq}:<suffix>` for the reserve.
 *
 * The braces make the queue name the hashtag, so all keys of a queue share one slot. Two rules guard the name and must
 * not be mixed up. The wire's rule (`isValidQueue`) refuses what would break the grammar, a brace or NUL, and nothing
 * else, because another speaker may use any other name, the empty one included. The rule of the comfortable classes
 * (`assertQueueName`) also refuses names that are legal and still a mistake.
 *
 * Text gives text, bytes give bytes. A byte string (bytes.ts) is text to these functions and comes out as a byte
 * string.
 */

import { arrayOf, bytesFrom, bytesOf } from "./bytes.ts";
import { EchoMQError } from "./errors.ts";
import { assertValidId } from "./id.ts";
import { quote } from "./quote.ts";

const QUEUE_OPEN = "emq:{";
const QUEUE_CLOSE = "}:";
const RESERVE = "{emq}:";

/** The longest queue name of `Queue`, `Worker` and all that is built on them, in bytes of UTF-8. */
export const QUEUE_NAME_BYTES_MAX = 256;

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the three characters that the wire refuses.
const FORBIDDEN = /[{}\u0000]/;

/** In Unicode mode a surrogate matches only where it stands alone, so that no UTF-8 exists for it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A key cut into its queue and its type. */
export interface QueueKey<Part extends string | Uint8Array = string> {
  readonly queue: Part;
  readonly type: Part;
}

/**
 * The key of a queue: `emq:{` queue `}:` type. Composes whatever it is given, as the wire says; with an empty type it
 * is the base key. Throws `TypeError` when a part is neither text nor bytes.
 */
export function queueKey(queue: string, type: string): string;
export function queueKey(queue: Uint8Array, type: string | Uint8Array): Uint8Array;
export function queueKey(queue: string | Uint8Array, type: string | Uint8Array): string | Uint8Array {
  if (typeof queue === "string" && typeof type === "string") return QUEUE_OPEN + queue + QUEUE_CLOSE + type;
  return arrayOf(QUEUE_OPEN + partOf(queue) + QUEUE_CLOSE + partOf(type));
}

/** The base key `emq:{q}:`, which never exists itself: transitions derive other keys of the queue from it. */
export function baseKey(queue: string): string;
export function baseKey(queue: Uint8Array): Uint8Array;
export function baseKey(queue: string | Uint8Array): string | Uint8Array {
  return typeof queue === "string" ? queueKey(queue, "") : queueKey(queue, "");
}

/**
 * The row of a job: `emq:{q}:job:<id>`. Throws `invalid_id` for what is no branded id; the namespace is not looked at,
 * because the kind of an id is judged by the act.
 */
export function jobKey(queue: string, id: string): string;
export function jobKey(queue: Uint8Array, id: string | Uint8Array): Uint8Array;
export function jobKey(queue: string | Uint8Array, id: string | Uint8Array): string | Uint8Array {
  const type = `job:${assertValidId(id)}`;
  return typeof queue === "string" ? queueKey(queue, type) : queueKey(queue, type);
}

/** A key of the reserve: `{emq}:` suffix. Composes whatever it is given. */
export function reserveKey(suffix: string): string;
export function reserveKey(suffix: Uint8Array): Uint8Array;
export function reserveKey(suffix: string | Uint8Array): string | Uint8Array {
  return typeof suffix === "string" ? RESERVE + suffix : arrayOf(RESERVE + partOf(suffix));
}

/**
 * Cuts a key into queue and type: the name runs to the first `}` and holds no brace and no NUL. An empty name and an
 * empty type pass. `undefined` for a key of any other form.
 */
export function splitQueueKey(key: string): QueueKey | undefined;
export function splitQueueKey(key: Uint8Array): QueueKey<Uint8Array> | undefined;
export function splitQueueKey(key: string | Uint8Array): QueueKey<string> | QueueKey<Uint8Array> | undefined {
  if (typeof key === "string") return split(key);
  const parts = split(partOf(key));
  return parts && { queue: arrayOf(parts.queue), type: arrayOf(parts.type) };
}

/** The queue of a key of exactly this type, `undefined` for another type, an empty name or another form. */
export function queueFromKey(key: string, type: string): string | undefined;
export function queueFromKey(key: Uint8Array, type: string | Uint8Array): Uint8Array | undefined;
export function queueFromKey(key: string | Uint8Array, type: string | Uint8Array): string | Uint8Array | undefined {
  if (typeof key === "string" && typeof type === "string") return owner(key, type);
  const queue = owner(partOf(key), partOf(type));
  return queue === undefined ? undefined : arrayOf(queue);
}

/** Whether a name is one that the wire can carry: text or bytes without brace and NUL. The empty name is. */
export function isValidQueue(name: unknown): boolean {
  if (typeof name === "string") return !FORBIDDEN.test(name);
  return name instanceof Uint8Array && !FORBIDDEN.test(bytesFrom(name));
}

/** Throws `invalid_queue` where {@link isValidQueue} says no. */
export function assertValidQueue(name: unknown): asserts name is string | Uint8Array {
  if (isValidQueue(name)) return;
  if (typeof name !== "string" && !(name instanceof Uint8Array)) throw notText(name);
  throw refusal(name, "holds a brace or NUL: remove it, because the braces around the name are the cluster's hashtag");
}

/**
 * The stricter rule of `Queue`, `Worker` and everything built on them. Throws `invalid_queue` for what is no text, for
 * the empty name, the name `emq`, a brace or NUL, more than 256 bytes of UTF-8, and a lone surrogate.
 */
export function assertQueueName(name: unknown): asserts name is string {
  if (typeof name !== "string") throw notText(name);
  if (name === "")
    throw refusal(name, "is empty: give the queue a name, or its keys spread over the slots of a cluster");
  if (name === "emq") throw refusal(name, "is the hashtag of the reserve keys {emq}: choose another name");
  assertValidQueue(name);
  // The count of characters is a lower bound of the bytes, so a huge text is refused before it is encoded.
  if (name.length > QUEUE_NAME_BYTES_MAX || bytesOf(name).length > QUEUE_NAME_BYTES_MAX) {
    throw refusal(name, `is longer than ${QUEUE_NAME_BYTES_MAX} bytes of UTF-8: shorten it`);
  }
  if (LONE_SURROGATE.test(name)) throw refusal(name, "holds a lone surrogate, which has no UTF-8: remove it");
}

/** A part as a byte string. What is neither text nor bytes is a mistake in the program, not in its data. */
function partOf(part: unknown): string {
  if (typeof part === "string") return bytesOf(part);
  if (part instanceof Uint8Array) return bytesFrom(part);
  throw new TypeError(`a part of a key must be text or bytes, not ${quote(part)}`);
}

function split(key: string): QueueKey | undefined {
  if (!key.startsWith(QUEUE_OPEN)) return undefined;
  const close = key.indexOf("}", QUEUE_OPEN.length);
  if (close < 0 || !key.startsWith(QUEUE_CLOSE, close)) return undefined;
  const queue = key.slice(QUEUE_OPEN.length, close);
  return isValidQueue(queue) ? { queue, type: key.slice(close + QUEUE_CLOSE.length) } : undefined;
}

function owner(key: string, type: string): string | undefined {
  const parts = split(key);
  return parts?.type === type && parts.queue !== "" ? parts.queue : undefined;
}

function notText(name: unknown): EchoMQError {
  return new EchoMQError("invalid_queue", `a queue name must be text, not ${quote(name)}`);
}

function refusal(name: string | Uint8Array, fault: string): EchoMQError {
  return new EchoMQError("invalid_queue", `queue name ${quote(name)} ${fault}`, { details: { queue: name } });
}
