/**
 * The few bytes in front of a payload that say how it was encoded.
 *
 *   ff 65 6d 71   NN   aes-gcm:k2 deflate json   body …
 *   mark, 4 bytes │    text of NN bytes of ASCII
 *                 one byte
 *
 * No JSON text and no UTF-8 text can begin with `ff`, so a payload without this mark is read as it always was, and one
 * with it is opaque bytes to a speaker that knows no codecs. The text names the layers in the order in which they are
 * undone, then, as its last word, the codec of what is left. docs/protocol/payload.md is the contract. A word is added,
 * never given another meaning, because payloads that are stored outlive the program that wrote them.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";

/** What a payload with a header begins with. */
export const HEADER_MARK: Bytes = "\u00ffemq";

/** The first unit of {@link HEADER_MARK}: a look at it tells plain payloads apart. */
export const HEADER_FIRST = 0xff;

/** Bytes of the header's text, at most: its length is one byte. */
const TEXT_BYTES_MAX = 255;

/** One word is a name and, for some layers, a parameter. */
const TEXT = /^[a-z0-9][\w.-]*(?::[\w.-]+)?(?: [a-z0-9][\w.-]*(?::[\w.-]+)?)*$/;

/** A header as it was read. */
export interface PayloadHeader {
  /** The layers, outermost first, each with what stands behind its colon; empty when nothing does. */
  readonly layers: readonly { readonly word: string; readonly parameter: string; readonly inner: string }[];
  /** The name of the codec of the innermost bytes. */
  readonly codec: string;
  /** What follows the header. */
  readonly body: Bytes;
}

/** The header for a text of words. */
export function headerOf(text: string): Bytes {
  if (text.length > TEXT_BYTES_MAX || !TEXT.test(text)) {
    throw new EchoMQError("invalid_option", `The codecs ${text} cannot be named in ${TEXT_BYTES_MAX} bytes`);
  }
  return HEADER_MARK + String.fromCharCode(text.length) + text;
}

/**
 * Reads the header of a payload that begins with {@link HEADER_MARK}.
 *
 * @throws EchoMQError `invalid_payload` when what follows the mark is no header.
 */
export function readHeader(payload: Bytes): PayloadHeader {
  const textAt = HEADER_MARK.length + 1;
  const bodyAt = textAt + (payload.charCodeAt(HEADER_MARK.length) || 0);
  const text = payload.slice(textAt, bodyAt);
  if (payload.length < bodyAt || !TEXT.test(text)) {
    throw new EchoMQError(
      "invalid_payload",
      "The payload begins like an encoded one and has no header that can be read",
    );
  }
  const words = text.split(" ");
  const layers = words.slice(0, -1).map((part, at) => {
    const [word = "", parameter = ""] = part.split(":");
    return { word, parameter, inner: words.slice(at + 1).join(" ") };
  });
  return { layers, codec: words.at(-1) ?? "", body: payload.slice(bodyAt) };
}
