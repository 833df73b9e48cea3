/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GDRAIN`: the text of the refusal, empty when all is well. */
export function checkGdrain(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.GDRAIN takes 3 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GDRAIN' command";
  if (!s.name(args[0])) return "ERR EMQ.GDRAIN bad argument group";
  if (!s.int(args[1], 1, 1000)) return "ERR EMQ.GDRAIN bad argument budget";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}g:${args[0]}:pending` || keys[1] !== `${base}ring`)
    return "ERR EMQ.GDRAIN keys do not match the wire-4 layout";
  return "";
}
