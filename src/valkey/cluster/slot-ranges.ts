/**
 * Reads which primary answers for which slots, from the reply to `CLUSTER SLOTS`.
 *
 * That command is the one that every server with clusters has, from Redis 7 to Valkey 9. Replicas are left out: all
 * verbs go to primaries.
 */

import type { Reply } from "../../engine/engine.ts";
import { EchoMQError } from "../../protocol/errors.ts";
import { type Address, addressText } from "./address.ts";

/** Slots from `first` to `last`, both inclusive, and the address of their primary. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly address: string;
}

/**
 * @param asked where the reply came from: a node without a known host has that one.
 * @throws EchoMQError `server_busy` when no slot has a primary yet.
 */
export function slotRanges(reply: Reply, asked: Address): SlotRange[] {
  const ranges = Array.isArray(reply) ? (reply as readonly Reply[]).flatMap((row) => rangeOf(row, asked)) : [];
  if (ranges.length > 0) return ranges;
  throw new EchoMQError("server_busy", "The cluster has no primary for any slot yet.");
}

function rangeOf(row: Reply, asked: Address): SlotRange[] {
  if (!Array.isArray(row)) return [];
  const [first, last, primary] = row as readonly Reply[];
  if (typeof first !== "number" || typeof last !== "number" || !Array.isArray(primary)) return [];
  const [host, port] = primary as readonly Reply[];
  if (typeof port !== "number") return [];
  // Null and "?" both mean that the node does not know how it is reached.
  const known = typeof host === "string" && host !== "" && host !== "?" ? host : asked.host;
  return [{ first, last, address: addressText({ host: known, port }) }];
}
