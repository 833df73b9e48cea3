/**
 * Where the nodes of a cluster come from: sockets of our own, or the node clients of a cluster client of the caller's.
 *
 * The library's cluster class is not used for calls: it decides by itself what is sent again, and where.
 */

import { EchoMQError } from "../../protocol/errors.ts";
import type { Client, LibraryClient, Session, SessionEvents } from "../client.ts";
import { addressText } from "./address.ts";

/** The nodes of one cluster. */
export interface NodeSource {
  /** For messages: where it leads, without user and password. */
  readonly name: string;
  /** Addresses to ask first, each `host:port`. */
  seeds(): string[];
  /** Sessions to the node of an address. */
  client(address: string): Client;
}

/** The part of a library's cluster client that is used here. */
export interface LibraryCluster extends LibraryClient {
  nodes(role?: "all" | "master" | "slave"): LibraryClient[];
  refreshSlotsCache?(callback?: (error?: Error) => void): void;
}

/**
 * Uses the node clients of a cluster client that belongs to the caller; nothing of it is ever closed.
 *
 * @param borrow makes the sessions of one node client.
 * @throws EchoMQError `invalid_connection` when it has a key prefix.
 */
export function borrowNodes(
  existing: LibraryCluster,
  borrow: (node: LibraryClient) => Client,
  soon: (action: () => void) => void,
): NodeSource {
  assertNoPrefix(existing);
  // A client that was made lazy waits for its first command.
  if (existing.status === "wait") existing.connect().catch(() => {});
  const find = (address: string): LibraryClient | undefined =>
    existing.nodes("all").find((node) => addressOf(node) === address);
  const name = "valkey-cluster://(a client of the caller's)";
  return {
    name,
    seeds: () => existing.nodes("all").map(addressOf),
    client: (address) => ({
      name: `valkey://${address}/0`,
      isBorrowed: (role) => role === "command",
      open(role, events) {
        const node = find(address);
        if (node !== undefined) return borrow(node).open(role, events);
        // The client learns of a new node when it looks, and its own commands may never make it look.
        existing.refreshSlotsCache?.(() => {});
        return new AbsentSession(events, soon);
      },
    }),
  };
}

function addressOf(node: LibraryClient): string {
  const { host, port } = node.options as { host?: string; port?: number };
  return addressText({ host: host ?? "127.0.0.1", port: port ?? 6379 });
}

function assertNoPrefix(existing: LibraryCluster): void {
  const { keyPrefix, redisOptions } = existing.options as {
    keyPrefix?: unknown;
    redisOptions?: { keyPrefix?: unknown };
  };
  for (const prefix of [keyPrefix, redisOptions?.keyPrefix]) {
    if (prefix === undefined || prefix === null || prefix === "") continue;
    throw new EchoMQError(
      "invalid_connection",
      "A client with a keyPrefix cannot be used, because the keys are the protocol; give one without.",
    );
  }
}

/** A session with a node that the caller's client does not know (yet). It ends at once and is tried again. */
class AbsentSession implements Session {
  readonly loginRefusal = undefined;

  constructor(events: SessionEvents, soon: (action: () => void) => void) {
    soon(() => events.onEnd(new Error("the cluster client does not know this node yet")));
  }

  send(): boolean {
    return false;
  }

  end(): void {}
}
