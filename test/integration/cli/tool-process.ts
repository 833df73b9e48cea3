/**
 * The tool as a process of its own, from the built package, with its lines and its end.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** Where a {@link ToolProcess} writes: a pipe without a word; the number of a file that is open. */
interface ToolOutputs {
  readonly stdout?: number;
  readonly stderr?: number;
}

/** How a process ended. */
export interface ToolEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ToolProcess {
  /** Resolves once the process is gone and all that it wrote was read. */
  readonly ended: Promise<ToolEnd>;
  readonly #process: ChildProcess;
  readonly #waiters = new Set<() => void>();
  #out = "";
  #err = "";

  /** Starts it; it is killed when the test ends. */
  constructor(args: readonly string[], env: Readonly<Record<string, string>>, outputs: ToolOutputs = {}) {
    if (!existsSync(program)) throw new Error("the package is not built: run npm run build");
    const spawned = spawn(process.execPath, [program, ...args], {
      stdio: ["ignore", outputs.stdout ?? "pipe", outputs.stderr ?? "pipe"],
      env: { ...process.env, NO_COLOR: "1", ...env },
    });
    this.#process = spawned;
    spawned.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
      for (const look of this.#waiters) look();
    });
    spawned.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text;
      for (const look of this.#waiters) look();
    });
    this.ended = new Promise((resolve) => {
      spawned.once("close", (code, signal) => resolve({ code, signal }));
    });
    onTestFinished(() => void spawned.kill("SIGKILL"));
  }

  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  /** Reads no further, as `head` does when it has its lines. */
  stopReading(output: "stdout" | "stderr"): void {
    this.#process[output]?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Resolves with the match once either output holds it; rejects when the process ends before. */
  async untilSays(pattern: RegExp): Promise<string> {
    const found = new Promise<string>((resolve) => {
      const look = () => {
        const match = pattern.exec(this.#out + this.#err)?.[0];
        if (match === undefined) return;
        this.#waiters.delete(look);
        resolve(match);
      };
      this.#waiters.add(look);
      look();
    });
    const early = this.ended.then(() => {
      if (pattern.test(this.#out + this.#err)) return "";
      throw new Error(`it ended without saying ${String(pattern)}:\n${this.#out}${this.#err}`);
    });
    return await Promise.race([found, early]);
  }
}

/** The path of a module with this text, which goes with the test. */
export function handlerModule(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "echomq-tool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "handler.mjs");
  writeFileSync(path, text);
  return path;
}
