/**
 * A connection that keeps every byte that comes, asked for or not, for tests that compare what two servers send.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { commandFrame } from "./wire-frame.ts";

export class RawClient {
  readonly #socket: Socket;
  #text = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      this.#text += String(text);
    });
    // What the server says before it ends the connection is what a test looks at.
    socket.on("error", () => {});
  }

  /** Connects to a unix socket. */
  static async connect(path: string): Promise<RawClient> {
    const socket = connect(path);
    await once(socket, "connect");
    return new RawClient(socket);
  }

  /** Sends commands at once, as Latin-1 text of one character a byte. */
  send(commands: readonly (readonly string[])[]): void {
    this.#socket.write(commands.map(commandFrame).join(""), "latin1");
  }

  /** What came since the last call, as Latin-1 text. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  close(): void {
    this.#socket.destroy();
  }
}
