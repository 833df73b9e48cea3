/**
 * What a record says of its scheduler, in the words of its user. What another speaker has garbled is as if it were
 * absent: a scheduler must be seen to be taken away.
 */

import { type Bytes, textOf } from "../protocol/bytes.ts";
import { NAME_DEFAULT } from "./defaults.ts";
import type { FiringPolicy } from "./firing-plan.ts";
import type { Draft } from "./job-draft.ts";
import type { JobSchedulerFacts } from "./job-scheduler.ts";
import type { RecurrenceRule } from "./recurrence.ts";
import { ENDED_AT, wholeOf } from "./repeats.ts";
import type { OverlapPolicy, RepeatPlan } from "./scheduler-options.ts";

/** The part of the facts that the rule and the policy say. */
type ScheduleFacts = Pick<
  JobSchedulerFacts,
  "every" | "pattern" | "tz" | "dst" | "offset" | "startDate" | "missed" | "jitter"
>;

/** What the rule and the policy of a scheduler say to its user. */
function scheduleFacts(rule: RecurrenceRule, policy: FiringPolicy): ScheduleFacts {
  const { every, pattern, tz = "UTC", missing = "shift", repeated = "first", offset = 0, start } = rule;
  return {
    every,
    pattern,
    tz: pattern === undefined ? undefined : tz,
    dst: { missing, repeated },
    offset,
    startDate: dateOf(start),
    missed: policy.missed ?? "last",
    jitter: policy.jitter ?? 0,
  };
}

/** The facts of a record, and of what its jobs are given. */
export function storedFacts(
  id: string,
  stored: { readonly record: ReadonlyMap<string, Bytes>; readonly nextAtMs: number; readonly data: unknown },
): JobSchedulerFacts {
  const { record, nextAtMs, data } = stored;
  const text = (field: string) => {
    const bytes = record.get(field);
    return bytes === undefined ? undefined : textOf(bytes);
  };
  const number = (field: string) => wholeOf(record.get(field));
  return {
    id,
    name: text("name") ?? NAME_DEFAULT,
    data,
    ...scheduleFacts(jsonOr(text("rule")), jsonOr(text("policy"))),
    endDate: dateOf(number("until")),
    limit: number("limit"),
    overlap: (text("overlap") ?? "allow") as OverlapPolicy,
    nextAt: nextAtMs === ENDED_AT ? undefined : new Date(nextAtMs),
    fired: number("fired") ?? 0,
    lastSlotAt: dateOf(number("last_slot")),
    lastJobId: text("last"),
    skipped: { count: number("skipped") ?? 0, lastAt: dateOf(number("skip_slot")), why: text("skip_why") },
  };
}

/** The facts of a scheduler that has just been made. */
export function freshFacts(
  id: string,
  made: { readonly plan: RepeatPlan; readonly draft: Draft; readonly firstAtMs: number },
): JobSchedulerFacts {
  const { plan, draft, firstAtMs } = made;
  return {
    id,
    name: draft.name,
    data: draft.data,
    ...scheduleFacts(plan.recurrence.rule, plan.policy),
    endDate: dateOf(plan.untilMs),
    limit: plan.limit,
    overlap: plan.overlap,
    nextAt: firstAtMs === ENDED_AT ? undefined : new Date(firstAtMs),
    fired: 0,
    lastSlotAt: undefined,
    lastJobId: undefined,
    skipped: { count: 0, lastAt: undefined, why: undefined },
  };
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

/** An object of stored JSON, an empty one for anything else. */
function jsonOr(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
