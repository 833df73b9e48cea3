/**
 * When a worker sends a TURN, with what, and what it does with the reply.
 *
 * One act settles what has ended and claims what there is room for. Settlements leave first and the next handlers start
 * while the server works on them; at most two TURNs are on their way, so what ends meanwhile gathers. The first leaves
 * at once; a second beside it only with a good part of what the worker holds, or when nothing is left to start, so that
 * server and host work side by side on few large acts and not in turns on many small ones. Handlers start in bursts,
 * between which their microtasks run out, so that a thousand quick handlers do not end in one lump.
 *
 * Invariants: running + buffered + asked for never exceeds concurrency + look-ahead; every attempt is in `#held` from
 * the reply that brought it until its settlement is acknowledged or its lease is over; a settlement whose reply was
 * lost is repeated, and a repetition that finds the job gone is taken for what it most likely is, the first one's
 * success.
 *
 * The bounds of the rings: the buffer holds at most concurrency + look-ahead attempts, and the settlements at most as
 * many again, because an attempt is in one of the two.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Clock, Timer } from "../engine/ports.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { isUncertain } from "../queue/admission.ts";
import { joinNear } from "../queue/near-workers.ts";
import type { Terms } from "../queue/retention.ts";
import { type TurnJob, type TurnReply, turnJobs, turnReply } from "../queue/turn-call.ts";
import type { QueueKeys } from "../queue/verb-call.ts";
import { Attempt, type SettlementOp } from "./attempt.ts";
import { Deference } from "./deference.ts";
import { HeldAttempts } from "./held-attempts.ts";
import { HOLD_MS_MAX, type LookAhead } from "./look-ahead.ts";
import type { Outage } from "./outage.ts";
import { Presence } from "./presence.ts";
import { Ring } from "./ring.ts";
import { settleGivenBack } from "./settlement.ts";
import { SettlementQueue } from "./settlement-queue.ts";
import { Waits } from "./waits.ts";
import type { Debt, WakeKeeper } from "./wake-keeper.ts";

/** Jobs that one TURN claims, at most: with as many settlements about 0.6 ms of the server. */
export const CLAIMS_PER_TURN_MAX = 128;

/**
 * Beats after which a worker without a free slot tells that it is there: half of what the wire waits for a word before
 * it takes a worker for gone.
 */
const BUSY_BEATS = 5;

/** TURNs of one worker on their way at once. */
export const TURNS_IN_FLIGHT_MAX = 2;

/** Handlers that start before their microtasks run out. */
export const BURST_MAX = 64;

/**
 * Of all that a worker may hold, the share that must have ended before a second TURN leaves beside the one on its way,
 * while jobs to start are at hand. A TURN costs the server and this host about as much as ten jobs, whatever it
 * carries, so small ones beside each other cost more than they hide; from a burst on it is worth its cost anyway. The
 * share hardly matters between a quarter and a half.
 */
const SECOND_TURN_SHARE = 0.4;

/** What a {@link TurnLoop} works with, and whom it tells. */
export interface TurnLoopOptions {
  readonly engine: Engine;
  readonly keys: QueueKeys;
  /** The worker's id, written to `owner`: what `OWNED` finds lost jobs by, so it must be this worker's alone. */
  readonly workerId: string;
  /** The job names that the worker serves, for whoever asks why a job does not run; `undefined` for all. */
  readonly names?: readonly string[] | undefined;
  readonly leaseMs: number;
  /** What is kept of jobs that end and do not say themselves. */
  readonly terms: Terms;
  readonly concurrency: number;
  readonly lookAhead: LookAhead;
  readonly outage: Outage;
  /** The wake keeper calls {@link TurnLoop.wakeUp} and {@link TurnLoop.onBeat}. */
  readonly wake: WakeKeeper;
  /** Called at a beat on which the loop would ask: whether a sweep asks for it (docs/protocol/wake.md, rule 4). */
  readonly sweepInstead: () => boolean;
  readonly onStart: (attempt: Attempt) => void;
  /** A settlement has its answer: no verdict when it went as asked, else the wire's. */
  readonly onAcknowledged: (attempt: Attempt, verdict: string | undefined) => void;
  /** A second claim of a job came while the first was still held: the first lease must be over. */
  readonly onSuperseded: (attempt: Attempt) => void;
  /** Nothing runs, nothing is buffered, and the queue has nothing for us. */
  readonly onIdle: () => void;
}

