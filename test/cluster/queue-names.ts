/** Names of queues that a cluster of three primaries keeps on one each. */

import { bytesOf } from "../../src/protocol/bytes.ts";
import { slot } from "../../src/protocol/slot.ts";

const SLOTS = 16_384;

/** Three queues, one on each primary, whose names begin so. */
export function queueNames(prefix: string): string[] {
  const names: string[] = [];
  for (let at = 0; names.length < 3; at++) {
    const name = `${prefix}-${at}`;
    if (Math.floor((slot(bytesOf(`emq:{${name}}:`)) * 3) / SLOTS) === names.length) names.push(name);
  }
  return names;
}
