/**
 * Text as a JSON string, in the one form that all engines publish, so that event payloads are equal byte for byte.
 *
 * Input and output are byte strings of UTF-8. Each maximal invalid sequence becomes U+FFFD, as the Encoding Standard
 * has it. Only what JSON forbids is escaped: the quote, the backslash, and the control characters below 0x20.
 */

import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";

const PLAIN = /^[ !#-[\]-\x7f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the control characters that JSON forbids.
const ESCAPED = /["\\\x00-\x1f]/g;

const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** The JSON string, quotes included, of text in UTF-8. */
export function jsonText(text: Bytes): Bytes {
  if (PLAIN.test(text)) return `"${text}"`;
  return `"${bytesOf(textOf(text)).replace(ESCAPED, escaped)}"`;
}

function escaped(character: string): string {
  return SHORT.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
