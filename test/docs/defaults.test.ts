/**
 * What pages and docstrings say of defaults and bounds is what `src/queue/defaults.ts` says.
 *
 * Numbers that are typed twice drift apart, and a reader sees only the copy.
 */

import { describe, expect, it } from "vitest";
import {
  ADD_RETRY_MS_DEFAULT,
  ADMIT_ROWS_MAX,
  ATTEMPTS_DEFAULT,
  ATTEMPTS_MAX,
  BACKOFF_MS_DEFAULT,
  BEAT_MS_DEFAULT,
  BEAT_MS_MAX,
  BEAT_MS_MIN,
  CLOSE_TIMEOUT_MS_DEFAULT,
  CONCURRENCY_DEFAULT,
  CONCURRENCY_MAX,
  CRASH_LIMIT_DEFAULT,
  KEEP_LOGS_DEFAULT,
  KEEP_LOGS_MAX,
  LEASE_MS_DEFAULT,
  LEASE_MS_MAX,
  LEASE_MS_MIN,
  LOOK_AHEAD_MAX,
  MS_MAX,
  NAME_BYTES_MAX,
  PAGE_JOBS_DEFAULT,
  PAGE_JOBS_MAX,
  PAYLOAD_BYTES_MAX,
  PAYLOAD_BYTES_MAX_DEFAULT,
  PENDING_ADDS_MAX_DEFAULT,
  PRIORITY_MAX,
  SWEEP_LIMIT_DEFAULT,
  WORKER_CLOSE_MS_DEFAULT,
} from "../../src/queue/defaults.ts";
import { readJson, readText } from "../tidy/repository.ts";

/** As the pages write them: a comma from five digits on. */
const count = (value: number) => (value < 10_000 ? String(value) : value.toLocaleString("en-US"));
const seconds = (ms: number) => `${ms / 1000} s`;
const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;

const attempts = count(ATTEMPTS_DEFAULT);
const backoff = `fixed, ${seconds(BACKOFF_MS_DEFAULT)}`;
const sizeLimit = mebibytes(PAYLOAD_BYTES_MAX_DEFAULT);
const maxPending = count(PENDING_ADDS_MAX_DEFAULT);
const concurrency = count(CONCURRENCY_DEFAULT);

const RETRIES =
  `repeats the add by itself while the server is away: \`true\` for ${seconds(ADD_RETRY_MS_DEFAULT)} from the call, ` +
  "a duration for so long; also an option of the queue";

/** By page, the rows of its tables: a part of the cells that name the option, and the cell that has the number. */
const PAGES: Readonly<Record<string, readonly (readonly [name: string, cell: string])[]>> = {
  "docs/start/from-bullmq.md": [
    ["`attempts`", `${attempts} (BullMQ: 1)`],
    ["a duration or `{ type", `${backoff} (BullMQ: at once)`],
    ["`sizeLimit`", `${sizeLimit} (BullMQ: none)`],
    ["`keepLogs`", `${count(KEEP_LOGS_DEFAULT)} (BullMQ: all)`],
    ["`maxPending`", maxPending],
    ["`concurrency`", concurrency],
    ["`lease`", seconds(LEASE_MS_DEFAULT)],
    ["`beat`", seconds(BEAT_MS_DEFAULT)],
    ["`crashLimit`, which counts one more", count(CRASH_LIMIT_DEFAULT)],
    ["`settings.backoffStrategy`", backoff],
    ["`attempts`, `timeout`", `${attempts}, without limit`],
    ["`lookAhead`", `${count(LOOK_AHEAD_MAX)}, of which few are used`],
    ["`sizeLimit`, `logger`", `none, JSON, ${sizeLimit}, stderr`],
  ],
  "docs/start/getting-started.md": [
    ["`attempts`", attempts],
    ["`backoff`", backoff],
    ["`sizeLimit`", sizeLimit],
    ["`keepLogs`", count(KEEP_LOGS_DEFAULT)],
    ["`retryOnDisconnect`", "`false`"],
    ["`retryOnDisconnect`", RETRIES],
    ["`priority`", "0"],
    ["`priority`", `0 is first, then 1 to ${PRIORITY_MAX}`],
  ],
  "docs/guide/workers.md": [
    ["`lease`", seconds(LEASE_MS_DEFAULT)],
    ["`beat`", seconds(BEAT_MS_DEFAULT)],
    ["`crashLimit`", count(CRASH_LIMIT_DEFAULT)],
  ],
  "docs/operate/sizing.md": [
    ["`sizeLimit` of `add`", sizeLimit],
    ["`sizeLimit` of the worker", sizeLimit],
    ["`maxPending` of the queue", maxPending],
    ["`concurrency`", `${concurrency}, at most ${count(CONCURRENCY_MAX)}`],
    ["`lookAhead`", `at most ${count(LOOK_AHEAD_MAX)}`],
    ["jobs of one page", `${count(PAGE_JOBS_DEFAULT)}, at most ${count(PAGE_JOBS_MAX)}`],
    ["`retryOnDisconnect`", `${seconds(ADD_RETRY_MS_DEFAULT)} from the call, and the time of one call`],
    ["name of a queue, job or lane", `${count(NAME_BYTES_MAX)} bytes`],
    ["jobs of one act of admission", `${count(ADMIT_ROWS_MAX)}, and 1 MiB unless one job is larger`],
    ["attempts", `${attempts}, at most 2^31`],
    ["log lines of a job", `${count(KEEP_LOGS_DEFAULT)}, \`keepLogs\``],
  ],
};

