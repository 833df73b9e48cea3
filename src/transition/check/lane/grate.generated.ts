/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GRATE`: the text of the refusal, empty when all is well. */
export function checkGrate(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 5) return "ERR EMQ.GRATE takes 5 keys";
  if (args.length !== 5) return "ERR wrong number of arguments for 'EMQ.GRATE' command";
  if (!s.name(args[0])) return "ERR EMQ.GRATE bad argument group";
  if (!s.int(args[1], 0, 1048576)) return "ERR EMQ.GRATE bad argument max";
  if (!s.int(args[2], 1, 2147483648)) return "ERR EMQ.GRATE bad argument duration";
  if (args[3] !== "window" && args[3] !== "sliding" && args[3] !== "bucket") return "ERR EMQ.GRATE bad argument way";
  if (!s.int(args[4], 0, 1048576)) return "ERR EMQ.GRATE bad argument burst";
  const base = keys[4];
  if (
    !s.base(base) ||
    keys[0] !== `${base}rate` ||
    keys[1] !== `${base}rest` ||
    keys[2] !== `${base}ring` ||
    keys[3] !== `${base}wake`
  )
    return "ERR EMQ.GRATE keys do not match the wire-4 layout";
  return "";
}
