/**
 * One process's part in a checksum run: it offers to walk, takes files, and stays until the run is over.
 *
 * Whether the run is over is decided by the server alone: the job of the run is gone. So the same code serves a process
 * that does everything in memory, one that walks for others, and one that comes late and only helps.
 */

import { type Context, GiveBackError, Queue, UnrecoverableError, Worker, type WorkerJob } from "../../index.ts";
import { causeText } from "../../protocol/cause-text.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import { CliError } from "../cli-error.ts";
import { firstAnswer } from "../first-answer.ts";
import type { Host } from "../host.ts";
import { printable } from "../printable.ts";
import { checksumFile, type FileResult } from "./checksum-file.ts";
import { FileIds } from "./file-ids.ts";
import {
  type FileJobData,
  type FileJobs,
  fileJobOf,
  queueNamesOf,
  type RunJobs,
  runIdOf,
  type WalkProgress,
} from "./file-queue.ts";
import type { RunProgress } from "./run-progress.ts";
import { RunTally } from "./run-tally.ts";
import { Skips } from "./skips.ts";
import { walkFolder } from "./walk-folder.ts";

/** Jobs of one bulk; small enough that work begins while the walk goes on. */
const BULK_JOBS = 500;

/** How often a process asks whether the run is over, in ms. */
const POLL_MS = 150;

/** How long a server may be away in the middle of a run, in ms. */
const OUTAGE_MS_MAX = 60_000;

/** How long handlers may go on after Ctrl-C, in ms. */
const CLOSE_MS_MAX = 5000;

/** Something that is worth a line of its own while the run goes on. */
export interface DemoNote {
  readonly kind: "retry" | "dead" | "outage";
  readonly text: string;
}

/** What a run works on, and whom it tells. */
export interface DemoRunOptions {
  /** Real path of the folder. */
  readonly folder: string;
  /** Files that this process reads at once. */
  readonly concurrency: number;
  /** Where the queues are: a URL. */
  readonly connection: string;
  readonly host: Host;
  /** Ends this process's part early: what is in hand is finished or given back. */
  readonly signal: AbortSignal;
  readonly onNote: (note: DemoNote) => void;
}

type FileItem = ReturnType<typeof fileJobOf>;
type FileJob = WorkerJob<FileJobData, "checksum">;

/** The data of a file's job; events carry jobs of any queue. */
function dataOf(job: WorkerJob): FileJobData {
  return job.data as FileJobData;
}

/** One process's part in a run of the demo, from the walk through the folder to the last settled job. */
export class DemoRun {
  /** What this process has done. */
  readonly tally = new RunTally();
  readonly #options: DemoRunOptions;
  readonly #runId: string;
  readonly #files: Queue<FileJobs>;
  readonly #runs: Queue<RunJobs>;
  /** Fires when the walk of this process has ended, so that nobody waits for the next poll. */
  readonly #walked = new AbortController();
  readonly #startedAtMs: number;
  #walk: WalkProgress = { files: 0, isCounted: false, skipped: {} };
  /** Whether the handler of the run's job is at work here. */
  #isWalking = false;
  #workers: readonly { close(options: { timeout: number }): Promise<void> }[] = [];

  /** Connects. {@link DemoRun.close} must follow. Throws `invalid_connection` for a URL that cannot be. */
  constructor(options: DemoRunOptions) {
    const { connection, folder, host } = options;
    const names = queueNamesOf(folder);
    this.#options = options;
    this.#runId = runIdOf(folder);
    this.#startedAtMs = host.nowMs();
    this.#files = new Queue(names.files, { connection });
    this.#runs = new Queue(names.runs, { connection });
  }

  /** What the walk has found so far, whichever process walks. */
  get walk(): WalkProgress {
    return this.#walk;
  }

