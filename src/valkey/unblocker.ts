/**
 * Ends a blocking command before its time, by `CLIENT UNBLOCK` from the command socket.
 *
 * That may arrive before the blocking command does, so it is said again, with longer and longer pauses, until the
 * command has come back. Where a server forbids it, waits end in their own time alone.
 */

import type { Clock } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { EchoMQError } from "../protocol/errors.ts";
import type { Ask } from "./fence.ts";

/** First and longest pause between two `CLIENT UNBLOCK` for the same command, in ms; each is twice the one before. */
const UNBLOCK_MS_MIN = 1;
const UNBLOCK_MS_MAX = 64;

/** What an {@link Unblocker} works with. */
export interface UnblockerOptions {
  readonly clock: Clock;
  /** Runs a command on the command socket. */
  readonly run: Ask;
  /** The id of the blocking connection; `undefined` while nobody knows it. */
  readonly idOf: () => Bytes | undefined;
  /** The server forbids it. Told once. */
  readonly onForbidden?: (error: EchoMQError) => void;
}

/** Ends the blocking commands of one socket. */
export class Unblocker {
  readonly #options: UnblockerOptions;
  #isAllowed = true;

  constructor(options: UnblockerOptions) {
    this.#options = options;
  }

  /** Whether the server lets us, as far as is known. */
  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  /** @param isBlocked whether the command that is to end has not come back. */
  unblock(isBlocked: () => boolean, pauseMs: number = UNBLOCK_MS_MIN): void {
    const { clock, run, idOf } = this.#options;
    const id = idOf();
    if (id === undefined || !isBlocked()) return;
    const again = (): void => this.unblock(isBlocked, Math.min(pauseMs * 2, UNBLOCK_MS_MAX));
    run(["CLIENT", "UNBLOCK", id]).then(
      // 0: it came before the command, or the answer of the command is on its way.
      (found) => (found === 0 ? clock.after(pauseMs, again, { background: true }) : undefined),
      (error: EchoMQError) => {
        // Nobody answered, or a server that has no time for it; the wait may be over before somebody does.
        if (error.retryable) clock.after(pauseMs, again, { background: true });
        else if (error.code !== "closed") this.#forbidden(error);
      },
    );
  }

  /** Without the right to unblock, or on a server that has no such command, the wait ends in its own time. */
  #forbidden(error: EchoMQError): void {
    if (this.#isAllowed) this.#options.onForbidden?.(error);
    this.#isAllowed = false;
  }
}
