/**
 * Counting the open children of a parent anew, for whoever checks its count.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { isForgotten } from "./parent.ts";

/**
 * How many of the children that a parent was told of have not ended. It reads three hashes and looks at each child, so
 * its cost is theirs: 10,000 children at most.
 *
 * @cold
 */
export function countOpen(s: Server, row: Bytes): number {
  const call = s.call;
  const ended: Record<string, boolean> = {};
  for (const id of call("HKEYS", `${row}:processed`)) ended[`c:${id}`] = true;
  for (const id of call("HKEYS", `${row}:unsuccessful`)) ended[`c:${id}`] = true;
  const children = call("HGETALL", `${row}:children`);
  const stop = children.length;
  let open = 0;
  for (let i = 0; i < stop; i += 2) {
    if (!isForgotten(s, children[i + 1]) && ended[`c:${children[i]}`] !== true) open += 1;
  }
  return open;
}
