/**
 * The parent's side of `worker-child.mjs`: starts it, reads its lines, and ends it in every way that a process can end.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** One line of a child. */
export interface ChildLine {
  readonly event: "start" | "settled" | "lost";
  readonly id: string;
  readonly token: number;
}

export interface WorkerProcessOptions {
  readonly url: string;
  readonly queue: string;
  readonly leaseMs: number;
  readonly onLine: (line: ChildLine, worker: WorkerProcess) => void;
}

const child = fileURLToPath(new URL("worker-child.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

export class WorkerProcess {
  /** Resolves with how it ended, once every line of it was read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves when it hears signals; one that comes earlier would end it as it ends any program. */
  readonly ready: Promise<void>;
  readonly #process: ChildProcess;

  constructor(options: WorkerProcessOptions) {
    if (!existsSync(built)) throw new Error("the package is not built: run npm run build");
    const { url, queue, leaseMs, onLine } = options;
    const spawned = spawn(process.execPath, [child, url, queue, String(leaseMs)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = spawned;
    const lines = createInterface({ input: spawned.stdout });
    this.ready = new Promise((resolve) => {
      lines.on("line", (line) => {
        const [event, id = "", token = "0"] = line.split(" ");
        if (event === "ready") resolve();
        else onLine({ event: event as ChildLine["event"], id, token: Number(token) }, this);
      });
    });
    this.ended = new Promise((resolve) => spawned.once("close", (code, signal) => resolve({ code, signal })));
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }
}
