/**
 * A refusal by a command, with the server's own text.
 *
 * It never leaves the embedded engine, which turns it into the error that its callers know. The store throws it too,
 * for a value of another type, so it lives here and not beside the commands.
 */

import type { Bytes } from "../../protocol/bytes.ts";

export class CommandError extends Error {
  /** The text that the server would answer; its first word is the class. */
  readonly text: Bytes;

  constructor(text: Bytes) {
    super(text);
    this.name = "CommandError";
    this.text = text;
  }
}

/** A command met a value of another type. */
export function wrongType(): CommandError {
  return new CommandError("WRONGTYPE Operation against a key holding the wrong kind of value");
}

/** Options that do not go together, or are none. */
export function syntaxError(): CommandError {
  return new CommandError("ERR syntax error");
}

/** An argument, or a value to count with, is no integer of at most 2^53 - 1. */
export function notAnInteger(): CommandError {
  return new CommandError("ERR value is not an integer or out of range");
}
