/**
 * What a browser's bundle has in the place of the engines that need sockets or files: `package.json` says so in
 * `browser`, which bundlers for browsers follow. So a bundle carries no client library and nothing of Node.js, and a
 * connection to a server is refused by a sentence that says what to do.
 */

import { EchoMQError } from "./protocol/errors.ts";

/** Stands for the engine of a server, which is made by `new`. */
export function ValkeyEngine(): never {
  throw new EchoMQError(
    "unsupported",
    "A browser opens no socket to a server: use memory:, and hand jobs for a server to a program that has one",
  );
}

/** Stands for the engine of a folder. */
export function openFileEngine(): never {
  throw new EchoMQError("unsupported", "A browser has no folders: use memory:, and store elsewhere what must stay");
}
