/**
 * What a checksum run comes to, as data and as text.
 */

import { type Output, paint } from "../host.ts";
import { printable } from "../printable.ts";
import type { WalkProgress } from "./file-queue.ts";
import type { DeadFile, RunTally, SummedFile } from "./run-tally.ts";
import { SKIP_WORDS, type SkipReason } from "./skips.ts";

/** The summary; with `--json` it is printed as it is. */
export interface DemoSummary {
  readonly folder: string;
  /** Jobs of the run, one a file. */
  readonly jobs: number;
  /** How many of them this process settled, which is all of them unless others helped. */
  readonly settled: number;
  readonly completed: number;
  readonly retries: number;
  readonly dead: number;
  readonly deadFiles: readonly DeadFile[];
  /** Bytes that this process read. */
  readonly bytes: number;
  readonly ms: number;
  readonly jobsPerSecond: number;
  readonly concurrency: number;
  /** What was passed over, by reason. */
  readonly skipped: Partial<Record<SkipReason, number>>;
  /** The ten largest files that this process read, largest first. */
  readonly largest: readonly SummedFile[];
  readonly isInterrupted: boolean;
}

/** What a summary needs beside the tally. */
export interface SummaryFacts {
  readonly folder: string;
  readonly concurrency: number;
  readonly ms: number;
  readonly isInterrupted: boolean;
  readonly walk: WalkProgress;
}

/** The summary of a run, as `--json` prints it. */
export function summaryOf(tally: RunTally, facts: SummaryFacts): DemoSummary {
  const { folder, concurrency, ms, isInterrupted, walk } = facts;
  return {
    folder,
    jobs: walk.files,
    settled: tally.done,
    completed: tally.completed,
    retries: tally.retries,
    dead: tally.dead,
    deadFiles: tally.deadFiles,
    bytes: tally.bytes,
    ms: Math.round(ms),
    jobsPerSecond: ms === 0 ? 0 : Math.round((tally.done * 1000) / ms),
    concurrency,
    skipped: sumOf(walk.skipped, tally.skips.toRecord()),
    largest: tally.largest,
    isInterrupted,
  };
}

type Counts = DemoSummary["skipped"];

function sumOf(a: Counts, b: Counts): Counts {
  const sum: Counts = { ...a };
  for (const [reason, count] of Object.entries(b) as [SkipReason, number][]) sum[reason] = (sum[reason] ?? 0) + count;
  return sum;
}

/** The summary as a person reads it, with a line feed at its end. */
export function summaryText(summary: DemoSummary, out: Output): string {
  return [headline(summary, out), "", ...counts(summary, out), ...largest(summary, out), ""].join("\n");
}

function headline(summary: DemoSummary, out: Output): string {
  const { jobs, settled, ms, isInterrupted } = summary;
  const place = printable(summary.folder);
  if (isInterrupted) return paint(out, "note", `Interrupted after ${settled} of ${jobs} files of ${place}.`);
  if (jobs === 0) return paint(out, "note", `${place} holds no regular file, so there is nothing to checksum.`);
  const seconds = (ms / 1000).toFixed(1);
  return paint(out, "strong", `${jobs} files of ${place} in ${seconds} s, ${sizeText(summary.bytes)}`);
}

function counts(summary: DemoSummary, out: Output): string[] {
  const { jobs, settled, completed, retries, dead, jobsPerSecond, concurrency } = summary;
  const share = settled === jobs ? "one a file" : `one a file; this process settled ${settled}`;
  const lines = [
    row("jobs", jobs, share),
    row("jobs/s", jobsPerSecond, `${concurrency} at once`),
    row("completed", completed, ""),
    row("retries", retries, retries > 0 ? "failures that were tried again after a backoff" : ""),
    row("dead", dead, dead > 0 ? "not tried again" : ""),
    ...summary.deadFiles.map((file) => `    ${paint(out, "bad", printable(file.path))}: ${printable(file.error)}`),
  ];
  if (dead > summary.deadFiles.length) lines.push(`    and ${dead - summary.deadFiles.length} more`);
  for (const [reason, count] of Object.entries(summary.skipped) as [SkipReason, number][]) {
    lines.push(row("left out", count, SKIP_WORDS[reason]));
  }
  return lines;
}

function row(name: string, value: number, note: string): string {
  return `  ${name.padEnd(10)}${String(value).padStart(8)}  ${note}`.trimEnd();
}

function largest(summary: DemoSummary, out: Output): string[] {
  if (summary.largest.length === 0) return [];
  const files = summary.largest.map((file) => {
    // The common folder in front of every path says nothing.
    const path = file.path.startsWith(`${summary.folder}/`) ? file.path.slice(summary.folder.length + 1) : file.path;
    return `  ${sizeText(file.bytes).padStart(9)}  ${paint(out, "faint", file.sha256)}  ${printable(path)}`;
  });
  return ["", `The ${files.length} largest files, with their SHA-256`, ...files];
}

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Bytes in decimal units with three digits. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
