/**
 * Turns what a client library read into the one form of `Reply`, whatever library and protocol it came by.
 *
 * Libraries are asked for raw bytes, because text decoded as UTF-8 cannot be undone. What only protocol 3 has takes the
 * form that protocol 2 gives it: a double is its text, a map is flat, a boolean is 1 or 0. Arrays are changed where
 * they stand: they are fresh from the parser and nobody else holds them, and a reply of a thousand parts costs no
 * second array.
 */

import type { Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";

/** The reader behind `toString("latin1")`, which spends as long again on finding it. */
interface Source extends Uint8Array {
  latin1Slice(from: number, to: number): Bytes;
}

/** The reply as byte strings. The array given is used up. */
export function normalReply(raw: unknown): Reply {
  // Half the parts of a job are empty.
  if (raw instanceof Uint8Array) return raw.length === 0 ? "" : (raw as Source).latin1Slice(0, raw.length);
  if (Array.isArray(raw)) {
    for (let at = 0; at < raw.length; at++) raw[at] = normalReply(raw[at]);
    return raw as Reply[];
  }
  switch (typeof raw) {
    case "number":
      return Number.isInteger(raw) ? raw : doubleText(raw);
    case "string":
      return numberOrText(raw);
    case "boolean":
      return raw ? 1 : 0;
    case "bigint":
      return raw.toString();
    case "object":
      return raw === null ? null : flatReply(raw);
    default:
      return null;
  }
}

/** Text comes only from a client that was told to give numbers as text; what is bytes on the wire is a buffer. */
function numberOrText(raw: string): Reply {
  return /^-?\d{1,16}$/.test(raw) ? Number(raw) : Buffer.from(raw, "utf8").toString("latin1");
}

function flatReply(raw: object): Reply {
  // A refusal inside a list, as EXEC gives it, is shown by its text.
  if (raw instanceof Error) return Buffer.from(raw.message, "utf8").toString("latin1");
  if (raw instanceof Set) return normalReply([...raw]);
  const entries: Iterable<readonly [unknown, unknown]> = raw instanceof Map ? raw : Object.entries(raw);
  const flat: Reply[] = [];
  for (const [key, value] of entries) {
    flat.push(
      typeof key === "string" ? Buffer.from(key, "utf8").toString("latin1") : normalReply(key),
      normalReply(value),
    );
  }
  return flat;
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "inf" : "-inf";
}
