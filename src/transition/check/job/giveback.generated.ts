/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GIVEBACK`: the text of the refusal, empty when all is well. */
export function checkGiveback(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.GIVEBACK takes 4 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GIVEBACK' command";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.GIVEBACK bad argument token";
  const base = keys[3];
  if (
    !s.base(base) ||
    keys[0] !== `${base}active` ||
    keys[1] !== `${base}job:${args[0]}` ||
    keys[2] !== `${base}pending`
  )
    return "ERR EMQ.GIVEBACK keys do not match the wire-4 layout";
  return "";
}
