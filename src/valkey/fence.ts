/**
 * The host's half of the fence: no call is served on a connection before the server's version of the wire is known to
 * be ours (docs/protocol/fence.md).
 *
 * It is asked on every connect and reconnect, since another server may answer at the same address. Whoever finds the
 * key absent claims it and reads again, so of two hosts with different versions exactly one goes on. A refusal that no
 * waiting can mend is final and typed; everything else is thrown as it came and tried again by the caller.
 */

import type { Reply } from "../engine/engine.ts";
import { refusalWord } from "../engine/refusal.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { reserveKey } from "../protocol/key.ts";

/** Asks the server one plain command. Rejects with the error of a refusal, or because no answer came. */
export type Ask = (parts: readonly Bytes[]) => Promise<Reply>;

/** Who stands before the fence. */
export interface FenceOptions {
  /** The version that this host speaks. */
  readonly wireVersion: string;
  /** A host that only reads passes on an absent key and claims nothing. */
  readonly isReadonly: boolean;
}

/** Rounds of claiming a key that is taken away at once; more than one already means that somebody deletes it. */
const CLAIMS_MAX = 10;

/**
 * Resolves when this host may go on.
 *
 * @throws EchoMQError `fence` (with `details.found` and `details.expected`), `auth` or `permission`, all of them final;
 *   any other error means that the server cannot tell now.
 */
export async function passFence(ask: Ask, options: FenceOptions): Promise<void> {
  const key = reserveKey("version");
  const own = bytesOf(options.wireVersion);
  for (let claims = 0; claims < CLAIMS_MAX; claims++) {
    const found = await read(ask, key, options);
    if (found === own || (found === null && options.isReadonly)) return;
    if (found !== null) throw mismatch(String(found), options);
    await ask(["SET", key, own, "NX"]);
  }
  throw new EchoMQError("server_busy", `The key ${key} vanished ${CLAIMS_MAX} times after it was set.`);
}

/** Whether waiting cannot mend an error that came from a connection attempt. */
export function isFinalRefusal(error: unknown): error is EchoMQError {
  if (!isEchoMQError(error)) return false;
  return ["fence", "auth", "permission", "unsuitable_server", "invalid_connection"].includes(error.code);
}

async function read(ask: Ask, key: Bytes, options: FenceOptions): Promise<Reply> {
  try {
    return await ask(["GET", key]);
  } catch (error) {
    if (isEchoMQError(error, "refused") && refusalWord(error.message) === "WRONGTYPE") {
      throw mismatch("a value that is no text", options, error);
    }
    throw error;
  }
}

function mismatch(found: Bytes, options: FenceOptions, cause?: unknown): EchoMQError {
  const shown = textOf(found);
  return new EchoMQError(
    "fence",
    `The server is marked for the wire ${shown}, and this host speaks ${options.wireVersion}. ` +
      "Look at it with echomq fence. If all other hosts speak that wire, give the option wireVersion; " +
      `if none does any more, run echomq fence --set ${options.wireVersion}.`,
    { details: { found: shown, expected: options.wireVersion }, ...(cause === undefined ? {} : { cause }) },
  );
}
