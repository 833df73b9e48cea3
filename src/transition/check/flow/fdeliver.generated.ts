/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.FDELIVER`: the text of the refusal, empty when all is well. */
export function checkFdeliver(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.FDELIVER takes 4 keys";
  if (args.length !== 3) return "ERR wrong number of arguments for 'EMQ.FDELIVER' command";
  const base = keys[3];
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[2]}:dependencies` ||
    keys[1] !== `${base}job:${args[2]}:processed` ||
    keys[2] !== `${base}job:${args[2]}`
  )
    return "ERR EMQ.FDELIVER keys do not match the wire-4 layout";
  return "";
}
