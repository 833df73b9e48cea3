/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.REPAIR`: the text of the refusal, empty when all is well. */
export function checkRepair(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length < 2) return "ERR EMQ.REPAIR takes 2 keys";
  if (args.length < 4) return "ERR wrong number of arguments for 'EMQ.REPAIR' command";
  if (
    args[0] !== "job" &&
    args[0] !== "lane" &&
    args[0] !== "wake" &&
    args[0] !== "dedup" &&
    args[0] !== "cursor" &&
    args[0] !== "counter" &&
    args[0] !== "limiter" &&
    args[0] !== "setting" &&
    args[0] !== "tokens" &&
    args[0] !== "workers" &&
    args[0] !== "repeat" &&
    args[0] !== "key"
  )
    return "ERR EMQ.REPAIR bad argument subject";
  if (args[2] !== "" && !s.name(args[2])) return "ERR EMQ.REPAIR bad argument lane";
  if (args[3] !== "keep" && args[3] !== "destroy") return "ERR EMQ.REPAIR bad argument mode";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}pending`) return "ERR EMQ.REPAIR keys do not match the wire-4 layout";
  for (let i = 2; i < keys.length; i += 1) {
    if (keys[i].indexOf(base) !== 0 || keys[i] === base) return "ERR EMQ.REPAIR keys do not match the wire-4 layout";
  }
  return "";
}
