/**
 * Reads commands out of what a client sends, however it is cut into pieces.
 *
 * A command is a list of bulk strings, or one line of words as a person types it. The texts of what is refused, and
 * what is let through although it is no good form (two bytes of any kind behind a bulk string), are those of Valkey, on
 * which clients were tried.
 *
 * Bounds: one bulk string, one command, one line, and less of all for a client that has not given its password.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { inlineWords } from "./inline-words.ts";

/** A client broke the protocol: it is told, and its connection closed. */
export class ProtocolError extends Error {
  constructor(what: string) {
    super(`ERR Protocol error: ${what}`);
    this.name = "ProtocolError";
  }
}

/** Longest line: an inline command, or the length in front of a list or a bulk string. */
const LINE_BYTES_MAX = 64 * 1024;
/** Most words of one command. */
const WORDS_MAX = 1024 * 1024;
/** The same, and the longest bulk string, of a client that has not given its password. */
const STRANGER_WORDS_MAX = 10;
const STRANGER_BULK_BYTES_MAX = 16_384;

/** Bytes of work memory that each word of a command is counted with, beside its own. */
const WORD_BYTES = 16;

const CR = 0x0d;
const LF = 0x0a;
const STAR = 0x2a;
const DOLLAR = 0x24;

const EMPTY = Buffer.alloc(0);

export interface CommandDecoderOptions {
  /** Longest bulk string. */
  readonly bulkBytesMax: number;
  /** Most bytes of one command. */
  readonly commandBytesMax: number;
}

/** What is known of a command that has begun and not ended. */
interface Begun {
  readonly words: Bytes[];
  /** Words that are still to come. */
  left: number;
  /** Length of the word that comes next; `undefined` until its line was read. */
  length: number | undefined;
  bytes: number;
}

export class CommandDecoder {
  readonly #options: CommandDecoderOptions;
  /** Whether the client has given its password. Written by its owner. */
  isTrusted = false;
  /** What was not read yet: `#input` from `#at` on, and then `#later`, which is joined to it when it matters. */
  #input: Buffer = EMPTY;
  #at = 0;
  #later: Buffer[] = [];
  #laterBytes = 0;
  /** Bytes that must be there before it is worth while to look. */
  #wanted = 1;
  #begun: Begun | undefined;

  constructor(options: CommandDecoderOptions) {
    this.#options = options;
  }

  /** Bytes that were given and not read. */
  get buffered(): number {
    return this.#input.length - this.#at + this.#laterBytes;
  }

  /** Whether a command has begun of which bytes are missing. Asked after {@link next} had nothing to give. */
  get isHalfway(): boolean {
    return this.#begun !== undefined || this.buffered > 0;
  }

  /** Takes what has come. */
  push(chunk: Buffer): void {
    if (this.#at === this.#input.length && this.#laterBytes === 0) {
      this.#input = chunk;
      this.#at = 0;
      return;
    }
    this.#later.push(chunk);
    this.#laterBytes += chunk.length;
  }

  /**
   * The words of the next command, of which there is at least one; `undefined` when bytes are missing.
   *
   * @throws ProtocolError
   */
  next(): Bytes[] | undefined {
    while (this.buffered >= this.#wanted) {
      this.#join();
      this.#wanted = 0;
      const words = this.#begun === undefined ? this.#begin() : this.#goOn(this.#begun);
      if (words === undefined) {
        // At least one byte more, where nothing tells how many.
        this.#wanted = Math.max(this.#wanted, this.buffered + 1);
        return undefined;
      }
      this.#wanted = 1;
      if (words.length > 0) return words;
    }
    return undefined;
  }

  /** Forgets what was not read. */
  clear(): void {
    this.#input = EMPTY;
    this.#at = 0;
    this.#later = [];
    this.#laterBytes = 0;
    this.#begun = undefined;
    this.#wanted = 1;
  }

