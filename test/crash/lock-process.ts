/** The parent's side of `lock-child.mjs`: starts it, tells it what to do, and waits for what it says. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { FsyncMode } from "../../src/embedded/journal/journal-start.ts";

const child = fileURLToPath(new URL("lock-child.mjs", import.meta.url));

/** What ends or stops a process leaves is with the system, so no device is needed; one would only be slow. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** The space of a process that is elsewhere as far as anybody can tell. */
export const ELSEWHERE = "another machine";

export interface LockProcessOptions {
  readonly folder: string;
  readonly space?: string;
  readonly fsync?: FsyncMode;
  readonly at?: {
    readonly operation: string;
    readonly count: number;
    readonly signal: "SIGKILL" | "SIGSTOP";
  };
}

/** A folder of a test, gone with it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(MEMORY, "echomq-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export class LockProcess {
  /** Every line that it wrote, in order. */
  readonly lines: string[] = [];
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lateFile: string;
  readonly #ended: Promise<void>;
  #waiting: (() => void)[] = [];
  #hasEnded = false;
  /** Lines before this one have been asked for. */
  #seen = 0;

  private constructor(options: LockProcessOptions, lateFile: string) {
    this.#lateFile = lateFile;
    const spawned = spawn(process.execPath, [child, JSON.stringify({ ...options, lateFile })], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#process = spawned;
    // What is written to one that has died is of no interest.
    spawned.stdin.on("error", () => undefined);
    createInterface({ input: spawned.stdout }).on("line", (line) => {
      this.lines.push(line);
      this.#tell();
    });
    this.#ended = new Promise((resolve) => {
      spawned.once("close", () => {
        this.#hasEnded = true;
        this.#tell();
        resolve();
      });
    });
  }

  /** Starts one that ends with the test. */
  static async start(options: LockProcessOptions): Promise<LockProcess> {
    const lateFile = join(temporaryFolder(), "late");
    writeFileSync(lateFile, "0");
    const started = new LockProcess(options, lateFile);
    onTestFinished(() => started.kill());
    await started.next("ready");
    return started;
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** The keys whose writing it has been told of. */
  get wrote(): string[] {
    return this.lines.filter((line) => line.startsWith("wrote ")).map((line) => line.slice("wrote ".length));
  }

  tell(command: string): void {
    this.#process.stdin.write(`${command}\n`);
  }

  /** Tells it one thing and resolves with its answer. */
  async ask(command: string): Promise<string> {
    this.tell(command);
    return await this.next("");
  }

  /** Resolves with the next line that begins so; those before it are passed over. */
  async next(beginning: string): Promise<string> {
    for (;;) {
      const line = this.lines[this.#seen];
      if (line !== undefined) {
        this.#seen++;
        if (line.startsWith(beginning)) return line;
      } else if (this.#hasEnded)
        throw new Error(`it ended and never said ${beginning}: ${this.lines.slice(-3).join(", ")}`);
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Resolves once the system has stopped it. */
  async stopped(): Promise<void> {
    for (;;) {
      const stat = readFileSync(`/proc/${this.pid}/stat`, "utf8");
      if (/\) [Tt] /.test(stat)) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Lets one that was stopped go on, which finds that much time gone. */
  goOn(lateMs: number): void {
    writeFileSync(this.#lateFile, String(lateMs));
    this.#process.kill("SIGCONT");
  }

  /** Resolves once it is gone, by its own doing too. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
