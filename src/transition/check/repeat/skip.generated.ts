/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.SKIP`: the text of the refusal, empty when all is well. */
export function checkSkip(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.SKIP takes 3 keys";
  if (args.length !== 7) return "ERR wrong number of arguments for 'EMQ.SKIP' command";
  if (!s.name(args[0])) return "ERR EMQ.SKIP bad argument name";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.SKIP bad argument due_at";
  if (!s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.SKIP bad argument rev";
  if (!s.int(args[3], 0, 9007199254740991)) return "ERR EMQ.SKIP bad argument next_at";
  if (!s.int(args[4], 0, 1000000000)) return "ERR EMQ.SKIP bad argument skipped";
  if (!s.int(args[5], 0, 9007199254740991)) return "ERR EMQ.SKIP bad argument skip_slot";
  if (args[6] !== "missed" && args[6] !== "dst" && args[6] !== "hand") return "ERR EMQ.SKIP bad argument why";
  const base = keys[2];
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (!s.base(base) || keys[0] !== `${base}${plane}` || keys[1] !== `${base}${plane}:${args[0]}`)
    return "ERR EMQ.SKIP keys do not match the wire-4 layout";
  return "";
}
