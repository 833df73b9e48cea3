/**
 * Ctrl-C in long work: the first asks it to end at its next good place, the second ends the process at once.
 */

import { EXIT } from "./command-context.ts";
import type { Host } from "./host.ts";

/** A watch that stands until it is ended. */
export interface InterruptWatch {
  /** Fires at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Leaves signals to the process again. */
  end(): void;
}

/** Begins to watch. */
export function watchInterrupt(host: Host): InterruptWatch {
  const stopping = new AbortController();
  const end = host.onInterrupt(() => (stopping.signal.aborted ? host.abandon(EXIT.interrupted) : stopping.abort()));
  return { signal: stopping.signal, end };
}
