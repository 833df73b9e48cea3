/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.PURGE`: the text of the refusal, empty when all is well. */
export function checkPurge(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length < 2) return "ERR EMQ.PURGE takes 2 keys";
  if (args.length !== 0) return "ERR wrong number of arguments for 'EMQ.PURGE' command";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}meta`) return "ERR EMQ.PURGE keys do not match the wire-4 layout";
  for (let i = 2; i < keys.length; i += 1) {
    if (keys[i].indexOf(base) !== 0 || keys[i] === base) return "ERR EMQ.PURGE keys do not match the wire-4 layout";
  }
  return "";
}
