/**
 * Closes workers and queues when the system asks the process to end, as `echomq work` does.
 *
 * The first signal closes everything, with one deadline for all; the process then ends by itself, since nothing of ours
 * keeps it alive. A second signal means that somebody does not want to wait: the process ends at once, and what it held
 * runs again when its leases lapse. Nothing here ends a process that is not asked twice, so other work may finish.
 */

import { EchoMQError } from "./protocol/errors.ts";
import { quote } from "./protocol/quote.ts";
import { WORKER_CLOSE_MS_DEFAULT } from "./queue/defaults.ts";
import { type Duration, durationMs } from "./queue/duration.ts";
import { assertKnownOptions } from "./queue/option-check.ts";

/** What can be closed: a worker, which has `isRunning`, a queue, or anything of the same shape. */
export interface Closable {
  isRunning?(): boolean;
  close(options?: { readonly timeout?: Duration }): Promise<void>;
}

/** Options of {@link closeOnSignal}. */
export interface CloseOnSignalOptions {
  /** How long handlers may take; default 30 s. Give less than what the platform grants before it kills. */
  readonly timeout?: Duration;
  /** Signals to hear. Default `SIGTERM` and `SIGINT`. */
  readonly signals?: readonly `SIG${string}`[];
  /** Told when everything is closed, with what could not be. It may flush logs, or end the process. */
  readonly onClosed?: (faults: readonly unknown[]) => void;
}

/** Exit code of a process that a signal ended: 128 and the number of the signal. */
const EXIT_CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Closes workers and queues at the first signal: workers first, all at once, and then the queues, to which handlers may
 * add until they have ended.
 *
 * @example
 * closeOnSignal([worker, queue], { timeout: "20s" });
 * @returns a function that stops listening, for who closes them in another way.
 * @throws EchoMQError `invalid_option`, `unknown_option`.
 */
export function closeOnSignal(what: Closable | readonly Closable[], options: CloseOnSignalOptions = {}): () => void {
  assertKnownOptions(options, { owner: "closeOnSignal", known: ["timeout", "signals", "onClosed"] });
  const { signals = ["SIGTERM", "SIGINT"], onClosed } = options;
  const timeoutMs = durationMs(options.timeout ?? WORKER_CLOSE_MS_DEFAULT, "timeout");
  const all = checked(what);
  let isClosing = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isClosing) process.exit(EXIT_CODES[signal] ?? 1);
    isClosing = true;
    void closeAll(all, timeoutMs).then((faults) => {
      stop();
      onClosed?.(faults);
    });
  };
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return stop;
}

function checked(what: Closable | readonly Closable[]): readonly Closable[] {
  const all = (Array.isArray(what) ? what : [what]) as readonly Closable[];
  for (const one of all as readonly unknown[]) {
    if (typeof (one as { close?: unknown } | null | undefined)?.close === "function") continue;
    throw new EchoMQError("invalid_option", `closeOnSignal closes workers and queues, not ${quote(one)}`);
  }
  return all;
}

/** Answers what could not be closed. */
async function closeAll(all: readonly Closable[], timeoutMs: number): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const isWorkers of [true, false]) {
    const some = all.filter((one) => (typeof one.isRunning === "function") === isWorkers);
    // Async, so that what throws instead of rejecting keeps no other from being closed.
    const ends = some.map(async (one) => await one.close({ timeout: timeoutMs }));
    for (const end of await Promise.allSettled(ends)) if (end.status === "rejected") faults.push(end.reason);
  }
  return faults;
}
