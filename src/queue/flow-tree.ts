/**
 * Reads a flow: a job, the children that it was told of, theirs, and so on down.
 *
 * What a job's row no longer tells, because it has ended and is not kept, its parent still knows. A job that several
 * wait for is told at each place and followed at the first only, so that a graph costs what it has jobs. All is
 * bounded: levels, children of one job, and jobs altogether.
 */

import type { Engine } from "../engine/engine.ts";
import { assertQueueName } from "../protocol/key.ts";
import type { StateAnswer } from "../protocol/registry.generated.ts";
import { FLOW_CHILDREN_READ_DEFAULT, FLOW_DEPTH_DEFAULT, FLOW_DEPTH_MAX, FLOW_JOBS_MAX } from "./defaults.ts";
import { type Child, childResult, readChildren } from "./flow-children.ts";
import type { ChildPolicy } from "./flow-literal.ts";
import type { StoredJob } from "./job.ts";
import { assertKnownOptions, assertWhole } from "./option-check.ts";
import type { PayloadCodec } from "./payload-codec.ts";
import type { QueueCore } from "./queue.ts";

/** How much of a flow is read. */
export interface FlowTreeOptions {
  /** Levels, 1 to 1000. Default 8. */
  readonly depth?: number;
  /** Children of one job, 1 to 10,000, the earliest. Default 100. */
  readonly maxChildren?: number;
}

/** One job of a flow as it stands. */
export interface FlowTree {
  readonly id: string;
  readonly queueName: string;
  /** The name under which the job above knows it; `undefined` for none. */
  readonly key: string | undefined;
  /** Where it is; `absent` when it has ended and is not kept, or was never stored. */
  readonly state: StateAnswer;
  /** The job; `undefined` for one that is absent. */
  readonly job: StoredJob | undefined;
  /** What its failure does to the job above; `undefined` for the first job of the tree, as are the next three. */
  readonly policy: ChildPolicy | undefined;
  /** What the job above knows of it: `open`, `done`, `failed` or `ignored`. */
  readonly outcome: Child["state"] | undefined;
  /** What it left to the job above, once it is done. */
  readonly result: unknown;
  /** Why it ended otherwise. */
  readonly error: string | undefined;
  /** How many children it has. */
  readonly childCount: number;
  /** Those of them that were read: none for a job that stands at another place already, or on the last level. */
  readonly children: readonly FlowTree[];
}

/** A queue as trees are read from it. */
export interface FlowReader {
  readonly core: QueueCore;
  readonly codec: PayloadCodec;
}

/** Where flows are read. */
export interface FlowSource {
  readonly engine: Engine;
  readonly queueOf: (name: string) => FlowReader;
}

const TABLE = {
  owner: "getFlow",
  known: ["id", "queueName", "depth", "maxChildren"],
  foreign: { prefix: "every key begins with emq:", queue: "it is called queueName" },
};

/**
 * The flow below a job; `undefined` when the job is absent and has no children.
 *
 * @throws EchoMQError `invalid_id`, `invalid_queue`, `unknown_option`, `invalid_option`.
 */
export async function readFlow(
  source: FlowSource,
  request: { readonly id: string; readonly queueName: string } & FlowTreeOptions,
): Promise<FlowTree | undefined> {
  assertKnownOptions(request, TABLE);
  const { id, queueName, depth = FLOW_DEPTH_DEFAULT, maxChildren = FLOW_CHILDREN_READ_DEFAULT } = request;
  assertQueueName(queueName);
  assertWhole(depth, "depth", { min: 1, max: FLOW_DEPTH_MAX });
  assertWhole(maxChildren, "maxChildren", { min: 1, max: FLOW_JOBS_MAX });
  const reading = new Reading(source, { depth, maxChildren });
  const tree = await reading.node({ id, queueName }, undefined, 1);
  return tree.job === undefined && tree.childCount === 0 ? undefined : tree;
}

class Reading {
  readonly #source: FlowSource;
  readonly #bounds: { readonly depth: number; readonly maxChildren: number };
  readonly #seen = new Set<string>();

  constructor(source: FlowSource, bounds: { readonly depth: number; readonly maxChildren: number }) {
    this.#source = source;
    this.#bounds = bounds;
  }

  /** One job and what lies below it. `child` is what the job above knows of it. */
  async node(
    place: { readonly id: string; readonly queueName: string },
    child: Child | undefined,
    level: number,
  ): Promise<FlowTree> {
    const { core, codec } = this.#source.queueOf(place.queueName);
    const job = await core.getJob(child?.standIn ?? place.id);
    const id = job?.id ?? place.id;
    const state = job === undefined ? "absent" : await core.getState(id);
    const name = `${place.queueName}\0${id}`;
    const isFollowed = !this.#seen.has(name) && this.#seen.size < FLOW_JOBS_MAX;
    this.#seen.add(name);
    const known = isFollowed && job !== undefined ? await readChildren(this.#source.engine, place.queueName, id) : [];
    const followed = level < this.#bounds.depth ? known.slice(0, this.#bounds.maxChildren) : [];
    const children: FlowTree[] = [];
    for (const below of followed) children.push(await this.node(below, below, level + 1));
    return {
      id,
      queueName: place.queueName,
      key: child?.key,
      state,
      job,
      policy: child?.policy,
      outcome: child?.state,
      result: child === undefined ? undefined : await childResult(child, codec),
      error: child?.error,
      childCount: known.length,
      children,
    };
  }
}
