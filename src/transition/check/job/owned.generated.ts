/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.OWNED`: the text of the refusal, empty when all is well. */
export function checkOwned(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.OWNED takes 2 keys";
  if (args.length < 2) return "ERR wrong number of arguments for 'EMQ.OWNED' command";
  if (!s.int(args[1], 1, 2147483648)) return "ERR EMQ.OWNED bad argument lease_ms";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}active`) return "ERR EMQ.OWNED keys do not match the wire-4 layout";
  return "";
}
