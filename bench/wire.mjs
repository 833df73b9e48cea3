/**
 * A bare connection to the server: what the bench asks about it, and the floor that no client can beat.
 */

import { once } from "node:events";
import { connect } from "node:net";

/** Asks one command that is answered by a status, a number or a bulk, and resolves to its text. */
export async function ask(url, ...words) {
  const socket = await dial(url);
  let text = "";
  socket.setEncoding("latin1");
  socket.write(encode(words));
  for await (const chunk of socket) {
    text += chunk;
    if (endOf(text, 0) > 0) break;
  }
  socket.destroy();
  if (text.startsWith("-")) throw new Error(`${words[0]}: ${text.slice(1).trim()}`);
  return text.startsWith("$") ? text.slice(text.indexOf("\r\n") + 2, -2) : text.slice(1, -2);
}

/** The fields of a section of `INFO`. */
export async function infoOf(url, section) {
  const lines = (await ask(url, "INFO", section)).split("\r\n");
  return Object.fromEntries(lines.filter((line) => line.includes(":")).map((line) => line.split(/:(.*)/s, 2)));
}

/** A connection that sends commands without waiting and resolves each when as many replies have come. */
export class Pipe {
  #socket;
  #waits = [];

  static async open(url) {
    const pipe = new Pipe();
    pipe.#socket = await dial(url);
    // Each reply of what the floor sends is one line: `+`, `-` or `:`.
    pipe.#socket.on("data", (data) => {
      for (const byte of data) if (byte === 10) pipe.#waits.shift()?.();
    });
    return pipe;
  }

  /** Sends the text of commands, of which `replies` lines come back; resolves with the last. */
  send(text, replies) {
    for (let at = 1; at < replies; at++) this.#waits.push(undefined);
    const answered = new Promise((resolve) => this.#waits.push(resolve));
    this.#socket.write(text);
    return answered;
  }

  close() {
    this.#socket.destroy();
  }
}

/** One command as the server reads it. */
export function encode(words) {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}

/** Where the reply that begins at a place ends, or -1 when it is not whole. */
export function endOf(text, start) {
  const line = text.indexOf("\r\n", start);
  if (line < 0) return -1;
  const kind = text[start];
  const size = Number(text.slice(start + 1, line));
  let end = line + 2;
  if (kind === "$") end += size < 0 ? 0 : size + 2;
  if (kind === "*") for (let at = 0; at < size && end > 0; at += 1) end = endOf(text, end);
  return end > text.length ? -1 : end;
}

/** An open connection to the server at an address. */
export async function dial(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.setNoDelay(true);
  return socket;
}
