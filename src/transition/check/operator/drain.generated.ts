/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.DRAIN`: the text of the refusal, empty when all is well. */
export function checkDrain(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length < 2) return "ERR EMQ.DRAIN takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.DRAIN' command";
  if (!s.int(args[0], 0, 1000)) return "ERR EMQ.DRAIN bad argument budget";
  if (!s.int(args[1], 0, 1)) return "ERR EMQ.DRAIN bad argument lanes";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}pending`) return "ERR EMQ.DRAIN keys do not match the wire-4 layout";
  for (let i = 2; i < keys.length; i += 1) {
    if (keys[i] !== `${base}schedule`) return "ERR EMQ.DRAIN keys do not match the wire-4 layout";
  }
  return "";
}
