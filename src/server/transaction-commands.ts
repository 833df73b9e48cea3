/**
 * Transactions: commands that are kept after `MULTI` and run as one step at `EXEC`, unless a watched key was written
 * to.
 *
 * A command that fails leaves the effects of the others, as in the server. The whole of a transaction may be no larger
 * than {@link QUEUED_BYTES_MAX}.
 */

import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { array, NULL_ARRAY, OK } from "./frames.ts";
import type { Ready } from "./run-command.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

/** Bytes of all commands that one client may keep. */
const QUEUED_BYTES_MAX = 128 * 1024 * 1024;
/** What each argument is counted with, beside its own bytes. */
const WORD_BYTES = 16;

/** What came since `MULTI`. */
export interface Queued {
  readonly calls: Ready[];
  bytes: number;
  /** Whether one of them was refused, so that none will run. */
  isSpoiled: boolean;
}

/** Keeps a command for `EXEC`. @throws CommandError when there are too many. */
export function queue(session: Session, call: Ready): void {
  const { queued } = session;
  if (queued === undefined || queued.isSpoiled) return;
  for (const word of call.args) queued.bytes += word.length + WORD_BYTES;
  queued.bytes += WORD_BYTES;
  if (queued.bytes > QUEUED_BYTES_MAX) {
    spoil(session);
    throw new CommandError("ERR the transaction has grown beyond what this server keeps for one client");
  }
  queued.calls.push(call);
}

/** A command of a transaction was refused: none of them will run, and none is kept. */
export function spoil({ queued }: Session): void {
  if (queued === undefined) return;
  queued.isSpoiled = true;
  queued.calls.length = 0;
  queued.bytes = 0;
}

/** `EXEC` itself was refused, which ends a transaction. */
export function abort(session: Session, reason: Bytes): CommandError {
  forgetTransaction(session);
  return new CommandError(`EXECABORT Transaction discarded because of: ${reason.replace(/^ERR /, "")}`);
}

/** Forgets a transaction that was begun, and what it watches. */
export function forgetTransaction(session: Session): void {
  session.queued = undefined;
  unwatch(session);
}

export const transactionCommands: ServedRows = {
  MULTI: ["1 noscript,loading,stale,fast 0 0 0 fast,transaction", multi],
  EXEC: ["1 noscript,loading,stale 0 0 0 slow,transaction", exec],
  DISCARD: ["1 noscript,loading,stale,fast 0 0 0 fast,transaction", discard],
  WATCH: ["-2 noscript,loading,stale,fast 1 -1 1 fast,transaction", watch],
  UNWATCH: ["1 noscript,loading,stale,fast 0 0 0 fast,transaction", unwatch],
};

function multi(session: Session): Bytes {
  session.queued = { calls: [], bytes: 0, isSpoiled: false };
  return OK;
}

function exec(session: Session): Bytes {
  const { queued, watch } = session;
  if (queued === undefined) throw new CommandError("ERR EXEC without MULTI");
  const isBroken = watch?.isBroken() === true;
  forgetTransaction(session);
  if (queued.isSpoiled) throw new CommandError("EXECABORT Transaction discarded because of previous errors.");
  if (isBroken) return NULL_ARRAY[session.resp];
  session.isExecuting = true;
  try {
    return array(queued.calls.map((call) => frameOf(session, call)));
  } finally {
    session.isExecuting = false;
  }
}

function frameOf(session: Session, call: Ready): Bytes {
  try {
    return call.run(session, call.args) ?? "";
  } catch (error) {
    return session.refusalFrame(error);
  }
}

function discard(session: Session): Bytes {
  if (session.queued === undefined) throw new CommandError("ERR DISCARD without MULTI");
  forgetTransaction(session);
  return OK;
}

function watch(session: Session, keys: readonly Bytes[]): Bytes {
  session.watch ??= session.hub.door.openWatch();
  session.watch.add(keys);
  return OK;
}

function unwatch(session: Session): Bytes {
  session.watch?.close();
  session.watch = undefined;
  return OK;
}
