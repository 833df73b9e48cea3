/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.ADVANCE`: the text of the refusal, empty when all is well. */
export function checkAdvance(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.ADVANCE takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.ADVANCE' command";
  if (!s.name(args[0])) return "ERR EMQ.ADVANCE bad argument name";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.ADVANCE bad argument next_at";
  const base = keys[0].slice(-5) === ":cron" ? keys[0].slice(0, -4) : keys[0].slice(0, -6);
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (!s.base(base) || keys[0] !== `${base}${plane}` || keys[1] !== `${base}${plane}:${args[0]}`)
    return "ERR EMQ.ADVANCE keys do not match the wire-4 layout";
  return "";
}
