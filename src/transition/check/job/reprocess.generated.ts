/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.REPROCESS`: the text of the refusal, empty when all is well. */
export function checkReprocess(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.REPROCESS takes 4 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.REPROCESS' command";
  const base = keys[3];
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}` || keys[1] !== `${base}dead` || keys[2] !== `${base}pending`)
    return "ERR EMQ.REPROCESS keys do not match the wire-4 layout";
  return "";
}
