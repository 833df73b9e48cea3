/**
 * `SHOW`: tells what stands of some repeats of one set, their next occurrences and their records, at one instant.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkShow } from "../check/repeat/show.generated.ts";
import type { Server, TransitionReply } from "../server.ts";

/** Keys: set, base. Arguments: names. Answers for each its score or the empty text, and its record. */
export function show(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkShow(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const shown: TransitionReply[] = [];
  for (const name of args) {
    const score = call("ZSCORE", keys[0], name);
    const one: Bytes[] = [score === false ? "" : score];
    // A member that can be no name has no record.
    if (s.name(name)) {
      for (const part of call("HGETALL", `${keys[0]}:${name}`)) one[one.length] = part;
    }
    shown[shown.length] = one;
  }
  return shown;
}
