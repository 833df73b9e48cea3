/**
 * How a job ended, as `RESULT` tells it (spec/job/result.json).
 */

import type { Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bytesReply, listOf, unexpected } from "./verb-call.ts";

/**
 * `completed` with the bytes of its result, `undefined` for a job without one; `too-large`: completed, with a result
 * above 1 MiB that was not left; `dead` with its error; `absent`: there is no such job, and nothing tells how it ended.
 */
export type Outcome =
  | { readonly kind: "completed"; readonly result: Bytes | undefined }
  | { readonly kind: "too-large" }
  | { readonly kind: "dead"; readonly error: Bytes }
  | { readonly kind: "absent" };

/** Reads a reply of `RESULT`; `undefined` for a job that has not ended. */
export function outcomeOf(reply: Reply): Outcome | undefined {
  const parts = listOf(reply);
  const state = bytesReply(parts[0]);
  const outcome = bytesReply(parts[1]);
  switch (outcome.slice(0, 1)) {
    case "":
      return state === "absent" ? { kind: "absent" } : undefined;
    case "c":
      return { kind: "completed", result: undefined };
    case "r":
      return { kind: "completed", result: outcome.slice(1) };
    case "l":
      return { kind: "too-large" };
    case "k":
      return { kind: "dead", error: outcome.slice(1) };
    default:
      throw unexpected(reply);
  }
}
