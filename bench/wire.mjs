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

/** How often each command was called and for how many microseconds, of the fields of `INFO commandstats`. */
export function countersOf(fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => {
      const [, calls, us] = /calls=(\d+),usec=(\d+)/.exec(text) ?? [];
      return [name.replace("cmdstat_", ""), { calls: Number(calls), us: Number(us) }];
    }),
  );
}

/** The same for some commands together. */
export async function countedOf(url, names) {
  const counters = countersOf(await infoOf(url, "commandstats"));
  const sum = { calls: 0, us: 0 };
  for (const name of names) {
    sum.calls += counters[name]?.calls ?? 0;
    sum.us += counters[name]?.us ?? 0;
  }
  return sum;
}

/** A connection that sends commands together and answers what each of them was replied, as values. */
export class Exchange {
  #socket;
  #waits = [];
  #text = "";

  static async open(url) {
    return new Exchange(await dial(url));
  }

  constructor(socket) {
    this.#socket = socket;
    // One character for each byte, so that the lengths of replies hold.
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      this.#text += text;
      this.#take();
    });
  }

  /** Sends the text of so many commands; rejects when one of them is refused. */
  send(text, count) {
    return new Promise((resolve, reject) => {
      this.#waits.push({ count, replies: [], resolve, reject });
      this.#socket.write(text);
    });
  }

  /** Sends one command and resolves to its reply. */
  async ask(...words) {
    return (await this.send(encode(words), 1))[0];
  }

  close() {
    this.#socket.destroy();
  }

  #take() {
    const cursor = { text: this.#text, at: 0 };
    let start = 0;
    for (let wait = this.#waits[0]; wait !== undefined; wait = this.#waits[0]) {
      const reply = readReply(cursor);
      if (reply === undefined) break;
      start = cursor.at;
      wait.replies.push(reply);
      if (wait.replies.length < wait.count) continue;
      this.#waits.shift();
      const refusal = wait.replies.find((one) => one instanceof Error);
      if (refusal === undefined) wait.resolve(wait.replies);
      else wait.reject(refusal);
    }
    this.#text = this.#text.slice(start);
  }
}

/** The reply at the place of a cursor, which moves behind it; undefined when the reply is not whole. */
export function readReply(cursor) {
  const { text, at } = cursor;
  const line = text.indexOf("\r\n", at);
  if (line < 0) return undefined;
  const kind = text[at];
  const head = text.slice(at + 1, line);
  cursor.at = line + 2;
  if (kind === "+") return head;
  if (kind === "-") return new Error(head);
  const size = Number(head);
  if (kind === ":") return size;
  if (size < 0) return null;
  if (kind === "$") {
    cursor.at += size + 2;
    return cursor.at > text.length ? undefined : text.slice(line + 2, line + 2 + size);
  }
  const items = [];
  for (let left = size; left > 0; left -= 1) {
    const item = readReply(cursor);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
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
