/**
 * What scenarios of flows work with: trees that land by the acts of the wire, and looks at parents.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { baseKey } from "../protocol/key.ts";
import { deliverSignals } from "../queue/flow-delivery.ts";
import { Flows } from "../queue/flows.ts";
import { fail, same } from "./expectation.ts";
import { LEASE_MS, type Trial } from "./trial.ts";

/** The policies of a child, in the words of the wire. */
export type PolicyWord = "fp" | "id" | "co" | "rm";

/** A job of a tree. */
export interface Tree {
  readonly id: string;
  /** Absent: the queue of its parent, the scenario's own for the root. */
  readonly queue?: string;
  /** What its failure means to its parent; absent: `fp`. */
  readonly policy?: PolicyWord;
  readonly payload?: string;
  readonly children?: readonly Tree[];
}

/** Words for flows on one trial. */
export class FlowWorld {
  readonly flows: Flows;
  readonly #t: Trial;

  constructor(t: Trial) {
    this.#t = t;
    this.flows = new Flows(t.engine);
  }

  /** The key of a row, or of what hangs on it. */
  row(id: string, queue: string = this.#t.queue, side = ""): Bytes {
    return `${baseKey(bytesOf(queue))}job:${id}${side}`;
  }

  /** A key of another queue. */
  key(type: string, queue: string): Bytes {
    return baseKey(bytesOf(queue)) + type;
  }

  /** Lands a tree: one level of one queue by `FLOW`, all else parent first by `HOLD` and `CHILD`. */
  async land(root: Tree): Promise<void> {
    const queue = root.queue ?? this.#t.queue;
    const children = root.children ?? [];
    if (children.every((child) => (child.queue ?? queue) === queue && child.children === undefined)) {
      const rows = children.map((child) => ({ policy: child.policy ?? "fp", row: rowOf(child) }));
      same(await this.flows.flow(queue, rowOf(root), rows), children.length, "the answer of FLOW");
    } else await this.#landNode(root, queue, []);
  }

  async #landNode(node: Tree, queue: string, parents: readonly ParentOf[]): Promise<void> {
    const children = node.children ?? [];
    if (children.length === 0) {
      same((await this.flows.child(queue, rowOf(node), parents)).outcome, "added", "the answer of CHILD");
      return;
    }
    same(await this.hold(node, queue, parents), true, "the answer of HOLD");
    for (const child of children) await this.#landNode(child, child.queue ?? queue, [linkOf(node, queue, child)]);
  }

  /** Holds a parent for its children, and tells it of them. */
  async hold(node: Tree, queue: string = this.#t.queue, parents: readonly ParentOf[] = []): Promise<boolean> {
    const children = (node.children ?? []).map((child) => ({
      id: child.id,
      queue: child.queue === undefined || child.queue === queue ? "" : bytesOf(child.queue),
      policy: child.policy ?? "fp",
      key: "",
    }));
    return await this.flows.hold(queue, rowOf(node), { children, parents });
  }

  /** Sends one child whose parent is of the same queue, unless another is named. */
  async child(node: Tree, parent: string, queue: string = this.#t.queue, parentQueue = ""): Promise<string> {
    const link = { id: parent, queue: bytesOf(parentQueue), policy: node.policy ?? "fp" };
    return (await this.flows.child(queue, rowOf(node), [link])).outcome;
  }

  /** One pass over the outbox of a queue; answers how many signals were delivered. */
  async sweep(queue: string = this.#t.queue): Promise<number> {
    return (await deliverSignals(this.#t.engine, queue, 100)).delivered;
  }

  /** The count of open children, `null` when there is none. */
  async open(id: string, queue?: string): Promise<Bytes | null> {
    return (await this.#t.command("GET", this.row(id, queue, ":dependencies"))) as Bytes | null;
  }

  async state(id: string, queue?: string): Promise<Bytes | null> {
    return (await this.#t.command("HGET", this.row(id, queue), "state")) as Bytes | null;
  }

  /** What a parent has of its children: `processed`, `failed`, `unsuccessful` or `children`. */
  async said(id: string, side: string, queue?: string): Promise<Record<string, Bytes>> {
    const flat = (await this.#t.command("HGETALL", this.row(id, queue, `:${side}`))) as Bytes[];
    const pairs: [string, Bytes][] = [];
    for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] ?? "", flat[at + 1] ?? ""]);
    return Object.fromEntries(pairs);
  }

  /** The signals in the outbox of a queue. */
  async outbox(queue: string = this.#t.queue): Promise<Bytes[]> {
    return (await this.#t.command("LRANGE", this.key("flow:outbox", queue), "0", "-1")) as Bytes[];
  }

  /** Claims a job of a queue; fails when it is another than the one named. */
  async claim(id: string, queue: string = this.#t.queue): Promise<number> {
    const job = (await this.#t.jobs.claim(queue, LEASE_MS)) ?? fail(`nothing could be claimed where ${id} should be`);
    same(job.id, id, "the claimed job");
    return job.attempts;
  }

  /** Claims the next job of a queue and completes it. */
  async complete(id: string, result: string, queue: string = this.#t.queue): Promise<void> {
    const token = await this.claim(id, queue);
    same(await this.#t.jobs.complete(queue, id, token, result), "ok", `the completion of ${id}`);
  }

  /** Claims the next job of a queue and lets it die. */
  async die(id: string, error: string, queue: string = this.#t.queue): Promise<void> {
    const token = await this.claim(id, queue);
    const failure = { delayMs: 0, maxAttempts: 1, error };
    same(await this.#t.jobs.retry(queue, id, token, failure), "dead", `the death of ${id}`);
  }

  /** Fails unless nothing of a queue can be claimed. */
  async idle(queue: string = this.#t.queue): Promise<void> {
    same(await this.#t.jobs.claim(queue, LEASE_MS), undefined, "what could be claimed");
  }

  /** The signal of a completion, in its bytes. */
  doneSignal(parent: string, child: string, result: Bytes, queue: string = this.#t.queue): Bytes {
    return `${bytesOf(queue)}\0${parent}\0${child}\0${result}`;
  }

  /** The signal of a failure, in its bytes. */
  failSignal(parent: string, child: string, policy: string, error: Bytes, queue: string = this.#t.queue): Bytes {
    return `\0fail\0${bytesOf(queue)}\0${parent}\0${child}\0${policy}\0${error}`;
  }
}

/** A parent of a job. */
export interface ParentOf {
  readonly id: string;
  readonly queue: Bytes;
  readonly policy: Bytes;
}

/** The link of a child to the node above it. */
export function linkOf(node: Tree, queue: string, child: Tree): ParentOf {
  const isFar = child.queue !== undefined && child.queue !== queue;
  return { id: node.id, queue: isFar ? bytesOf(queue) : "", policy: child.policy ?? "fp" };
}

function rowOf({ id, payload = "work" }: Tree): { id: string; payload: Bytes; shape: Bytes; values: Bytes[] } {
  return { id, payload: bytesOf(payload), shape: "", values: [] };
}
