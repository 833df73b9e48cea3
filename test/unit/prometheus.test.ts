/** Metrics of Prometheus, with the real client: what a scrape reads of a process and of a queue. */

import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { queueMetrics } from "../../src/cli/work/queue-metrics.ts";
import { connect, Queue, Worker } from "../../src/index.ts";
import { peerPackage } from "../../src/peer-package.ts";
import { type PrometheusOptions, prometheusMetrics } from "../../src/prometheus.ts";

/** A queue of its own in memory, and metrics that end with the test. */
function setup(name: string, options: PrometheusOptions = {}) {
  const connection = `memory:${name}`;
  const queue = new Queue(name, { connection });
  const metrics = prometheusMetrics({ queues: [queue], ...options });
  onTestFinished(async () => {
    metrics.stop();
    await queue.close();
  });
  return { connection, queue, metrics };
}

/** The samples of one queue: `{state="dead"}` and its like, without the queue itself, to the value. */
function samples(text: string, metric: string, queue: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const line of text.split("\n")) {
    const match = /^(\w+)\{([^}]*)\} (\S+)$/.exec(line);
    if (match?.[1] !== metric || !match[2]?.includes(`queue="${queue}"`)) continue;
    const labels = match[2].split(",").filter((label) => !label.startsWith("queue="));
    found[labels.join(",")] = Number(match[3]);
  }
  return found;
}

it("counts what this process does, by queue and outcome", async () => {
  const { connection, queue, metrics } = setup("counted");
  const job = await queue.add("a", "good");
  await queue.add("a", "good", { id: job.id });
  await queue.add("a", "bad", { attempts: 2, backoff: 1 });
  const worker = new Worker(
    "counted",
    (one) => {
      if (one.data === "bad") throw new Error("no");
    },
    { connection },
  );
  await new Promise<void>((resolve) =>
    worker.on("failed", (_, __, outcome) => (outcome === "dead" ? resolve() : undefined)),
  );
  await worker.close();
  const text = await metrics.text();
  const of = (metric: string) => samples(text, `echomq_process_${metric}`, "counted");
  expect(of("jobs_added_total")).toEqual({ 'outcome="added"': 2, 'outcome="duplicate"': 1 });
  expect(of("jobs_completed_total")).toEqual({ "": 1 });
  expect(of("jobs_failed_total")).toEqual({ 'outcome="scheduled"': 1, 'outcome="dead"': 1 });
  expect(of("handler_seconds_count")).toEqual({ 'outcome="completed"': 1, 'outcome="failed"': 2 });
  expect(of("wait_seconds_count")).toEqual({ "": 2 });
  expect(text).toContain("# TYPE echomq_process_leases_lost_total counter");
});

it("writes text that Prometheus reads whatever a queue is called", async () => {
  const { queue, metrics } = setup('a "b" \\c\nd ü');
  await queue.add("a", 1);
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "");
  const sample =
    /^[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? [-+.0-9eE]+$|^# (?:HELP|TYPE) /;
  expect(lines.filter((line) => !sample.test(line) && !line.endsWith("Inf"))).toEqual([]);
  expect(lines).toContain('echomq_queue_jobs{queue="a \\"b\\" \\\\c\\nd ü",state="pending"} 1');
});

it("reads the state of its queues anew for each scrape", async () => {
  const { queue, metrics } = setup("read");
  await queue.add("a", 1);
  await queue.add("a", 1, { lane: "x" });
  await queue.add("a", 1, { delay: "1h" });
  const of = async (metric: string) => samples(await metrics.text(), `echomq_queue_${metric}`, "read");
  const states = { 'state="active"': 0, 'state="awaiting_children"': 0, 'state="dead"': 0 };
  expect(await of("jobs")).toEqual({ ...states, 'state="pending"': 1, 'state="lanes"': 1, 'state="scheduled"': 1 });
  expect(await of("up")).toEqual({ "": 1 });
  expect(await of("paused")).toEqual({ "": 0 });
  expect(await of("workers")).toEqual({ "": 0 });
  expect((await of("oldest_pending_seconds"))[""]).toBeGreaterThanOrEqual(0);
  await queue.drain({ lanes: true });
  await queue.pause();
  expect(await of("jobs")).toEqual({ ...states, 'state="pending"': 0, 'state="lanes"': 0, 'state="scheduled"': 1 });
  expect(await of("paused")).toEqual({ "": 1 });
  expect(await of("oldest_pending_seconds")).toEqual({ "": 0 });
});

