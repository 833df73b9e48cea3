/**
 * A connection to a server in the plainest form: one command, one reply, no library in between.
 *
 * Tests use it to look at a server from outside, so it must not share code with what they test. Text is Latin-1 in both
 * directions, one character per byte, so any byte passes. It speaks RESP2.
 */

import { connect, type Socket } from "node:net";
import { commandFrame } from "./wire-frame.ts";

/** A reply: an integer, text, nothing, or a list of these. */
export type ReplyValue = number | string | null | ReplyValue[];

interface Waiting {
  resolve(value: ReplyValue): void;
  reject(error: Error): void;
}

/** What was read of a reply, and where it ended. `undefined` as a whole means that bytes are missing. */
interface Parsed {
  readonly value: ReplyValue | Error;
  readonly end: number;
}

export class WireClient {
  readonly #socket: Socket;
  readonly #queue: Waiting[] = [];
  #input = "";
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text) => this.#read(String(text)));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection is closed")));
  }

  /** Connects to a unix socket, or to a port of 127.0.0.1. */
  static connect(address: string | number): Promise<WireClient> {
    return new Promise((resolve, reject) => {
      const socket = typeof address === "number" ? connect(address, "127.0.0.1") : connect(address);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new WireClient(socket));
      });
    });
  }

  /** Sends one command and resolves to its reply; commands may be sent without waiting. An error reply is thrown. */
  command(...parts: readonly string[]): Promise<ReplyValue> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#queue.push({ resolve, reject });
      this.#socket.write(commandFrame(parts), "latin1");
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#input += text;
    for (let parsed = parse(this.#input, 0); parsed !== undefined; parsed = parse(this.#input, 0)) {
      this.#input = this.#input.slice(parsed.end);
      const waiting = this.#queue.shift();
      if (parsed.value instanceof Error) waiting?.reject(parsed.value);
      else waiting?.resolve(parsed.value);
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#queue.splice(0)) waiting.reject(this.#failure);
  }
}

function parse(text: string, start: number): Parsed | undefined {
  const lineEnd = text.indexOf("\r\n", start);
  if (lineEnd < 0) return undefined;
  const line = text.slice(start + 1, lineEnd);
  const end = lineEnd + 2;
  switch (text.charAt(start)) {
    case ":":
      return { value: Number(line), end };
    case "+":
      return { value: line, end };
    case "-":
      return { value: new Error(line), end };
    case "$":
      return parseBulk(text, Number(line), end);
    case "*":
      return parseList(text, Number(line), end);
    default:
      throw new Error(`not a reply of RESP2: ${text.slice(start, start + 40)}`);
  }
}

function parseBulk(text: string, length: number, start: number): Parsed | undefined {
  if (length < 0) return { value: null, end: start };
  if (text.length < start + length + 2) return undefined;
  return { value: text.slice(start, start + length), end: start + length + 2 };
}

function parseList(text: string, length: number, start: number): Parsed | undefined {
  if (length < 0) return { value: null, end: start };
  const list: ReplyValue[] = [];
  let end = start;
  while (list.length < length) {
    const parsed = parse(text, end);
    if (parsed === undefined) return undefined;
    list.push(parsed.value instanceof Error ? parsed.value.message : parsed.value);
    end = parsed.end;
  }
  return { value: list, end };
}
