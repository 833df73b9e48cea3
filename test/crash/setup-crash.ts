/**
 * A queue on a real server, with worker processes that end with the test and whose lines are gathered.
 */

import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { connect } from "../../src/connect.ts";
import { Queue } from "../../src/index.ts";
import { type ChildLine, type ChildOptions, WorkerProcess } from "./worker-process.ts";

/** What the data of a child's job say, see `worker-child.mjs`. */
export interface ChildData {
  readonly ms?: number;
  readonly does?: "exit" | "throw" | "heed";
}

/** Longest wait for what must come, in ms: far more than it takes, for machines with much else to do. */
export const DEADLINE_MS = 90_000;

type OnLine = (line: ChildLine, worker: WorkerProcess) => void;

export class CrashSetup {
  readonly url: string;
  readonly queue: Queue<Record<string, ChildData>>;
  readonly engine: ReturnType<typeof connect>["engine"];
  /** Lines of all processes in the order in which they were read. */
  readonly lines: (ChildLine & { readonly from: WorkerProcess })[] = [];
  readonly #workers = new Set<WorkerProcess>();
  readonly #options: ChildOptions;

  /** Call it in a test. `options` are those of every worker that is started without others. */
  constructor(url: string, name: string, options: ChildOptions) {
    const connection = { url, commandTimeoutMs: DEADLINE_MS };
    const lease = connect(connection);
    this.url = url;
    this.engine = lease.engine;
    this.queue = new Queue(name, { connection });
    this.#options = options;
    onTestFinished(async () => {
      for (const worker of this.#workers) worker.signal("SIGKILL");
      await Promise.all([...this.#workers].map((worker) => worker.ended));
      await this.queue.close();
      await lease.release();
    });
  }

  /** Starts a process. `onLine` hears its lines after they were gathered. */
  start(options: ChildOptions = {}, onLine: OnLine = () => {}): WorkerProcess {
    const worker = new WorkerProcess({
      url: this.url,
      queue: this.queue.name,
      worker: { ...this.#options, ...options },
      onLine: (line, from) => {
        this.lines.push({ ...line, from });
        onLine(line, from);
      },
    });
    this.#workers.add(worker);
    return worker;
  }

  /** Adds jobs of one name; answers their ids. */
  async add(count: number, data: ChildData = {}, name = "step"): Promise<string[]> {
    // Connecting may take long on a busy machine, and an add waits for it only so long.
    await this.engine.ready();
    const added = await this.queue.addBulk(Array.from({ length: count }, () => ({ name, data })));
    return added.map(({ id }) => id);
  }

  idsOf(event: ChildLine["event"]): string[] {
    return this.lines.filter((line) => line.event === event).map((line) => line.id);
  }

  /** Resolves when `count` lines of an event were read. */
  async heard(event: ChildLine["event"], count = 1): Promise<void> {
    await until(
      () => this.idsOf(event).length >= count,
      () => `${this.idsOf(event).length} of ${count} lines ${event} came`,
    );
  }

  /** Resolves when no job is left that would run; other processes do the work, so only the counts can be asked. */
  async emptied(): Promise<void> {
    let left = "";
    const isEmpty = async () => {
      const { pending, active, schedule } = await this.queue.getJobCounts("pending", "active", "schedule");
      left = JSON.stringify({ pending, active, schedule });
      return pending + active + schedule === 0;
    };
    await until(isEmpty, () => `jobs are left: ${left}`);
  }
}

/** Kills processes as a lack of memory does, all at once; resolves when they are gone. */
export async function killAll(workers: readonly WorkerProcess[]): Promise<void> {
  for (const worker of workers) worker.signal("SIGKILL");
  await Promise.all(workers.map((worker) => worker.ended));
}

/** Resolves when `isMet`; fails with what is missing after {@link DEADLINE_MS}. */
export async function until(isMet: () => boolean | Promise<boolean>, missing: () => string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`nothing happened for ${DEADLINE_MS} ms: ${missing()}`);
    await pause(10);
  }
}
