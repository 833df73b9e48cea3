/**
 * The server's clock, by which everything of a queue is timed: a host's own may be wrong by any amount.
 */

import type { Engine } from "../engine/engine.ts";
import { listOf, numberReply } from "./verb-call.ts";

/** The server's instant in Unix ms, rounded down. Throws what the server refuses. */
export async function readServerNow(engine: Engine): Promise<number> {
  const [seconds, micros] = listOf(await engine.command(["TIME"]));
  return numberReply(seconds) * 1000 + Math.floor(numberReply(micros) / 1000);
}
