/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.LIMITS`: the text of the refusal, empty when all is well. */
export function checkLimits(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.LIMITS takes 4 keys";
  if (args.length !== 6) return "ERR wrong number of arguments for 'EMQ.LIMITS' command";
  if (!s.int(args[0], 0, 2147483648)) return "ERR EMQ.LIMITS bad argument concurrency";
  if (!s.int(args[1], 0, 1048576)) return "ERR EMQ.LIMITS bad argument max";
  if (!s.int(args[2], 1, 2147483648)) return "ERR EMQ.LIMITS bad argument duration";
  if (args[3] !== "window" && args[3] !== "sliding" && args[3] !== "bucket") return "ERR EMQ.LIMITS bad argument way";
  if (!s.int(args[4], 0, 1048576)) return "ERR EMQ.LIMITS bad argument burst";
  if (args[5] !== "both" && args[5] !== "concurrency" && args[5] !== "rate") return "ERR EMQ.LIMITS bad argument part";
  const base = keys[3];
  if (!s.base(base) || keys[0] !== `${base}meta` || keys[1] !== `${base}limiter` || keys[2] !== `${base}wake`)
    return "ERR EMQ.LIMITS keys do not match the wire-4 layout";
  return "";
}
