/**
 * The children of one parent, as the parent knows them: which there are, which have ended, and how.
 *
 * They are read from the side keys of the parent, in pages, by plain commands. So the picture is not of one instant: a
 * child that ends meanwhile is told as open, or as ended, and never as both. A parent of another speaker has no list of
 * its children; then those are told that have ended.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { type Bytes, textOf } from "../protocol/bytes.ts";
import { FLOW_CHILDREN_AT_ONCE, PAYLOAD_BYTES_MAX_DEFAULT } from "./defaults.ts";
import type { ChildPolicy } from "./flow-literal.ts";
import { POLICY_WORDS } from "./flows.ts";
import type { PayloadCodec } from "./payload-codec.ts";
import { bytesReply, listOf, numberReply, pairsOf, QueueKeys } from "./verb-call.ts";

/** One child of a parent. */
export interface Child {
  /** The id under which the parent knows it. */
  readonly id: string;
  readonly queueName: string;
  /** The name of its node, or that under which a handler added it; `undefined` for none. */
  readonly key: string | undefined;
  /** The job that stands for it, because it held the child's deduplication id or name; `undefined` for none. */
  readonly standIn: string | undefined;
  readonly policy: ChildPolicy;
  /**
   * `open`: it has not ended. `done`: its handler returned. `failed`: it ended otherwise, and its parent with it.
   * `ignored`: it ended otherwise, and its parent went on. `forgotten`: so as well, and nothing is kept of it.
   */
  readonly state: "open" | "done" | "failed" | "ignored" | "forgotten";
  /** What its handler returned, as bytes; of a child without a result, its own id. Of a done child only. */
  readonly result: Bytes | undefined;
  /** Why it ended otherwise: of a failed or ignored child only. */
  readonly error: string | undefined;
}

const POLICY_OF_WORD = new Map(
  Object.entries(POLICY_WORDS).map(([policy, word]): [Bytes, ChildPolicy] => [word, policy as ChildPolicy]),
);

/** Stands in place of the policy of a child that ended without success and was to be removed then. */
const FORGOTTEN = "-";

/**
 * The children of the job `id`, in the order of their ids; of one that has none, or is gone, an empty list.
 *
 * @param hasEnough asked after each hundred; what it answers true to is answered. Default: all of them, 10,000 at most.
 */
export async function readChildren(
  engine: Engine,
  queue: string,
  id: string,
  hasEnough: (children: readonly Child[]) => boolean = () => false,
): Promise<Child[]> {
  const row = new QueueKeys(queue).row(id);
  const entries = await knownChildren(engine, row);
  const ids = [...entries.keys()].sort();
  const children: Child[] = [];
  for (let at = 0; at < ids.length && !hasEnough(children); at += FLOW_CHILDREN_AT_ONCE) {
    const slice = ids.slice(at, at + FLOW_CHILDREN_AT_ONCE);
    const [done, failed, ignored] = await Promise.all(
      ENDS.map(async (end) => listOf(await engine.command(["HMGET", `${row}:${end}`, ...slice]))),
    );
    for (const [place, child] of slice.entries()) {
      const ends = { done: done?.[place], failed: failed?.[place], ignored: ignored?.[place] };
      children.push(childOf(queue, child, entries.get(child) ?? "", ends));
    }
  }
  return children;
}

/** How many children of a parent are open; 0 for one that never had any. */
export async function openChildren(engine: Engine, queue: string, id: string): Promise<number> {
  const count = await engine.command(["GET", `${new QueueKeys(queue).row(id)}:dependencies`]);
  return count === null ? 0 : Math.max(0, numberReply(count));
}

/** The side keys that hold how children have ended. */
const ENDS = ["processed", "failed", "unsuccessful"] as const;

/** By the id of a child, what the parent was told of it. */
async function knownChildren(engine: Engine, row: Bytes): Promise<Map<string, Bytes>> {
  const known = pairsOf(await engine.command(["HGETALL", `${row}:children`]));
  if (known.size > 0) return known;
  const ended = await Promise.all(ENDS.map(async (end) => listOf(await engine.command(["HKEYS", `${row}:${end}`]))));
  for (const child of ended.flat()) known.set(bytesReply(child), "");
  return known;
}

function childOf(
  queue: string,
  id: string,
  entry: Bytes,
  ends: Readonly<Record<"done" | "failed" | "ignored", Reply | undefined>>,
): Child {
  const [word = "", queueName = "", standIn = "", key = ""] = entry.split("\0");
  const own = {
    id,
    queueName: queueName === "" ? queue : textOf(queueName),
    key: key === "" ? undefined : textOf(key),
    standIn: standIn === "" ? undefined : standIn,
    policy: POLICY_OF_WORD.get(word) ?? "fail-parent",
  };
  if (word === FORGOTTEN) return { ...own, policy: "remove", state: "forgotten", result: undefined, error: undefined };
  for (const state of ["failed", "ignored", "done"] as const) {
    const end = ends[state];
    if (end === null || end === undefined) continue;
    const bytes = bytesReply(end);
    if (state === "done") return { ...own, state, result: bytes, error: undefined };
    return { ...own, state, result: undefined, error: textOf(bytes) };
  }
  return { ...own, state: "open", result: undefined, error: undefined };
}

/** What a child's handler returned; `undefined` for a child that is not done, and for one that returned nothing. */
export async function childResult(child: Child, codec: PayloadCodec, bytesMax?: number): Promise<unknown> {
  const { result, id, standIn } = child;
  // A child without a result leaves an id, which is no JSON.
  if (result === undefined || result === id || result === standIn) return undefined;
  return await codec.decode(result, bytesMax ?? PAYLOAD_BYTES_MAX_DEFAULT);
}
