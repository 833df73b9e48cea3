/**
 * Shared mode: a host that speaks to a server marked for wire 3, where programs of that wire may work beside it.
 *
 * These programs know nothing of what wire 4 adds to claims and to the end of jobs: their claims pass every limit, and
 * their jobs leave nothing that could be kept. What only works when everybody keeps it is refused there, loudly, since
 * a limit that half of a fleet ignores looks like one that holds.
 */

import { EchoMQError } from "../protocol/errors.ts";
import type { Engine } from "./engine.ts";

/** How the versions of wire 3 begin. */
const WIRE_3 = "echomq:3.";

/** Whether programs of wire 3 may work on the same queues. */
export function isSharedMode({ wireVersion }: Pick<Engine, "wireVersion">): boolean {
  return wireVersion.startsWith(WIRE_3);
}

/**
 * Refuses in shared mode what programs of wire 3 would not keep.
 *
 * @param feature what is refused, as the beginning of a sentence in the plural.
 * @throws EchoMQError `shared_mode`.
 */
export function assertOwnWire(engine: Pick<Engine, "wireVersion">, feature: string): void {
  if (!isSharedMode(engine)) return;
  const { wireVersion } = engine;
  throw new EchoMQError(
    "shared_mode",
    `${feature} cannot be used with wireVersion ${wireVersion}: programs of that wire would not keep them. ` +
      "Move all programs of the server to this wire first (docs/operate/shared-mode.md).",
    { details: { wireVersion } },
  );
}