/** A TURN on its way. */
interface SentTurn {
  readonly want: number;
  readonly debt: Debt;
  readonly attempts: readonly Attempt[];
  readonly sentAt: number;
  /** It told the server who asks. */
  readonly isPresence: boolean;
}

/** Whether a settlement puts something off whose time must be kept: its job, or the whole queue. */
function schedules(op: SettlementOp | undefined): boolean {
  return op === "f" || op === "d" || op === "a" || op === "l";
}

/** The loop of one worker: what it holds, what it asks for, and what it settles. */
export class TurnLoop {
  readonly #options: TurnLoopOptions;
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #turnKeys: readonly Bytes[];
  readonly #workerBytes: Bytes;
  readonly #leaseText: Bytes;

  readonly #held: HeldAttempts = new HeldAttempts();
  readonly #buffer: Ring<Attempt> = new Ring();
  readonly #settled: SettlementQueue;
  #concurrency: number;
  #inFlight = 0;
  #wantInFlight = 0;
  #settlementsInFlight = 0;
  /** The last TURN that wanted work got less than it wanted. */
  #isDry = false;
  /** Takes no further jobs: paused or closing. */
  #isHolding = false;
  /**
   * Was told by the server that somebody has paused this worker. It goes on telling of itself, to hear when it is over.
   */
  #isPausedRemotely = false;
  #isStarted = false;
  #isStopped = false;
  #isPumpQueued = false;
  #isBetweenBursts = false;
  /** A token waits for its TURN until what a TURN behind an add brought has begun. */
  #isTokenEarly = false;
  #leaveNear: () => void = () => {};
  /** A TURN that wanted work got no answer: what it claimed must be looked for. */
  #mustRecover = false;
  #isRecovering = false;
  #hasWorked = false;
  readonly #deference: Deference;
  #deferenceTimer: Timer | undefined;
  #bufferTimer: Timer | undefined;
  #bufferTimerAt = 0;
  /** When a TURN or a sweep last left, by the host's clock: either looks for work. */
  #lookedAt = 0;
  #lastAskedAt = 0;
  #lastAnsweredAt = 0;
  readonly #presence: Presence;
  readonly #waits: Waits = new Waits();

  constructor(options: TurnLoopOptions) {
    this.#options = options;
    this.#engine = options.engine;
    this.#clock = options.engine.ports.clock;
    this.#concurrency = options.concurrency;
    this.#deference = new Deference(this.#clock);
    this.#settled = new SettlementQueue(options.terms);
    const { names } = options;
    this.#presence = new Presence({ clock: this.#clock, beatMs: options.wake.beatMs, names });
    const { pending, active, schedule, wake, base } = options.keys;
    this.#turnKeys = [pending, active, schedule, wake, base];
    this.#workerBytes = bytesOf(options.workerId);
    this.#leaseText = String(options.leaseMs);
  }

  get running(): number {
    return this.#held.running;
  }

  /** Handlers that run although they were told to stop. */
  get stuck(): number {
    return this.#held.stuck;
  }

  get buffered(): number {
    return this.#held.buffered;
  }

  /** Settlements that are not acknowledged yet. */
  get unsettled(): number {
    return this.#settled.length + this.#settlementsInFlight;
  }

  get concurrency(): number {
    return this.#concurrency;
  }

  /**
   * When the server was last asked for work and last answered, by the host's clock; 0 for never. A sweep counts, for it
   * says whether there is work, but not while a TURN waits for its answer: that one is to be judged by itself.
   */
  get lastAskedAt(): number {
    return this.#lastAskedAt;
  }

  get lastAnsweredAt(): number {
    return this.#lastAnsweredAt;
  }

  held(): Iterable<Attempt> {
    return this.#held;
  }

  heldUnder(id: string): Attempt | undefined {
    return this.#held.under(id);
  }

