/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.FCLEAR`: the text of the refusal, empty when all is well. */
export function checkFclear(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.FCLEAR takes 2 keys";
  if (args.length < 1) return "ERR wrong number of arguments for 'EMQ.FCLEAR' command";
  if (args[0] !== "done" && args[0] !== "bad") return "ERR EMQ.FCLEAR bad argument mode";
  if (args.length > 1001) return "ERR EMQ.FCLEAR bad argument signals";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}flow:outbox`) return "ERR EMQ.FCLEAR keys do not match the wire-4 layout";
  return "";
}
