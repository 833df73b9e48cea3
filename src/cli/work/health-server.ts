/**
 * Tells supervisors over HTTP whether a worker takes part in its queue, and whether only a restart is left.
 *
 * The two are different paths, because a supervisor takes traffic from what is not ready and kills what is not live:
 * `/healthz` follows consumption, and `/livez` fails only where a restart helps, so that an outage of the server
 * restarts nobody. It listens on 127.0.0.1 unless told otherwise, because it tells of errors and asks for no password.
 * It listens before the worker begins, so a port that is taken ends the command while no job is in hand.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { causeText } from "../../protocol/cause-text.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import type { WorkerHealth } from "../../worker/worker-health.ts";
import { CliError } from "../cli-error.ts";

/** Where to listen. */
export interface HealthAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

const HOST_DEFAULT = "127.0.0.1";

const PORT_MAX = 65_535;

/** How long one request may take to arrive, in ms. */
const REQUEST_MS_MAX = 5000;

/** Metrics as they are scraped. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** What a {@link HealthServer} tells of. */
export interface HealthSources {
  /** Asked at each request; `undefined` while there is no worker yet. */
  readonly health: () => WorkerHealth | undefined;
  /** For `/metrics`; `undefined` while there is no worker yet, and text where there will be none, which says why. */
  readonly metrics?: () => MetricsText | string | undefined;
}

/** What both paths answer. Instants are ISO 8601; `null` is never, or none. */
export interface HealthReport {
  /** Of the path that was asked for. */
  readonly status: "ok" | "unavailable";
  /** Why the worker does not consume, as a word for programs and in words; `null` while it does. */
  readonly cause: NonNullable<WorkerHealth["reason"]> | null;
  readonly reason: string | null;
  /** Whether only a restart is left. */
  readonly needsRestart: boolean;
  readonly state: WorkerHealth["state"];
  readonly engine: WorkerHealth["engine"];
  readonly concurrency: number;
  readonly running: number;
  readonly stuck: number;
  readonly buffered: number;
  readonly unsettled: number;
  readonly lastAskedAt: string | null;
  readonly lastAnsweredAt: string | null;
  readonly notConsumingSince: string | null;
  readonly lastError: { readonly code: string | null; readonly message: string } | null;
}

/** A server for health that listens. */
export class HealthServer {
  readonly #server: Server;
  readonly host: string;
  readonly port: number;

  private constructor(server: Server, { host, port }: HealthAddress) {
    this.#server = server;
    this.host = host;
    this.port = port;
  }

  /**
   * Listens.
   *
   * @throws CliError `port_in_use`, `port_refused`.
   */
  static listen({ host, port }: HealthAddress, sources: HealthSources): Promise<HealthServer> {
    const server = createServer((request, response) => answer(request, response, sources));
    server.requestTimeout = REQUEST_MS_MAX;
    server.headersTimeout = REQUEST_MS_MAX;
    return new Promise((resolve, reject) => {
      // It stays: a connection that cannot be accepted, as when files run out, fails its probe and not the worker.
      server.on("error", (error: NodeJS.ErrnoException) => reject(listenError({ host, port }, error)));
      server.listen(port, host, () => {
        const address = server.address();
        const taken = typeof address === "object" && address !== null ? address.port : port;
        resolve(new HealthServer(server, { host, port: taken }));
      });
    });
  }

  /** Where it answers whether the worker consumes. */
  get url(): string {
    return `http://${this.host.includes(":") ? `[${this.host}]` : this.host}:${this.port}/healthz`;
  }