  /** Where the run stands, for a display. */
  get progress(): RunProgress {
    const { tally } = this;
    const seconds = (this.#options.host.nowMs() - this.#startedAtMs) / 1000;
    return {
      files: this.#walk.files,
      isCounted: this.#walk.isCounted,
      done: tally.done,
      perSecond: seconds === 0 ? 0 : tally.done / seconds,
      retries: tally.retries,
      dead: tally.dead,
    };
  }

  /** Works until the run is over or the signal fires. Throws what makes the run impossible. */
  async work(): Promise<void> {
    const { host, connection, signal } = this.#options;
    await firstAnswer(this.#runs.waitUntilReady(), { host, url: connection, signal });
    if (signal.aborted) return;
    await this.#offerWalk();
    this.#startWorkers();
    await this.#untilOver();
    // The last settlements of this process are told once its workers have ended.
    await this.#closeWorkers();
  }

  /** Gives back what is in hand and disconnects. Calling it twice is harmless. */
  async close(): Promise<void> {
    await this.#closeWorkers();
    await Promise.all([this.#files.close(), this.#runs.close()]);
  }

  /** Adds the job of the run. Where one is there already this process joins; a dead one is left of a failed walk. */
  async #offerWalk(): Promise<void> {
    const { folder } = this.#options;
    const job = await this.#runs.add("walk", { folder }, { id: this.#runId, attempts: 1 });
    if (job.existing?.state === "dead") await this.#runs.retry(this.#runId);
  }

  #startWorkers(): void {
    const { connection, concurrency } = this.#options;
    const names = queueNamesOf(this.#options.folder);
    const walk = async (context: Context): Promise<void> => {
      this.#isWalking = true;
      try {
        await this.#walkFolder(context);
      } finally {
        this.#isWalking = false;
      }
    };
    const walker = new Worker<RunJobs>(names.runs, (_job, context) => walk(context), { connection });
    walker.on("completed", () => this.#walked.abort());
    walker.on("failed", () => this.#walked.abort());
    const reader = new Worker<FileJobs>(names.files, (job, context) => this.#checksum(job, context), {
      connection,
      concurrency,
    });
    this.#workers = [walker, reader];
    reader.on("completed", (job, result) => this.tally.addCompleted(dataOf(job).path, result as FileResult));
    reader.on("failed", (job, error, outcome) => this.#tellFailure(dataOf(job).path, error, outcome));
  }

  async #closeWorkers(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close({ timeout: CLOSE_MS_MAX })));
  }

  /** The handler of the run's job: admits every file, then stays until none is left. */
  async #walkFolder(context: Context): Promise<void> {
    const { folder, host, signal: interrupt } = this.#options;
    const signal = AbortSignal.any([context.signal, interrupt]);
    const skips = new Skips();
    const ids = new FileIds();
    let files = 0;
    let bulk: FileItem[] = [];
    const tell = (isCounted: boolean) => {
      this.#walk = { files, isCounted, skipped: skips.toRecord() };
      return context.progress(this.#walk);
    };
    for await (const file of walkFolder(folder, { signal, onSkip: (reason) => skips.add(reason) })) {
      bulk.push(fileJobOf(file, files, ids));
      files++;
      if (bulk.length < BULK_JOBS) continue;
      await this.#admit(bulk);
      await tell(false);
      bulk = [];
    }
    this.#assertGoingOn(context);
    await this.#admit(bulk);
    await tell(true);
    // A process that only helps reads the final count at one of its polls, so it gets two of them.
    if (!this.#isAlone) await host.wait(2 * POLL_MS, signal);
    while (!(await this.#isEmpty())) {
      await host.wait(this.#isAlone ? POLL_MS / 10 : POLL_MS, signal);
      this.#assertGoingOn(context);
    }
  }

  /** Throws when the walk must stop. After Ctrl-C another process, or a later one, is to walk: the job goes back. */
  #assertGoingOn({ signal }: Context): void {
    signal.throwIfAborted();
    if (this.#options.signal.aborted) throw new GiveBackError("interrupted");
  }

  /** A memory store belongs to one process. */
  get #isAlone(): boolean {
    return this.#options.connection.startsWith("memory:");
  }

  async #admit(bulk: readonly FileItem[]): Promise<void> {
    if (bulk.length === 0) return;
    for (const job of await this.#files.addBulk(bulk)) {
      // Dead since an earlier run: whoever runs the demo again wants it tried again.
      if (job.existing?.state === "dead") await this.#files.retry(job.id);
    }
  }

  async #isEmpty(): Promise<boolean> {
    const { pending, active, schedule } = await this.#files.getJobCounts("pending", "active", "schedule");
    return pending + active + schedule === 0;
  }

  /** The handler of a file's job. */
  async #checksum(job: FileJob, { signal }: Context): Promise<FileResult> {
    const { path, failures = 0 } = job.data;
    if (job.attempt <= failures) throw new Error(`fails on purpose at attempt ${job.attempt}`);
    try {
      return await checksumFile(path, signal);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EACCES" && code !== "EPERM") throw error;
      throw new UnrecoverableError(`may not be read (${code}): run the demo as a user who may, or leave it out`);
    }
  }

  #tellFailure(path: string, error: unknown, outcome: "scheduled" | "dead"): void {
    const words = causeText(error);
    if (outcome === "dead") this.tally.addDead({ path, error: words });
    else this.tally.retries++;
    const kind = outcome === "dead" ? "dead" : "retry";
    this.#options.onNote({ kind, text: `${printable(path)}: ${printable(words)}` });
  }

  /** Resolves when the run is over or the signal fires; throws when the walk failed. */
  async #untilOver(): Promise<void> {
    const { host, signal } = this.#options;
    const early = AbortSignal.any([signal, this.#walked.signal]);
    let answeredAtMs = host.nowMs();
    while (!signal.aborted) {
      try {
        if (await this.#isOver()) return;
        answeredAtMs = host.nowMs();
      } catch (error) {
        if (!isEchoMQError(error) || !error.retryable) throw error;
        if (host.nowMs() - answeredAtMs > OUTAGE_MS_MAX) throw error;
        this.#options.onNote({ kind: "outage", text: `the server does not answer: ${error.message}` });
        await host.wait(1000, signal);
      }
      await host.wait(POLL_MS, early);
    }
  }

  async #isOver(): Promise<boolean> {
    const run = await this.#runs.getJob(this.#runId);
    if (run === undefined) {
      // A job cannot be over while its handler runs: then the server has lost it, and most likely the files with it.
      if (!this.#isWalking) return true;
      throw new CliError(
        "failed",
        "the server lost the run before it was over, as if it had been emptied: start again",
      );
    }
    if (run.state === "dead") {
      await run.remove();
      const reason = run.lastError?.split("\n")[0] ?? "no reason was stored";
      throw new CliError("failed", `the folder could not be walked: ${reason}`);
    }
    if (run.progress !== undefined) this.#walk = run.progress as WalkProgress;
    return false;
  }
}
