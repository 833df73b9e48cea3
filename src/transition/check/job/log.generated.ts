/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.LOG`: the text of the refusal, empty when all is well. */
export function checkLog(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.LOG takes 2 keys";
  if (args.length < 2 || args.length > 3) return "ERR wrong number of arguments for 'EMQ.LOG' command";
  if (!s.int(args[1], 0, 1000000)) return "ERR EMQ.LOG bad argument keep";
  if (args.length > 2 && !s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.LOG bad argument token";
  const base = keys[0].slice(0, -18);
  if (
    !s.base(base) ||
    !s.branded(keys[0].slice(-14)) ||
    keys[0] !== `${base}job:${keys[0].slice(-14)}` ||
    keys[1] !== `${base}job:${keys[0].slice(-14)}:logs`
  )
    return "ERR EMQ.LOG keys do not match the wire-4 layout";
  return "";
}
