/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.SHOW`: the text of the refusal, empty when all is well. */
export function checkShow(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.SHOW takes 2 keys";
  if (args.length > 100) return "ERR EMQ.SHOW bad argument name";
  const base = keys[1];
  const plane = keys[0] === `${base}cron` ? "cron" : "repeat";
  if (!s.base(base) || keys[0] !== `${base}${plane}`) return "ERR EMQ.SHOW keys do not match the wire-4 layout";
  return "";
}
