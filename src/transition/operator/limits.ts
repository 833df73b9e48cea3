/**
 * `LIMITS`: sets how many jobs of the queue may be leased at once, and how many may be claimed in a time.
 *
 * What a rate has spent is kept as long as its duration and its way of counting stay, so that raising it lets through
 * the difference. Any change of the rate ends a rest of the queue; the next claim finds out whether another one begins.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkLimits } from "../check/operator/limits.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { burstOf, changesCounting, forgetSpent } from "../step/limit.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Sets the rate, or ends it. */
function setRate(s: Server, keys: Bytes[], args: Bytes[]): void {
  const call = s.call;
  const base = keys[3];
  const before = call("HMGET", keys[0], "duration", "burst");
  const burst = burstOf(args, 1);
  const isAnew = args[1] === "0" || changesCounting(before, args[2], burst);
  call("ZREM", `${base}rest`, "");
  call("DEL", keys[1]);
  if (isAnew) forgetSpent(s, base, "");
  call("HDEL", keys[0], "max", "duration", "burst");
  if (args[1] === "0") return;
  call("HSET", keys[0], "max", args[1], "duration", args[2]);
  if (burst !== "") call("HSET", keys[0], "burst", burst);
}

/** Keys: meta, limiter, wake, base. Arguments: concurrency, max, duration, way, burst, part. Answers 1. */
export function limits(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkLimits(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[3];
  const open = isOpen(s, base);
  call("ZCARD", `${base}rest`);
  call("HLEN", `${base}rate`);
  call("ZCARD", `${base}active`);
  if (args[5] !== "rate") {
    call("HDEL", keys[0], "concurrency");
    if (args[0] !== "0") call("HSET", keys[0], "concurrency", args[0]);
  }
  if (args[5] !== "concurrency") setRate(s, keys, args);
  pushIfClaimable(s, base, open);
  return 1;
}
