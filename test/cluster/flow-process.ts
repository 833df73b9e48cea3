/** The parent's side of `flow-child.mjs`: starts it, reads its lines, and kills it. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const child = fileURLToPath(new URL("flow-child.mjs", import.meta.url));
const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

/** One line of a child. */
export interface FlowLine {
  readonly event: "start" | "end";
  readonly queue: string;
  readonly id: string;
  readonly token: number;
}

export class FlowProcess {
  /** Resolves when its workers are made. */
  readonly ready: Promise<void>;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #isKilled = false;
  #stderr = "";

  constructor(url: string, queues: readonly string[], onLine: (line: FlowLine, from: FlowProcess) => void) {
    if (!existsSync(built)) throw new Error("the package is not built: run npm run build");
    const spawned = spawn(process.execPath, [child, url, JSON.stringify(queues)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = spawned;
    spawned.stderr.on("data", (text) => {
      this.#stderr += String(text);
    });
    this.ready = new Promise((resolve) => {
      createInterface({ input: spawned.stdout }).on("line", (line) => {
        const [event = "", queue = "", id = "", token = "0"] = line.split(" ");
        if (event === "ready") resolve();
        else onLine({ event: event as FlowLine["event"], queue, id, token: Number(token) }, this);
      });
    });
    this.#ended = new Promise((resolve) => spawned.once("close", () => resolve()));
  }

  /** Why it ended although nobody killed it; `undefined` for one that did not. */
  get whyGone(): string | undefined {
    const { exitCode, signalCode } = this.#process;
    if (this.#isKilled || (exitCode === null && signalCode === null)) return undefined;
    return `a process ended with ${exitCode ?? signalCode}: ${this.#stderr}`;
  }

  /** Ends it as a lack of memory does; resolves when every line of it was read. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}
