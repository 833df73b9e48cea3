/**
 * One life of the worker behind `echomq work`: from its first turn to its last settlement.
 *
 * It ends in one of two ways. A signal closes the worker: what is in hand is finished, or given back at the deadline;
 * so does the loss of the output, as the signal for a broken pipe. A server that will never serve it (wrong password,
 * wrong fence) ends it at once with that error, because waiting would only look like work; a server that is merely away
 * is waited for.
 */

import type { Engine } from "../../engine/engine.ts";
import type { Logger } from "../../engine/ports.ts";
import { tellOfConnection, tellOfWorker } from "../../node-diagnostics.ts";
import { causeText } from "../../protocol/cause-text.ts";
import { borrowed } from "../../queue/engine-lease.ts";
import { WorkerCore } from "../../worker/worker.ts";
import type { WorkerHealth } from "../../worker/worker-health.ts";
import { EXIT } from "../command-context.ts";
import type { Host, InterruptSignal } from "../host.ts";
import { printable } from "../printable.ts";
import type { ModuleHandlers } from "./handler-module.ts";

/** What closes a worker; `SIGPIPE` is played where its lines can no longer be written. */
export type WorkSignal = InterruptSignal | "SIGPIPE";

/** What became of jobs in this process. */
export interface WorkTally {
  completed: number;
  /** Attempts that failed and are tried again. */
  retries: number;
  dead: number;
  /** Leases that were over before their settlement. */
  lost: number;
}

/** What a {@link WorkRun} works with. */
export interface WorkRunOptions {
  readonly queue: string;
  readonly handler: ModuleHandlers;
  readonly engine: Engine;
  readonly host: Host;
  readonly logger: Logger;
  readonly concurrency: number;
  /** How long handlers may take after the first signal, in ms. */
  readonly closeMs: number;
  /** Told of each attempt that failed. */
  readonly onNote: (note: { readonly kind: "retry" | "dead"; readonly text: string }) => void;
}

/** A worker from its first turn to its last settlement. */
export class WorkRun {
  readonly tally: WorkTally = { completed: 0, retries: 0, dead: 0, lost: 0 };
  readonly #options: WorkRunOptions;
  readonly #worker: WorkerCore;

  /** Takes nothing yet. Throws EchoMQError for a bad queue name or option. */
  constructor(options: WorkRunOptions) {
    const { queue, handler, engine, concurrency, logger } = options;
    this.#options = options;
    this.#worker = new WorkerCore(queue, handler, borrowed(engine), { concurrency, logger, autorun: false });
    tellOfConnection(engine);
    tellOfWorker(this.#worker, engine.ports.clock);
    this.#worker.on("completed", () => this.tally.completed++);
    this.#worker.on("lease-lost", () => this.tally.lost++);
    this.#worker.on("failed", (job, error, outcome) => {
      const kind = outcome === "dead" ? "dead" : "retry";
      if (kind === "dead") this.tally.dead++;
      else this.tally.retries++;
      const why = causeText(error);
      options.onNote({ kind, text: `${job.id} ${printable(job.name)}: ${printable(why)}` });
    });
  }

  health(): WorkerHealth {
    return this.#worker.health();
  }

  /** Works until a signal comes, and resolves with it once the worker is closed. A second signal ends the process. */
  async untilSignal(): Promise<WorkSignal> {
    const { host, engine, closeMs } = this.#options;
    let signal: WorkSignal | undefined;
    const ends: (() => void)[] = [];
    const asked = new Promise<WorkSignal>((resolve) => {
      const hear = (name: WorkSignal) => {
        signal = name;
        resolve(name);
      };
      ends.push(
        host.onInterrupt((name) => (signal === undefined ? hear(name) : host.abandon(EXIT.interrupted))),
        host.onOutputLost(() => hear("SIGPIPE")),
      );
    });
    try {
      void this.#worker.run();
      return await Promise.race([asked, refusal(engine)]);
    } finally {
      await this.#worker.close({ timeout: closeMs });
      for (const end of ends) end();
    }
  }
}

/** Rejects when the engine will never serve anybody again; an engine that is away may come back. */
function refusal(engine: Engine): Promise<never> {
  return new Promise((_, reject) => {
    const ask = () => void engine.ready().catch(reject);
    ask();
    engine.onState((state) => {
      if (state === "down") ask();
    });
  });
}
