/**
 * Explores every state of a wake model, breadth first, so that the first fault found has a shortest trace.
 *
 * Worlds are kept only while they wait to be expanded; of all others the key, the parent and the label remain. The
 * bound on states is there so that a configuration that grew by mistake fails instead of filling the memory.
 */

import type { Configuration, World } from "./wake-model.ts";
import { firstWorld, hasWorker, invariantHolds, isDone, keyOf, WakeModel } from "./wake-model.ts";

/** What a state was found guilty of. */
export type Fault =
  | "asleep over claimable work"
  | "a due job waits for a beat"
  | "the invariant does not hold"
  | "more than one token in the list"
  | "ended with work left"
  | "a run without end"
  | "the end cannot be reached";

/** What the exploration of one configuration found. */
export interface Findings {
  readonly states: number;
  readonly faults: ReadonlySet<Fault>;
  /** The shortest way to the first fault, one label a step; empty when there is none. */
  readonly trace: readonly string[];
}

export interface ExploreOptions {
  /** Fails beyond so many states. */
  readonly statesMax?: number;
  /** Stops when this fault is met, which is enough to show that a rule is needed. */
  readonly until?: Fault;
}

/** A list of whole numbers that grows without boxing them. */
class Numbers {
  #items = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = new Int32Array(this.#items.length * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#items[index] ?? -1;
  }
}

class Exploration {
  readonly #configuration: Configuration;
  readonly #model: WakeModel;
  readonly #options: ExploreOptions;
  readonly #indexes = new Map<string, number>();
  readonly #parents = new Numbers();
  readonly #labels: string[] = [];
  readonly #from = new Numbers();
  readonly #to = new Numbers();
  /** One flag a state: 1 all jobs ended, 2 nothing can be expected of it (no worker is left). */
  readonly #marks = new Numbers();
  readonly #waiting: { index: number; world: World }[] = [];
  readonly #faults = new Set<Fault>();
  #firstFault = -1;

  constructor(configuration: Configuration, options: ExploreOptions) {
    this.#configuration = configuration;
    this.#model = new WakeModel(configuration);
    this.#options = options;
  }

  run(): Findings {
    this.#meet(firstWorld(this.#configuration), -1, "");
    let at = 0;
    while (at < this.#waiting.length) {
      const { index, world } = this.#waiting[at] as { index: number; world: World };
      // Free what was expanded, a block at a time, since shift() would copy the queue.
      if (++at === 4096) {
        this.#waiting.splice(0, at);
        at = 0;
      }
      this.#expand(index, world);
      if (this.#options.until !== undefined && this.#faults.has(this.#options.until)) return this.#findings();
    }
    if (this.#configuration.beat !== undefined) this.#checkReachability();
    else this.#checkFiniteness();
    return this.#findings();
  }

  #findings(): Findings {
    return { states: this.#labels.length, faults: this.#faults, trace: this.#traceOf(this.#firstFault) };
  }

  #expand(index: number, world: World): void {
    const successors = this.#model.successors(world);
    if (successors.length === 0 && !isDone(world, this.#configuration) && !this.#isExcused(world)) {
      this.#blame("ended with work left", index);
    }
    for (const successor of successors) this.#meet(successor.world, index, successor.label);
  }

  #isExcused(world: World): boolean {
    return world.tokenLost || world.keeperLost || !hasWorker(world);
  }

  #meet(world: World, parent: number, label: string): void {
    const key = keyOf(world);
    const known = this.#indexes.get(key);
    if (known !== undefined) {
      this.#edge(parent, known);
      return;
    }
    const index = this.#labels.length;
    if (index >= (this.#options.statesMax ?? 2_000_000)) throw new Error("the configuration has too many states");
    this.#indexes.set(key, index);
    this.#parents.push(parent);
    this.#labels.push(label);
    this.#marks.push((isDone(world, this.#configuration) ? 1 : 0) + (hasWorker(world) ? 0 : 2));
    this.#edge(parent, index);
    this.#waiting.push({ index, world });
    this.#judge(world, index);
  }

  #edge(from: number, to: number): void {
    if (from < 0) return;
    this.#from.push(from);
    this.#to.push(to);
  }

  #judge(world: World, index: number): void {
    if (world.wake > 1) this.#blame("more than one token in the list", index);
    if (!invariantHolds(world)) this.#blame("the invariant does not hold", index);
    if (this.#model.isAsleep(world)) this.#blame("asleep over claimable work", index);
    if (this.#model.isLate(world)) this.#blame("a due job waits for a beat", index);
  }

  #blame(fault: Fault, index: number): void {
    this.#faults.add(fault);
    if (this.#firstFault === -1) this.#firstFault = index;
  }

  #traceOf(index: number): string[] {
    const trace: string[] = [];
    for (let at = index; at > 0; at = this.#parents.at(at)) trace.push(this.#labels[at] ?? "");
    return trace.reverse();
  }

  /** With the beat: the end must be reachable from every state that has a worker. */
  #checkReachability(): void {
    const reached = new Uint8Array(this.#labels.length);
    const { heads, next } = this.#adjacency(this.#to);
    const stack: number[] = [];
    for (let index = 0; index < reached.length; index++) {
      if ((this.#marks.at(index) & 1) === 1) {
        reached[index] = 1;
        stack.push(index);
      }
    }
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      for (let edge = heads[index] ?? -1; edge !== -1; edge = next[edge] ?? -1) {
        const before = this.#from.at(edge);
        if (reached[before] === 1) continue;
        reached[before] = 1;
        stack.push(before);
      }
    }
    for (let index = 0; index < reached.length; index++) {
      if (reached[index] === 0 && (this.#marks.at(index) & 2) === 0) this.#blame("the end cannot be reached", index);
    }
  }

  /** Without the beat: the graph has no circle, so every run is finite and nobody polls. */
  #checkFiniteness(): void {
    const incoming = new Int32Array(this.#labels.length);
    for (let edge = 0; edge < this.#to.length; edge++) {
      const to = this.#to.at(edge);
      incoming[to] = (incoming[to] ?? 0) + 1;
    }
    const { heads, next } = this.#adjacency(this.#from);
    const stack: number[] = [0];
    let removed = 0;
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      removed += 1;
      for (let edge = heads[index] ?? -1; edge !== -1; edge = next[edge] ?? -1) {
        const to = this.#to.at(edge);
        incoming[to] = (incoming[to] ?? 0) - 1;
        if (incoming[to] === 0) stack.push(to);
      }
    }
    if (removed < incoming.length)
      this.#blame(
        "a run without end",
        incoming.findIndex((count) => count > 0),
      );
  }

  /** The edges of each state as linked lists: the first of each state, and the one after each. */
  #adjacency(end: Numbers): { heads: Int32Array; next: Int32Array } {
    const heads = new Int32Array(this.#labels.length).fill(-1);
    const next = new Int32Array(end.length).fill(-1);
    for (let edge = 0; edge < end.length; edge++) {
      const state = end.at(edge);
      next[edge] = heads[state] ?? -1;
      heads[state] = edge;
    }
    return { heads, next };
  }
}

/** Explores a configuration to its end, or until a given fault is met. */
export function explore(configuration: Configuration, options: ExploreOptions = {}): Findings {
  return new Exploration(configuration, options).run();
}
