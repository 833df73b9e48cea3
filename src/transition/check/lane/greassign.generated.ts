/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GREASSIGN`: the text of the refusal, empty when all is well. */
export function checkGreassign(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 8) return "ERR EMQ.GREASSIGN takes 8 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GREASSIGN' command";
  if (!s.name(args[1])) return "ERR EMQ.GREASSIGN bad argument dst";
  const base = keys[7];
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[0]}` ||
    keys[1] !== `${base}g:${args[1]}:pending` ||
    keys[2] !== `${base}ring` ||
    keys[3] !== `${base}paused` ||
    keys[4] !== `${base}glimit` ||
    keys[5] !== `${base}gactive` ||
    keys[6] !== `${base}wake`
  )
    return "ERR EMQ.GREASSIGN keys do not match the wire-4 layout";
  return "";
}
