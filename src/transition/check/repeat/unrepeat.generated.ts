/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.UNREPEAT`: the text of the refusal, empty when all is well. */
export function checkUnrepeat(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.UNREPEAT takes 3 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.UNREPEAT' command";
  if (!s.name(args[0])) return "ERR EMQ.UNREPEAT bad argument name";
  const base = keys[2];
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (!s.base(base) || keys[0] !== `${base}${plane}` || keys[1] !== `${base}${plane}:${args[0]}`)
    return "ERR EMQ.UNREPEAT keys do not match the wire-4 layout";
  return "";
}
