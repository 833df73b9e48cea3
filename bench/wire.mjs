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
    if (isWhole(text)) break;
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

async function dial(url) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.setNoDelay(true);
  return socket;
}

function isWhole(text) {
  if (!text.endsWith("\r\n")) return false;
  if (!text.startsWith("$")) return true;
  const head = text.indexOf("\r\n");
  return text.length >= head + 4 + Number(text.slice(1, head));
}
