/**
 * The parent's side of `worker-child.mjs`: starts it, reads its lines, and ends it in every way that a process can end.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { WorkerOptions } from "../../src/worker/worker-options.ts";

/** One line of a child. */
export interface ChildLine {
  readonly event: "start" | "aborted" | "settled" | "failed" | "lost" | "poison";
  readonly id: string;
  readonly token: number;
  /** Why a handler was told to stop; empty for every other event. */
  readonly why: string;
}

/** What a child gets as options: those of a worker that JSON can hold, and what its handlers and its hook are. */
export interface ChildOptions
  extends Pick<WorkerOptions, "concurrency" | "lease" | "beat" | "crashLimit" | "attempts"> {
  /** The job names that it knows; absent for all. */
  readonly names?: readonly string[];
  /** Where its hook puts jobs that died of crashes; absent for no hook. */
  readonly poisonQueue?: string;
}

export interface WorkerProcessOptions {
  readonly url: string;
  readonly queue: string;
  readonly worker: ChildOptions;
  readonly onLine: (line: ChildLine, worker: WorkerProcess) => void;
}

const child = fileURLToPath(new URL("worker-child.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

export class WorkerProcess {
  /** Resolves with how it ended, once every line of it was read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /**
   * Resolves with its worker's id when it hears signals; one that comes earlier would end it as it ends any program.
   */
  readonly ready: Promise<string>;
  readonly #process: ChildProcess;

  constructor(options: WorkerProcessOptions) {
    if (!existsSync(built)) throw new Error("the package is not built: run npm run build");
    const { url, queue, worker, onLine } = options;
    const spawned = spawn(process.execPath, [child, url, queue, JSON.stringify(worker)], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#process = spawned;
    const lines = createInterface({ input: spawned.stdout });
    this.ready = new Promise((resolve) => {
      lines.on("line", (line) => {
        const [event, id = "", token = "0", why = ""] = line.split(" ");
        if (event === "ready") resolve(id);
        else onLine({ event: event as ChildLine["event"], id, token: Number(token), why }, this);
      });
    });
    this.ended = new Promise((resolve) => spawned.once("close", (code, signal) => resolve({ code, signal })));
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }
}
