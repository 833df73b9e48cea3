/**
 * What makes a worker ask: tokens of the wake list, the time of the next due job, and the beat.
 *
 * Three rules of docs/protocol/wake.md live here. Whoever took a token owes a TURN, also without room (rule 3). A
 * worker with a free slot waits for a token, and after a beat asks anyway (rule 4). And one worker keeps time for the
 * schedule (rule 5): the one whose TURN answered for a token, moved due jobs, or scheduled one itself; it steps down
 * only when the TURN of its own timer moved nothing and the head is another than the one that the timer was set for.
 *
 * A timer that has fired is out of date once another reply has set it anew, so every timer has a number, and a TURN
 * carries the number of the timer behind it.
 */

import type { Engine, WakeHandle } from "../engine/engine.ts";
import type { Clock, Timer } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";

/** A head that is due within so many ms after its timer fired is the same head, met early. */
const EARLY_MS = 2;

/** A timer that is off by no more than this stays as it is. */
const SAME_TIME_MS = 1;

/** What a TURN answers for. It is handed back if that TURN fails. */
export interface Debt {
  readonly forToken: boolean;
  /** The number of the timer behind it; 0 for none. */
  readonly timer: number;
}

/** What a reply says of the schedule. */
export interface ScheduleNews {
  readonly moved: number;
  /** Milliseconds to the next due job; `undefined` when there is none. */
  readonly dueMs: number | undefined;
  /** The TURN itself put a job into the schedule. */
  readonly scheduled: boolean;
}

/** What a {@link WakeKeeper} works with, and whom it tells. */
export interface WakeKeeperOptions {
  readonly engine: Engine;
  /** The wake list of the queue. */
  readonly key: Bytes;
  readonly beatMs: number;
  /** Something is owed: send a TURN as soon as that is possible. */
  readonly onDebt: () => void;
  /** A beat may have passed: ask, if it has and there is room. Answers the ms until the next look. */
  readonly onBeat: () => number;
}

/** What one worker owes the wake rule, and its timers. */
export class WakeKeeper {
  readonly #options: WakeKeeperOptions;
  readonly #clock: Clock;
  readonly #handle: WakeHandle;
  #beatTimer: Timer | undefined;
  #scheduleTimer: Timer | undefined;
  /** When the timer of the schedule fires, by the host's clock; meaningless without a timer. */
  #scheduleAt = 0;
  #timerNumber = 0;
  #keepsTime = false;
  #owesToken = false;
  #owesAsk = false;
  #isForetold = false;
  #firedTimer = 0;
  #isStopped = false;

  constructor(options: WakeKeeperOptions) {
    this.#options = options;
    this.#clock = options.engine.ports.clock;
    this.#handle = options.engine.listenForWake(options.key, {
      onToken: () => {
        this.#isForetold = false;
        this.owe();
      },
      onLost: () => this.owe(),
    });
  }

  /** How often an idle worker asks, in ms. */
  get beatMs(): number {
    return this.#options.beatMs;
  }

  /** Whether this worker keeps time for the schedule. */
  get keepsTime(): boolean {
    return this.#keepsTime;
  }

  /** Whether a TURN must be sent, with or without room. */
  get owes(): boolean {
    return this.#owesToken || this.#owesAsk || this.#firedTimer > 0;
  }

  /** Begins the beat. This is the timer that keeps the process of a running worker alive. */
  start(): void {
    if (this.#isStopped || this.#beatTimer !== undefined) return;
    this.#setBeat(this.#options.beatMs);
  }

  /** Whether the token that was foretold has not come: another worker may have taken it. */
  get lacksToken(): boolean {
    return this.#isForetold;
  }

  /** An act that pushes a token has left, and nobody but this worker may be waiting for it. */
  foretell(): void {
    this.#isForetold = true;
  }

  /** A token was taken, or may have been lost: the next TURN answers for it. */
  owe(): void {
    this.#owesToken = true;
    this.#options.onDebt();
  }

  /** Asks once, for no token: after a change of what there is room for. */
  ask(): void {
    this.#owesAsk = true;
    this.#options.onDebt();
  }

  /** Waits for a token. */
  arm(): void {
    this.#handle.arm();
  }

  /** Waits no longer; a token that is on its way still arrives and is owed for. */
  disarm(): void {
    this.#handle.disarm();
  }

  /** Takes over what is owed, for a TURN that leaves now. */
  takeDebt(): Debt {
    const debt = { forToken: this.#owesToken, timer: this.#firedTimer };
    this.#owesToken = false;
    this.#owesAsk = false;
    this.#firedTimer = 0;
    return debt;
  }

  /** The TURN failed, so its debt is owed again; as a token, for who asks after a failure also keeps time. */
  returnDebt(): void {
    this.#owesToken = true;
  }

  /** Reads a reply: keeps time, goes on keeping it, or steps down. */
  keepTime(debt: Debt, news: ScheduleNews): void {
    const called = debt.forToken || news.moved > 0 || news.scheduled;
    const ownTimer = debt.timer > 0 && debt.timer === this.#timerNumber;
    const isEarly = news.dueMs !== undefined && news.dueMs <= EARLY_MS;
    const stepsDown = ownTimer && news.moved === 0 && !isEarly;
    this.#keepsTime = news.dueMs !== undefined && (called || (this.#keepsTime && !stepsDown));
    if (this.#keepsTime && !this.#isStopped) this.#setScheduleTimer(news.dueMs ?? 0);
    else this.#dropScheduleTimer();
  }

  /** Ends all timers and the waiting. Resolves when no token can arrive any more; one that arrived is owed for. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#beatTimer?.cancel();
    this.#beatTimer = undefined;
    this.#keepsTime = false;
    this.#dropScheduleTimer();
    await this.#handle.close();
  }

  #setBeat(ms: number): void {
    this.#beatTimer = this.#clock.after(ms, () => this.#setBeat(this.#options.onBeat()));
  }

  #setScheduleTimer(dueMs: number): void {
    const at = this.#clock.now() + dueMs;
    if (this.#scheduleTimer !== undefined && Math.abs(at - this.#scheduleAt) <= SAME_TIME_MS) return;
    this.#dropScheduleTimer();
    this.#timerNumber += 1;
    const number = this.#timerNumber;
    this.#scheduleAt = at;
    this.#scheduleTimer = this.#clock.after(
      dueMs,
      () => {
        this.#scheduleTimer = undefined;
        this.#firedTimer = number;
        this.#options.onDebt();
      },
      { background: true },
    );
  }

  #dropScheduleTimer(): void {
    this.#scheduleTimer?.cancel();
    this.#scheduleTimer = undefined;
    // A firing that is not answered yet belongs to a timer that no longer counts.
    this.#timerNumber += 1;
  }
}
