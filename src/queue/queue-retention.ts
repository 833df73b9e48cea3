/**
 * What a queue itself says that is kept of its completed jobs: two fields of `meta`, which every speaker heeds that
 * says nothing of its own (docs/protocol/retention.md). So it can be changed while workers run, and holds for all of
 * them.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { assertOwnWire } from "../engine/shared-mode.ts";
import { MS_MAX } from "./defaults.ts";
import { assertKnownOptions } from "./option-check.ts";
import { checkedRetention, KEEP_ALL, keepArguments, type Retention, storedRetention } from "./retention.ts";
import { bytesReply, listOf, QueueKeys } from "./verb-call.ts";

/** What {@link setQueueRetention} changes. */
export interface RetentionChange {
  /** What is kept of completed jobs, as in the options of a job; `null` lets the queue say nothing. */
  readonly removeOnComplete?: Retention | null;
}

/** What a queue says. */
export interface QueueRetention {
  /** `undefined` where the queue says nothing. */
  readonly removeOnComplete: Retention | undefined;
}

/** Where it is said. */
export interface RetentionPlace {
  readonly engine: Engine;
  readonly queue: string;
}

/**
 * Changes what the queue says.
 *
 * @throws EchoMQError `invalid_option`, `unknown_option`, `shared_mode`.
 */
export async function setQueueRetention({ engine, queue }: RetentionPlace, change: RetentionChange): Promise<void> {
  assertKnownOptions(change, {
    owner: "setRetention",
    known: ["removeOnComplete"],
    foreign: {
      removeOnFail: "of dead jobs the worker says it, or defaultJobOptions of the queue",
      count: "give removeOnComplete: { count, age }",
      age: "give removeOnComplete: { count, age }",
    },
  });
  const { removeOnComplete } = change;
  if (removeOnComplete === undefined) return;
  const { meta } = new QueueKeys(queue);
  if (removeOnComplete === null) {
    await engine.command(["HDEL", meta, "keep_n", "keep_ms"]);
    return;
  }
  const keep = checkedRetention(removeOnComplete, "removeOnComplete") ?? { count: 0, ms: 0 };
  assertOwnWire(engine, "Settings of what is kept");
  const [count = "", ms = ""] = keepArguments(keep);
  await engine.command(["HSET", meta, "keep_n", count, "keep_ms", ms]);
}

/** Reads what the queue says, as the acts do: what is no whole number counts as absent. */
export async function readQueueRetention({ engine, queue }: RetentionPlace): Promise<QueueRetention> {
  const { meta } = new QueueKeys(queue);
  const [count, ms = 0] = listOf(await engine.command(["HMGET", meta, "keep_n", "keep_ms"])).map(whole);
  if (count === undefined && ms === 0) return { removeOnComplete: undefined };
  return { removeOnComplete: storedRetention({ count: count ?? KEEP_ALL, ms }) };
}

function whole(field: Reply): number | undefined {
  const text = field === null ? "" : bytesReply(field);
  const number = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : MS_MAX + 1;
  return number <= MS_MAX ? number : undefined;
}
