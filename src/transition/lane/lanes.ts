/**
 * `LANES`: the lanes on the ring, in the order of their turns.
 *
 * A served lane goes from the head to the tail, so the ring is read as a circle: from behind a lane it is the same
 * whoever was served meanwhile.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkLanes } from "../check/lane/lanes.generated.ts";
import type { Server, TransitionReply } from "../server.ts";

/**
 * Keys: ring, base. Arguments: cursor or empty, n. Answers how many there are, then names; nothing if the cursor is
 * gone.
 */
export function lanes(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkLanes(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const ring = keys[0];
  const most = s.num(args[1]);
  const lanes = call("LLEN", ring);
  let at = -1;
  if (args[0] !== "") {
    const found = call("LPOS", ring, args[0], "COUNT", 1);
    if (found.length === 0) return [];
    at = found[0];
  }
  const count = Math.min(most, lanes);
  const out: TransitionReply[] = [lanes];
  if (count === 0) return out;
  for (const lane of call("LRANGE", ring, at + 1, Math.min(at + count, lanes - 1))) out[out.length] = lane;
  const rest = count + 1 - out.length;
  if (rest > 0) {
    for (const lane of call("LRANGE", ring, 0, rest - 1)) out[out.length] = lane;
  }
  return out;
}
