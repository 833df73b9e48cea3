/**
 * `OWNED`: finds leases of a worker that it does not know of, and extends them.
 *
 * It repairs a `TURN` whose reply was lost. At once, what that act leased is among the newest leases; after an outage,
 * when all workers have renewed what they know of, it is among the oldest. So 500 are looked at from either end. A
 * lease that has lapsed and was not taken back yet is this worker's still, as for `EXTEND`.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkOwned } from "../check/job/owned.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { removeMembers } from "../step/bulk.ts";
import { writeLeases } from "../step/claim.ts";

/** Leases looked at from either end, at most. */
const FROM_EITHER_END = 500;

/** Payload bytes that one act answers, at most, unless a single job holds more. */
const PAYLOAD_MAX = 1048576;

/** Keys: active, base. Arguments: worker, lease_ms, then known ids. Answers jobs in the form of TURN. */
export function owned(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkOwned(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const known: Record<string, boolean> = {};
  const stop = args.length;
  for (let i = 2; i < stop; i += 1) known[`s:${args[i]}`] = true;
  const ids = call("ZREVRANGE", keys[0], 0, FROM_EITHER_END - 1);
  if (ids.length >= FROM_EITHER_END) {
    for (const id of call("ZRANGE", keys[0], 0, FROM_EITHER_END - 1)) ids[ids.length] = id;
  }
  const found: Bytes[] = [];
  const jobs: (Bytes | number)[] = [];
  let bytes = 0;
  for (const id of ids) {
    if (known[`s:${id}`] !== true) {
      // The two ends may meet.
      known[`s:${id}`] = true;
      const row = `${keys[1]}job:${id}`;
      const fields = call("HMGET", row, "owner", "attempts", "payload", "name", "opts", "group", "stalled", "deferred");
      const payload = fields[2] === false ? "" : fields[2];
      const fits = bytes === 0 || bytes + payload.length <= PAYLOAD_MAX;
      if (fields[0] === args[0] && fields[1] !== false && fits) {
        bytes += payload.length;
        found[found.length] = id;
        jobs[jobs.length] = id;
        jobs[jobs.length] = s.num(fields[1]);
        jobs[jobs.length] = payload;
        for (let i = 3; i < 8; i += 1) {
          const field = fields[i];
          jobs[jobs.length] = field === false ? "" : field;
        }
      }
    }
  }
  removeMembers(s, keys[0], found);
  writeLeases(s, keys[0], found, s.num(args[1]));
  return jobs;
}
