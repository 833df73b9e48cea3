/**
 * Random graphs over three queues: whatever workers, deliverers and operators do, and in whatever order, every parent
 * ends in the one way that its children imply, counts equal open children at every step, and nothing is left.
 *
 * The clock is virtual and a pass over an outbox is a plain call, so a run is its seed.
 */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { deliverSignals } from "../../../src/queue/flow-delivery.ts";
import { Flows } from "../../../src/queue/flows.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { checkInvariants, violationText } from "../../../src/testing/invariants.ts";
import { createRandom, createTestPorts } from "../../../src/testing/test-ports.ts";

const QUEUES = ["north", "south", "west"] as const;
const POLICIES = ["fp", "fp", "id", "co", "rm"] as const;
const RUNS = 80;
const STEPS_MAX = 400;

interface Edge {
  readonly child: number;
  readonly policy: string;
}

/** A job of the graph, and what the test itself has seen of it. */
interface Node {
  readonly id: string;
  readonly queue: string;
  readonly edges: readonly Edge[];
  /** Whether its handler ends well. */
  readonly isGood: boolean;
  isLanded: boolean;
  hasRun: boolean;
  end: "done" | "dead" | "removed" | undefined;
}

class World {
  readonly random: () => number;
  readonly ports;
  readonly engine: EmbeddedEngine;
  readonly jobs: Jobs;
  readonly flows: Flows;
  readonly nodes: Node[];

  constructor(seed: number) {
    this.random = createRandom(seed);
    this.ports = createTestPorts({ seed });
    this.engine = new EmbeddedEngine({ ports: this.ports });
    this.jobs = new Jobs(this.engine);
    this.flows = new Flows(this.engine);
    const mint = createMinter({ node: 1, clock: () => this.ports.clock.now() });
    const count = this.whole(2, 12);
    this.nodes = Array.from({ length: count }, (_, at) => ({
      id: mint("JOB"),
      queue: this.one(QUEUES),
      edges: this.edgesOf(at, count),
      isGood: this.random() < 0.75,
      isLanded: false,
      hasRun: false,
      end: undefined,
    }));
  }

  /** Every job but the first is a child of one before it, some of several. */
  edgesOf(at: number, count: number): Edge[] {
    const edges: Edge[] = [];
    for (let child = at + 1; child < count; child += 1) {
      if (child === at + 1 || this.random() < 0.25) edges.push({ child, policy: this.one(POLICIES) });
    }
    return edges;
  }

