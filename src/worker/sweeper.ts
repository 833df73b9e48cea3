/**
 * Takes back lapsed leases: of workers that died, lost their connection or blocked their event loop.
 *
 * The rule is docs/protocol/jobs.md, Lapse. Every worker sweeps, every second beat; an act looks at 100 leases at most
 * and costs next to nothing when none has lapsed. A job whose leases lapsed too often is dead, so that a job that kills
 * its process cannot do so for ever. The same act takes away kept jobs whose time is over; both together are within its
 * limit. The first round comes at a chance moment of the beat, so that workers started together do not sweep together.
 *
 * The act also pushes a token where work can be claimed and says whether one lies there, so a sweep finds what a turn
 * would find (docs/protocol/wake.md, rule 4). That is why an idle worker lets it stand for every second ask, and sends
 * one act a beat; a worker with much to do sweeps beside its turns.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { SWEEP_LIMIT_DEFAULT } from "../queue/defaults.ts";
import { type Keep, keepArguments } from "../queue/retention.ts";
import { bytesReply, listOf, numberReply, type QueueKeys } from "../queue/verb-call.ts";
import { type PeriodicOptions, PeriodicService } from "./service.ts";

/** Acts of one round, at most; what is left waits for the next beat, not for the one after it. */
export const SWEEPS_PER_ROUND_MAX = 10;

/** Beats from one round to the next: an idle worker has one act a beat, and the other one is its turn. */
export const BEATS_PER_SWEEP = 2;

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
  /** An act leaves, which looks for work as well. */
  readonly onSent: () => void;
  /** It was answered: sent at that instant of the host's clock, and whether there may be work. */
  readonly onAnswered: (sentAt: number, mayHaveWork: boolean) => void;
  /** Signals of children lie in the outbox of the queue. */
  readonly onSignals: () => void;
  /** How long it is until a repeat occurs, in ms: 0 for one that is due, -1 for none. */
  readonly onRepeatIn: (ms: number) => void;
  /** These jobs were just ended, because they lapsed too often or were to be cancelled. */
  readonly onDead: (ids: readonly string[]) => void;
}

/** The service that takes back lapsed leases of one queue. */
export class Sweeper extends PeriodicService {
  readonly #options: SweeperOptions;
  /** When the last round began, by the host's clock. */
  #beganAt = Number.NEGATIVE_INFINITY;
  #isSweeping = false;
  /** The last round left something for the next one. */
  #isBehind = false;

  constructor(options: SweeperOptions) {
    super(options);
    this.#options = options;
  }

  /**
   * Sweeps now if a round is due or will be within half a beat; answers whether it does. For a beat on which the worker
   * would ask for work: then the sweep does that for it.
   */
  standIn(): boolean {
    const { clock, beatMs, engine } = this.#options;
    const sinceMs = clock.now() - this.#beganAt;
    const isDue = sinceMs < 0 || this.#isBehind || sinceMs >= (BEATS_PER_SWEEP - 0.5) * beatMs;
    if (!isDue || this.#isSweeping || !this.isRunning || engine.state !== "ready") return false;
    this.kick();
    return true;
  }

  protected override firstDelayMs(): number {
    return Math.floor(this.#options.engine.ports.random() * this.#options.beatMs);
  }

  protected override nextDelayMs(): number {
    return (this.#isBehind ? 1 : BEATS_PER_SWEEP) * this.#options.beatMs;
  }

  protected override async round(): Promise<void> {
    this.#beganAt = this.#options.clock.now();
    this.#isSweeping = true;
    this.#isBehind = false;
    try {
      for (let acts = 0; acts < SWEEPS_PER_ROUND_MAX && this.#options.engine.state === "ready"; acts++) {
        // A full answer means that there may be more.
        if ((await this.#sweep()) < SWEEP_LIMIT_DEFAULT || !this.isRunning) return;
      }
      this.#isBehind = this.#options.engine.state === "ready";
    } finally {
      this.#isSweeping = false;
    }
  }

  /**
   * One act; answers how many leases it took back or dropped, and how many jobs it looked at whose time was over, kept
   * ones and such as had not begun.
   */
  async #sweep(): Promise<number> {
    const { engine, keys, clock, crashLimit, keepDead, onSent, onAnswered } = this.#options;
    const places = [keys.active, keys.pending, keys.dead, keys.base];
    const args = [String(crashLimit), String(SWEEP_LIMIT_DEFAULT), ...keepArguments(keepDead)];
    const sentAt = clock.now();
    onSent();
    const reply = listOf(await engine.act("SWEEP", places, args));
    onAnswered(sentAt, numberReply(reply[4]) > 0);
    if (reply[7] === 1) this.#options.onSignals();
    this.#options.onRepeatIn(numberReply(reply[8]));
    const [recovered, dead, dropped] = [listOf(reply[0] ?? null), listOf(reply[1] ?? null), numberReply(reply[3])];
    this.#tell(recovered, dead, dropped);
    this.#tellOverdue(listOf(reply[5] ?? null).length);
    return recovered.length + dead.length + dropped + numberReply(reply[2]) + numberReply(reply[6]);
  }

  #tellOverdue(count: number): void {
    const { keys, logger } = this.#options;
    if (count > 0) logger.warn(`queue ${keys.queue}: ${count} jobs are dead, because they did not begin in time`);
  }

  #tell(recovered: readonly Reply[], dead: readonly Reply[], dropped: number): void {
    const { keys, crashLimit, logger, onDead } = this.#options;
    if (recovered.length > 0) {
      logger.info(`queue ${keys.queue}: jobs run again whose leases had lapsed`, { jobs: recovered.length });
    }
    if (dropped > 0) {
      logger.warn(`queue ${keys.queue}: lapsed leases without a job were dropped`, { leases: dropped });
    }
    if (dead.length > 0) {
      const shown = dead.slice(0, IDS_SHOWN).map((id) => bytesReply(id));
      logger.warn(`queue ${keys.queue}: jobs are dead, because their leases lapsed too often`, {
        jobs: dead.length,
        ids: shown,
        crashLimit,
      });
      onDead(dead.map((id) => bytesReply(id)));
    }
  }
}
