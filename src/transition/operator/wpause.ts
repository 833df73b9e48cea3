/**
 * `WPAUSE`: pauses or resumes one worker, which hears of it at once or with its next word.
 *
 * The word stands in the worker's own entry of `workers` and goes with it. The entry is dropped before it is written:
 * dropping is a write that a full server admits.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkWpause } from "../check/operator/wpause.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { tellControl } from "../step/control.ts";
import { isPausedEntry, pausedEntry } from "../step/presence.ts";

/** Keys: workers, base. Arguments: worker, on or off. Answers 1, 0 when it was so, -1 when no such worker is listed. */
export function wpause(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkWpause(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const worker = args[0];
  const entry = call("HGET", keys[0], worker);
  if (entry === false || entry.slice(0, 1) !== "{") return -1;
  const isPaused = args[1] === "on";
  if (isPausedEntry(entry) === isPaused) return 0;
  tellControl(s, keys[1], "w", worker);
  call("HDEL", keys[0], worker);
  call("HSET", keys[0], worker, pausedEntry(entry, isPaused));
  return 1;
}
