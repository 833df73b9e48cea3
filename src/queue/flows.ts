/**
 * The low-level verbs of the flow plane, one method a verb, on any queue of one engine.
 *
 * Like `Jobs` beside it, a method builds the declared keys, sends one act and turns its reply into one of the outcomes
 * that the verb can have, and adds nothing: no order of acts, no delivery. `FlowProducer`, the pump of a worker and
 * `context.children` stand on these verbs. docs/protocol/flows.md says what each does.
 *
 * A queue in an argument is empty where it is the queue of the call itself.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { assertValidId } from "../protocol/id.ts";
import type { AdmitBytesRow } from "./admit-rows.ts";
import type { ChildPolicy } from "./flow-literal.ts";
import type { Terms } from "./retention.ts";
import {
  actOrRefusal,
  bytesReply,
  decimal,
  listOf,
  numberReply,
  QueueKeys,
  type Refusal,
  unexpected,
} from "./verb-call.ts";

/** The words of the wire for the policies of a child. */
export const POLICY_WORDS = {
  "fail-parent": "fp",
  ignore: "id",
  continue: "co",
  remove: "rm",
} as const satisfies Record<ChildPolicy, Bytes>;

/** A parent as its child is told of it. */
export interface ParentLink {
  readonly id: string;
  /** Empty for the child's own queue. */
  readonly queue: Bytes;
  /** A word of {@link POLICY_WORDS}. */
  readonly policy: Bytes;
}

/** A child as its parent is told of it. */
export interface KnownChild extends ParentLink {
  /** The name under which the parent knows it; empty for none. */
  readonly key: Bytes;
  /** The job that stands for it; absent for itself. */
  readonly stands?: string;
}

/** What became of a child: stored, or the job that stands for it, whose id is absent where it is the child's own. */
export interface ChildOutcome {
  readonly outcome: "added" | "duplicate" | "deduplicated";
  readonly id?: string;
  readonly state?: string;
}

/** What became of a parent that is told of children: the ids that have not ended, or why it takes none. */
export type Expected = readonly string[] | "over" | "gone" | "stale" | "state";

/** What came of parking: it rests; no child is open; a child has ended it; or the claim is over. */
export type Parked = "parked" | "open" | "dead" | "gone" | "stale" | "state";

/** What the delivery of a signal did; see {@link Flows.deliver} and {@link Flows.fail}. */
export type Delivered = (typeof DELIVERIES)[number];

