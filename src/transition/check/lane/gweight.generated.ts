/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GWEIGHT`: the text of the refusal, empty when all is well. */
export function checkGweight(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 1) return "ERR EMQ.GWEIGHT takes 1 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GWEIGHT' command";
  if (!s.name(args[0])) return "ERR EMQ.GWEIGHT bad argument group";
  if (!s.int(args[1], 0, 1000000)) return "ERR EMQ.GWEIGHT bad argument weight";
  const base = keys[0].slice(0, -7);
  if (!s.base(base) || keys[0] !== `${base}gweight`) return "ERR EMQ.GWEIGHT keys do not match the wire-4 layout";
  return "";
}
