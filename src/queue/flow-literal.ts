/**
 * How a flow is written down: a tree of jobs with their children, a graph of named jobs with what each waits for, or a
 * chain. Types, and the word for what the failure of a child does to its parent.
 *
 * The tree has BullMQ's form, so that a flow of it can be handed over as it is. Its four flags are words for one thing
 * here, the policy of a child, and the default ends the parent: nothing waits for ever.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import type { JobOptions } from "./job-options.ts";
import { nearestName } from "./option-check.ts";

/**
 * What a child that ends without success does to its parent.
 *
 * - `fail-parent`: the parent is dead at once, with the child's error. The default.
 * - `ignore`: the parent waits for the others, and finds the error among its failures.
 * - `continue`: the parent runs at once, whatever else is open, and finds the error among its failures.
 * - `remove`: the parent waits for the others, and finds nothing of this child.
 */
export type ChildPolicy = (typeof CHILD_POLICIES)[number];

/** The words of {@link ChildPolicy}. */
export const CHILD_POLICIES = ["fail-parent", "ignore", "continue", "remove"] as const;

/** Names of queues to the payloads of their jobs by name: what a flow producer without types takes. */
export type AnyQueues = Record<string, Record<string, unknown>>;

/** The options of a job of a flow. */
export interface FlowJobOptions extends JobOptions {
  /** What its failure does to its parent. Default `fail-parent`. */
  readonly onFailure?: ChildPolicy;
  /** BullMQ's word for `onFailure: "fail-parent"`. */
  readonly failParentOnFailure?: true;
  /** BullMQ's word for `onFailure: "ignore"`. */
  readonly ignoreDependencyOnFailure?: true;
  /** BullMQ's word for `onFailure: "continue"`. */
  readonly continueParentOnFailure?: true;
  /** BullMQ's word for `onFailure: "remove"`. */
  readonly removeDependencyOnFailure?: true;
}

/** The data of a job; may be left out where nothing is as good as some. */
type DataPart<Data> = undefined extends Data ? { readonly data?: Data } : { readonly data: Data };

/** A job of a graph: one of the named queue. */
export type FlowNodeLiteral<Queues = AnyQueues> = {
  [Queue in keyof Queues & string]: {
    [Name in keyof Queues[Queue] & string]: {
      readonly name: Name;
      readonly queueName: Queue;
      readonly opts?: FlowJobOptions;
    } & DataPart<Queues[Queue][Name]>;
  }[keyof Queues[Queue] & string];
}[keyof Queues & string];

/** A job with the jobs that it waits for. */
export type FlowJob<Queues = AnyQueues> = FlowNodeLiteral<Queues> & {
  readonly children?: readonly FlowJob<Queues>[];
};

/** What a job of a graph waits for: a name among the nodes, or one with its own policy. */
export type FlowDependency<Key extends string = string> =
  | Key
  | { readonly node: Key; readonly onFailure?: ChildPolicy };

/** A graph of jobs: any number of them may wait for one. */
export interface FlowGraph<Queues = AnyQueues, Key extends string = string> {
  readonly nodes: { readonly [Name in Key]: FlowNodeLiteral<Queues> };
  /** By the name of a node, the nodes that it waits for. */
  readonly deps?: { readonly [Name in NoInfer<Key>]?: readonly FlowDependency<NoInfer<Key>>[] };
}

/**
 * A batch: jobs that are added together, and callbacks, which are jobs as well. Each callback runs once, when its time
 * comes; at least one is given.
 */
export interface FlowBatch<Queues = AnyQueues> {
  /** 0 to 10,000, the callbacks among them. */
  readonly jobs: readonly FlowNodeLiteral<Queues>[];
  /** Runs when all jobs have ended, however. */
  readonly onComplete?: FlowNodeLiteral<Queues>;
  /** Runs when all jobs have ended and each is done. */
  readonly onSuccess?: FlowNodeLiteral<Queues>;
  /** Runs at the first job that is dead, whatever else is open. */
  readonly onDeath?: FlowNodeLiteral<Queues>;
}

/** The callbacks that a batch may have. */
export const BATCH_CALLBACKS = ["onComplete", "onSuccess", "onDeath"] as const satisfies readonly (keyof FlowBatch)[];

/** The name of a callback of a batch. */
export type BatchCallback = (typeof BATCH_CALLBACKS)[number];

/** BullMQ's flags and the policy that each stands for. */
const FLAGS = {
  failParentOnFailure: "fail-parent",
  ignoreDependencyOnFailure: "ignore",
  continueParentOnFailure: "continue",
  removeDependencyOnFailure: "remove",
} as const satisfies Partial<Record<keyof FlowJobOptions, ChildPolicy>>;

/** The options of a job apart from its policy, and that; `undefined` for one that says nothing. */
export interface SplitOptions {
  readonly options: JobOptions | undefined;
  readonly policy: ChildPolicy | undefined;
}

/**
 * Takes the policy out of the options of a job.
 *
 * @throws EchoMQError `invalid_option` for a word that is none, two that differ, and a flag that says `false` only:
 *   nothing would say what is to happen instead.
 */
export function splitOptions(opts: FlowJobOptions | undefined): SplitOptions {
  if (typeof opts !== "object" || opts === null) return { options: opts, policy: undefined };
  const { onFailure, failParentOnFailure, ignoreDependencyOnFailure, ...more } = opts;
  const { continueParentOnFailure, removeDependencyOnFailure, ...options } = more;
  const flags = { failParentOnFailure, ignoreDependencyOnFailure, continueParentOnFailure, removeDependencyOnFailure };
  let policy = onFailure === undefined ? undefined : checkedPolicy(onFailure);
  let isDenied = false;
  for (const [flag, word] of Object.entries(FLAGS) as [keyof typeof FLAGS, ChildPolicy][]) {
    const value: unknown = flags[flag];
    if (value === undefined) continue;
    if (typeof value !== "boolean") throw badPolicy(flag, `${flag} must be true, not ${quote(value)}`, value);
    if (!value) {
      isDenied ||= word === "fail-parent";
      continue;
    }
    if (policy !== undefined && policy !== word) {
      throw badPolicy(flag, `${flag} and onFailure ${quote(policy)} exclude each other: give onFailure alone`, value);
    }
    policy = word;
  }
  if (isDenied && (policy === undefined || policy === "fail-parent")) {
    const message =
      "failParentOnFailure: false does not say what is to happen: give onFailure ignore, continue or remove";
    throw badPolicy("failParentOnFailure", message, false);
  }
  return { options, policy };
}

/** Throws `invalid_option` for a word that is no policy. */
export function checkedPolicy(word: unknown): ChildPolicy {
  if ((CHILD_POLICIES as readonly unknown[]).includes(word)) return word as ChildPolicy;
  const nearest = typeof word === "string" ? nearestName(word, CHILD_POLICIES) : undefined;
  const advice = nearest === undefined ? `use one of ${CHILD_POLICIES.join(", ")}` : `did you mean ${nearest}?`;
  throw badPolicy("onFailure", `onFailure cannot be ${quote(word)}: ${advice}`, word);
}

function badPolicy(option: string, message: string, value: unknown): EchoMQError {
  return new EchoMQError("invalid_option", message, { details: { option, value } });
}