/** The flow verbs of one engine. Holds no connection of its own and needs no closing. */
export class Flows {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Stores a parent and its children, 1 to 999 of the same queue, in one act; answers how many children, 0 when a job
   * of the parent's id is there already, and then nothing is stored.
   *
   * @throws EchoMQError `kind`, `refused`, and `state` when a job of a child's id is there.
   */
  async flow(
    queue: string,
    parent: AdmitBytesRow,
    children: readonly { readonly policy: Bytes; readonly row: AdmitBytesRow }[],
  ): Promise<number> {
    const keys = new QueueKeys(queue);
    const rows = children.map(({ row }) => keys.row(row.id));
    const args = [...jobArguments(parent), String(children.length)];
    for (const { policy, row } of children) args.push(policy, ...jobArguments(row));
    return numberReply(await this.#engine.act("FLOW", [keys.row(parent.id), keys.pending, keys.base, ...rows], args));
  }

  /**
   * Stores a job that waits for children, of which it is told here, and whose parents are told of it. Answers whether
   * it was stored; one that is there is linked to the parents that it lacks, and nothing else is done.
   *
   * @throws EchoMQError `kind`, `refused`, `full`.
   */
  async hold(
    queue: string,
    row: AdmitBytesRow,
    kin: { readonly children: readonly KnownChild[]; readonly parents: readonly ParentLink[] },
  ): Promise<boolean> {
    const keys = new QueueKeys(queue);
    const [first, ...further] = kin.parents;
    const args = [String(kin.children.length), ...jobArguments(row)];
    args.push(first?.id ?? "", first?.queue ?? "", first?.policy ?? "");
    for (const { id, queue: of, policy } of further) args.push("p", id, of, policy, "");
    for (const { id, queue: of, policy, key } of kin.children) args.push("c", id, of, policy, key);
    const reply = await this.#engine.act("HOLD", [keys.row(row.id), keys.pending, keys.base], args);
    return numberReply(reply) === 1;
  }

  /**
   * Stores a child with the links to its parents, which must know of it. A job of its id, its deduplication id or its
   * alias that is there already stands in its place.
   *
   * @throws EchoMQError `kind`, `refused`, `full`.
   */
  async child(queue: string, row: AdmitBytesRow, parents: readonly ParentLink[]): Promise<ChildOutcome> {
    const keys = new QueueKeys(queue);
    const [first, ...further] = parents;
    if (first === undefined) throw new TypeError("a child has a parent");
    const args = [first.id, first.queue, first.policy, ...jobArguments(row)];
    for (const { id, queue: of, policy } of further) args.push("p", id, of, policy, "");
    const reply = await this.#engine.act("CHILD", [keys.row(row.id), keys.pending, keys.base], args);
    if (reply === 1) return { outcome: "added" };
    if (reply === 0) return { outcome: "duplicate" };
    const [kind, id, state] = listOf(reply);
    if (numberReply(kind) === 2) return { outcome: "deduplicated", id: bytesReply(id) };
    return { outcome: "duplicate", id: bytesReply(id), state: bytesReply(state) };
  }

  /**
   * Tells a parent of children, 1 to 1000; those that it knows are not counted again. With a token, the parent is
   * active under that claim; without one, it waits for children already.
   */
  async expect(queue: string, id: string, children: readonly KnownChild[], token?: number): Promise<Expected> {
    const keys = new QueueKeys(queue);
    const args = [assertValidId(id), token === undefined ? "" : decimal(token, "token")];
    for (const { id: child, queue: of, policy, stands, key } of children) {
      args.push(child, of, policy, stands ?? "", key);
    }
    const call = { verb: "EXPECT", keys: [keys.row(id), keys.base], args } as const;
    const reply = await actOrRefusal(this.#engine, call, ["gone", "stale", "state"]);
    if (reply === "gone" || reply === "stale" || reply === "state") return reply;
    if (reply === 0) return "over";
    if (reply === -1) return "gone";
    return listOf(reply).map((each) => bytesReply(each));
  }

  /**
   * Lets an active parent rest until its children have ended, or `timeoutMs` (0: without limit) are over; its claim is
   * over then. `terms` say what is kept of one that a child has ended.
   */
  async park(queue: string, id: string, token: number, timeoutMs: number, terms?: Terms): Promise<Parked> {
    const keys = new QueueKeys(queue);
    const args = [assertValidId(id), decimal(token, "token"), decimal(timeoutMs, "timeoutMs")];
    // The first two are about jobs that are done.
    if (terms !== undefined) args.push(...terms.args.slice(2));
    const call = { verb: "PARK", keys: [keys.active, keys.row(id), keys.base], args } as const;
    const reply = await actOrRefusal(this.#engine, call, PARK_REFUSALS);
    if (reply === 1) return "parked";
    if (reply === 0) return "open";
    if (reply === "dead" || reply === "gone" || reply === "stale" || reply === "state") return reply;
    throw unexpected(reply);
  }

  /**
   * Tells a parent that a child is done. `counted`: it had not heard of it; `idle`: it had, or there is no such parent.
   */
  async deliver(
    queue: string,
    signal: { readonly parent: string; readonly child: string; readonly result: Bytes },
  ): Promise<Delivered> {
    const { parent, child, result } = signal;
    const keys = new QueueKeys(queue);
    const row = keys.row(parent);
    const places = [`${row}:dependencies`, `${row}:processed`, row, keys.base];
    return deliveryOf(await this.#engine.act("FDELIVER", places, [child, result, parent]));
  }

  /**
   * Tells a parent that a child has ended otherwise, with the policy that the child has for it (`fp` or `id`).
   * `further`: the parent is dead by it, and its own end lies in the outbox of its queue.
   */
  async fail(
    queue: string,
    signal: { readonly parent: string; readonly child: string; readonly policy: Bytes; readonly error: Bytes },
  ): Promise<Delivered> {
    const { parent, child, policy, error } = signal;
    const keys = new QueueKeys(queue);
    const row = keys.row(parent);
    const places = [`${row}:dependencies`, `${row}:failed`, `${row}:unsuccessful`, row, keys.base];
    return deliveryOf(await this.#engine.act("FFAIL", places, [child, error, policy, parent]));
  }

  /**
   * Takes entries, 1 to 1000, out of the outbox of a queue, by their value: those that are delivered, or bad ones,
   * which are kept aside. Answers how many were there.
   */
  async clear(queue: string, kind: "done" | "bad", entries: readonly Bytes[]): Promise<number> {
    const { base } = new QueueKeys(queue);
    return numberReply(await this.#engine.act("FCLEAR", [`${base}flow:outbox`, base], [kind, ...entries]));
  }
}

/** What a delivery reached: a parent that had not heard of it, nobody, or one that died and has parents itself. */
const DELIVERIES = ["idle", "counted", "further"] as const;

const PARK_REFUSALS: readonly Refusal[] = ["gone", "stale", "state"];

/** A job as flow verbs take it: shape, id, payload, values. */
function jobArguments({ shape, id, payload, values }: AdmitBytesRow): Bytes[] {
  return [shape, id, payload, ...values];
}

function deliveryOf(reply: Reply): Delivered {
  const word = DELIVERIES[numberReply(reply)];
  if (word === undefined) throw unexpected(reply);
  return word;
}
