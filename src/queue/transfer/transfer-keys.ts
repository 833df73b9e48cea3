/**
 * What an import leaves in a queue while it works: a mark in `meta`, which names the export and pauses the queue.
 *
 *     importing   the export's id while keys are written; the id and " done" once they are, and were judged
 *
 * A queue with the mark hands out no jobs, to no speaker of the wire, because `paused` stands beside it. An import of
 * the same export goes on from it; any other is refused.
 */

import type { Engine } from "../../engine/engine.ts";
import type { Bytes } from "../../protocol/bytes.ts";
import { bytesReply, QueueKeys } from "../verb-call.ts";

/** The hash of node numbers, each with the instant up to which ids were minted by it. */
export const NODES_KEY = "{emq}:nodes";

/** The field of `meta` that an import writes. */
export const IMPORT_FIELD = "importing";

/** The mark of an import that is under way; `undefined` when none is. */
export async function importMark(engine: Engine, queue: string): Promise<Bytes | undefined> {
  const mark = await engine.command(["HGET", new QueueKeys(queue).meta, IMPORT_FIELD]);
  return mark === null ? undefined : bytesReply(mark);
}
