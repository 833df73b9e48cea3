/**
 * `MAXED`: whether as many jobs are leased as `meta.concurrency` allows, for a host that asks before it claims.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkMaxed } from "../check/read/maxed.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { countOf } from "../step/row.ts";

/** Keys: meta, active. No arguments. Answers 0, or refuses at the ceiling. */
export function maxed(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkMaxed(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const ceiling = countOf(s, s.call("HGET", keys[0], "concurrency"));
  if (ceiling > 0 && s.call("ZCARD", keys[1]) >= ceiling) return s.error("EMQRATE at concurrency ceiling");
  return 0;
}