  /** Reads the head of a list, or a whole line of words. No words mean that there is no command in it. */
  #begin(): Bytes[] | undefined {
    if (this.#input[this.#at] !== STAR) return this.#readInline();
    const count = this.#readLength("mbulk count", (text) => {
      const count = wholeNumber(text);
      if (count === undefined || count > WORDS_MAX) throw new ProtocolError("invalid multibulk length");
      if (!this.isTrusted && count > STRANGER_WORDS_MAX) throw new ProtocolError("unauthenticated multibulk length");
      return count;
    });
    if (count === undefined) return undefined;
    if (count <= 0) return [];
    this.#begun = { words: [], left: count, length: undefined, bytes: 0 };
    return this.#goOn(this.#begun);
  }

  #goOn(begun: Begun): Bytes[] | undefined {
    while (begun.left > 0) {
      begun.length ??= this.#readBulkLength(begun);
      if (begun.length === undefined) return undefined;
      const end = this.#at + begun.length;
      // What follows a bulk string is taken for a line end without a look.
      if (this.#input.length < end + 2) {
        this.#wanted = begun.length + 2;
        return undefined;
      }
      begun.words.push(this.#input.toString("latin1", this.#at, end));
      this.#at = end + 2;
      begun.length = undefined;
      begun.left--;
    }
    this.#begun = undefined;
    return begun.words;
  }

  #readBulkLength(begun: Begun): number | undefined {
    const first = this.#input[this.#at];
    if (first === undefined) return undefined;
    if (first !== DOLLAR && this.#findLineEnd("bulk count") !== undefined) {
      throw new ProtocolError(`expected '$', got '${String.fromCharCode(first)}'`);
    }
    const length = this.#readLength("bulk count", (text) => {
      const length = wholeNumber(text);
      if (length === undefined || length < 0 || length > this.#options.bulkBytesMax) {
        throw new ProtocolError("invalid bulk length");
      }
      if (!this.isTrusted && length > STRANGER_BULK_BYTES_MAX) throw new ProtocolError("unauthenticated bulk length");
      return length;
    });
    if (length === undefined) return undefined;
    begun.bytes += length + WORD_BYTES;
    if (begun.bytes > this.#options.commandBytesMax) throw new ProtocolError("too big command");
    return length;
  }

  /** Reads the line at hand without its first byte; `undefined` while its end is missing. */
  #readLength(what: string, read: (text: string) => number): number | undefined {
    const end = this.#findLineEnd(what);
    if (end === undefined) return undefined;
    const value = read(this.#input.toString("latin1", this.#at + 1, end));
    this.#at = end + 2;
    return value;
  }

  /** Where the line at hand ends, when the byte behind that has come, too. */
  #findLineEnd(what: string): number | undefined {
    const end = this.#input.indexOf(CR, this.#at);
    const length = (end < 0 ? this.#input.length : end) - this.#at;
    if (length > LINE_BYTES_MAX) throw new ProtocolError(`too big ${what} string`);
    return end < 0 || end + 1 >= this.#input.length ? undefined : end;
  }

  #readInline(): Bytes[] | undefined {
    const end = this.#input.indexOf(LF, this.#at);
    const length = (end < 0 ? this.#input.length : end) - this.#at;
    if (length > LINE_BYTES_MAX) throw new ProtocolError("too big inline request");
    if (end < 0) return undefined;
    const line = this.#input.toString(
      "latin1",
      this.#at,
      this.#input[end - 1] === CR && end > this.#at ? end - 1 : end,
    );
    this.#at = end + 1;
    const words = inlineWords(line);
    if (words === undefined) throw new ProtocolError("unbalanced quotes in request");
    return words;
  }

  #join(): void {
    if (this.#laterBytes === 0) return;
    this.#input = Buffer.concat([this.#input.subarray(this.#at), ...this.#later]);
    this.#at = 0;
    this.#later = [];
    this.#laterBytes = 0;
  }
}

/** The number that canonical decimal text stands for. */
function wholeNumber(text: string): number | undefined {
  return /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}
