/**
 * Waits for a server, but not for ever.
 *
 * A program should wait while its server is away, and the library does. A person at a terminal has mistyped an address
 * and wants to be told.
 */

import { CliError } from "./cli-error.ts";
import type { Host } from "./host.ts";

/** How long the first answer may take, in ms. */
export const FIRST_ANSWER_MS_MAX = 10_000;

/** Whose answer is waited for, and for how long. */
export interface FirstAnswerOptions {
  readonly host: Host;
  /** The address, for the message. */
  readonly url: string;
  /** Ends the waiting without an error. */
  readonly signal?: AbortSignal;
  /** Default {@link FIRST_ANSWER_MS_MAX}. */
  readonly timeoutMs?: number;
}

/** Resolves when `ready` does or the signal fires; rejects when `ready` does or takes too long. */
export async function firstAnswer(ready: Promise<void>, options: FirstAnswerOptions): Promise<void> {
  const { host, url, signal, timeoutMs = FIRST_ANSWER_MS_MAX } = options;
  const given = new AbortController();
  const giveUp = signal === undefined ? given.signal : AbortSignal.any([given.signal, signal]);
  const late = host.wait(timeoutMs, giveUp).then(() => {
    if (giveUp.aborted) return;
    throw new CliError("failed", `no server answered at ${safeUrl(url)} within ${timeoutMs / 1000} s: is it running?`);
  });
  try {
    await Promise.race([ready, late]);
  } finally {
    given.abort();
  }
}

/** An address without its password. */
export function safeUrl(url: string): string {
  // Up to the last @ before the path, as a URL is read: one in a password need not be escaped.
  return url.replace(/\/\/[^/?#]*@/, "//***@");
}
