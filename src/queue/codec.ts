/**
 * Payloads as JSON, with what JSON would drop in silence refused.
 *
 * A function or symbol anywhere in the data would vanish, a `Map` or `Set` would come back as `{}` and so would an
 * error, a pattern or a promise that nobody awaited, `NaN` and `Infinity` as `null`, bytes as an object of numbers, and
 * `undefined` as the whole payload has no text at all. All are mistakes that show up only in the handler, so they are
 * refused where the job is added. In the result of a handler an error or the like passes as JSON makes it: the work is
 * done by then, and to do it again for the sake of what is told of it would be worse. A property that is
 * `undefined` is ordinary JavaScript for "not given" and is left out, as JSON does; in an array it becomes `null`. What
 * an object's own `toJSON` answers is that object's decision.
 */

import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";

/**
 * The payload of `data` as a byte string.
 *
 * @param bytesMax the most bytes that it may have.
 * @param isResult whether it is what a handler returned, which may hold errors, patterns and promises.
 * @throws EchoMQError `invalid_payload` for BigInt, cycles, a top-level `undefined`, whatever throws when it is read,
 *   and what JSON would drop or change (functions, symbols, `Map`, `Set`, errors, promises, bytes, `NaN`, `Infinity`)
 *   with its place; `payload_too_large` with both sizes.
 */
export function encodePayload(data: unknown, bytesMax: number, isResult = false): Bytes {
  const text = jsonOf(data, isResult ? LOST : LOST_OR_EMPTIED);
  // The count of characters is a lower bound of the bytes, so a huge text is refused before it is encoded.
  assertPayloadSize(text.length, bytesMax);
  const payload = bytesOf(text);
  assertPayloadSize(payload.length, bytesMax);
  return payload;
}

/** Throws `payload_too_large` with both sizes. */
export function assertPayloadSize(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw new EchoMQError(
    "payload_too_large",
    `The payload has at least ${bytes} bytes and the limit is ${bytesMax}: store the data elsewhere and add a ` +
      "reference, or raise sizeLimit",
    { details: { bytes, limit: bytesMax } },
  );
}

/**
 * The data of a payload.
 *
 * @throws EchoMQError `invalid_payload` when it is no JSON; a foreign producer may write any bytes, which stay readable
 *   as bytes.
 */
export function decodePayload(payload: Bytes): unknown {
  try {
    return JSON.parse(textOf(payload));
  } catch (cause) {
    throw new EchoMQError("invalid_payload", "The payload of this job is no JSON: read its bytes instead", { cause });
  }
}

function jsonOf(data: unknown, refused: readonly ObjectType[]): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
    // JSON has a text, so there is no cycle that could keep the walk from ending.
    if (text !== undefined) refuseChanged(data, "data", refused);
  } catch (cause) {
    if (isEchoMQError(cause, "invalid_payload")) throw cause;
    // Getters and `toJSON` are the caller's and may throw anything, at the second reading too.
    const why = cause instanceof Error ? cause.message.split("\n")[0] : quote(cause);
    throw new EchoMQError("invalid_payload", `The payload cannot be written as JSON: ${why}`, { cause });
  }
  if (text === undefined) {
    const advice = data === undefined ? "; give null or {} where there are no data" : "";
    throw new EchoMQError("invalid_payload", `${quote(data)} cannot be a payload: JSON has no text for it${advice}`);
  }
  return text;
}

/** A value that JSON would drop or change, and the keys that lead to it from where the search began. */
interface Changed {
  readonly value: unknown;
  path: string;
}

/** Throws `invalid_payload` for the first value at or below `value` that would not come back as it is. */
function refuseChanged(value: unknown, path: string, refused: readonly ObjectType[]): void {
  const changed = firstChanged(value, refused);
  if (changed === undefined) return;
  const at = `${path}${changed.path}`;
  const bad = changed.value;
  const what = typeof bad === "object" ? Object.prototype.toString.call(bad).slice(8, -1) : quote(bad);
  throw new EchoMQError(
    "invalid_payload",
    `${at} is ${what}, which JSON would drop or change: write it as plain data, or give the queue a codec`,
    { details: { path: at } },
  );
}

/** Every payload is searched and nearly none has such a value, so the way to it is put together on the way back. */
function firstChanged(value: unknown, refused: readonly ObjectType[]): Changed | undefined {
  if (typeof value === "object" && value !== null) {
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
    if (isOneOf(value, refused)) return { value, path: "" };
    // Not over `Object.keys`, whose list would be garbage for each object of each payload.
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      const changed = firstChanged((value as Record<string, unknown>)[key], refused);
      if (changed === undefined) continue;
      changed.path = `.${key}${changed.path}`;
      return changed;
    }
    return undefined;
  }
  const comesBack = typeof value !== "function" && typeof value !== "symbol" && !isNoNumber(value);
  return comesBack ? undefined : { value, path: "" };
}

/** A class, as `instanceof` takes it. */
type ObjectType = abstract new (...args: never[]) => unknown;

/** Collections, and bytes, whose content JSON does not see. */
const LOST: readonly ObjectType[] = [Map, Set, WeakMap, WeakSet, ArrayBuffer];

/** The same, and what JSON makes an empty object of. */
const LOST_OR_EMPTIED: readonly ObjectType[] = [...LOST, Promise, Error, RegExp];

function isOneOf(value: object, types: readonly ObjectType[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // As nearly every object of a payload is.
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return ArrayBuffer.isView(value) || types.some((type) => value instanceof type);
}

/** Whether a number has no text in JSON. */
function isNoNumber(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