  /** Resolves when no connection is left; those that idle are ended. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** The health of a worker for a reader who knows nothing of workers. A worker that is not yet there is starting. */
export function healthReport(health: WorkerHealth | undefined, probe: Probe = "healthz"): HealthReport {
  const { reasonText, reason, needsRestart } = health ?? STARTING;
  const isGood = probe === "livez" ? !needsRestart : reason === undefined;
  const lastError = health?.lastError;
  return {
    status: isGood ? "ok" : "unavailable",
    cause: reason ?? null,
    reason: reasonText ?? null,
    needsRestart,
    state: health?.state ?? "starting",
    engine: health?.engine ?? "connecting",
    concurrency: health?.concurrency ?? 0,
    running: health?.running ?? 0,
    stuck: health?.stuck ?? 0,
    buffered: health?.buffered ?? 0,
    unsettled: health?.unsettled ?? 0,
    lastAskedAt: instant(health?.lastAskedAt),
    lastAnsweredAt: instant(health?.lastAnsweredAt),
    notConsumingSince: instant(health?.notConsumingSince),
    lastError:
      lastError === undefined
        ? null
        : { code: isEchoMQError(lastError) ? lastError.code : null, message: causeText(lastError) },
  };
}

const STARTING: Pick<WorkerHealth, "reason" | "reasonText" | "needsRestart"> = {
  reason: "starting",
  reasonText: "the worker is starting",
  needsRestart: false,
};

/** The last part of a path. `readyz` is another name of `healthz`. */
type Probe = "healthz" | "livez";

const METRICS_PATH = "/metrics";

const PROBES: Readonly<Record<string, Probe>> = { "/healthz": "healthz", "/readyz": "healthz", "/livez": "livez" };

/**
 * Reads `8080` (of 127.0.0.1), `0.0.0.0:8080` or `[::]:8080`.
 *
 * @throws RangeError for anything else.
 */
export function healthAddress(text: string): HealthAddress {
  const match = /^(?:(\[[\da-f:.]+\]|[^:\s[\]]+):)?(\d{1,5})$/i.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > PORT_MAX) throw new RangeError("give a port, or host:port");
  return { host: (match[1] ?? HOST_DEFAULT).replace(/^\[|\]$/g, ""), port };
}

function answer(request: IncomingMessage, response: ServerResponse, sources: HealthSources): void {
  const path = request.url?.split("?")[0];
  const isRead = request.method === "GET" || request.method === "HEAD";
  response.setHeader("cache-control", "no-store");
  if (path === METRICS_PATH && isRead) return void answerMetrics(request, response, sources.metrics?.());
  response.setHeader("content-type", "application/json");
  const probe = Object.hasOwn(PROBES, path ?? "") ? PROBES[path ?? ""] : undefined;
  if (probe === undefined && path !== METRICS_PATH) {
    return end(request, response, 404, { error: "there are /healthz, /readyz, /livez and /metrics" });
  }
  if (!isRead) return end(request, response.setHeader("allow", "GET, HEAD"), 405, { error: "GET it" });
  const report = healthReport(sources.health(), probe);
  end(request, response, report.status === "ok" ? 200 : 503, report);
}

function end(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.end(request.method === "HEAD" ? undefined : `${JSON.stringify(body)}\n`);
}

/** Answers 501 with what is missing, and 503 while there is nothing to tell of yet. */
async function answerMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: MetricsText | string | undefined,
): Promise<void> {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  let body = "the worker is starting\n";
  response.statusCode = 503;
  if (typeof metrics === "string") {
    response.statusCode = 501;
    body = `${metrics}\n`;
  } else if (metrics !== undefined) {
    try {
      body = await metrics.text();
      response.statusCode = 200;
      response.setHeader("content-type", metrics.contentType);
    } catch (error) {
      response.statusCode = 500;
      body = `${causeText(error)}\n`;
    }
  }
  response.end(request.method === "HEAD" ? undefined : body);
}

function listenError({ host, port }: HealthAddress, error: NodeJS.ErrnoException): CliError {
  if (error.code === "EADDRINUSE") {
    const text = `port ${port} of ${host} is in use by another program: give another --health, or 0 for a free one`;
    return new CliError("failed", text, { code: "port_in_use", cause: error });
  }
  const text = `port ${port} of ${host} cannot be listened on (${error.message}): give another --health`;
  return new CliError("failed", text, { code: "port_refused", cause: error });
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
