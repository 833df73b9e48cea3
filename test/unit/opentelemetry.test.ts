/** Spans of OpenTelemetry, with its own SDK: what an exporter gets of adds and handlers. */

import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, it, onTestFinished } from "vitest";
import { FlowProducer, Queue, type QueueOptions, UnrecoverableError, Worker } from "../../src/index.ts";
import { type OpenTelemetryOptions, openTelemetry, type Telemetry } from "../../src/opentelemetry.ts";
import { boundedCarrier } from "../../src/queue/telemetry.ts";

/** The SDK as a program sets it up, until the test ends. */
function sdk() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  onTestFinished(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });
  return { spans: () => exporter.getFinishedSpans() };
}

type Handle = (job: { readonly data: unknown }) => unknown;

/** A queue of its own, and how to run what is in it until `runs` jobs have ended. */
function setup(name: string, telemetry: Telemetry | undefined, queueOptions: QueueOptions = {}) {
  const connection = `memory:${name}`;
  const traced = telemetry === undefined ? {} : { telemetry };
  const queue = new Queue(name, { connection, ...traced, ...queueOptions });
  onTestFinished(() => queue.close());
  const work = async (handler: Handle, runs = 1) => {
    const worker = new Worker(name, handler, { connection, ...traced });
    let ended = 0;
    await new Promise<void>((resolve) => {
      const end = () => (++ended === runs ? resolve() : undefined);
      worker.on("completed", end);
      worker.on("failed", end);
    });
    await worker.close();
    return worker;
  };
  return { queue, work };
}

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found;
}

