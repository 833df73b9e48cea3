/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.QRESUME`: the text of the refusal, empty when all is well. */
export function checkQresume(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.QRESUME takes 2 keys";
  if (args.length !== 0) return "ERR wrong number of arguments for 'EMQ.QRESUME' command";
  const base = keys[0].slice(0, -4);
  if (!s.base(base) || keys[0] !== `${base}meta` || keys[1] !== `${base}wake`)
    return "ERR EMQ.QRESUME keys do not match the wire-4 layout";
  return "";
}
