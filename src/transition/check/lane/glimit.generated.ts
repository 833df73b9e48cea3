/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GLIMIT`: the text of the refusal, empty when all is well. */
export function checkGlimit(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 6) return "ERR EMQ.GLIMIT takes 6 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GLIMIT' command";
  if (!s.name(args[0])) return "ERR EMQ.GLIMIT bad argument group";
  if (!s.int(args[1], 0, 2147483648)) return "ERR EMQ.GLIMIT bad argument limit";
  const base = keys[5];
  if (
    !s.base(base) ||
    keys[0] !== `${base}glimit` ||
    keys[1] !== `${base}gactive` ||
    keys[2] !== `${base}ring` ||
    keys[3] !== `${base}paused` ||
    keys[4] !== `${base}wake`
  )
    return "ERR EMQ.GLIMIT keys do not match the wire-4 layout";
  return "";
}
