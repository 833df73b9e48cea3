/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.MAXED`: the text of the refusal, empty when all is well. */
export function checkMaxed(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.MAXED takes 2 keys";
  if (args.length !== 0) return "ERR wrong number of arguments for 'EMQ.MAXED' command";
  const base = keys[0].slice(0, -4);
  if (!s.base(base) || keys[0] !== `${base}meta` || keys[1] !== `${base}active`)
    return "ERR EMQ.MAXED keys do not match the wire-4 layout";
  return "";
}