it("reads a queue once for a scrape, whatever the number of its metrics", async () => {
  let reads = 0;
  const zeros = { pending: 0, lanes: 0, active: 0, schedule: 0, awaiting: 0, dead: 0, completed: 4, failed: 2 };
  const { metrics } = setup("once", {
    queues: [
      {
        name: "once",
        getJobCounts: () => {
          reads++;
          return Promise.resolve(zeros);
        },
        oldestPendingAge: () => Promise.resolve(1500),
        isPaused: () => Promise.resolve(false),
        workers: () => Promise.resolve([1, 2]),
      },
    ],
  });
  const text = await metrics.text();
  expect(reads).toBe(1);
  expect(samples(text, "echomq_queue_oldest_pending_seconds", "once")).toEqual({ "": 1.5 });
  expect(samples(text, "echomq_queue_jobs_completed", "once")).toEqual({ "": 4 });
  expect(samples(text, "echomq_queue_jobs_died", "once")).toEqual({ "": 2 });
  expect(samples(text, "echomq_queue_workers", "once")).toEqual({ "": 2 });
  await metrics.text();
  expect(reads).toBe(2);
});

it("shows a queue whose server does not answer, or refuses, as down, and leaves its numbers out", async () => {
  const never = () => new Promise<never>(() => {});
  const refuses = () => Promise.reject(new Error("NOAUTH"));
  const queueOf = (name: string, ask: () => Promise<never>) => ({
    name,
    getJobCounts: ask,
    oldestPendingAge: ask,
    isPaused: ask,
    workers: ask,
  });
  const { metrics } = setup("down", { queues: [queueOf("silent", never), queueOf("shut", refuses)], timeoutMs: 5 });
  const text = await metrics.text();
  for (const name of ["silent", "shut"]) {
    expect(samples(text, "echomq_queue_up", name)).toEqual({ "": 0 });
    expect(samples(text, "echomq_queue_jobs", name)).toEqual({});
  }
});

it("registers with the registry of the caller, and leaves nothing there once stopped", async () => {
  const registry = new Registry();
  const { metrics, queue } = setup("registered", { registry });
  await queue.add("a", 1);
  expect(await registry.metrics()).toContain('echomq_queue_jobs{queue="registered",state="pending"} 1');
  expect(metrics.contentType).toMatch(/^text\/plain/);
  metrics.stop();
  expect((await registry.metrics()).trim()).toBe("");
  expect(registry.getMetricsAsArray()).toEqual([]);
});

it("refuses what can be no option", () => {
  const refused = expect.objectContaining({ code: "invalid_option" }) as Error;
  for (const buckets of [[], [0], [2, 1], [1, 1], [Number.NaN]]) {
    expect(() => prometheusMetrics({ buckets })).toThrow(refused);
  }
  expect(() => prometheusMetrics({ timeoutMs: 0 })).toThrow(refused);
  const unknown = { register: new Registry() } as PrometheusOptions;
  expect(() => prometheusMetrics(unknown)).toThrow(expect.objectContaining({ code: "unknown_option" }));
});

it("serves the command line without a queue of its own", async () => {
  const { engine } = connect("memory:of-the-command");
  const metrics = queueMetrics(engine, "of-the-command");
  if (typeof metrics === "string") throw new Error(metrics);
  onTestFinished(() => metrics.stop());
  expect(samples(await metrics.text(), "echomq_queue_up", "of-the-command")).toEqual({ "": 1 });
});

it("says what to install where an optional package is missing, and passes on every other fault", () => {
  const missing = Object.assign(new Error("Cannot find module 'prom-client'"), { code: "MODULE_NOT_FOUND" });
  const load = (error: unknown) => () => {
    throw error;
  };
  expect(() => peerPackage("prom-client", "echomq/prometheus", load(missing))).toThrow(
    expect.objectContaining({
      code: "missing_peer",
      message: "echomq/prometheus needs the package prom-client: npm install prom-client",
      details: { package: "prom-client" },
    }),
  );
  const inner = Object.assign(new Error("Cannot find module 'tdigest'"), { code: "MODULE_NOT_FOUND" });
  expect(() => peerPackage("prom-client", "echomq/prometheus", load(inner))).toThrow(inner);
});