  one<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  whole(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  node(at: number): Node {
    return this.nodes[at] as Node;
  }

  /** Lands the graph, parents first, up to `most` jobs: then whoever added it has died. */
  async land(most: number): Promise<void> {
    for (const [at, node] of this.nodes.slice(0, most).entries()) {
      const row = { id: node.id, payload: "p", shape: "", values: [] };
      const parents = this.nodes.flatMap((parent) =>
        parent.edges
          .filter((edge) => edge.child === at)
          .map(({ policy }) => ({ id: parent.id, queue: parent.queue === node.queue ? "" : parent.queue, policy })),
      );
      const children = node.edges.map(({ child, policy }) => {
        const { id, queue } = this.node(child);
        return { id, queue: queue === node.queue ? "" : queue, policy, key: "" };
      });
      // What is over needs no landing; its row may be gone, and it would run twice.
      if (node.end !== undefined) continue;
      if (children.length > 0) await this.flows.hold(node.queue, row, { children, parents });
      else await this.flows.child(node.queue, row, parents);
      node.isLanded = true;
    }
  }

  /** Something that may happen. */
  async step(): Promise<void> {
    const queue = this.one(QUEUES);
    const roll = this.random();
    if (roll < 0.5) await this.work(queue);
    else if (roll < 0.75) await deliverSignals(this.engine, queue, this.whole(1, 3));
    else if (roll < 0.85) await this.dieDelivering(queue);
    else if (roll < 0.9) await this.remove();
    else this.ports.clock.shift(this.whole(0, 50));
  }

  /** A worker claims a job and ends it, or loses its lease before. */
  async work(queue: string): Promise<void> {
    const isSlow = this.random() < 0.2;
    const claimed = await this.jobs.claim(queue, isSlow ? 10 : 60_000);
    if (claimed === undefined) return;
    const node = this.nodes.find(({ id }) => id === claimed.id) as Node;
    await this.notice();
    this.expectReady(node);
    node.hasRun = true;
    if (isSlow) {
      this.ports.clock.shift(20);
      const { dead } = await this.jobs.sweep(queue, { maxStalled: this.one([1, 3]) });
      if (dead.includes(node.id)) node.end = "dead";
      if (node.end === "dead") return;
    }
    if (node.isGood) {
      expect(await this.jobs.complete(queue, node.id, claimed.attempts, `r-${node.id}`)).toBe("ok");
      node.end = "done";
    } else {
      const failure = { delayMs: 0, maxAttempts: 1, error: "boom" };
      expect(await this.jobs.retry(queue, node.id, claimed.attempts, failure)).toBe("dead");
      node.end = "dead";
    }
  }

  /** A parent runs when no child is open, or when one has failed that lets it run. */
  expectReady(node: Node): void {
    const isOver = ({ child }: Edge) => this.node(child).end !== undefined;
    const isFreed = node.edges.some(({ child, policy }) => policy === "co" && this.node(child).end === "dead");
    const left = node.edges.filter((edge) => !isOver(edge));
    if (!isFreed && left.length > 0) expect.fail(`${node.id} runs although ${left.length} children are open`);
  }

  /** A deliverer ends between the delivery of a signal and its removal from the outbox. */
  async dieDelivering(queue: string): Promise<void> {
    const outbox = await this.engine.command(["LRANGE", `emq:{${queue}}:flow:outbox`, "0", "0"]);
    const [entry] = outbox as string[];
    if (entry === undefined) return;
    const parts = entry.split("\0");
    const isEnd = entry.startsWith("\0");
    const [to = "", parent = "", child = "", word = "", error = ""] = isEnd ? parts.slice(2) : parts;
    if (isEnd) await this.flows.fail(to, { parent, child, policy: word, error });
    else await this.flows.deliver(to, { parent, child, result: word });
  }

  /** An operator removes a job that is yet to end, but never the root. */
  async remove(): Promise<void> {
    const node = this.one(this.nodes.slice(1));
    if (!node.isLanded || node.end !== undefined || (await this.stateOf(node)) === "dead") return;
    if ((await this.jobs.removeJob(node.queue, node.id)) === "ok") node.end = "removed";
  }

  async stateOf({ queue, id }: Node): Promise<string> {
    return await this.jobs.getState(queue, id);
  }

  async expectSound(): Promise<void> {
    for (const queue of QUEUES) expect(violationText(await checkInvariants(this.engine, queue))).toBe("");
    await this.notice();
  }

  /** Notes which parents a child has ended. */
  async notice(): Promise<void> {
    for (const node of this.nodes) {
      if (node.isLanded && node.end === undefined && (await this.stateOf(node)) === "dead") node.end = "dead";
    }
  }

  /** Goes on until nothing can happen any more. */
  async settle(): Promise<void> {
    for (let round = 0; round < STEPS_MAX; round += 1) {
      const before = this.nodes.filter(({ end }) => end === undefined).length;
      let delivered = 0;
      for (const queue of QUEUES) {
        await this.work(queue);
        delivered += (await deliverSignals(this.engine, queue, 100)).delivered;
        this.ports.clock.shift(20);
        await this.jobs.sweep(queue, { maxStalled: 1000, keep: { count: 1000, ms: 0 } });
      }
      await this.expectSound();
      if (before === 0 && delivered === 0) return;
    }
    const left = await Promise.all(this.nodes.map(async (node) => [node.id, await this.stateOf(node), node.end]));
    expect.fail(`it never came to rest: ${JSON.stringify(left)}`);
  }

  /** What became of each job is what its children imply. */
  async expectImplied(): Promise<void> {
    for (const node of this.nodes) {
      const died = (policy: string) =>
        node.edges.some((edge) => edge.policy === policy && this.node(edge.child).end === "dead");
      if (node.end === "removed") continue;
      const state = await this.stateOf(node);
      expect([node.id, state]).toEqual([node.id, node.end === "dead" ? "dead" : "absent"]);
      if (!node.hasRun) expect([node.id, died("fp")]).toEqual([node.id, true]);
      if (node.hasRun && !died("co")) expect([node.id, died("fp")]).toEqual([node.id, false]);
    }
  }

  /** All that is left is what says nothing of these jobs. */
  async expectNothingLeft(): Promise<void> {
    for (const { queue, id } of this.nodes) await this.jobs.removeJob(queue, id);
    for (const queue of QUEUES) {
      const keys = (await this.engine.command(["KEYS", `emq:{${queue}}:*`])) as string[];
      const kept = ["meta", "metrics:completed", "metrics:failed", "tokens", "wake"];
      const strange = keys
        .map((key) => key.slice(`emq:{${queue}}:`.length))
        .filter((suffix) => !kept.includes(suffix) && !suffix.endsWith(":minutes"));
      expect([queue, strange]).toEqual([queue, []]);
    }
  }
}

describe("a random graph over three queues", () => {
  for (let run = 0; run < RUNS; run += 1) {
    it(`ends as its children imply, of seed ${run}`, async () => {
      const world = new World(run);
      await world.land(world.whole(1, world.nodes.length));
      await world.expectSound();
      for (let step = world.whole(0, 15); step > 0; step -= 1) {
        await world.step();
        await world.expectSound();
      }
      await world.land(world.nodes.length);
      for (let step = world.whole(0, 60); step > 0; step -= 1) {
        await world.step();
        await world.expectSound();
      }
      await world.settle();
      await world.expectImplied();
      await world.expectNothingLeft();
    });
  }
});
