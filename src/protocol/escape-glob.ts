/**
 * Text as a pattern of `SCAN` that matches just this text.
 *
 * Names of queues, lanes and jobs may hold every character that a pattern gives a meaning to. Unescaped, a queue called
 * `*` would take its neighbours' keys for its own. Whoever scans also compares each hit by its prefix.
 */

import type { Bytes } from "./bytes.ts";

/** The text with each character escaped that means something in a pattern. */
export function escapeGlob(text: Bytes): Bytes {
  return text.replaceAll(/[\\*?[\]]/g, "\\$&");
}
