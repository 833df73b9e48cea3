/**
 * Tells supervisors over HTTP whether a worker takes part in its queue.
 *
 * It listens on 127.0.0.1 only, because it tells of errors and asks for no password. It listens before the worker
 * begins, so a port that is taken ends the command while no job is in hand.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isEchoMQError } from "../../protocol/errors.ts";
import type { WorkerHealth } from "../../worker/worker.ts";
import { CliError } from "../cli-error.ts";

const HOST = "127.0.0.1";

/** How long one request may take to arrive, in ms. */
const REQUEST_MS_MAX = 5000;

/** What `GET /healthz` answers. Instants are ISO 8601; `null` is never, or none. */
export interface HealthReport {
  readonly status: "ok" | "unavailable";
  /** Why not, in words; `null` while all is well. */
  readonly reason: string | null;
  readonly state: WorkerHealth["state"];
  readonly engine: WorkerHealth["engine"];
  readonly concurrency: number;
  readonly running: number;
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
  readonly port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /**
   * Listens on a port of 127.0.0.1; 0 takes a free one.
   *
   * @param health asked at each request; `undefined` while there is no worker yet.
   * @throws CliError `port_in_use`, `port_refused`.
   */
  static listen(port: number, health: () => WorkerHealth | undefined): Promise<HealthServer> {
    const server = createServer((request, response) => answer(request, response, health()));
    server.requestTimeout = REQUEST_MS_MAX;
    server.headersTimeout = REQUEST_MS_MAX;
    return new Promise((resolve, reject) => {
      // It stays: a connection that cannot be accepted, as when files run out, fails its probe and not the worker.
      server.on("error", (error: NodeJS.ErrnoException) => reject(listenError(port, error)));
      server.listen(port, HOST, () => {
        const address = server.address();
        resolve(new HealthServer(server, typeof address === "object" && address !== null ? address.port : port));
      });
    });
  }

  /** Where it answers. */
  get url(): string {
    return `http://${HOST}:${this.port}/healthz`;
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
export function healthReport(health: WorkerHealth | undefined): HealthReport {
  const reason = health === undefined ? "the worker is starting" : reasonOf(health);
  const lastError = health?.lastError;
  return {
    status: reason === null ? "ok" : "unavailable",
    reason,
    state: health?.state ?? "starting",
    engine: health?.engine ?? "connecting",
    concurrency: health?.concurrency ?? 0,
    running: health?.running ?? 0,
    buffered: health?.buffered ?? 0,
    unsettled: health?.unsettled ?? 0,
    lastAskedAt: instant(health?.lastAskedAt),
    lastAnsweredAt: instant(health?.lastAnsweredAt),
    notConsumingSince: instant(health?.notConsumingSince),
    lastError:
      lastError === undefined
        ? null
        : { code: isEchoMQError(lastError) ? lastError.code : null, message: wordsOf(lastError) },
  };
}

function reasonOf(health: WorkerHealth): string | null {
  const { state, engine, isConsuming, notConsumingSince, lastError } = health;
  const because = lastError === undefined ? "" : `: ${wordsOf(lastError)}`;
  switch (state) {
    case "idle":
    case "starting":
      return `the server has not answered yet${because}`;
    case "closing":
    case "closed":
      return "the worker is closing";
    case "failed":
      return `the server will not serve this worker${because}`;
    case "paused":
      return "the worker is paused";
    case "running":
      if (isConsuming) return null;
      if (engine !== "ready") return `there is no connection to the server${because}`;
      return `the worker has taken no part since ${instant(notConsumingSince)}${because}`;
  }
}

function answer(request: IncomingMessage, response: ServerResponse, health: WorkerHealth | undefined): void {
  const path = request.url?.split("?")[0];
  const isRead = request.method === "GET" || request.method === "HEAD";
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  if (path !== "/healthz") return end(request, response, 404, { error: "there is /healthz only" });
  if (!isRead) return end(request, response.setHeader("allow", "GET, HEAD"), 405, { error: "GET it" });
  const report = healthReport(health);
  end(request, response, report.status === "ok" ? 200 : 503, report);
}

function end(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.end(request.method === "HEAD" ? undefined : `${JSON.stringify(body)}\n`);
}

function listenError(port: number, error: NodeJS.ErrnoException): CliError {
  if (error.code === "EADDRINUSE") {
    const text = `port ${port} of ${HOST} is in use by another program: give another --health, or 0 for a free one`;
    return new CliError("failed", text, { code: "port_in_use", cause: error });
  }
  const text = `port ${port} of ${HOST} cannot be listened on (${error.message}): give another --health`;
  return new CliError("failed", text, { code: "port_refused", cause: error });
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
