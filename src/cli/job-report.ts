/**
 * A stored job in the form that the tool shows: one record for programs, one line or one page for people.
 *
 * A payload may be any bytes. JSON is shown as what it holds, other text as text, and everything else by its length,
 * with the bytes as base64 for programs; so nothing that a foreign producer wrote breaks a terminal or a document.
 */

import { type Bytes, textOf } from "../protocol/bytes.ts";
import type { StoredJob } from "../queue/job.ts";
import { type Output, paint } from "./host.ts";
import { cut, printable } from "./printable.ts";

/** A job for programs. What does not apply to it is absent. */
export interface JobReport {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  /** When its id was minted, ISO 8601. */
  readonly createdAt: string;
  /** Claims so far. */
  readonly attempts: number;
  readonly priority: number;
  readonly lane?: string;
  /** The first job that waits for it, and its queue where that is another one. */
  readonly parent?: { readonly id: string; readonly queueName?: string | undefined };
  /** Its name by any text, and the deduplication id that it holds or held. */
  readonly jobId?: string;
  readonly deduplicationId?: string;
  /** Leases that lapsed, and how often it was put back without a failure. */
  readonly stalled: number;
  readonly deferred: number;
  readonly owner?: string;
  readonly options: object;
  readonly lastError?: string;
  /** When it ended, ISO 8601, and what its handler returned; of a completed job, the time of a dead one as well. */
  readonly finishedAt?: string;
  readonly result?: unknown;
  readonly progress?: unknown;
  /** The payload, when it is JSON. */
  readonly data?: unknown;
  /** The payload, when it is not. */
  readonly payloadBase64?: string;
  /** Fields of the row that are none of the above, such as `parent` or `follows`. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Fields of a row that a {@link StoredJob} reads. */
const READ_FIELDS: ReadonlySet<string> = new Set(
  "state attempts payload name priority group opts owner last_error progress stalled deferred finished_at result dedup alias parent parent_queue".split(
    " ",
  ),
);

/** The record of a job. `row` adds the fields that the job itself does not read. */
export function jobReport(job: StoredJob, state: string, row?: ReadonlyMap<string, Bytes>): JobReport {
  const { id, name, attempts, priority, lane, stalled, deferred, owner, options, lastError, progress } = job;
  const further = [...(row ?? [])].filter(([field]) => !READ_FIELDS.has(field));
  return {
    id,
    name,
    state,
    createdAt: job.createdAt.toISOString(),
    attempts,
    priority,
    ...(lane === undefined ? {} : { lane }),
    ...(job.parent === undefined ? {} : { parent: job.parent }),
    ...(job.jobId === undefined ? {} : { jobId: job.jobId }),
    ...(job.deduplicationId === undefined ? {} : { deduplicationId: job.deduplicationId }),
    stalled,
    deferred,
    ...(owner === undefined ? {} : { owner }),
    options,
    ...(lastError === undefined ? {} : { lastError }),
    ...(job.finishedAt === undefined ? {} : { finishedAt: job.finishedAt.toISOString() }),
    ...resultReport(job, row),
    ...(progress === undefined ? {} : { progress }),
    ...payloadReport(job.payload),
    ...(further.length === 0 ? {} : { fields: Object.fromEntries(further.map(([k, v]) => [textOf(k), textOf(v)])) }),
  };
}

/** A result that no codec of this tool reads is shown as a field. */
function resultReport(job: StoredJob, row?: ReadonlyMap<string, Bytes>): { result?: unknown } {
  try {
    return job.returnValue === undefined ? {} : { result: job.returnValue };
  } catch {
    return { result: textOf(row?.get("result") ?? "") };
  }
}

function payloadReport(payload: Uint8Array): { data: unknown } | { payloadBase64: string } {
  try {
    return { data: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload)) };
  } catch {
    return { payloadBase64: Buffer.from(payload).toString("base64") };
  }
}

/** One job as a page: a line each, long ones cut unless everything is wanted. */
export function jobPage(report: JobReport, out: Output, options: { readonly isFull: boolean }): string {
  const { lane, owner, lastError, progress } = report;
  const rows: (readonly [label: string, value: string | number | undefined])[] = [
    ["state", report.state],
    ["created", report.createdAt],
    ["attempts", report.attempts],
    ["stalled", report.stalled === 0 ? undefined : report.stalled],
    ["deferred", report.deferred === 0 ? undefined : report.deferred],
    ["priority", report.priority === 0 ? undefined : report.priority],
    ["lane", lane],
    ["parent", parentText(report)],
    ["jobId", report.jobId],
    ["dedup", report.deduplicationId],
    ["owner", owner],
    ["options", Object.keys(report.options).length === 0 ? undefined : JSON.stringify(report.options)],
    ["error", lastError],
    ["finished", report.finishedAt],
    ["result", report.result === undefined ? undefined : JSON.stringify(report.result)],
    ["progress", progress === undefined ? undefined : JSON.stringify(progress)],
    ...Object.entries(report.fields ?? {}),
    ["data", dataText(report)],
  ];
  const lines = rows.flatMap(([label, value]) => {
    if (value === undefined) return [];
    const line = `  ${label.padEnd(9)} ${printable(String(value))}`;
    return [options.isFull ? line : cut(line, out.columns)];
  });
  return `${paint(out, "strong", report.id)}  ${printable(report.name)}\n${lines.join("\n")}\n`;
}

function parentText({ parent }: JobReport): string | undefined {
  if (parent === undefined) return undefined;
  return parent.queueName === undefined ? parent.id : `${parent.id} of ${parent.queueName}`;
}

function dataText(report: JobReport): string {
  if (report.payloadBase64 === undefined) return JSON.stringify(report.data);
  const payload = Buffer.from(report.payloadBase64, "base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(payload);
  } catch {
    return `${payload.length} bytes that are no text`;
  }
}

/** One job as a line of a list, cut at the width of the output unless everything is wanted. */
export function jobLine(report: JobReport, out: Output, options: { readonly isFull: boolean }): string {
  const parts = [report.id, report.createdAt, `attempts ${report.attempts}`, report.name];
  if (report.priority !== 0) parts.push(`priority ${report.priority}`);
  if (report.lane !== undefined) parts.push(`lane ${report.lane}`);
  parts.push(report.lastError === undefined ? dataText(report) : `error: ${report.lastError}`);
  const line = printable(parts.join("  "));
  return options.isFull ? line : cut(line, out.columns);
}
