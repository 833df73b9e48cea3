/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badRepeat } from "../../step/repeat-pairs.ts";

/** Shape, values and layout of `EMQ.REPEAT`: the text of the refusal, empty when all is well. */
export function checkRepeat(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.REPEAT takes 3 keys";
  if (args.length < 5) return "ERR wrong number of arguments for 'EMQ.REPEAT' command";
  if (!s.name(args[0])) return "ERR EMQ.REPEAT bad argument name";
  if (args[1] !== "create" && args[1] !== "replace") return "ERR EMQ.REPEAT bad argument mode";
  if (!s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.REPEAT bad argument every_ms";
  if (!s.int(args[4], 0, 9007199254740991)) return "ERR EMQ.REPEAT bad argument first_at";
  const bad = badRepeat(s, args, 5);
  if (bad !== "") return `ERR EMQ.REPEAT bad argument ${bad}`;
  const base = keys[2];
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (!s.base(base) || keys[0] !== `${base}${plane}` || keys[1] !== `${base}${plane}:${args[0]}`)
    return "ERR EMQ.REPEAT keys do not match the wire-4 layout";
  return "";
}
