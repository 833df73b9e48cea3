/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.RATETTL`: the text of the refusal, empty when all is well. */
export function checkRatettl(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.RATETTL takes 2 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.RATETTL' command";
  if (!s.int(args[0], 0, 9007199254740991)) return "ERR EMQ.RATETTL bad argument max";
  const base = keys[0].slice(0, -7);
  if (!s.base(base) || keys[0] !== `${base}limiter` || keys[1] !== `${base}meta`)
    return "ERR EMQ.RATETTL keys do not match the wire-4 layout";
  return "";
}
