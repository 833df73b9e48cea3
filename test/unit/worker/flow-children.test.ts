/** Children that a handler adds when it runs, and waits for: on virtual time. */

import { describe, expect, it, onTestFinished } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import type { Context } from "../../../src/worker/context.ts";
import type { WorkerJob } from "../../../src/worker/worker-job.ts";
import { FlowWorld } from "./flow-world.ts";

function setup(): FlowWorld {
  const world = new FlowWorld();
  onTestFinished(() => world.closeAll());
  return world;
}

const parts = { left: { name: "part", queueName: "c", data: 1 }, right: { name: "part", queueName: "c", data: 2 } };

describe("children.run", () => {
  it("adds children once, rests without a slot or an attempt, and gets what they returned by their keys", async () => {
    const world = setup();
    const runs: { attempt: number; at: number }[] = [];
    let results: unknown;
    const worker = world.worker("p", async (job, { children }) => {
      runs.push({ attempt: job.attempt, at: world.elapsedMs });
      results = await children.run(parts);
      return results;
    });
    world.worker("c", async (job) => {
      await world.pause(500);
      return Number(job.data) * 10;
    });
    const done: unknown[] = [];
    worker.on("completed", (_, result) => void done.push(result));
    const job = await world.queue("p").add("whole", {});
    await world.advance(100);
    expect(await job.getState()).toBe("awaiting_children");
    expect(worker.health().running).toBe(0);
    const other = await world.queue("p").add("whole", {});
    await world.advance(2000);
    expect(await other.getState()).toBe("absent");
    expect(results).toEqual({ left: 10, right: 20 });
    expect(done).toHaveLength(2);
    // Each ran twice, and neither run counted as a failure.
    expect(runs).toHaveLength(4);
    expect(runs.every(({ attempt }) => attempt === 1)).toBe(true);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("keeps the lane and the priority of the job that rests", async () => {
    const world = setup();
    const queue = world.queue("p");
    await queue.lane("acme").limit(1);
    const order: string[] = [];
    world.worker(
      "p",
      async (job, { children }) => {
        order.push(job.name);
        if (job.name === "rests") await children.run({ only: { name: "part", queueName: "c" } });
      },
      { concurrency: 1, lookAhead: 0 },
    );
    const job = await queue.add("rests", {}, { lane: "acme", priority: 3 });
    await world.settle();
    // The lane is free while it rests.
    await queue.add("passes", {}, { lane: "acme", priority: 9 });
    await world.settle();
    expect(order).toEqual(["rests", "passes"]);
    await queue.pause();
    await queue.add("late", {}, { lane: "acme", priority: 9 });
    world.worker("c", async () => {});
    await world.settle();
    const stored = await queue.getJob(job.id);
    expect([stored?.state, stored?.lane, stored?.priority]).toEqual(["pending", "acme", 3]);
    await queue.resume();
    await world.settle();
    expect(order).toEqual(["rests", "passes", "rests", "late"]);
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("goes on at once when all children are done already (PB-109)", async () => {
    const world = setup();
    const runs: unknown[] = [];
    world.worker("c", async (job) => job.data);
    world.worker("p", async (_, { children }) => {
      await children.add(parts);
      await world.pause(100);
      await children.wait();
      runs.push((await children.results()).map(({ key, result }) => [key, result]));
    });
    await world.queue("p").add("whole", {});
    await world.advance(200);
    expect(runs).toEqual([
      [
        ["left", 1],
        ["right", 2],
      ],
    ]);
    expect(world.engine.sent("PARK")).toHaveLength(1);
    expect(await world.flowKeys("p")).toEqual([]);
  });

  it("does not take a job that was removed for one that rests, when the act that rests it was never sent", async () => {
    const world = setup();
    let isFirst = true;
    world.engine.faultOf = ({ verb }) => {
      if (verb !== "PARK" || !isFirst) return undefined;
      isFirst = false;
      return { error: new EchoMQError("disconnected", "away", { details: { sent: false } }), when: "before" };
    };
    const told: unknown[] = [];
    world.worker("p", async (_, { children }) => {
      await children.run(parts).catch((error: unknown) => told.push((error as EchoMQError).code));
    });
    const job = await world.queue("p").add("whole", {});
    await world.settle();
    await world.engine.store.command(["DEL", `emq:{p}:job:${job.id}`]);
    await world.engine.store.command(["ZREM", "emq:{p}:active", job.id]);
    await world.advance(1000);
    expect(world.engine.sent("PARK")).toHaveLength(2);
    expect(told).toEqual(["lease_lost"]);
  });

  it("waits no longer than it was told, whoever runs the job then (PB-121)", async () => {
    const world = setup();
    const first = world.otherEngine();
    const told: unknown[] = [];
    const handler = async (_: WorkerJob, { children }: Context) => {
      try {
        await children.run(parts, { timeout: "1s" });
      } catch (error) {
        const { code, details } = error as EchoMQError;
        if (code !== "children_timeout") throw error;
        told.push([world.elapsedMs, (details["pending"] as { key: string }[]).map(({ key }) => key)]);
      }
    };
    const dying = world.worker("p", handler, {}, first);
    await world.queue("p").add("whole", {});
    await world.settle();
    first.goDown();
    void dying.close({ timeout: 0 });
    world.worker("p", handler);
    await world.advance(3000);
    expect(told).toHaveLength(1);
    expect(told[0]).toEqual([expect.any(Number), ["left", "right"]]);
    expect((told[0] as [number])[0]).toBeLessThanOrEqual(2000);
    // What comes late changes nothing for a job that is over.
    world.worker("c", async () => {});
    await world.advance(1000);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("has for each wait a time of its own", async () => {
    const world = setup();
    const worker = world.worker(
      "p",
      async (_, { children }) => {
        await children.run({ first: { name: "part", queueName: "c" } }, { timeout: "1s" });
        await world.pause(3000);
        return await children.run({ second: { name: "part", queueName: "c" } }, { timeout: "1s" });
      },
      { attempts: 1 },
    );
    const ends: unknown[] = [];
    worker.on("completed", (_, result) => void ends.push(result));
    worker.on("failed", (_, error) => void ends.push((error as EchoMQError).code));
    world.worker("c", () => world.pause(100));
    await world.queue("p").add("whole", {});
    await world.advance(20_000);
    expect(ends).toEqual([{ second: undefined }]);
  });

  it("has forgotten the time of a wait that is over when it waits for others", async () => {
    const world = setup();
    const results: unknown[] = [];
    world.worker("p", async (_, { children }) => {
      await world.pause(1000);
      results.push(await children.run({ left: { name: "part", queueName: "c", data: 1500 } }, { timeout: "1s" }));
      results.push(await children.run({ right: { name: "part", queueName: "c", data: 100 } }));
    });
    world.worker("c", async (job) => {
      await world.pause(Number(job.data));
      return job.data;
    });
    const job = await world.queue("p").add("whole", {}, { attempts: 1 });
    await world.advance(10_000);
    // The child ends after the time, and before the run that would hear of it has come to the wait.
    expect(results).toEqual([{ left: 1500 }, { left: 1500 }, { right: 100 }]);
    expect(await job.getState()).toBe("absent");
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("is ended by a child that fails after the time, and not told that it is late", async () => {
    const world = setup();
    const codes: string[] = [];
    const failing = { left: { name: "part", queueName: "c", opts: { attempts: 1 } } };
    world.worker("p", async (_, { children }) => {
      await world.pause(1000);
      await children.run(failing, { timeout: "1s" }).catch((error: EchoMQError) => {
        codes.push(error.code);
        throw error;
      });
    });
    world.worker("c", async () => {
      await world.pause(1500);
      throw new Error("no such file");
    });
    const job = await world.queue("p").add("whole", {}, { attempts: 5 });
    await world.advance(60_000);
    expect(codes).not.toContain("children_timeout");
    expect(await job.getState()).toBe("dead");
  });

  it.each(["second", "below"])(
    "goes on to what an earlier run could not store, and does not rest (%s)",
    async (name) => {
      const world = setup();
      const results: unknown[] = [];
      const children = name === "below" ? [{ name, queueName: "c" }] : [];
      let isCut = true;
      world.engine.faultOf = ({ verb, args }) => {
        if (verb !== "CHILD" || !isCut || !args.some((arg) => arg === name)) return undefined;
        isCut = false;
        return { error: new EchoMQError("disconnected", "cut"), when: "before" };
      };
      world.worker("p", async (_, { children: own }) => {
        results.push(await own.run({ left: { name: "first", queueName: "c", data: 1 } }));
        results.push(await own.run({ right: { name: "second", queueName: "c", data: 2, children } }));
      });
      world.worker("c", async (job) => job.data);
      const job = await world.queue("p").add("whole", {}, { attempts: 5, backoff: 10 });
      await world.advance(10_000);
      expect(isCut).toBe(false);
      expect(results.slice(-2)).toEqual([{ left: 1 }, { right: 2 }]);
      expect(await job.getState()).toBe("absent");
      expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
    },
  );

  it("finds its children again after its worker died between adding and resting", async () => {
    const world = setup();
    const first = world.otherEngine();
    const ran: string[] = [];
    let hasDied = false;
    const handler = async (_: WorkerJob, { children }: Context) => {
      await children.add(parts);
      if (!hasDied) {
        hasDied = true;
        first.goDown();
        return await new Promise<never>(() => {});
      }
      return await children.run(parts);
    };
    world.worker("p", handler, { lease: 300, beat: 100 }, first);
    await world.queue("p").add("whole", {});
    await world.settle();
    world.worker("p", handler, { lease: 300, beat: 100 });
    await world.advance(1000);
    world.worker("c", async (job) => void ran.push(job.id));
    await world.advance(1000);
    expect(ran).toHaveLength(2);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it("stores a child that its parent was told of and nobody has", async () => {
    const world = setup();
    const ran: string[] = [];
    let refusals = 1;
    world.engine.faultOf = ({ verb }) => {
      if (verb !== "CHILD" || refusals === 0) return undefined;
      refusals -= 1;
      return { error: Object.assign(new Error("cut"), {}) as EchoMQError, when: "before" };
    };
    world.worker("p", async (_, { children }) => void (await children.run(parts)), { backoff: 10 });
    world.worker("c", async (job) => void ran.push(job.id));
    await world.queue("p").add("whole", {});
    await world.advance(1000);
    expect(ran).toHaveLength(2);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it.each([0, 100])("goes on without the others when a child fails with continue, %i ms after it began", async (ms) => {
    const world = setup();
    const results: unknown[] = [];
    const worker = world.worker("p", async (_, { children }) => {
      const bad = { name: "bad", queueName: "c", opts: { onFailure: "continue", attempts: 1 } } as const;
      results.push(await children.run({ bad, idle: { name: "idle", queueName: "nobody" } }));
    });
    let ends = 0;
    worker.on("completed", () => {
      ends += 1;
    });
    world.worker("c", async () => {
      await world.pause(ms);
      throw new Error("broken");
    });
    await world.queue("p").add("whole", {});
    await world.advance(1000);
    expect([ends, results]).toEqual([1, [{ bad: undefined, idle: undefined }]]);
    expect(await world.violations("p", "c", "nobody")).toEqual([]);
  });

  it("does not store again a child that has ended unheard", async () => {
    const world = setup();
    const ran: string[] = [];
    const runs: unknown[] = [];
    const handler = async (_: WorkerJob, { children }: Context) => {
      await children.add(parts);
      await world.pause(100);
      runs.push((await children.pending()).length);
      if (runs.length < 3) throw new Error("again");
      return await children.run(parts);
    };
    world.worker("p", handler, { attempts: 3, backoff: 10 });
    // Nobody carries its signals.
    world.worker("c", async (job) => void ran.push(job.id), { pump: false });
    await world.queue("p").add("whole", {});
    await world.advance(3000);
    expect(ran).toHaveLength(2);
    expect(runs).toEqual([2, 0, 0]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it("does not store again a child that has ended, while the news cannot be delivered", async () => {
    const world = setup();
    const ran: string[] = [];
    let runs = 0;
    let refusals = 6;
    world.engine.faultOf = ({ verb }) => {
      if (verb !== "FDELIVER" || refusals === 0) return undefined;
      refusals -= 1;
      return { error: new EchoMQError("server_busy", "BUSY"), when: "before" };
    };
    const handler = async (_: WorkerJob, { children }: Context) => {
      runs += 1;
      await children.add(parts);
      await world.pause(100);
      if (runs === 1) throw new Error("again");
      return await children.run(parts);
    };
    world.worker("p", handler, { attempts: 6, backoff: 10 });
    // Nobody but who adds carries its signals.
    world.worker("c", async (job) => void ran.push(job.id), { pump: false });
    await world.queue("p").add("whole", {});
    await world.advance(3000);
    expect([ran.length, refusals]).toEqual([2, 0]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it("sends nothing again that an earlier run has stored, which may end at any moment", async () => {
    const world = setup();
    const far = world.otherEngine();
    far.latencyMs = 5;
    const ran: string[] = [];
    const tree = { top: { name: "top", queueName: "c", children: [{ name: "leaf", queueName: "c" }] } };
    let runs = 0;
    let endLeaf = () => {};
    const gate = new Promise<void>((resolve) => {
      endLeaf = resolve;
    });
    const again: string[] = [];
    far.faultOf = ({ verb }) => {
      if (runs !== 2 || (verb !== "HOLD" && verb !== "CHILD")) return undefined;
      again.push(verb);
      // The leaf ends while the act is on its way.
      if (verb === "CHILD") endLeaf();
      return undefined;
    };
    const handler = async (_: WorkerJob, { children }: Context) => {
      runs += 1;
      await children.add(tree);
      if (runs === 1) throw new Error("again");
      endLeaf();
      return await children.run(tree);
    };
    world.worker("p", handler, { attempts: 3, backoff: 10 }, far);
    world.worker("c", async ({ name }) => {
      ran.push(name);
      if (name === "leaf") await gate;
    });
    await world.queue("p").add("whole", {});
    await world.advance(3000);
    expect([ran, again]).toEqual([["leaf", "top"], []]);
    expect([await world.flowKeys("p"), await world.flowKeys("c")]).toEqual([[], []]);
  });

  it.each([
    ["", []],
    // The run that stores what lacks comes to this wait first, while the job above what lacks runs.
    [", behind an earlier wait", ["first"]],
  ])(
    "stores what lacks below a job that runs before all its children have ended, and waits for others then%s",
    async (_, earlier) => {
      const world = setup();
      const ran: string[] = [];
      const bad = { name: "bad", queueName: "c", opts: { onFailure: "continue", attempts: 1 } } as const;
      const tree = { top: { name: "top", queueName: "t", children: [bad, { name: "late", queueName: "d" }] } };
      let isCut = false;
      world.engine.faultOf = ({ verb, args }) => {
        if (verb !== "CHILD" || !args.includes("late") || isCut) return undefined;
        isCut = true;
        return { error: new EchoMQError("disconnected", "cut"), when: "before" };
      };
      const handler = async (_: WorkerJob, { children }: Context) => {
        for (const name of earlier) await children.run({ [name]: { name, queueName: "d" } });
        await children.run(tree);
      };
      world.worker("p", handler, { attempts: 3, backoff: 100 });
      world.worker("t", async (_, { children }) => {
        // It runs when what lacks is looked for.
        await world.pause(500);
        await children.run({ own: { name: "own", queueName: "d" } });
        ran.push("top");
      });
      const work = async ({ name }: WorkerJob) => {
        if (name === "bad") throw new Error("broken");
        ran.push(name);
      };
      for (const queue of ["c", "d"]) world.worker(queue, work, { removeOnFail: true });
      await world.queue("p").add("whole", {});
      await world.advance(3000);
      expect(isCut).toBe(true);
      expect(ran).toEqual([...earlier, "late", "own", "top"]);
      for (const queue of ["p", "t", "c", "d"]) expect(await world.flowKeys(queue)).toEqual([]);
    },
  );

  it("stores what lacks below a job that waits, though the job above it does not wait any more", async () => {
    const world = setup();
    const ran: string[] = [];
    const bad = { name: "bad", queueName: "c", opts: { onFailure: "continue", attempts: 1 } } as const;
    const mid = { name: "mid", queueName: "c", children: [{ name: "leaf", queueName: "d" }] };
    const tree = { top: { name: "top", queueName: "t", children: [bad, mid] } };
    let isCut = false;
    world.engine.faultOf = ({ verb, args }) => {
      if (verb !== "CHILD" || !args.includes("leaf") || isCut) return undefined;
      isCut = true;
      return { error: new EchoMQError("disconnected", "cut"), when: "before" };
    };
    const handler = async (_: WorkerJob, { children }: Context) => void (await children.run(tree));
    world.worker("p", handler, { attempts: 3, backoff: 100 });
    const work = async ({ name }: WorkerJob) => {
      ran.push(name);
      if (name === "bad") throw new Error("broken");
    };
    for (const queue of ["c", "d"]) world.worker(queue, work, { removeOnFail: true });
    await world.queue("p").add("whole", {});
    await world.advance(1000);
    world.worker("t", work);
    await world.advance(1000);
    expect(ran).toEqual(["bad", "leaf", "mid", "top"]);
    for (const queue of ["p", "t", "c", "d"]) expect(await world.flowKeys(queue)).toEqual([]);
  });

  it.each([
    ["before it rests", 0, 50, [["job_failed", "dead"]]],
    // Then no worker has it in hand.
    ["while it rests", 50, 0, []],
  ])("ends the job when a child that it cannot do without fails %s", async (_, childMs, waitMs, told) => {
    const world = setup();
    const failed: unknown[] = [];
    const worker = world.worker("p", async (_job, { children }) => {
      await children.add(parts);
      await world.pause(waitMs);
      await children.wait();
    });
    worker.on("failed", (_job, error, outcome) => void failed.push([(error as EchoMQError).code, outcome]));
    const broken = async () => {
      await world.pause(childMs);
      throw new Error("broken");
    };
    world.worker("c", broken, { attempts: 1 });
    const job = await world.queue("p").add("whole", {});
    await world.advance(100);
    expect(await job.getState()).toBe("dead");
    expect((await world.queue("p").getJob(job.id))?.lastError).toContain("broken");
    expect(failed).toEqual(told);
    expect(await world.violations("p", "c")).toEqual([]);
  });

  it("does not add again what failed and was to be forgotten", async () => {
    const world = setup();
    const ran: string[] = [];
    let results: unknown;
    let runs = 0;
    world.worker("p", async (_, { children }) => {
      runs += 1;
      if (runs > 5) return;
      results = await children.run({
        bad: { name: "bad", queueName: "c", opts: { onFailure: "remove", attempts: 1 } },
        good: { name: "good", queueName: "c" },
      });
    });
    world.worker("c", async ({ name }) => {
      ran.push(name);
      if (name === "bad") throw new Error("broken");
      return 1;
    });
    await world.queue("p").add("whole", {});
    await world.advance(1000);
    expect(ran.sort()).toEqual(["bad", "good"]);
    expect(results).toEqual({ bad: undefined, good: 1 });
  });

  it("adds whole trees, each level in a queue of its own", async () => {
    const world = setup();
    let results: unknown;
    world.worker("p", async (_, { children }) => {
      results = await children.run({
        tree: { name: "mid", queueName: "c", children: [{ name: "leaf", queueName: "d" }] },
      });
    });
    world.worker("c", async (_, { children }) => (await children.results()).map(({ result }) => result));
    world.worker("d", async ({ name }) => name);
    await world.queue("p").add("whole", {});
    await world.settle();
    expect(results).toEqual({ tree: ["leaf"] });
    for (const queue of ["p", "c", "d"]) expect(await world.flowKeys(queue)).toEqual([]);
  });

  describe("a tree that a second run finds", () => {
    const leaf = (name: string, queueName = "d") => ({ name, queueName });
    const tree = {
      tree: {
        name: "mid",
        queueName: "c",
        children: [leaf("x"), leaf("e", "e"), { ...leaf("z"), children: [leaf("y")] }],
      },
    };
    const names = ["e", "mid", "x", "y", "z"];

    function workTree(world: FlowWorld): { readonly ran: string[]; readonly found: unknown[] } {
      const ran: string[] = [];
      const found: unknown[] = [];
      const handler = async ({ name }: WorkerJob, { children }: Context) => {
        ran.push(name);
        if (name === "mid") found.push((await children.results()).map(({ result }) => result));
        return name;
      };
      for (const queue of ["c", "d", "e"]) world.worker(queue, handler);
      return { ran, found };
    }

    async function expectNoKeys(world: FlowWorld): Promise<void> {
      for (const queue of ["p", "c", "d", "e"]) expect(await world.flowKeys(queue)).toEqual([]);
    }

    it("is not stored twice, though the first run failed", async () => {
      const world = setup();
      let runs = 0;
      const handler = async (_: WorkerJob, { children }: Context) => {
        runs += 1;
        await children.add(tree);
        if (runs === 1) throw new Error("once");
        await children.run(tree);
      };
      world.worker("p", handler, { backoff: 10 });
      await world.queue("p").add("whole", {});
      await world.advance(1000);
      const { ran, found } = workTree(world);
      await world.advance(3000);
      expect(runs).toBe(3);
      expect(ran.sort()).toEqual(names);
      expect(found).toEqual([["x", "e", "z"]]);
      await expectNoKeys(world);
    });

    it.each([
      ["HOLD", 1],
      ["HOLD", 2],
      ["CHILD", 1],
      ["CHILD", 2],
      ["CHILD", 3],
    ])("is stored to its end, though %s number %i did not arrive", async (cut, number) => {
      const world = setup();
      let sent = 0;
      world.engine.faultOf = ({ verb }) => {
        if (verb !== cut) return undefined;
        sent += 1;
        return sent === number ? { error: new Error("cut") as EchoMQError, when: "before" } : undefined;
      };
      world.worker("p", async (_, { children }) => void (await children.run(tree)), { backoff: 10 });
      const { ran } = workTree(world);
      await world.queue("p").add("whole", {});
      await world.advance(5000);
      expect(sent).toBeGreaterThan(number);
      expect(ran.sort()).toEqual(names);
      await expectNoKeys(world);
    });
  });

  it.each([
    ["no object", [], "invalid_option"],
    ["a key with a brace", { "a{": { name: "x", queueName: "c" } }, "invalid_name"],
    ["a bad queue", { a: { name: "x", queueName: "" } }, "invalid_queue"],
    ["an unknown option", { a: { name: "x", queueName: "c", deps: [] } }, "unknown_option"],
    [
      "an option that no child has",
      { a: { name: "x", queueName: "c", opts: { debounce: { id: "x", wait: 1 } } } },
      "invalid_option",
    ],
  ])("is refused for %s, and nothing is written", async (_, children, code) => {
    const world = setup();
    const codes: unknown[] = [];
    world.worker("p", async (_job, context) => {
      await context.children.add(children as never).catch((error: EchoMQError) => codes.push(error.code));
    });
    await world.queue("p").add("whole", {});
    await world.settle();
    expect(codes).toEqual([code]);
    expect(await world.flowKeys("c")).toEqual([]);
  });

  it("is refused with a time that is none", async () => {
    const world = setup();
    const codes: unknown[] = [];
    world.worker("p", async (_job, { children }) => {
      for (const timeout of [0, -1, "soon"]) {
        await children.run(parts, { timeout: timeout as number }).catch((error: EchoMQError) => codes.push(error.code));
      }
      await children.wait({ ttl: 1 } as never).catch((error: EchoMQError) => codes.push(error.code));
    });
    await world.queue("p").add("whole", {});
    await world.settle();
    expect(codes).toEqual(["invalid_option", "invalid_option", "invalid_option", "unknown_option"]);
    expect(await world.flowKeys("c")).toEqual([]);
  });
});
