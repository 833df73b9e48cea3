/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.COUNTS`: the text of the refusal, empty when all is well. */
export function checkCounts(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length < 2) return "ERR EMQ.COUNTS takes 2 keys";
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] !== "completed" && args[i] !== "failed" && args[i] !== "lanes")
      return "ERR EMQ.COUNTS bad argument counter";
  }
  const base = keys[0];
  if (!s.base(base) || keys[1] !== `${base}pending`) return "ERR EMQ.COUNTS keys do not match the wire-4 layout";
  for (let i = 2; i < keys.length; i += 1) {
    if (
      keys[i] !== `${base}active` &&
      keys[i] !== `${base}schedule` &&
      keys[i] !== `${base}awaiting` &&
      keys[i] !== `${base}dead` &&
      keys[i] !== `${base}completed`
    )
      return "ERR EMQ.COUNTS keys do not match the wire-4 layout";
  }
  return "";
}
