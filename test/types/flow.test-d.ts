/** Flows by the types of their queues: what compiles, and what does not. */

import { expectTypeOf, test } from "vitest";
import { type AddedJob, FlowProducer, Worker } from "../../src/index.ts";

interface Queues {
  reports: { report: { month: string } };
  files: { count: { path: string }; list: undefined };
}

declare const flows: FlowProducer<Queues>;

test("a flow takes the jobs of its queues", () => {
  void flows.add({
    name: "report",
    queueName: "reports",
    data: { month: "May" },
    children: [
      { name: "count", queueName: "files", data: { path: "a.csv" }, opts: { onFailure: "ignore" } },
      { name: "list", queueName: "files" },
    ],
  });
  // @ts-expect-error there is no such queue
  void flows.add({ name: "report", queueName: "pages", data: { month: "May" } });
  // @ts-expect-error the queue has no such job
  void flows.add({ name: "count", queueName: "reports", data: { month: "May" } });
  // @ts-expect-error the data of another job
  void flows.add({ name: "report", queueName: "reports", data: { path: "a.csv" } });
  // @ts-expect-error the job needs data
  void flows.add({ name: "report", queueName: "reports" });
  void flows.add({
    name: "report",
    queueName: "reports",
    data: { month: "May" },
    // @ts-expect-error a child is checked like its parent
    children: [{ name: "count", queueName: "files", data: { month: "May" } }],
  });
  void flows.add({
    name: "report",
    queueName: "reports",
    data: { month: "May" },
    // @ts-expect-error a word that is no policy
    opts: { onFailure: "explode" },
  });
});

test("a batch checks its jobs and its callbacks", async () => {
  const jobs = [{ name: "count", queueName: "files", data: { path: "a.csv" } }] as const;
  const batch = await flows.addBatch({ jobs, onSuccess: { name: "list", queueName: "files" } });
  expectTypeOf(batch.onSuccess).toEqualTypeOf<AddedJob | undefined>();
  expectTypeOf(batch.jobs).toEqualTypeOf<readonly AddedJob[]>();
  // @ts-expect-error the queue has no such job
  void flows.addBatch({ jobs: [{ name: "count", queueName: "reports", data: { month: "May" } }] });
  // @ts-expect-error a callback is checked like a job
  void flows.addBatch({ jobs, onDeath: { name: "report", queueName: "reports" } });
  // @ts-expect-error no such callback
  void flows.addBatch({ jobs, onFailure: { name: "list", queueName: "files" } });
});

test("a graph knows its nodes", async () => {
  const nodes = {
    a: { name: "count", queueName: "files", data: { path: "a.csv" } },
    b: { name: "report", queueName: "reports", data: { month: "May" } },
  } as const;
  const jobs = await flows.addDAG({ nodes, deps: { b: ["a"] } });
  expectTypeOf(jobs).toHaveProperty("a");
  expectTypeOf(jobs.b).toEqualTypeOf<AddedJob>();
  // @ts-expect-error there is no node c
  void flows.addDAG({ nodes, deps: { b: ["c"] } });
  // @ts-expect-error nor can it wait
  void flows.addDAG({ nodes, deps: { c: ["a"] } });
});

test("without types, any queue and any job will do", () => {
  const any = new FlowProducer();
  void any.add({ name: "x", queueName: "y", data: 1, children: [{ name: "z", queueName: "w" }] });
});

test("a handler is given what it says that its children return", () => {
  void new Worker("q", async (_, { children }) => {
    const results = await children.results<number>();
    expectTypeOf(results[0]?.result).toEqualTypeOf<number | undefined>();
    const run = await children.run<{ left: number; right: string }>({
      left: { name: "x", queueName: "y" },
      right: { name: "x", queueName: "y" },
    });
    expectTypeOf(run).toEqualTypeOf<{ readonly left: number | undefined; readonly right: string | undefined }>();
    // @ts-expect-error a child is missing
    await children.run<{ left: number; right: string }>({ left: { name: "x", queueName: "y" } });
  });
});
