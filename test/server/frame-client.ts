/**
 * A connection that hands out replies as the bytes that came, in RESP2 or RESP3, for tests that compare bytes.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { commandFrame, frameEnd } from "./wire-frame.ts";

export class FrameClient {
  readonly #socket: Socket;
  readonly #waiting: ((frame: string) => void)[] = [];
  #chunks: Buffer[] = [];
  #failure: Error | undefined;
  #fail: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#read(chunk));
    const end = (error?: Error) => {
      this.#failure = error ?? new Error("the connection is closed");
      this.#fail?.(this.#failure);
    };
    socket.on("error", end);
    socket.on("close", () => end());
  }

  /** Connects to a unix socket or a port of 127.0.0.1, and speaks this protocol from then on. */
  static async connect(address: string | number, resp: 2 | 3): Promise<FrameClient> {
    const socket = typeof address === "number" ? connect(address, "127.0.0.1") : connect(address);
    await once(socket, "connect");
    const client = new FrameClient(socket);
    await client.all([["HELLO", String(resp)]]);
    return client;
  }

  /** Sends commands at once, as Latin-1 text of one character a byte, and resolves to the frames of their replies. */
  async all(commands: readonly (readonly string[])[]): Promise<string[]> {
    if (this.#failure !== undefined) throw this.#failure;
    const frames: string[] = [];
    const done = new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      if (commands.length === 0) resolve();
      for (let left = commands.length; left > 0; left--) {
        this.#waiting.push((frame) => {
          if (frames.push(frame) === commands.length) resolve();
        });
      }
    });
    this.#socket.write(commands.map(commandFrame).join(""), "latin1");
    await done;
    return frames;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk);
    const bytes = Buffer.concat(this.#chunks);
    let start = 0;
    for (let end = frameEnd(bytes, 0); end !== undefined && start < bytes.length; end = frameEnd(bytes, start)) {
      this.#waiting.shift()?.(bytes.toString("latin1", start, end));
      start = end;
    }
    this.#chunks = [bytes.subarray(start)];
  }
}

/** The frames within the frame of a list. */
export function framesIn(frame: string): string[] {
  const bytes = Buffer.from(frame, "latin1");
  const frames: string[] = [];
  let start = bytes.indexOf("\r\n") + 2;
  while (start < bytes.length) {
    const end = frameEnd(bytes, start);
    if (end === undefined) throw new Error(`not a whole frame: ${JSON.stringify(frame.slice(0, 80))}`);
    frames.push(bytes.toString("latin1", start, end));
    start = end;
  }
  return frames;
}
