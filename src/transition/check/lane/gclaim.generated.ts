/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GCLAIM`: the text of the refusal, empty when all is well. */
export function checkGclaim(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.GCLAIM takes 3 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.GCLAIM' command";
  if (!s.int(args[0], 1, 2147483648)) return "ERR EMQ.GCLAIM bad argument lease_ms";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}ring` || keys[1] !== `${base}active`)
    return "ERR EMQ.GCLAIM keys do not match the wire-4 layout";
  return "";
}