  /** Begins to ask. Calling it twice is harmless. */
  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    this.#leaveNear = joinNear(this.#engine, this.#options.keys.wake, this);
    this.#options.wake.ask();
  }

  /**
   * An add has just left through this engine: claims its job behind it, if nothing is in hand and nothing was asked.
   *
   * The token of the add comes meanwhile, and its TURN leaves when the job has begun; with the settlement, if the
   * handler is quick. Where other workers wait, one of them takes the token for nothing, so it is left at one try until
   * a token comes here again. Whoever has met a job that only another worker knows asks behind no add any more: it
   * would be the first to find such jobs, and put every one of them off.
   */
  askBehind(): boolean {
    const { wake } = this.#options;
    if (!this.#isDry || this.#takesNothing() || this.#held.size > 0 || this.#inFlight > 0) return false;
    if (wake.owes || wake.lacksToken || this.#mustRecover || !this.#mayAsk() || this.#letsOthersGoFirst()) return false;
    wake.foretell();
    this.#sendTurn(this.#want());
    this.#isTokenEarly = true;
    return true;
  }

  /** Whether somebody has paused this worker from elsewhere, as far as the server has told. */
  get isPausedRemotely(): boolean {
    return this.#isPausedRemotely;
  }

  /** Tells of itself now, to hear whether it is paused. */
  tellOfItself(): void {
    if (this.#isHolding || !this.#isStarted || this.#isStopped) return;
    this.#presence.forget();
    this.#options.wake.ask();
  }

  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    // The last answer says nothing about the new room.
    this.#isDry = false;
    this.wakeUp();
  }

  /** Takes no further jobs, and gives back what has not begun. */
  hold(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#options.wake.disarm();
    this.#giveBackBuffered(Number.POSITIVE_INFINITY);
    // Whoever takes no jobs is not listed among those who do.
    if (this.#presence.isListed) this.#options.wake.ask();
    this.wakeUp();
  }

  /** Takes jobs again. */
  release(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#isDry = false;
    this.#presence.forget();
    this.#options.wake.ask();
  }

  /** Something may be due to be sent or started: looks, when the current step of the program has ended. */
  wakeUp(): void {
    if (this.#isPumpQueued || this.#isStopped) return;
    this.#isPumpQueued = true;
    this.#engine.ports.soon(() => {
      this.#isPumpQueued = false;
      this.#pump();
    });
  }

  /** Asks when there is a free slot and nothing was asked for a beat. Answers when to look again, in ms from now. */
  onBeat(beatMs: number): number {
    if (this.#isHolding || this.#inFlight > 0) return beatMs;
    if (this.#isPausedRemotely) {
      this.#options.wake.ask();
      return beatMs;
    }
    if (this.#hasNoSlot()) {
      if (this.#presence.isDue(BUSY_BEATS)) this.#options.wake.ask();
      return beatMs;
    }
    // A clock that was set back makes the age negative; then it is time to ask.
    const sinceMs = this.#clock.now() - this.#lookedAt;
    if (sinceMs >= 0 && sinceMs < beatMs) return beatMs - sinceMs;
    if (!this.#mayAsk() || this.#options.outage.isOn || !this.#options.sweepInstead()) this.#options.wake.ask();
    return beatMs;
  }

  /** A sweep leaves. */
  sweepSent(): void {
    this.#lookedAt = this.#clock.now();
  }

  /** A sweep was answered, and says whether there may be work. Then it is asked for: no token may ever reach us. */
  sweepAnswered(sentAt: number, mayHaveWork: boolean): void {
    if (this.#isHolding || !this.#isStarted || this.#isStopped || this.#inFlight > 0) return;
    // While turns are refused, a sweep that passes does not make the worker consume, and the outage asks by itself.
    if (this.#options.outage.isOn) return;
    this.#lastAskedAt = Math.max(this.#lastAskedAt, sentAt);
    this.#lastAnsweredAt = this.#clock.now();
    if (mayHaveWork && !this.#hasNoSlot()) this.#options.wake.ask();
  }

  /** A sweep got no answer, so it says nothing of work. */
  sweepFailed(): void {
    if (this.#isHolding || !this.#isStarted || this.#hasNoSlot()) return;
    this.#options.wake.ask();
  }

  /** A job that only another worker knows is put off by so many ms: when it falls due, others go first. */
  expectForOthers(delayMs: number): void {
    this.#leaveNear();
    this.#deference.expect(delayMs);
  }

  /** The handler of an attempt has ended, or the attempt was given back: its settlement is written on it. */
  settle(attempt: Attempt): void {
    this.#held.move(attempt, "settled");
    this.#settled.push(attempt);
    this.wakeUp();
  }

  /** The lease of an attempt is over and nothing of it is to be settled. */
  drop(attempt: Attempt): void {
    this.#held.end(attempt);
    this.wakeUp();
  }

  /** Gives back what still runs; the handlers may go on, but nobody waits for them. */
  abandonRunning(): void {
    for (const attempt of this.#held.atWork()) {
      attempt.timer?.cancel();
      if (attempt.isLost) {
        this.drop(attempt);
      } else {
        settleGivenBack(attempt);
        this.settle(attempt);
      }
    }
  }

  /**
   * Resolves when nothing runs, every settlement is acknowledged and every debt answered; a server that is away is not
   * waited for when no job is at stake.
   */
  quiet(): Promise<void> {
    return this.#waits.until(() => this.#isQuiet());
  }

  /** Resolves when no handler runs and none is about to begin. */
  handlersEnded(): Promise<void> {
    return this.#waits.until(() => this.#held.running === 0 && this.#held.buffered === 0);
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#leaveNear();
    this.#bufferTimer?.cancel();
    this.#bufferTimer = undefined;
    this.#deferenceTimer?.cancel();
    for (const attempt of this.#held.atWork()) attempt.timer?.cancel();
    this.#waits.end();
  }

  // What to send.

  #pump(): void {
    if (this.#isStopped) return;
    // Settlements leave before the next handlers start, so that the server works meanwhile.
    this.#send();
    this.#startHandlers();
    if (this.#isTokenEarly && this.#inFlight === 0) this.#answerTokenSoon();
    this.#rest();
  }

  /** Sends what is owed once the microtasks of the handlers that have just started have run out. */
  #answerTokenSoon(): void {
    this.#afterMicrotasks(() => {
      this.#isTokenEarly = false;
      this.#pump();
    });
  }

  #mayAsk(): boolean {
    return (
      this.#isStarted &&
      !this.#isRecovering &&
      this.#inFlight < TURNS_IN_FLIGHT_MAX &&
      !this.#options.outage.isWaiting &&
      this.#engine.state === "ready"
    );
  }

  #send(): void {
    if (!this.#mayAsk()) return;
    if (this.#mustRecover) {
      // Jobs of a TURN that is on its way would look lost: it must land first.
      if (this.#inFlight === 0) this.#recover();
      return;
    }
    const isHungry = !this.#isDry && !this.#takesNothing() && !this.#hasNoSlot() && !this.#letsOthersGoFirst();
    const owes = this.#options.wake.owes && !this.#isTokenEarly;
    if (!isHungry && !owes && (this.#settled.length === 0 || this.#gathers())) return;
    this.#sendTurn(this.#want());
    // What is left goes with the next one, at another moment: two TURNs sent together are answered together.
    if (this.#settled.length > 0 || (isHungry && !this.#hasNoSlot())) this.wakeUp();
  }

  /** Whether every slot is taken, by a handler, a buffered job, or one that was asked for. */
  #hasNoSlot(): boolean {
    return this.#held.running + this.#held.buffered + this.#wantInFlight >= this.#concurrency;
  }

  /** Looks again by itself when the others have had their moment. */
  #letsOthersGoFirst(): boolean {
    const leftMs = this.#deference.leftMs();
    if (leftMs === 0) return false;
    this.#deferenceTimer ??= this.#clock.after(
      leftMs,
      () => {
        this.#deferenceTimer = undefined;
        this.wakeUp();
      },
      { background: true },
    );
    return true;
  }

  /** Whether it takes no jobs now: held here, or paused from elsewhere. */
  #takesNothing(): boolean {
    return this.#isHolding || this.#isPausedRemotely;
  }

  /** Whether what has ended waits for more: there is still something to start, and a TURN's answer comes soon. */
  #gathers(): boolean {
    if (this.#inFlight === 0 || this.#held.buffered === 0) return false;
    return this.#settled.length < Math.min(BURST_MAX, this.#heldMost() * SECOND_TURN_SHARE);
  }

  /** Jobs that it may hold at once, those that are asked for included. */
  #heldMost(): number {
    return this.#concurrency + this.#options.lookAhead.size(this.#concurrency);
  }

  #want(): number {
    if (this.#takesNothing()) return 0;
    if (this.#deference.leftMs() > 0) return 0;
    const room = this.#heldMost() - this.#held.running - this.#held.buffered - this.#wantInFlight;
    return Math.min(Math.max(0, room), CLAIMS_PER_TURN_MAX);
  }

  #sendTurn(want: number): void {
    const args: Bytes[] = [this.#workerBytes, this.#leaseText, String(want)];
    const isPresence = this.#presence.tell(args, this.#isHolding ? 0 : this.#concurrency);
    const attempts = this.#settled.take(args);
    const turn = { want, attempts, debt: this.#options.wake.takeDebt(), sentAt: this.#clock.now(), isPresence };
    // Where another TURN leaves anyhow, a token that comes now is answered at once, as any other.
    this.#isTokenEarly = false;
    this.#inFlight += 1;
    this.#wantInFlight += want;
    this.#settlementsInFlight += attempts.length;
    this.#lastAskedAt = turn.sentAt;
    this.#lookedAt = turn.sentAt;
    this.#engine.act("TURN", this.#turnKeys, args).then(
      (reply) => this.#onReply(turn, reply),
      (error) => this.#onFailure(turn, error),
    );
  }

  // What to do with the answer.

  #onReply(turn: SentTurn, reply: Reply): void {
    let news: TurnReply;
    try {
      news = turnReply(reply);
    } catch (error) {
      this.#onFailure(turn, error);
      return;
    }
    this.#landed(turn);
    this.#noteAnswer();
    if (this.#isStopped) return;
    const { exceptions, jobs, moved, dueMs } = news;
    let scheduled = false;
    let position = 0;
    for (const attempt of turn.attempts) {
      const verdict = exceptions.get(position);
      position += 1;
      if (verdict === undefined && schedules(attempt.op)) scheduled = true;
      // The turn that was lost settled the job, and may have claimed it for us once more.
      if (attempt.wasSent && verdict?.startsWith("EMQSTALE") === true) this.#mustRecover = true;
      this.#acknowledge(attempt, verdict);
    }
    this.#adopt(jobs, turn.sentAt);
    if (news.isPaused !== undefined && !this.#isHolding) this.#pauseRemotely(news.isPaused);
    if (turn.want > 0) this.#isDry = jobs.length < turn.want;
    this.#options.wake.keepTime(turn.debt, { moved, dueMs, scheduled });
    this.wakeUp();
  }

  /** The server says whether somebody has paused this worker. What is leased and has not begun goes back then. */
  #pauseRemotely(isPaused: boolean): void {
    if (this.#isPausedRemotely === isPaused) return;
    this.#isPausedRemotely = isPaused;
    this.#isDry = false;
    if (isPaused) {
      this.#options.wake.disarm();
      this.#giveBackBuffered(Number.POSITIVE_INFINITY);
    } else this.#options.wake.ask();
  }

  #landed(turn: SentTurn): void {
    this.#inFlight -= 1;
    this.#wantInFlight -= turn.want;
    this.#settlementsInFlight -= turn.attempts.length;
  }

  #onFailure(turn: SentTurn, error: unknown): void {
    this.#landed(turn);
    this.#isTokenEarly = false;
    const mayHaveHappened = isUncertain(error);
    if (turn.isPresence) this.#presence.failed();
    for (const attempt of turn.attempts) {
      attempt.wasSent ||= mayHaveHappened;
      this.#settled.push(attempt);
    }
    if (mayHaveHappened && turn.want > 0) this.#mustRecover = true;
    this.#options.wake.returnDebt();
    if (!this.#isStopped) this.#options.outage.failed(error);
  }

  /**
   * Asks for the jobs that a TURN claimed for us and whose reply was lost, until there are none. Nothing else is sent
   * meanwhile.
   */
  #recover(): void {
    const { active, base } = this.#options.keys;
    const sentAt = this.#clock.now();
    this.#isRecovering = true;
    this.#engine
      .act("OWNED", [active, base], [this.#workerBytes, this.#leaseText, ...this.#held.ids()])
      .then(turnJobs)
      .then(
        (jobs) => {
          this.#isRecovering = false;
          // An act hands over what fits into its budget, so whoever got something asks on.
          this.#mustRecover = jobs.length > 0;
          this.#noteAnswer();
          if (this.#isStopped) return;
          this.#adopt(jobs, sentAt);
          this.wakeUp();
        },
        (error) => {
          this.#isRecovering = false;
          if (!this.#isStopped) this.#options.outage.failed(error);
        },
      );
  }

  #noteAnswer(): void {
    this.#lastAnsweredAt = this.#clock.now();
    this.#options.outage.ended();
  }

  #adopt(jobs: readonly TurnJob[], sentAt: number): void {
    const now = this.#clock.now();
    for (const job of jobs) {
      const older = this.#held.under(job.id);
      // The server never hands out one claim twice, so an older attempt has lost its lease without our knowing.
      if (older !== undefined) this.#options.onSuperseded(older);
      const attempt = new Attempt(job, now, sentAt + this.#options.leaseMs);
      this.#held.add(attempt, older);
      this.#buffer.push(attempt);
    }
    // Jobs that come while nothing may begin, because the worker was paused or closed after it asked, go back at once.
    if (this.#takesNothing() && jobs.length > 0) this.#giveBackBuffered(Number.POSITIVE_INFINITY);
  }

  #acknowledge(attempt: Attempt, verdict: string | undefined): void {
    this.#held.end(attempt);
    this.#options.onAcknowledged(attempt, verdict);
  }

  // Handlers.

  #startHandlers(): void {
    if (this.#isBetweenBursts) return;
    let started = 0;
    while (this.#held.running < this.#concurrency && started < BURST_MAX) {
      const attempt = this.#buffer.shift();
      if (attempt === undefined) break;
      // Its lease was lost, or it was given back, while it waited here.
      if (attempt.phase !== "buffered") continue;
      const now = this.#clock.now();
      if (attempt.leaseUntil <= now) {
        // A handler held up the event loop, and with it the renewals: the job may run elsewhere by now. Where it does
        // not, the server takes it back, and it is claimed anew.
        settleGivenBack(attempt);
        this.settle(attempt);
        continue;
      }
      this.#held.move(attempt, "running");
      attempt.startedAt = now;
      started += 1;
      this.#hasWorked = true;
      this.#options.onStart(attempt);
    }
    if (started === BURST_MAX) this.#pauseForMicrotasks();
    if (this.#held.buffered > 0) this.#watchBuffer();
  }

  /** Starts no handler until the microtasks of those that have just started have run out. */
  #pauseForMicrotasks(): void {
    this.#isBetweenBursts = true;
    this.#afterMicrotasks(() => {
      this.#isBetweenBursts = false;
      this.#pump();
    });
  }

  #afterMicrotasks(action: () => void): void {
    void Promise.resolve().then(() => this.#engine.ports.soon(action));
  }

  /** Looks after a while whether a leased job still waits for its handler. */
  #watchBuffer(): void {
    if (this.#bufferTimer !== undefined) return;
    this.#bufferTimerAt = this.#clock.now() + HOLD_MS_MAX;
    this.#bufferTimer = this.#clock.after(
      HOLD_MS_MAX,
      () => {
        this.#bufferTimer = undefined;
        const lateMs = this.#clock.now() - this.#bufferTimerAt;
        // A blocked event loop makes every job look old; then their handlers were merely not given a chance.
        if (lateMs < HOLD_MS_MAX) this.#giveBackBuffered(this.#clock.now() - HOLD_MS_MAX);
        if (this.#held.buffered > 0) this.#watchBuffer();
      },
      { background: true },
    );
  }

  /** Gives back what came no later than `receivedUntil` and has not begun, for others to run. */
  #giveBackBuffered(receivedUntil: number): void {
    let isAny = false;
    for (let next = this.#buffer.peek(); next !== undefined && next.receivedAt <= receivedUntil; ) {
      this.#buffer.shift();
      if (next.phase === "buffered") {
        settleGivenBack(next);
        this.settle(next);
        isAny = true;
      }
      next = this.#buffer.peek();
    }
    if (isAny && !this.#takesNothing()) this.#options.lookAhead.tooSlow();
  }

  // Rest.

  #rest(): void {
    this.#waits.check();
    if (this.#takesNothing() || this.#inFlight > 0 || !this.#mayAsk() || this.#mustRecover) return;
    if (!this.#isDry || this.#hasNoSlot() || this.#options.wake.owes || this.#settled.length > 0) return;
    if (this.#letsOthersGoFirst()) this.#options.wake.disarm();
    else this.#options.wake.arm();
    if (this.#hasWorked && this.#held.size === 0) {
      this.#hasWorked = false;
      this.#options.onIdle();
    }
  }

  #isQuiet(): boolean {
    if (this.#held.size > 0 || this.#held.running > 0 || this.#settled.length > 0) return false;
    // A server that is away, or was not asked yet, is not waited for when nothing is at stake.
    if (!this.#isStarted || this.#engine.state !== "ready") return true;
    return this.#inFlight === 0 && !this.#isRecovering && !this.#mustRecover && !this.#options.wake.owes;
  }
}
