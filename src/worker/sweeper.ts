/**
 * Takes back lapsed leases: of workers that died, lost their connection or blocked their event loop.
 *
 * The rule is docs/protocol/jobs.md, Lapse. Every worker sweeps, once a beat; an act looks at 100 leases at most and
 * costs next to nothing when none has lapsed. A job whose leases lapsed too often is dead, so that a job that kills its
 * process cannot do so for ever. The same act takes away kept jobs whose time is over, so that it costs an idle queue
 * nothing more; both together are within its limit. The first round comes at a chance moment of the beat, so that
 * workers started together do not sweep together.
 */

import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { SWEEP_LIMIT_DEFAULT } from "../queue/defaults.ts";
import { type Keep, keepArguments } from "../queue/retention.ts";
import { bytesReply, listOf, numberReply, type QueueKeys } from "../queue/verb-call.ts";
import { type PeriodicOptions, PeriodicService } from "./service.ts";

/** Acts of one round, at most; what is left waits for the next beat. */
export const SWEEPS_PER_ROUND_MAX = 10;

/** Ids that a line of the log names, at most. */
const IDS_SHOWN = 5;

/** What a {@link Sweeper} works with. */
export interface SweeperOptions extends PeriodicOptions {
  readonly engine: Engine;
  readonly keys: QueueKeys;
  readonly logger: Logger;
  readonly beatMs: number;
  readonly crashLimit: number;
  /** What is kept of dead jobs, those included that this service ends. */
  readonly keepDead: Keep;
  /** These jobs were just ended, because they lapsed too often or were to be cancelled. */
  readonly onDead: (ids: readonly string[]) => void;
}

/** The service that takes back lapsed leases of one queue. */
export class Sweeper extends PeriodicService {
  readonly #options: SweeperOptions;

  constructor(options: SweeperOptions) {
    super(options);
    this.#options = options;
  }

  protected override firstDelayMs(): number {
    return Math.floor(this.#options.engine.ports.random() * this.#options.beatMs);
  }

  protected override nextDelayMs(): number {
    return this.#options.beatMs;
  }

  protected override async round(): Promise<void> {
    for (let acts = 0; acts < SWEEPS_PER_ROUND_MAX && this.#options.engine.state === "ready"; acts++) {
      // A full answer means that there may be more.
      if ((await this.#sweep()) < SWEEP_LIMIT_DEFAULT || !this.isRunning) return;
    }
  }

  /**
   * One act; answers how many leases it took back or dropped, and how many kept jobs it looked at whose time was over.
   */
  async #sweep(): Promise<number> {
    const { engine, keys, crashLimit, keepDead, logger, onDead } = this.#options;
    const places = [keys.active, keys.pending, keys.dead, keys.base];
    const args = [String(crashLimit), String(SWEEP_LIMIT_DEFAULT), ...keepArguments(keepDead)];
    const reply = listOf(await engine.act("SWEEP", places, args));
    const recovered = listOf(reply[0] ?? null);
    const dead = listOf(reply[1] ?? null);
    if (recovered.length > 0) {
      logger.info(`queue ${keys.queue}: ${recovered.length} leases had lapsed, their jobs run again`);
    }
    const dropped = numberReply(reply[3]);
    if (dropped > 0) {
      logger.warn(`queue ${keys.queue}: ${dropped} lapsed leases had no job any more and were dropped`);
    }
    if (dead.length > 0) {
      const shown = dead.slice(0, IDS_SHOWN).map((id) => bytesReply(id));
      logger.warn(`queue ${keys.queue}: ${dead.length} jobs are dead, because their leases lapsed too often`, {
        ids: shown,
        crashLimit,
      });
      onDead(dead.map((id) => bytesReply(id)));
    }
    return recovered.length + dead.length + dropped + numberReply(reply[2]);
  }
}
