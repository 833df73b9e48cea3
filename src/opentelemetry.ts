/**
 * The entry point `echomq/opentelemetry`: spans of adds and handlers, linked through the job.
 *
 * The names follow the semantic conventions for messaging spans. Only the API of OpenTelemetry is used, and where no
 * SDK is set up its spans cost next to nothing and no context travels. The tracer is asked for at each span, so that an
 * SDK may be set up after the queues are made.
 */

import type { Attributes, Context, Link, Span } from "@opentelemetry/api";
import { peerPackage } from "./peer-package.ts";
import { EchoMQError, isEchoMQError } from "./protocol/errors.ts";
import { quote } from "./protocol/quote.ts";
import { assertKnownOptions } from "./queue/option-check.ts";
import type {
  AddSpan,
  RunSpan,
  Telemetry,
  TracedAdd,
  TracedAddEnd,
  TracedRun,
  TracedRunEnd,
} from "./queue/telemetry.ts";

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * How the span of a handler knows that of its add: `child`, the default, puts both into one trace; `link` begins a
   * trace of its own for each run, with a link to the add, for jobs that wait long or run often.
   */
  readonly relation?: "child" | "link";
  /** Name of the tracer. Default `echomq`. */
  readonly tracerName?: string;
  /** Version of the tracer. Default: none. */
  readonly tracerVersion?: string;
}

type Api = typeof import("@opentelemetry/api");

const RELATIONS: readonly unknown[] = ["child", "link"];

/**
 * Tracing for the option `telemetry` of a queue and a worker, with the providers that are globally set up.
 *
 * @throws EchoMQError `missing_peer` when `@opentelemetry/api` is not installed, `unknown_option`, `invalid_option`.
 * @example
 * const telemetry = openTelemetry();
 * const queue = new Queue("mail", { telemetry });
 * const worker = new Worker("mail", send, { telemetry });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  assertKnownOptions(options, { owner: "openTelemetry", known: ["relation", "tracerName", "tracerVersion"] });
  const { relation = "child", tracerName = "echomq", tracerVersion } = options;
  if (!RELATIONS.includes(relation)) {
    const message = `relation must be child or link, not ${quote(relation)}`;
    throw new EchoMQError("invalid_option", message, { details: { option: "relation", value: relation } });
  }
  const api = peerPackage<Api>("@opentelemetry/api", "echomq/opentelemetry");
  const tracer = () => api.trace.getTracer(tracerName, tracerVersion);
  return {
    beginAdd(add) {
      const span = tracer().startSpan(`send ${add.queue}`, {
        kind: api.SpanKind.PRODUCER,
        attributes: addAttributes(add),
      });
      return new OpenAddSpan(api, span);
    },
    beginRun(run) {
      const active = api.context.active();
      const from =
        run.carrier === undefined ? undefined : api.propagation.extract(api.ROOT_CONTEXT, { ...run.carrier });
      const isChild = relation === "child" && from !== undefined;
      const parent = isChild ? from : active;
      const spanOptions = {
        kind: api.SpanKind.CONSUMER,
        attributes: runAttributes(run),
        links: isChild ? [] : linksOf(api, from),
        root: !isChild,
      };
      const span = tracer().startSpan(`process ${run.queue}`, spanOptions, parent);
      return new OpenRunSpan(api, span, api.trace.setSpan(parent, span));
    },
  };
}

function addAttributes({ queue, name, count }: TracedAdd): Attributes {
  return {
    "messaging.system": "echomq",
    "messaging.operation.name": "add",
    "messaging.operation.type": "send",
    "messaging.destination.name": queue,
    ...(count === 1 ? {} : { "messaging.batch.message_count": count }),
    ...(name === undefined ? {} : { "echomq.job.name": name }),
  };
}

function runAttributes({ queue, worker, id, name, attempt }: TracedRun): Attributes {
  return {
    "messaging.system": "echomq",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": queue,
    "messaging.message.id": id,
    "messaging.client.id": worker,
    "echomq.job.name": name,
    "echomq.job.attempt": attempt,
  };
}

function linksOf(api: Api, from: Context | undefined): Link[] {
  const context = from === undefined ? undefined : api.trace.getSpanContext(from);
  return context === undefined ? [] : [{ context }];
}

/** Marks a span as failed. */
function fail(api: Api, span: Span, error: unknown): void {
  const isError = error instanceof Error;
  const message = isError ? error.message : String(error);
  span.recordException(isError ? error : message);
  span.setAttribute("error.type", isEchoMQError(error) ? error.code : isError ? error.name : "_OTHER");
  span.setStatus({ code: api.SpanStatusCode.ERROR, message });
}

class OpenAddSpan implements AddSpan {
  readonly carrier: Readonly<Record<string, string>>;
  readonly #api: Api;
  readonly #span: Span;

  constructor(api: Api, span: Span) {
    this.#api = api;
    this.#span = span;
    const carrier: Record<string, string> = {};
    api.propagation.inject(api.trace.setSpan(api.context.active(), span), carrier);
    this.carrier = carrier;
  }

  end({ jobs, error }: TracedAddEnd): void {
    const [job] = jobs;
    if (error !== undefined) fail(this.#api, this.#span, error);
    if (job !== undefined && jobs.length === 1) {
      this.#span.setAttributes({ "messaging.message.id": job.id, "echomq.add.outcome": job.outcome });
    }
    this.#span.end();
  }
}

class OpenRunSpan implements RunSpan {
  readonly #api: Api;
  readonly #span: Span;
  readonly #context: Context;

  constructor(api: Api, span: Span, context: Context) {
    this.#api = api;
    this.#span = span;
    this.#context = context;
  }

  run<Result>(handler: () => Result): Result {
    return this.#api.context.with(this.#context, handler);
  }

  end({ outcome, error }: TracedRunEnd): void {
    if (outcome === "threw") fail(this.#api, this.#span, error);
    this.#span.setAttribute("echomq.run.outcome", outcome);
    this.#span.end();
  }
}

export type {
  AddSpan,
  RunSpan,
  Telemetry,
  TraceCarrier,
  TracedAdd,
  TracedAddEnd,
  TracedRun,
  TracedRunEnd,
} from "./queue/telemetry.ts";
