/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.FIRE`: the text of the refusal, empty when all is well. */
export function checkFire(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.FIRE takes 4 keys";
  if (args.length < 4 || args.length > 10) return "ERR wrong number of arguments for 'EMQ.FIRE' command";
  if (!s.name(args[0])) return "ERR EMQ.FIRE bad argument name";
  if (!s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.FIRE bad argument due_at";
  if (args[3] !== "" && !s.int(args[3], 0, 9007199254740991)) return "ERR EMQ.FIRE bad argument next_at";
  if (args.length > 4 && !s.int(args[4], 0, 9007199254740991)) return "ERR EMQ.FIRE bad argument rev";
  if (args.length > 5 && !s.int(args[5], 0, 9007199254740991)) return "ERR EMQ.FIRE bad argument slot";
  if (args.length > 6 && !s.int(args[6], 0, 9007199254740991)) return "ERR EMQ.FIRE bad argument delay_ms";
  if (args.length > 7 && !s.int(args[7], 0, 1000000000)) return "ERR EMQ.FIRE bad argument skipped";
  if (args.length > 8 && !s.int(args[8], 0, 9007199254740991)) return "ERR EMQ.FIRE bad argument skip_slot";
  if (args.length > 9 && args[9] !== "missed" && args[9] !== "dst" && args[9] !== "hand")
    return "ERR EMQ.FIRE bad argument why";
  const base = keys[3];
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (
    !s.base(base) ||
    keys[0] !== `${base}${plane}` ||
    keys[1] !== `${base}${plane}:${args[0]}` ||
    keys[2] !== `${base}job:${args[1]}`
  )
    return "ERR EMQ.FIRE keys do not match the wire-4 layout";
  return "";
}
