/** The program of `lone-process.mjs` as a child of a test. */

import { type ChildProcess, fork } from "node:child_process";
import { onTestFinished } from "vitest";

/** What it can be told. */
export type Word = "add" | "completed" | "health" | "cpu" | "close";

export class LoneProcess {
  readonly #child: ChildProcess;
  readonly #answers: unknown[] = [];
  readonly #asking: ((answer: unknown) => void)[] = [];
  #stderr = "";
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;

  private constructor(url: string) {
    this.#child = fork(new URL("./lone-process.mjs", import.meta.url), [url], {
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.on("data", (text) => {
      this.#stderr += String(text);
    });
    this.#child.on("message", (answer) => {
      const next = this.#asking.shift();
      if (next === undefined) this.#answers.push(answer);
      else next(answer);
    });
    this.ended = new Promise((resolve) => this.#child.once("exit", resolve));
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  /** Starts it and resolves when its queue and worker were made. */
  static async start(url: string): Promise<LoneProcess> {
    const started = new LoneProcess(url);
    await started.#answer();
    return started;
  }

  /** Tells it something and resolves with its answer. One at a time. */
  async tell(word: Word): Promise<unknown> {
    this.#child.send(word);
    return word === "close" ? await this.ended : await this.#answer();
  }

  /** Lines that it wrote to its log so far. */
  get lines(): string[] {
    return this.#stderr.split("\n").filter((line) => line !== "");
  }

  async #answer(): Promise<unknown> {
    if (this.#answers.length > 0) return this.#answers.shift();
    const ended = this.ended.then((code) => {
      throw new Error(`it ended with ${code}: ${this.#stderr}`);
    });
    return await Promise.race([new Promise((resolve) => this.#asking.push(resolve)), ended]);
  }
}
