/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.WPAUSE`: the text of the refusal, empty when all is well. */
export function checkWpause(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.WPAUSE takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.WPAUSE' command";
  if (args[1] !== "on" && args[1] !== "off") return "ERR EMQ.WPAUSE bad argument paused";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}workers`) return "ERR EMQ.WPAUSE keys do not match the wire-4 layout";
  return "";
}
