/**
 * Events that stay: where a queue says so, each event is also appended to its stream `events`, so that a reader that
 * comes late loses nothing.
 *
 * The stream is bounded by bytes and by age. Each record says in `sum` how many bytes had been told up to and with it,
 * so what the stream holds is a difference of two records, and no counter can drift away from it. It is cut at the
 * head whenever the sum crosses a multiple of {@link STEP_BYTES}: to so much below the bound that no event exceeds it.
 *
 * The trim by age comes first because it grows nothing: an act that settles a job has to pass on a server at its
 * `maxmemory`, which refuses what grows unless the act has written before. An act that admits jobs has to be refused
 * there, so what it tells is appended first and trimmed afterwards.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";

/** The smallest bound of bytes that a queue may say. */
export const MIRROR_BYTES_MIN = 65536;

/** Bytes between two looks at the head. */
const STEP_BYTES = 8192;

/** What is kept free below the bound: a step, and the largest event with its texts. */
const SPARE_BYTES = 32768;

/** What an entry costs beside its texts, about. */
const ENTRY_BYTES = 64;

/** The bytes told up to and with an entry, whose first field says it; 0 for one that does not. */
function sumOf(s: Server, fields: Bytes[]): number {
  return fields[0] === "sum" && s.int(fields[1], 0, NUMBER_MAX) ? s.num(fields[1]) : 0;
}

/** Cuts the head so that at most `most` bytes stay behind the first record that is kept. At most 200 go at a time. */
function cutHead(s: Server, key: Bytes, sum: number, most: number): void {
  const rows = s.call("XRANGE", key, "-", "+", "COUNT", 200);
  const stop = rows.length;
  let keep = "";
  for (let i = 0; i < stop; i += 1) {
    const row = rows[i];
    keep = row[0];
    if (sum - sumOf(s, row[1]) <= most) break;
  }
  if (keep !== "") s.call("XTRIM", key, "MINID", "=", keep);
}

/**
 * Appends an event to the stream, if the queue says so. `more` holds names and texts in turn; an empty text is left
 * out, and one that is long is cut unless it is a result. `bytes` is about what the event takes.
 */
export function mirror(s: Server, base: Bytes, event: Bytes, id: Bytes, more: Bytes[], bytes: number): void {
  const said = s.call("HMGET", `${base}meta`, "events_bytes", "events_ms");
  const most = said[0];
  if (most === false || !s.int(most, MIRROR_BYTES_MIN, NUMBER_MAX)) return;
  const key = `${base}stream:events`;
  const age = said[1];
  const now = s.now();
  const from = age !== false && s.int(age, 1, now) ? now - s.num(age) : 0;
  const oldest = `${s.text(from)}-0`;
  const admits = event === "added" || event === "deduplicated";
  if (!admits) s.call("XTRIM", key, "MINID", "=", oldest);
  const last = s.call("XREVRANGE", key, "+", "-", "COUNT", 1);
  const before = last.length === 0 ? 0 : sumOf(s, last[0][1]);
  const sum = before + bytes + ENTRY_BYTES;
  const fields: Bytes[] = ["sum", s.text(sum), "event", event];
  if (id !== "") {
    fields[4] = "job";
    fields[5] = id;
  }
  const stop = more.length;
  for (let i = 0; i < stop; i += 2) {
    const value = more[i + 1];
    if (value !== "") {
      fields[fields.length] = more[i];
      fields[fields.length] = value.length > 1024 && more[i] !== "result" ? value.slice(0, 1024) : value;
    }
  }
  s.call("XADD", key, "*", ...fields);
  if (admits) s.call("XTRIM", key, "MINID", "=", oldest);
  if (Math.floor(before / STEP_BYTES) !== Math.floor(sum / STEP_BYTES)) {
    cutHead(s, key, sum, s.num(most) - SPARE_BYTES);
  }
}