it("puts the add and the handler into one trace, through the job", async () => {
  const { spans } = sdk();
  const { queue, work } = setup("traced", openTelemetry());
  const outer = trace.getTracer("test").startSpan("request");
  const job = await context.with(trace.setSpan(ROOT_CONTEXT, outer), () => queue.add("welcome", { to: "ada" }));
  outer.end();
  const worker = await work(() => {
    trace.getTracer("test").startSpan("query").end();
  });
  const [send, run, query] = ["send traced", "process traced", "query"].map((name) => named(spans(), name));
  expect(send?.kind).toBe(SpanKind.PRODUCER);
  expect(send?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  expect(send?.attributes).toEqual({
    "messaging.system": "echomq",
    "messaging.operation.name": "add",
    "messaging.operation.type": "send",
    "messaging.destination.name": "traced",
    "messaging.message.id": job.id,
    "echomq.job.name": "welcome",
    "echomq.add.outcome": "added",
  });
  expect(run?.kind).toBe(SpanKind.CONSUMER);
  expect(run?.spanContext().traceId).toBe(outer.spanContext().traceId);
  expect(run?.parentSpanContext?.spanId).toBe(send?.spanContext().spanId);
  expect(run?.attributes).toEqual({
    "messaging.system": "echomq",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": "traced",
    "messaging.message.id": job.id,
    "messaging.client.id": worker.id,
    "echomq.job.name": "welcome",
    "echomq.job.attempt": 1,
    "echomq.run.outcome": "returned",
  });
  // What the handler traces lies inside its own span.
  expect(query?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
});

it("keeps the current span across what an asynchronous handler awaits, and ends it with the handler", async () => {
  const { spans } = sdk();
  const { queue, work } = setup("awaited", openTelemetry());
  await queue.add("a", 1);
  let within: string | undefined;
  await work(async () => {
    await Promise.resolve();
    within = trace.getActiveSpan()?.spanContext().spanId;
    expect(spans().some((span) => span.name === "process awaited")).toBe(false);
  });
  const run = named(spans(), "process awaited");
  expect(run.spanContext().spanId).toBe(within);
  expect(run.status.code).toBe(SpanStatusCode.UNSET);
});

it("begins a trace of its own for a run, with a link to the add, when it is told to link", async () => {
  const { spans } = sdk();
  const options: OpenTelemetryOptions = { relation: "link" };
  const { queue, work } = setup("linked", openTelemetry(options));
  await queue.add("a", 1);
  await work(() => undefined);
  const [send, run] = ["send linked", "process linked"].map((name) => named(spans(), name));
  expect(run?.parentSpanContext).toBeUndefined();
  expect(run?.spanContext().traceId).not.toBe(send?.spanContext().traceId);
  expect(run?.links.map((link) => link.context.spanId)).toEqual([send?.spanContext().spanId]);
});

it("has one span for a bulk, which is the parent of every run", async () => {
  const { spans } = sdk();
  const { queue, work } = setup("bulk", openTelemetry());
  await queue.addBulk(["a", "b", "a"].map((name) => ({ name, data: 1 })));
  await work(() => undefined, 3);
  const sends = spans().filter((span) => span.name === "send bulk");
  expect(sends.map(({ attributes }) => attributes["messaging.batch.message_count"])).toEqual([3]);
  expect(sends[0]?.attributes).not.toHaveProperty(["messaging.message.id"]);
  const runs = spans().filter((span) => span.name === "process bulk");
  const parent = sends[0]?.spanContext().spanId;
  expect(runs.map((run) => run.parentSpanContext?.spanId)).toEqual([parent, parent, parent]);
});

it("has one span for a flow, which is the parent of every run, and those of added children below the run", async () => {
  const { spans } = sdk();
  const [connection, telemetry] = ["memory:flowed", openTelemetry()];
  const flows = new FlowProducer({ connection, telemetry });
  onTestFinished(() => flows.close());
  const child = { name: "part", queueName: "flow-parts" };
  const { job } = await flows.add({ name: "whole", queueName: "flow-wholes", children: [child, child] });
  // One act stores this one.
  await flows.add({ name: "part", queueName: "flow-parts", children: [child] });
  const parts = new Worker("flow-parts", () => {}, { connection, telemetry });
  const wholes = new Worker(
    "flow-wholes",
    (_, { children }) => children.run({ more: { name: "late", queueName: "flow-parts" } }),
    { connection, telemetry },
  );
  await new Promise<void>((resolve) => wholes.on("completed", () => resolve()));
  await Promise.all([parts.close(), wholes.close()]);
  const sends = spans().filter(({ kind }) => kind === SpanKind.PRODUCER);
  expect(sends.map(({ name, attributes }) => [name, attributes["messaging.batch.message_count"]])).toEqual([
    ["send flow-wholes", 3],
    ["send flow-parts", 2],
    ["send flow-parts", undefined],
  ]);
  const [tree, flat, added] = sends.map((span) => span.spanContext().spanId);
  const runs = spans().filter(({ kind }) => kind === SpanKind.CONSUMER);
  const parents = runs.map((run) => [run.attributes["echomq.job.name"], run.parentSpanContext?.spanId]);
  expect(parents.filter(([name]) => name === "part").sort()).toEqual(
    [...Array.from({ length: 2 }, () => ["part", tree]), ...Array.from({ length: 2 }, () => ["part", flat])].sort(),
  );
  expect(parents.filter(([name]) => name !== "part")).toEqual([
    ["whole", tree],
    ["late", added],
    ["whole", tree],
  ]);
  const first = runs.find(({ attributes }) => attributes["messaging.message.id"] === job.id);
  expect(sends[2]?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
});

it("tells the span of a flow why it was rejected", async () => {
  const { spans } = sdk();
  const flows = new FlowProducer({ connection: "memory:refused", telemetry: openTelemetry() });
  onTestFinished(() => flows.close());
  const queue = new Queue("refused", { connection: "memory:refused" });
  onTestFinished(() => queue.close());
  const { id } = await queue.add("a", {});
  const children = [{ name: "a", queueName: "refused", opts: { id } }];
  await expect(flows.add({ name: "b", queueName: "refused", children })).rejects.toMatchObject({
    code: "flow_child_exists",
  });
  const send = named(spans(), "send refused");
  expect([send.status.code, send.attributes["error.type"]]).toEqual([SpanStatusCode.ERROR, "flow_child_exists"]);
});

it("tells of a run that failed with its error, and of each further run under the same add", async () => {
  const { spans } = sdk();
  const { queue, work } = setup("failing", openTelemetry());
  await queue.add("a", 1, { attempts: 5, backoff: 1 });
  let run = 0;
  await work(() => {
    run++;
    throw run === 1 ? new TypeError("no such card") : new UnrecoverableError("give up");
  }, 2);
  const runs = spans().filter((span) => span.name === "process failing");
  expect(runs.map(({ status }) => status)).toEqual([
    { code: SpanStatusCode.ERROR, message: "no such card" },
    { code: SpanStatusCode.ERROR, message: "give up" },
  ]);
  expect(runs.map(({ attributes }) => attributes["echomq.job.attempt"])).toEqual([1, 2]);
  expect(runs[0]?.attributes["error.type"]).toBe("TypeError");
  expect(runs[0]?.events.map(({ name }) => name)).toEqual(["exception"]);
  expect(new Set(runs.map((span) => span.spanContext().traceId)).size).toBe(1);
});

it("keeps the options of a job beside its trace context", async () => {
  sdk();
  const telemetry = openTelemetry();
  const { queue } = setup("beside", telemetry, { defaultJobOptions: { attempts: 7 } });
  const job = await queue.add("a", 1, { timeout: "5s", priority: 3, delay: "1h" });
  const plain = await queue.add("a", 1);
  const traceparent = expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/) as string;
  const optsOf = async (id: string) => {
    const row = await queue.jobs.getRow("beside", id);
    return JSON.parse(row?.get("opts") ?? "") as unknown;
  };
  expect(await optsOf(job.id)).toEqual({ attempts: 7, timeout: 5000, delay: 3_600_000, trace: { traceparent } });
  expect(await optsOf(plain.id)).toEqual({ attempts: 7, trace: { traceparent } });
  expect(await queue.getJobCounts("schedule", "pending")).toEqual({ schedule: 1, pending: 1 });
});

it("stores nothing, and has no spans, unless it is asked for", async () => {
  const { spans } = sdk();
  const { queue, work } = setup("untraced", undefined);
  const job = await queue.add("a", 1);
  expect((await queue.jobs.getRow("untraced", job.id))?.has("opts")).toBe(false);
  await work(() => undefined);
  expect(spans()).toEqual([]);
});

it("stores nothing while no SDK is set up", async () => {
  const { queue, work } = setup("no-sdk", openTelemetry());
  const job = await queue.add("a", 1);
  expect((await queue.jobs.getRow("no-sdk", job.id))?.has("opts")).toBe(false);
  await work(() => undefined);
});

it("changes nothing for a job when tracing throws", async () => {
  const fault = () => {
    throw new Error("the exporter is broken");
  };
  const broken: Telemetry = {
    beginAdd: () => ({ carrier: undefined, end: fault }),
    beginRun: () => ({ run: fault, end: fault }),
  };
  for (const [name, telemetry] of [
    ["throws-late", broken],
    ["throws-early", { beginAdd: fault, beginRun: fault }],
  ] as const) {
    const { queue, work } = setup(name, telemetry);
    expect((await queue.add("a", 1)).outcome).toBe("added");
    let runs = 0;
    await work(() => runs++);
    expect(runs).toBe(1);
    expect(await queue.getJobCounts("completed", "dead")).toEqual({ completed: 1, dead: 0 });
  }
});

it("rejects an add as it does without tracing, and tells the span why", async () => {
  const { spans } = sdk();
  const { queue } = setup("rejected", openTelemetry());
  await expect(queue.add("a", 1n)).rejects.toThrow(expect.objectContaining({ code: "invalid_payload" }));
  // A check refused it, so nothing was sent.
  expect(spans()).toEqual([]);
  const slow = new Queue("rejected", {
    connection: "memory:rejected",
    telemetry: openTelemetry(),
    schemas: { a: { "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "bad" }] }) } } },
  });
  onTestFinished(() => slow.close());
  await expect(slow.add("a", 1)).rejects.toThrow(expect.objectContaining({ code: "invalid_payload" }));
  expect(named(spans(), "send rejected").attributes["error.type"]).toBe("invalid_payload");
});

it("refuses what is no telemetry, at the queue, the worker and openTelemetry itself", () => {
  const refused = expect.objectContaining({ code: "invalid_option" }) as Error;
  const telemetry = {} as Telemetry;
  expect(() => new Queue("refused", { connection: "memory:", telemetry })).toThrow(refused);
  expect(() => new Worker("refused", () => 1, { connection: "memory:", telemetry })).toThrow(refused);
  expect(() => openTelemetry({ relation: "cousin" as "link" })).toThrow(refused);
});

it("bounds the trace context of a job, whatever somebody wrote into it", () => {
  const long = "x".repeat(2000);
  expect(boundedCarrier({ traceparent: "00-a", baggage: long, tracestate: "b", number: 1 })).toEqual({
    traceparent: "00-a",
    tracestate: "b",
  });
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}`, "v"]));
  expect(Object.keys(boundedCarrier(many) ?? {})).toHaveLength(8);
  for (const nothing of [undefined, null, "text", 7, [], {}, { a: 1 }]) expect(boundedCarrier(nothing)).toBeUndefined();
});
