/**
 * One signal of a child for a parent in another queue, as it lies in `flow:outbox` (docs/protocol/flows.md).
 *
 * ```
 * done:   parent queue · parent id · child id · result
 * ended:  · fail · parent queue · parent id · child id · policy · error
 * ```
 *
 * A dot is one byte 0. What comes last may hold further ones. Anybody may have written an entry, so each is judged
 * before a key is made of it.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { isValidId } from "../protocol/id.ts";
import { isValidQueue } from "../protocol/key.ts";

/** What a child tells its parent. */
export type OutboxEntry =
  | {
      readonly kind: "done";
      /** The name of the parent's queue, as its bytes. */
      readonly queue: Bytes;
      readonly parent: string;
      readonly child: string;
      readonly result: Bytes;
    }
  | {
      readonly kind: "ended";
      readonly queue: Bytes;
      readonly parent: string;
      readonly child: string;
      readonly policy: Bytes;
      readonly error: Bytes;
    };

const NUL = "\0";
const FAIL = "fail";

/** The signal of an entry; `undefined` for one that no parent can be told from. */
export function outboxEntry(bytes: Bytes): OutboxEntry | undefined {
  const isEnd = bytes.startsWith(NUL);
  const parts = cut(bytes, isEnd ? 7 : 4);
  if (parts === undefined) return undefined;
  const [queue = "", parent = "", child = "", fourth = "", error = ""] = isEnd ? parts.slice(2) : parts;
  if (isEnd && parts[1] !== FAIL) return undefined;
  if (queue === "" || !isValidQueue(queue) || !isValidId(parent) || !isValidId(child)) return undefined;
  return isEnd
    ? { kind: "ended", queue, parent, child, policy: fourth, error }
    : { kind: "done", queue, parent, child, result: fourth };
}

/** Exactly `count` parts between zero bytes, the last with all that is left; `undefined` when there are fewer. */
function cut(bytes: Bytes, count: number): string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  while (parts.length < count - 1) {
    const end = bytes.indexOf(NUL, from);
    if (end < 0) return undefined;
    parts.push(bytes.slice(from, end));
    from = end + 1;
  }
  parts.push(bytes.slice(from));
  return parts;
}
