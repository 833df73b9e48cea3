/**
 * The text of whatever a handler threw, for `last_error`: readable, bounded, and never itself an error.
 *
 * Anything can be thrown: `null`, a text, an object with a cycle, one whose getters throw, a message of megabytes. The
 * first line says what happened; a few lines of the stack say where.
 */

import { type Bytes, bytesOf } from "../protocol/bytes.ts";

/** Bytes of UTF-8 of the whole text, at most: 4 KiB. */
export const ERROR_BYTES_MAX = 4096;

/** Characters of the message, at most; the rest of the bytes is for the stack. */
const MESSAGE_CHARACTERS_MAX = 3000;

const STACK_LINES_MAX = 5;
const STACK_LINE_CHARACTERS_MAX = 200;
const CAUSES_MAX = 2;

/** The error bytes of a thrown value: at most {@link ERROR_BYTES_MAX}. */
export function errorBytes(thrown: unknown): Bytes {
  return cutBytes(bytesOf(errorText(thrown)), ERROR_BYTES_MAX);
}

/** The text of a thrown value. */
export function errorText(thrown: unknown): string {
  let text = headline(thrown);
  const stack = stackLines(thrown);
  if (stack !== "") text += `\n${stack}`;
  let cause = memberOf(thrown, "cause");
  for (let depth = 0; depth < CAUSES_MAX && cause !== undefined && cause !== null; depth++) {
    text += `\ncaused by ${headline(cause)}`;
    cause = memberOf(cause, "cause");
  }
  return text;
}

/** Name and message, or the closest thing to them. */
function headline(thrown: unknown): string {
  if (typeof thrown === "string") return cut(thrown === "" ? "(an empty text was thrown)" : thrown);
  if (typeof thrown !== "object" || thrown === null) return cut(plainText(thrown));
  const message = memberOf(thrown, "message");
  const name = memberOf(thrown, "name");
  if (typeof message === "string") {
    const title = typeof name === "string" && name !== "" ? name : "Error";
    return cut(message === "" ? title : `${title}: ${message}`);
  }
  return cut(objectText(thrown));
}

function plainText(value: unknown): string {
  if (typeof value === "function") return "a function was thrown";
  return String(value);
}

function objectText(thrown: object): string {
  try {
    const text = JSON.stringify(thrown);
    if (text !== undefined) return text;
  } catch {
    // A cycle, a BigInt or a getter that throws: the names of its members have to do.
  }
  try {
    return `an object with ${Object.keys(thrown).slice(0, 20).join(", ") || "no members"}`;
  } catch {
    return "an object that cannot be read";
  }
}

/** The first lines of where it was thrown, without the message that most stacks begin with. */
function stackLines(thrown: unknown): string {
  const stack = memberOf(thrown, "stack");
  if (typeof stack !== "string") return "";
  const lines: string[] = [];
  // A message may have many lines; a line of the stack is one that begins with "at".
  for (const line of stack.slice(0, 64 * 1024).split("\n")) {
    if (lines.length === STACK_LINES_MAX) break;
    if (/^\s+at /.test(line)) lines.push(line.slice(0, STACK_LINE_CHARACTERS_MAX));
  }
  return lines.join("\n");
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  if (text.length <= MESSAGE_CHARACTERS_MAX) return text;
  return `${text.slice(0, MESSAGE_CHARACTERS_MAX)}… (${text.length} characters)`;
}

/** Cuts UTF-8 so that no sequence is left half. */
function cutBytes(bytes: Bytes, max: number): Bytes {
  if (bytes.length <= max) return bytes;
  let end = max;
  // Continuation bytes are 0x80 to 0xbf; the byte before the first of them begins the sequence.
  while (end > 0 && (bytes.charCodeAt(end) & 0xc0) === 0x80) end--;
  return bytes.slice(0, end);
}
