/** The parent's side of `soak-child.mjs`: starts it, reads its lines, and ends it in every way. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const child = fileURLToPath(new URL("soak-child.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

export interface SoakProcessOptions {
  readonly url: string;
  readonly queue: string;
  readonly seed: number;
  /** Jobs that it adds a second; 0 for a worker alone. */
  readonly perSecond: number;
  readonly onLine: (words: readonly string[], from: SoakProcess) => void;
}

export class SoakProcess {
  /** Resolves when it hears signals; one that comes earlier would end it as it ends any program. */
  readonly ready: Promise<void>;
  /** Resolves with how it ended, once every line of it was read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** It was killed, so what it held and said nothing of is explained. */
  wasKilled = false;
  readonly #process: ChildProcess;
  readonly #answers: { readonly word: string; readonly resolve: (value: string) => void }[] = [];

  constructor({ url, queue, seed, perSecond, onLine }: SoakProcessOptions) {
    if (!existsSync(built)) throw new Error("the package is not built: run npm run build");
    const args = ["--expose-gc", child, url, queue, String(seed), String(perSecond)];
    const spawned = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#process = spawned;
    this.ready = this.#answer("ready").then(() => {});
    createInterface({ input: spawned.stdout }).on("line", (line) => {
      const words = line.split(" ");
      const at = this.#answers.findIndex(({ word }) => word === words[0]);
      if (at >= 0) this.#answers.splice(at, 1)[0]?.resolve(words[1] ?? "");
      else onLine(words, this);
    });
    // A child that was killed takes no more words.
    spawned.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => spawned.once("close", (code, signal) => resolve({ code, signal })));
  }

  /** Bytes of its heap that are used after a collection. */
  async heapBytes(): Promise<number> {
    const answer = this.#answer("heap");
    this.#process.stdin?.write("heap\n");
    return Number(await answer);
  }

  /** Ends its producer; resolves when every add is acknowledged. */
  async stopAdding(): Promise<void> {
    const answer = this.#answer("drained");
    this.#process.stdin?.write("stop\n");
    await answer;
  }

  kill(): void {
    this.wasKilled = true;
    this.#process.kill("SIGKILL");
  }

  freeze(): void {
    this.#process.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process.kill("SIGCONT");
  }

  /** Closes it as a deployment does; resolves with its exit code. */
  async close(): Promise<number | null> {
    await Promise.race([this.ready, this.ended]);
    this.#process.kill("SIGTERM");
    return (await this.ended).code;
  }

  #answer(word: string): Promise<string> {
    return new Promise((resolve) => {
      this.#answers.push({ word, resolve });
    });
  }
}
