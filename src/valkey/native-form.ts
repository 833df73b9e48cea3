/**
 * Whether acts go to a server as native commands or as scripts.
 *
 * A server that has loaded `trafikey` serves every act as a command `EMQ.<VERB>` with the same keys and arguments as
 * the script. So nothing but the head of a call differs, a fleet may mix both forms on one queue, and a native call
 * that meets a server without the module goes once more as a script.
 */

import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import type { Ask } from "./fence.ts";

/** How an engine treats the module: used where it is, demanded, or left alone. */
export type NativeMode = "auto" | "require" | "off";

/** What {@link NativeForm} works with. */
export interface NativeFormOptions {
  readonly mode: NativeMode;
  /** The version that this host speaks; a module that speaks another is not used. */
  readonly wireVersion: string;
}

/** The form of the acts of one engine. */
export class NativeForm {
  readonly #options: NativeFormOptions;
  #isOn = false;
  #isAsked = false;

  constructor(options: NativeFormOptions) {
    this.#options = options;
  }

  /** Whether acts go as native commands now. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Whether no server has been asked yet, so that an act may still turn out to be a native one when it is sent. */
  get isOpen(): boolean {
    return !this.#isAsked && this.#options.mode !== "off";
  }

  /**
   * Asks a server once whether it has the module and speaks this host's wire.
   *
   * @throws EchoMQError `unsuitable_server` when the module is demanded and not there, which is final; any other error
   *   means that the server cannot tell now.
   */
  async probe(ask: Ask): Promise<void> {
    const { mode, wireVersion } = this.#options;
    if (mode === "off") return;
    const why = await refusalOf(ask(["EMQ.FENCE", "0", bytesOf(wireVersion)]));
    this.#isOn = why === undefined;
    this.#isAsked = true;
    if (why === undefined || mode === "auto") return;
    throw new EchoMQError(
      "unsuitable_server",
      `The server has no native half that this host can use (${why}). ` +
        'Load trafikey with this wire version, or leave out native: "require".',
    );
  }

  /** A server does not know a native command, so the module is gone or the server is another one. */
  giveUp(): void {
    this.#isOn = false;
  }
}

/** Why the module cannot be used, `undefined` when it can. */
async function refusalOf(answer: Promise<unknown>): Promise<string | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    // A user without the right to the commands has the scripts still.
    if (isEchoMQError(error, "permission") || isEchoMQError(error, "fence")) return error.message;
    if (isEchoMQError(error, "refused") && isUnknownCommand(error.message)) return error.message;
    throw error;
  }
}

/** Whether a server refused a command because it has none of that name. */
export function isUnknownCommand(text: Bytes): boolean {
  return text.includes("unknown command");
}
