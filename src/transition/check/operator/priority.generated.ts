/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.PRIORITY`: the text of the refusal, empty when all is well. */
export function checkPriority(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.PRIORITY takes 4 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.PRIORITY' command";
  if (!s.int(args[1], 0, 2097152)) return "ERR EMQ.PRIORITY bad argument priority";
  const base = keys[3];
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[0]}` ||
    keys[1] !== `${base}pending` ||
    keys[2] !== `${base}schedule`
  )
    return "ERR EMQ.PRIORITY keys do not match the wire-4 layout";
  return "";
}
