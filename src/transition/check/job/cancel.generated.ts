/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.CANCEL`: the text of the refusal, empty when all is well. */
export function checkCancel(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.CANCEL takes 3 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.CANCEL' command";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}` || keys[1] !== `${base}active`)
    return "ERR EMQ.CANCEL keys do not match the wire-4 layout";
  return "";
}
