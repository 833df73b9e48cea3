/**
 * Types of `find-server.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export type ServerKind = "valkey" | "redis";

/** A server program that can be started as it is. */
export interface FoundServer {
  readonly kind: ServerKind;
  /** Absolute path of the program. */
  readonly path: string;
  /** Absolute path of the command line client, where one lies beside the server. */
  readonly client: string | undefined;
  /** Such as `8.0.1`. */
  readonly version: string;
}

/** A Valkey of version 8.0 or later; throws an `Error` that says what to install. */
export function findServer(): FoundServer;

/** A Redis of version 7.0 or later; throws an `Error` with the reason. */
export function findRedis(): FoundServer;
