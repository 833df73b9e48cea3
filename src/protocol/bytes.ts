/**
 * Byte strings: the one text form that travels between the parts of EchoMQ.
 *
 * A byte string holds one character per byte, U+0000 to U+00FF. Length, slicing, comparison and order then mean the
 * same in TypeScript and in the server's Lua, and any byte, NUL and invalid UTF-8 included, passes unchanged. Text is
 * turned into a byte string once, where it enters, and back once, where it leaves. Text that is pure ASCII is its own
 * byte string, so the usual JSON payload costs one scan and no copy.
 */

/** A string of one character per byte (U+0000 to U+00FF). Not text: decode it with {@link textOf} first. */
export type Bytes = string;

// The two codecs exist in every runtime that EchoMQ targets, but not in the language's own library, and this folder
// takes no platform types.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (label: string) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant, NUL included.
const NOT_ASCII = /[^\x00-\x7f]/;

/** Characters given to one call of `String.fromCharCode`; engines limit the number of arguments. */
const CHUNK = 8192;

/** Whether every character is ASCII, in which case text and byte string are the same. */
export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as in every UTF-8 encoder. */
export function bytesOf(text: string): Bytes {
  return isAscii(text) ? text : bytesFrom(encoder.encode(text));
}

/** The text that UTF-8 bytes stand for. Invalid sequences become U+FFFD; a leading byte order mark is kept. */
export function textOf(bytes: Bytes): string {
  if (isAscii(bytes)) return bytes;
  // The decoder drops a leading byte order mark, which is a character like any other in a payload.
  const mark = bytes.startsWith("\u00ef\u00bb\u00bf") ? "\ufeff" : "";
  return mark + decoder.decode(arrayOf(bytes));
}

/** The byte string of an array of bytes. */
export function bytesFrom(array: Uint8Array): Bytes {
  let bytes = "";
  for (let at = 0; at < array.length; at += CHUNK) {
    bytes += String.fromCharCode(...array.subarray(at, at + CHUNK));
  }
  return bytes;
}

/** The array of a byte string's bytes: a fresh copy that the caller may change. */
export function arrayOf(bytes: Bytes): Uint8Array<ArrayBuffer> {
  const array = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) array[at] = bytes.charCodeAt(at);
  return array;
}
