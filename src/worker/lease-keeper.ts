/**
 * Renews the leases of everything that a worker holds, by one timer.
 *
 * Every third of a lease all of them are renewed, so two renewals may fail before one lapses. What the server no longer
 * knows as ours is lost: its handler is told to stop, for another worker may run the job already. When no renewal gets
 * through, the host's own clock says when a lease must be taken for lost. The mark of a cancelled job is read here too,
 * which makes a cancel from any process reach its handler without any message; a message merely lets it be read sooner.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { type Bytes, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { bytesReply, listOf, type QueueKeys } from "../queue/verb-call.ts";
import type { Attempt } from "./attempt.ts";
import { type PeriodicOptions, PeriodicService } from "./service.ts";

/** Leases of one act, at most (docs/protocol/calls.md, Budget). */
export const LEASES_PER_ACT_MAX = 1000;

/** The longest wait until the next try after a renewal failed, in ms. */
const RETRY_MS_MAX = 1000;

/** What stands for the reason of a cancel without one. */
const NO_REASON = "no reason was given";

/** What a {@link LeaseKeeper} works with. */
export interface LeaseKeeperOptions extends PeriodicOptions {
  readonly engine: Engine;
  readonly keys: QueueKeys;
  readonly leaseMs: number;
  /** What the worker holds at this moment. */
  readonly held: () => Iterable<Attempt>;
  /** The attempt that is held under an id, to see whether it still is the one that was asked about. */
  readonly heldUnder: (id: string) => Attempt | undefined;
  /** The lease of a buffered or running attempt is over. */
  readonly onLost: (attempt: Attempt, why: string) => void;
  /** The job of a buffered or running attempt was cancelled. May be told more than once. */
  readonly onCancelled: (attempt: Attempt, error: EchoMQError) => void;
}

/** The service that renews the leases of one worker. */
export class LeaseKeeper extends PeriodicService {
  readonly #options: LeaseKeeperOptions;
  #hasFailed = false;

  constructor(options: LeaseKeeperOptions) {
    super(options);
    this.#options = options;
  }

  /** Looks now whether the job of this id, if it is held, was cancelled. Resolves when that is known. */
  async lookForCancel(id: string): Promise<void> {
    const attempt = this.#options.heldUnder(id);
    if (attempt === undefined || !this.isRunning) return;
    try {
      await this.#cancel([attempt]);
    } catch (error) {
      // The next renewal reads it.
      this.#options.onError(error);
    }
  }

  protected override firstDelayMs(): number {
    return this.nextDelayMs();
  }

  protected override nextDelayMs(): number {
    const thirdMs = Math.floor(this.#options.leaseMs / 3);
    return this.#hasFailed ? Math.min(thirdMs, RETRY_MS_MAX) : thirdMs;
  }

  protected override async round(): Promise<void> {
    const attempts: Attempt[] = [];
    for (const attempt of this.#options.held()) if (!attempt.isLost) attempts.push(attempt);
    this.#hasFailed = true;
    try {
      if (this.#options.engine.state === "ready") {
        for (let at = 0; at < attempts.length; at += LEASES_PER_ACT_MAX) {
          await this.#renew(attempts.slice(at, at + LEASES_PER_ACT_MAX));
        }
        this.#hasFailed = false;
      }
    } finally {
      this.#dropLapsed(attempts);
    }
  }

  async #renew(attempts: readonly Attempt[]): Promise<void> {
    const { engine, keys, leaseMs } = this.#options;
    const args: Bytes[] = [String(leaseMs)];
    for (const { claimed } of attempts) args.push(claimed.id, String(claimed.token));
    // The lease begins when the act runs, which is later than now: so this end is on the safe side.
    const until = engine.ports.clock.now() + leaseMs;
    const reply = listOf(await engine.act("EXTENDM", [keys.active, keys.base], args));
    const failed = new Set(idsOf(reply[0]));
    for (const attempt of attempts) {
      if (!failed.has(attempt.id)) attempt.leaseUntil = until;
      // An attempt whose settlement is decided learns of its lease by the settlement's own verdict.
      else if (this.#isAtWork(attempt)) this.#options.onLost(attempt, "the server no longer knows it as ours");
    }
    const cancelled = new Set(idsOf(reply[1]));
    if (cancelled.size > 0) await this.#cancel(attempts.filter((attempt) => cancelled.has(attempt.id)));
  }

  async #cancel(attempts: readonly Attempt[]): Promise<void> {
    const { engine, keys } = this.#options;
    for (const attempt of attempts) {
      if (!this.#isAtWork(attempt) || attempt.stopReason !== undefined) continue;
      const reply = listOf(await engine.command(["HMGET", keys.row(attempt.id), "attempts", "cancel"]));
      const [token, reason] = reply;
      // A mark of another claim is that one's, and an attempt that ended meanwhile has nothing to stop.
      if (String(token) !== String(attempt.claimed.token) || typeof reason !== "string") continue;
      if (!this.#isAtWork(attempt)) continue;
      const text = reason === "" ? NO_REASON : textOf(reason);
      const error = new EchoMQError("cancelled", `The job was cancelled: ${text}`, { details: { reason: text } });
      this.#options.onCancelled(attempt, error);
    }
  }

  /** Leases that have lapsed by the host's clock, because nothing got through. */
  #dropLapsed(attempts: readonly Attempt[]): void {
    const now = this.#options.engine.ports.clock.now();
    for (const attempt of attempts) {
      if (attempt.isLost || !this.#isAtWork(attempt) || now < attempt.leaseUntil) continue;
      this.#options.onLost(attempt, "it could not be renewed in time");
    }
  }

  #isAtWork(attempt: Attempt): boolean {
    const isOpen = attempt.phase === "buffered" || attempt.phase === "running";
    return isOpen && this.#options.heldUnder(attempt.id) === attempt;
  }
}

function idsOf(reply: Reply | undefined): string[] {
  return listOf(reply ?? null).map((id) => bytesReply(id));
}
