/**
 * Splits a command that was typed as a line, with the quotes and escapes of the server.
 */

import type { Bytes } from "../protocol/bytes.ts";

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", a: "\x07" };

/** Blanks, which are those of C. */
const BLANK = /[ \t\n\v\f\r]/;

/** A word that was read, and where it ended. */
interface Word {
  readonly text: Bytes;
  readonly end: number;
}

/** The words of a line; `undefined` when a quote is not closed, or something follows it closely. */
export function inlineWords(line: Bytes): Bytes[] | undefined {
  // As in C, a line ends with its first NUL.
  const zero = line.indexOf("\0");
  const text = zero < 0 ? line : line.slice(0, zero);
  const words: Bytes[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && BLANK.test(text.charAt(at))) at++;
    if (at >= text.length) return words;
    const word = readWord(text, at);
    if (word === undefined) return undefined;
    words.push(word.text);
    at = word.end;
  }
}

/** One word, parts of which may be quoted: a quoted part ends the word. */
function readWord(text: Bytes, start: number): Word | undefined {
  let word = "";
  let at = start;
  while (at < text.length && !BLANK.test(text.charAt(at))) {
    const sign = text.charAt(at);
    if (sign === '"' || sign === "'") {
      const quoted = sign === '"' ? readDouble(text, at + 1) : readSingle(text, at + 1);
      if (quoted === undefined) return undefined;
      const isClosed = quoted.end >= text.length || BLANK.test(text.charAt(quoted.end));
      return isClosed ? { text: word + quoted.text, end: quoted.end } : undefined;
    }
    word += sign;
    at++;
  }
  return { text: word, end: at };
}

function readDouble(text: Bytes, start: number): Word | undefined {
  let word = "";
  for (let at = start; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"') return { text: word, end: at + 1 };
    if (sign !== "\\" || at + 1 >= text.length) {
      word += sign;
      continue;
    }
    const hex = /^x([0-9a-fA-F]{2})/.exec(text.slice(at + 1, at + 4))?.[1];
    if (hex !== undefined) {
      word += String.fromCharCode(Number.parseInt(hex, 16));
      at += 3;
    } else {
      at++;
      word += ESCAPES[text.charAt(at)] ?? text.charAt(at);
    }
  }
  return undefined;
}

function readSingle(text: Bytes, start: number): Word | undefined {
  let word = "";
  for (let at = start; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "'") return { text: word, end: at + 1 };
    if (sign === "\\" && text.charAt(at + 1) === "'") at++;
    word += text.charAt(at);
  }
  return undefined;
}