describe.each(Object.entries(PAGES))("%s", (page, rows) => {
  const table = readText(page)
    .split("\n")
    .filter((line) => line.startsWith("|"));
  const tableRows = table.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

  it.each(rows)("%s: %s", (name, cell) => {
    const named = tableRows.filter((cells) => cells.some((text) => text.includes(name)));
    expect(named.map((cells) => cells.filter((text) => text === cell).length)).toContain(1);
  });
});

describe("what an act takes", () => {
  const spec = (verb: string) => readJson(`spec/job/${verb}.json`) as { args: { name: string; max?: number }[] };
  const maximum = (verb: string, name: string) => spec(verb).args.find((arg) => arg.name === name)?.max;

  it("bounds the options that go into it", () => {
    expect(LEASE_MS_MAX).toBe(maximum("turn", "lease_ms"));
    expect(ATTEMPTS_MAX).toBe(maximum("retry", "max_attempts"));
    expect(MS_MAX).toBe(maximum("retry", "delay_ms"));
    expect(ATTEMPTS_MAX).toBe(maximum("sweep", "max_stalled"));
  });
});

/** By file, the members with a docstring, and what it must say. */
const DOCSTRINGS: Readonly<Record<string, readonly (readonly [member: string, words: string])[]>> = {
  "src/worker/worker-options.ts": [
    ["concurrency?", `1 to ${count(CONCURRENCY_MAX)}. Default ${concurrency}.`],
    ["lease?", `${LEASE_MS_MIN} ms to 2^31 ms. Default ${seconds(LEASE_MS_DEFAULT)}.`],
    ["beat?", `${BEAT_MS_MIN} ms to ${seconds(BEAT_MS_MAX)}. Default ${seconds(BEAT_MS_DEFAULT)}.`],
    ["crashLimit?", `Default ${count(CRASH_LIMIT_DEFAULT)}.`],
    ["attempts?", `Default ${attempts}.`],
    ["backoff?", `Default ${seconds(BACKOFF_MS_DEFAULT)}.`],
    ["lookAhead?", `0 to ${LOOK_AHEAD_MAX}. Default ${LOOK_AHEAD_MAX},`],
    ["sizeLimit?", `1 to ${mebibytes(PAYLOAD_BYTES_MAX)}. Default ${sizeLimit}.`],
  ],
  "src/queue/job-options.ts": [
    ["priority?", `then 1 to ${PRIORITY_MAX};`],
    ["attempts?", `Default ${attempts}.`],
    ["backoff?", `Default: ${backoff}.`],
    ["sizeLimit?", `Default ${sizeLimit}.`],
    ["keepLogs?", `Default ${count(KEEP_LOGS_DEFAULT)}.`],
  ],
  "src/queue/queue-options.ts": [["maxPending?", `Default ${maxPending}.`]],
  "src/queue/queue.ts": [
    ["getJobs(", `at most ${count(PAGE_JOBS_MAX)}`],
    ["log(", `(1 to ${count(KEEP_LOGS_MAX)}, default ${count(KEEP_LOGS_DEFAULT)})`],
    ["close(", `default ${seconds(CLOSE_TIMEOUT_MS_DEFAULT)}`],
  ],
  "src/queue/jobs.ts": [
    ["reap(", `default ${count(SWEEP_LIMIT_DEFAULT)})`],
    ["sweep(", `default ${count(SWEEP_LIMIT_DEFAULT)})`],
    ["sweep(", `default ${count(CRASH_LIMIT_DEFAULT)})`],
  ],
  "src/worker/worker.ts": [["close(", `default ${seconds(WORKER_CLOSE_MS_DEFAULT)}`]],
};

describe.each(Object.entries(DOCSTRINGS))("%s", (file, members) => {
  const text = readText(file);

  it.each(members)("%s %s", (member, words) => {
    const line = new RegExp(`^ {2}(?:readonly |async )*${member.replaceAll(/[?(]/g, "\\$&")}`, "m");
    const [before, after] = text.split(line, 2);
    expect(after).toBeDefined();
    const [docstring, gap] = before!.slice(before!.lastIndexOf("/**")).split("*/");
    expect(gap?.trim()).toBe("");
    expect(docstring!.replaceAll(/\s+(?:\* )?/g, " ")).toContain(words);
  });
});
