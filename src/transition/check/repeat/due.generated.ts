/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.DUE`: the text of the refusal, empty when all is well. */
export function checkDue(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.DUE takes 3 keys";
  if (args.length !== 3) return "ERR wrong number of arguments for 'EMQ.DUE' command";
  if (!s.int(args[0], 0, 100000)) return "ERR EMQ.DUE bad argument cron_offset";
  if (!s.int(args[1], 0, 100000)) return "ERR EMQ.DUE bad argument repeat_offset";
  if (!s.int(args[2], 0, 1000)) return "ERR EMQ.DUE bad argument limit";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}repeat` || keys[1] !== `${base}cron`)
    return "ERR EMQ.DUE keys do not match the wire-4 layout";
  return "";
}
