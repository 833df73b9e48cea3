/**
 * `GRESUME`: resumes a lane; one that has work and is under its limit comes onto the ring.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGresume } from "../check/lane/gresume.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isServable, laneKey } from "../step/lane.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: paused, ring, glimit, gactive, wake, base. Arguments: group. Answers 1. */
export function gresume(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGresume(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[5];
  const group = args[0];
  const open = isOpen(s, base);
  const waits = call("ZCARD", laneKey(base, group)) > 0;
  call("LLEN", keys[1]);
  call("HGET", keys[2], group);
  call("HGET", keys[3], group);
  call("ZCARD", `${base}rest`);
  if (call("SREM", keys[0], group) === 0) return 1;
  if (waits && isServable(s, base, group)) {
    call("RPUSH", keys[1], group);
    pushIfClaimable(s, base, open);
  }
  return 1;
}
