/**
 * Payloads as JSON, with what JSON would drop in silence refused.
 *
 * A function or symbol anywhere in the data would vanish, and `undefined` as the whole payload has no text at all; both
 * are mistakes that show up only in the handler, so they are refused where the job is added. A property that is
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
 * @throws EchoMQError `invalid_payload` for BigInt, cycles, functions, symbols, a top-level `undefined` and whatever
 *   throws when it is read, with the place of a function or symbol in the message; `payload_too_large` with both sizes.
 */
export function encodePayload(data: unknown, bytesMax: number): Bytes {
  const text = jsonOf(data);
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

function jsonOf(data: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
    // JSON has a text, so there is no cycle that could keep the walk from ending.
    if (typeof data === "object" && data !== null && text !== undefined) refuseDropped(data, "data");
  } catch (cause) {
    if (isEchoMQError(cause, "invalid_payload")) throw cause;
    // Getters and `toJSON` are the caller's and may throw anything, at the second reading too.
    const why = cause instanceof Error ? cause.message.split("\n")[0] : quote(cause);
    throw new EchoMQError("invalid_payload", `The payload cannot be written as JSON: ${why}`, { cause });
  }
  if (text === undefined) {
    throw new EchoMQError("invalid_payload", `${quote(data)} cannot be a payload: JSON has no text for it`);
  }
  return text;
}

/** Throws `invalid_payload` for the first function or symbol below `value`. */
function refuseDropped(value: object, path: string): void {
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return;
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (typeof member === "object") {
      if (member !== null) refuseDropped(member, `${path}.${key}`);
    } else if (typeof member === "function" || typeof member === "symbol") {
      throw new EchoMQError(
        "invalid_payload",
        `${path}.${key} is a ${typeof member}, which JSON would drop: remove it from the payload`,
        { details: { path: `${path}.${key}` } },
      );
    }
  }
}
