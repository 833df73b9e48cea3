/**
 * Reaches a server whatever version of the wire it is marked for.
 *
 * The library serves no call before the mark is its own, and that is right for work; but whoever wants to see or change
 * the mark must get past it. So a first try goes with the version that is expected, and when the server names another,
 * a second one with that. Nothing is written on the way: an absent mark stays absent.
 */

import type { Engine } from "../engine/engine.ts";
import { textOf } from "../protocol/bytes.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { reserveKey } from "../protocol/key.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { CliError } from "./cli-error.ts";
import { type ServerCall, withEngine } from "./server-command.ts";

/** The key of the mark. */
export const FENCE_KEY = reserveKey("version");

/** What a server is marked for, beside what is spoken here. */
export interface FenceReading {
  /** `null`: no mark; the first producer or worker sets it. */
  readonly found: string | null;
  readonly speaks: string;
  readonly isPassable: boolean;
}

/** What is done on the server, and with what was found there. */
export type FenceWork<Result> = (engine: Engine, fence: FenceReading) => Promise<Result>;

/** Runs `work` on a server of any mark. Throws CliError `fence` when the mark is no text or changes all the time. */
export async function pastFence<Result>(call: ServerCall, work: FenceWork<Result>): Promise<Result> {
  const speaks = call.options.wireVersion ?? WIRE_VERSION;
  try {
    return await withMark(call, speaks, work);
  } catch (error) {
    const found = isEchoMQError(error, "fence") ? error.details["found"] : undefined;
    if (typeof found !== "string") throw error;
    const passing = { ...call, options: { ...call.options, wireVersion: found } };
    return await withMark(passing, speaks, work).catch((again: unknown) => {
      throw isEchoMQError(again, "fence") ? unreadable(found, again) : again;
    });
  }
}

async function withMark<Result>(call: ServerCall, speaks: string, work: FenceWork<Result>): Promise<Result> {
  return await withEngine(call, async (engine) => {
    const reply = await engine.command(["GET", FENCE_KEY]);
    const found = typeof reply === "string" ? textOf(reply) : null;
    return await work(engine, { found, speaks, isPassable: found === null || found === speaks });
  });
}

function unreadable(found: string, cause: unknown): CliError {
  const text = `the key ${FENCE_KEY} holds ${found}: look at it with valkey-cli, and delete it if it is nobody's`;
  return new CliError("failed", text, { code: "fence", cause });
}
