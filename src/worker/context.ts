/**
 * What a handler gets beside its job.
 *
 * The abort controller is made at the first reading of `signal`: most handlers never look at it, and it would be the
 * most expensive part of a short job. So are the functions, which need no `this`, because handlers take the context
 * apart where they name it: `(job, { signal, log }) => …`.
 */

import type { EchoMQError } from "../protocol/errors.ts";
import type { Attempt } from "./attempt.ts";
import type { Children } from "./children.ts";
import type { WorkerJob } from "./worker-job.ts";

/** The part of the platform's `AbortSignal` that every platform has. */
export interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
  throwIfAborted(): void;
}

/** The `AbortSignal` of the platform that reads this type; this folder itself takes no platform types. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer PlatformSignal } }
  ? PlatformSignal
  : SignalLike;

declare const AbortController: new () => { readonly signal: Signal; abort(reason: unknown): void };

/** The second argument of a handler. */
export interface Context {
  /** The number of the claim. It only grows for one job: hand it to whatever must not be written by an older holder. */
  readonly token: number;
  /**
   * Aborted when the handler should stop. Its reason is an `EchoMQError` with the code `lease_lost`, `cancelled`,
   * `job_timeout` or `closing`.
   */
  readonly signal: Signal;
  /** The jobs that this one waited for, or adds and waits for. */
  readonly children: Children;
  /** Appends a line to the log of the job; resolves to how many lines are kept. Throws `lease_lost`. */
  readonly log: (line: string) => Promise<number | "gone">;
  /** Stores and publishes the progress: any value that JSON can hold. Throws `lease_lost`. */
  readonly progress: (value: unknown) => Promise<"ok" | "gone">;
}

/** The context of one attempt. */
export class JobContext implements Context {
  readonly token: number;
  readonly #job: WorkerJob;
  #controller: { readonly signal: Signal; abort(reason: unknown): void } | undefined;
  #reason: EchoMQError | undefined;
  readonly #attempt: Attempt;
  readonly #childrenOf: (attempt: Attempt) => Children;
  #children: Children | undefined;
  #log: Context["log"] | undefined;
  #progress: Context["progress"] | undefined;

  constructor(job: WorkerJob, attempt: Attempt, childrenOf: (attempt: Attempt) => Children) {
    this.token = job.token;
    this.#job = job;
    this.#attempt = attempt;
    this.#childrenOf = childrenOf;
  }

  get children(): Children {
    this.#children ??= this.#childrenOf(this.#attempt);
    return this.#children;
  }

  get signal(): Signal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal, now or as soon as it is looked at. */
  abort(reason: EchoMQError): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  get log(): Context["log"] {
    this.#log ??= (line) => this.#job.log(line);
    return this.#log;
  }

  get progress(): Context["progress"] {
    this.#progress ??= (value) => this.#job.updateProgress(value);
    return this.#progress;
  }
}
