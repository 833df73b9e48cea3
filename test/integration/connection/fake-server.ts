/**
 * A server that gives the answers of a test, for what no real one can be brought to say: an old version, a long load.
 */

import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Answers a command, its name in capitals first, in the form of the wire. */
export type Answer = (parts: readonly string[]) => string;

/** Listens on a free port of 127.0.0.1 until the test ends, and counts the connections that came. */
export async function startFakeServer(answer: Answer): Promise<{ readonly port: number; connectionCount(): number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    let input = "";
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      input += String(text);
      for (let parts = firstCommand(input); parts !== undefined; parts = firstCommand(input)) {
        input = input.slice(parts.end);
        const [name = "", ...rest] = parts.words;
        socket.write(answer([name.toUpperCase(), ...rest]), "latin1");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connectionCount: () => count };
}

/** A bulk string. */
export function bulk(text: string): string {
  return `$${Buffer.byteLength(text, "latin1")}\r\n${text}\r\n`;
}

function firstCommand(input: string): { readonly words: string[]; readonly end: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(input);
  if (head === null) return undefined;
  let at = head[0].length;
  const words: string[] = [];
  while (words.length < Number(head[1])) {
    const length = /^\$(\d+)\r\n/.exec(input.slice(at));
    if (length === null) return undefined;
    const start = at + length[0].length;
    at = start + Number(length[1]) + 2;
    if (input.length < at) return undefined;
    words.push(input.slice(start, at - 2));
  }
  return { words, end: at };
}
