/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.UPDATE`: the text of the refusal, empty when all is well. */
export function checkUpdate(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 1) return "ERR EMQ.UPDATE takes 1 keys";
  if (args.length < 1 || args.length > 2) return "ERR wrong number of arguments for 'EMQ.UPDATE' command";
  if (args.length > 1 && !s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.UPDATE bad argument token";
  const base = keys[0].slice(0, -18);
  if (!s.base(base) || !s.branded(keys[0].slice(-14)) || keys[0] !== `${base}job:${keys[0].slice(-14)}`)
    return "ERR EMQ.UPDATE keys do not match the wire-4 layout";
  return "";
}
