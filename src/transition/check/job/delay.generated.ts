/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.DELAY`: the text of the refusal, empty when all is well. */
export function checkDelay(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.DELAY takes 4 keys";
  if (args.length !== 4) return "ERR wrong number of arguments for 'EMQ.DELAY' command";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.DELAY bad argument token";
  if (args[2] !== "in" && args[2] !== "at") return "ERR EMQ.DELAY bad argument mode";
  if (!s.int(args[3], 0, 9007199254740991)) return "ERR EMQ.DELAY bad argument ms";
  const base = keys[3];
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[0]}` ||
    keys[1] !== `${base}active` ||
    keys[2] !== `${base}schedule`
  )
    return "ERR EMQ.DELAY keys do not match the wire-4 layout";
  return "";
}
