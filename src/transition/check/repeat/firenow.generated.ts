/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.FIRENOW`: the text of the refusal, empty when all is well. */
export function checkFirenow(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.FIRENOW takes 4 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.FIRENOW' command";
  if (!s.name(args[0])) return "ERR EMQ.FIRENOW bad argument name";
  const base = keys[3];
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (
    !s.base(base) ||
    keys[0] !== `${base}${plane}` ||
    keys[1] !== `${base}${plane}:${args[0]}` ||
    keys[2] !== `${base}job:${args[1]}`
  )
    return "ERR EMQ.FIRENOW keys do not match the wire-4 layout";
  return "";
}
