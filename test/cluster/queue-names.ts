/** Names of queues that a cluster of three primaries keeps on one each. */

import { bytesOf } from "../../src/protocol/bytes.ts";
import { slot } from "../../src/protocol/slot.ts";

const SLOTS = 16_384;

/** Three queues, one on each primary. */
export function queueNames(): string[] {
  const names: string[] = [];
  for (let at = 0; names.length < 3; at++) {
    const name = `flow-${at}`;
    if (Math.floor((slot(bytesOf(`emq:{${name}}:`)) * 3) / SLOTS) === names.length) names.push(name);
  }
  return names;
}
