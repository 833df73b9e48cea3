/**
 * What every command of the tool shares: the world it runs in, the way to a server, and the codes it may end with.
 */

import type { Host } from "./host.ts";
import type { OpenEngine } from "./open-server.ts";

/** What a command gets besides its arguments. */
export interface CommandContext {
  readonly host: Host;
  /** Connects to a server; a test gives another. */
  readonly openEngine: OpenEngine;
  /** Ends the tool with this code once the command has returned; 0 without a call. */
  setExitCode(code: number): void;
}

/** Exit codes: all is well, the answer is no or the work failed, the command was not understood, Ctrl-C. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;
