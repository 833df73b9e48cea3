/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The consumer's half of a queue: takes jobs, runs the handler, settles them.
 *
 * A worker is a turn loop (what to ask the server), a handler runner (what to do with a job) and three keepers beside
 * them: of the wake rule, of the leases, and of lapsed leases. This class builds them, owns their order at start and at
 * close, and turns what they tell into events and lines of the log. No listener is ever needed: without one, what goes
 * wrong is logged, and the worker heals by itself.
 *
 * This class sees an engine only. `Worker` of the package is this class with a connection in front of it.
 */

import type { Engine, EngineState } from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { assertQueueName } from "../protocol/key.ts";
import { quote } from "../protocol/quote.ts";
import { FLOW_DEPTH_DEFAULT, WORKER_CLOSE_MS_DEFAULT } from "../queue/defaults.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { Emitter } from "../queue/emitter.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { ChildAdder } from "../queue/flow-child-adder.ts";
import type { AddedFlowJob } from "../queue/flow-landing.ts";
import { isBatchDone } from "../queue/flow-progress.ts";
import { Flows } from "../queue/flows.ts";
import { Drafter } from "../queue/job-draft.ts";
import { JobPlanner } from "../queue/job-options.ts";
import { Jobs } from "../queue/jobs.ts";
import { assertBoolean, assertKnownOptions } from "../queue/option-check.ts";
import { KEEP_ALL, type Keep, Terms } from "../queue/retention.ts";
import { QueueKeys } from "../queue/verb-call.ts";
import type { Attempt } from "./attempt.ts";
import { AttemptChildren, type ChildrenSource } from "./children.ts";
import { CloseDeadline } from "./close-deadline.ts";
import { ControlLine } from "./control-line.ts";
import { HandlerRunner, type UnknownJob } from "./handler-runner.ts";
import { HandlerTable } from "./handler-table.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { LookAhead } from "./look-ahead.ts";
import { LostLeaseLog } from "./lost-lease-log.ts";
import { Outage } from "./outage.ts";
import { OutboxPump } from "./outbox-pump.ts";
import { type PoisonHook, PoisonTeller } from "./poison-teller.ts";
import { RepeatKeeper } from "./repeat-keeper.ts";
import { Sweeper } from "./sweeper.ts";
import { TurnLoop } from "./turn-loop.ts";
import { judgeSettlement } from "./verdict.ts";
import { WakeKeeper } from "./wake-keeper.ts";
import { within } from "./within.ts";
import {
  type Handler,
  type Handlers,
  WORKER_EVENT_NAMES,
  type WorkerEvents,
  type WorkerListener,
} from "./worker-events.ts";
import { judgeHealth, type WorkerHealth } from "./worker-health.ts";
import { WorkerVerbs } from "./worker-job.ts";
import { assertConcurrency, type WorkerOptions, type WorkerSettings, workerSettings } from "./worker-options.ts";
import type { WorkerState } from "./worker-state.ts";

/**
 * How long all that follows the deadline of `close` may take together, in ms: the last settlements and give-backs, and
 * the end of what runs beside the handlers. It takes that long only when the server, or a hook, does not answer.
 */
export const CLOSE_FLUSH_MS_MAX = 1000;

/** At least so long lies between two lines about the same background service, in ms. */
const SERVICE_LINE_EVERY_MS = 60_000;

/** How long a job that died of crashes stays for the hook when none is to be kept, in ms. */
const POISON_KEPT_MS = 60_000;

/** Unknown job names that a worker tells of, at most. */
const UNKNOWN_NAMES_MAX = 1000;

/** The consumer's half of a queue on an engine. */
export class WorkerCore<Payloads = Record<string, unknown>, Result = unknown> implements AsyncDisposable {
  readonly name: string;
  /** `host:pid:boot:` and a chance part: unique to this worker, written to `owner` of the jobs that it holds. */
  readonly id: string;
  readonly #lease: EngineLease;
  readonly #engine: Engine;
  readonly #ports: Ports;
  readonly #settings: WorkerSettings;
  readonly #events: Emitter<WorkerEvents>;
  readonly #outage: Outage;
  readonly #wake: WakeKeeper;
  readonly #loop: TurnLoop;
  readonly #leases: LeaseKeeper;
  readonly #sweeper: Sweeper;
  readonly #control: ControlLine;
  readonly #pump: OutboxPump | undefined;
  /** `undefined` for a worker that is to fire no repeats. */
  readonly #repeats: RepeatKeeper | undefined;
  readonly #adder: ChildAdder;
  readonly #stopWatching: () => void;
  #state: WorkerState = "idle";
  #isPaused = false;
  #begunAt = 0;
  #running: Promise<void> | undefined;
  #endRun: () => void = () => {};
  #closing: Promise<void> | undefined;
  #deadline: CloseDeadline | undefined;
  /** The engine was asked to tell when the server is back, or why it never will be. */
  #isAwaitingReturn = false;
  readonly #lostLog: LostLeaseLog;
  readonly #poison: PoisonTeller | undefined;
  #serviceLineAt = Number.NEGATIVE_INFINITY;
  /** Names that were told of as unknown; at most {@link UNKNOWN_NAMES_MAX}. */
  readonly #unknownNames = new Set<string>();

  /**
   * @param lease the share in an engine, which {@link WorkerCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `invalid_handler`, `unknown_option`, `invalid_option`, `unsupported`; the
   *   lease is then the caller's to release, and nothing was sent.
   */
  constructor(
    name: string,
    handler: Handler<Payloads, Result> | Handlers<NoInfer<Payloads>, Result>,
    lease: EngineLease,
    options: WorkerOptions<Payloads> = {},
  ) {
    assertQueueName(name);
    const handlers = new HandlerTable(handler);
    const { engine } = lease;
    const { ports } = engine;
    const settings = workerSettings(options, engine);
    this.name = name;
    this.id = `${ports.processName}:${Math.floor(ports.random() * 36 ** 6).toString(36)}`;
    this.#lease = lease;
    this.#engine = engine;
    this.#ports = ports;
    this.#settings = settings;
    this.#events = new Emitter(WORKER_EVENT_NAMES, (error) =>
      settings.logger.error(`${this.#subject}: a listener threw`, { error }),
    );
    const keys = new QueueKeys(name);
    const lookAhead = new LookAhead(settings.lookAheadMax);
    this.#lostLog = new LostLeaseLog({ clock: ports.clock, logger: settings.logger, subject: this.#subject });
    this.#outage = this.#createOutage();
    this.#wake = new WakeKeeper({
      engine,
      key: keys.wake,
      beatMs: settings.beatMs,
      onDebt: () => this.#loop.wakeUp(),
      onBeat: () => this.#loop.onBeat(settings.beatMs),
    });
    const jobs = new Jobs(engine);
    const verbs = new WorkerVerbs(jobs, name, { codec: settings.codec, payloadBytesMax: settings.resultBytesMax });
    this.#poison =
      settings.onPoison === undefined ? undefined : this.#createPoisonTeller(settings.onPoison, jobs, verbs);
    this.#adder = this.#createChildAdder();
    const runner = this.#createRunner(handlers, verbs, lookAhead);
    this.#loop = new TurnLoop({
      engine,
      keys,
      lookAhead,
      workerId: this.id,
      names: handlers.names,
      leaseMs: settings.leaseMs,
      terms: new Terms({ completed: settings.keepCompleted, dead: settings.keepDead }),
      concurrency: settings.concurrency,
      outage: this.#outage,
      wake: this.#wake,
      onStart: (attempt) => runner.start(attempt),
      sweepInstead: () => this.#sweeper.standIn(),
      onAcknowledged: (attempt, verdict) => this.#acknowledged(attempt, verdict),
      onSuperseded: (attempt) => this.#loseLease(attempt, "the job was claimed again"),
      onIdle: () => this.#events.emit("drained"),
    });
    this.#leases = this.#createLeaseKeeper(keys, runner);
    this.#control = this.#createControlLine(keys);
    this.#sweeper = this.#createSweeper(keys);
    this.#pump = settings.carriesSignals ? this.#createPump() : undefined;
    this.#repeats = settings.firesRepeats ? this.#createRepeatKeeper() : undefined;
    this.#stopWatching = engine.onState((state) => this.#onEngineState(state));
    if (settings.autorun) void this.run();
  }

  /** Handlers that run at once. May be set at any time; fewer lets those that run finish. */
  get concurrency(): number {
    return this.#loop.concurrency;
  }

  /** Throws `invalid_option` for anything but a whole number from 1 to 10,000. */
  set concurrency(value: number) {
    assertConcurrency(value);
    this.#loop.setConcurrency(value);
  }

  /**
   * Begins to work. Resolves when the worker has been closed; rejects never, so that it need not be awaited.
   *
   * Called by the constructor unless `autorun` is false; calling it again is harmless.
   */
  run(): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    if (this.#closing !== undefined) return this.#closing;
    this.#running = new Promise((resolve) => {
      this.#endRun = resolve;
    });
    this.#state = "starting";
    this.#begunAt = this.#ports.clock.now();
    // From here on the process lives as long as the worker does.
    this.#wake.start();
    this.#engine.ready().then(
      () => this.#begin(),
      (error) => this.#giveUp(error),
    );
    return this.#running;
  }

  /**
   * Whether the worker takes part in the queue or tries to: after `run` and before `close`, also while it is paused.
   */
  isRunning(): boolean {
    return this.#state === "starting" || this.#state === "running" || this.#state === "paused";
  }

  /**
   * Whether somebody has paused this worker through the queue (`queue.pauseWorker`), as far as it has heard. It takes
   * no jobs then, whatever {@link WorkerCore.resume} says, until it is resumed there.
   */
  isPausedRemotely(): boolean {
    return this.#loop.isPausedRemotely;
  }

  /** Whether {@link WorkerCore.pause} was called, and not {@link WorkerCore.resume} since. */
  isPaused(): boolean {
    return this.#isPaused;
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#engine.ready();
  }

  /**
   * Takes no further jobs, here and not in the whole queue, and gives back what is leased and has not begun.
   *
   * @param options.waitForActive whether to resolve only when the handlers that run have ended. Default true.
   */
  async pause(options: { readonly waitForActive?: boolean } = {}): Promise<void> {
    assertKnownOptions(options, { owner: "pause", known: ["waitForActive"] });
    const { waitForActive = true } = options;
    assertBoolean(waitForActive, "waitForActive");
    this.#isPaused = true;
    if (this.#state === "running") this.#state = "paused";
    this.#loop.hold();
    if (waitForActive) await this.#loop.handlersEnded();
  }

  /** Takes jobs again. */
  resume(): void {
    this.#isPaused = false;
    if (this.#state === "paused") this.#state = "running";
    if (this.#closing === undefined) this.#loop.release();
  }

  /**
   * Closes the worker: takes no further jobs, gives back at once what has not begun, lets handlers finish, settles
   * them.
   *
   * At the deadline the handlers that still run are told to stop (`closing`), and their jobs are given back without
   * spending an attempt. Ends also when the server is away; what could not be settled runs again when its lease lapses.
   *
   * @param options.timeout how long handlers may take; default 30 s, 0 gives everything back at once. Of several calls
   *   the one whose time is over first counts.
   */
  close(options: { readonly timeout?: Duration } = {}): Promise<void> {
    assertKnownOptions(options, { owner: "close", known: ["timeout"], foreign: { force: "give timeout: 0" } });
    const timeoutMs = durationMs(options.timeout ?? WORKER_CLOSE_MS_DEFAULT, "timeout");
    this.#deadline ??= new CloseDeadline(this.#ports.clock, timeoutMs);
    this.#deadline.bringForward(timeoutMs);
    this.#closing ??= this.#close(this.#deadline);
    return this.#closing;
  }

  /** {@link WorkerCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** How the worker fares: whether it consumes, why and since when not, and whether only a restart is left. */
  health(): WorkerHealth {
    const { running, stuck, buffered, unsettled, concurrency, lastAskedAt, lastAnsweredAt } = this.#loop;
    return judgeHealth({
      state: this.#state,
      engine: this.#engine.state,
      now: this.#ports.clock.now(),
      beatMs: this.#settings.beatMs,
      begunAt: this.#begunAt,
      lastAskedAt,
      lastAnsweredAt,
      isFailing: this.#outage.isOn,
      // An idle worker sends nothing to a server that is away, so it has no failed try of its own to tell of.
      lastError: this.#outage.lastError ?? this.#engine.whyDown,
      concurrency,
      running,
      stuck,
      buffered,
      unsettled,
    });
  }

  /**
   * Listens to an event. What a listener throws, or rejects with, is logged and changes nothing for the job.
   *
   * @throws EchoMQError `unknown_option` for an event that there is not, `invalid_option` for no function.
   */
  on<Name extends keyof WorkerEvents>(name: Name, listener: WorkerListener<Payloads, Result, Name>): this {
    this.#events.on(name, listener as (...args: WorkerEvents[Name]) => unknown);
    return this;
  }

  /** {@link WorkerCore.on}, for the next event of that name only. */
  once<Name extends keyof WorkerEvents>(name: Name, listener: WorkerListener<Payloads, Result, Name>): this {
    this.#events.once(name, listener as (...args: WorkerEvents[Name]) => unknown);
    return this;
  }

  /** Ends what {@link WorkerCore.on} began; a listener that is not there is none to end. */
  off<Name extends keyof WorkerEvents>(name: Name, listener: WorkerListener<Payloads, Result, Name>): this {
    this.#events.off(name, listener as (...args: WorkerEvents[Name]) => unknown);
    return this;
  }

  get #subject(): string {
    return `worker of queue ${quote(this.name)}`;
  }

  // Building.

  #createOutage(): Outage {
    return new Outage({
      clock: this.#ports.clock,
      logger: this.#settings.logger,
      subject: this.#subject,
      onError: (error) => this.#events.emit("error", error) || this.#isToldByEngine(error),
      onRetry: () => this.#loop.wakeUp(),
    });
  }

  /** Whether the engine has a line in the same log about a connection that is gone. */
  #isToldByEngine(error: unknown): boolean {
    const isSameLog = this.#settings.logger === this.#ports.logger;
    return isSameLog && this.#engine.state === "down" && isEchoMQError(error, "disconnected");
  }

  #createRunner(handlers: HandlerTable, verbs: WorkerVerbs, lookAhead: LookAhead): HandlerRunner {
    const { codec, resultBytesMax } = this.#settings;
    const family: ChildrenSource = {
      engine: this.#engine,
      flows: new Flows(this.#engine),
      queue: this.name,
      adder: this.#adder,
      codec,
      resultBytesMax,
      terms: new Terms({ completed: this.#settings.keepCompleted, dead: this.#settings.keepDead }),
      onParked: (attempt, outcome) => {
        runner.park(attempt);
        if (outcome === "dead") this.#tellEndedByChild(attempt);
      },
    };
    const runner = new HandlerRunner({
      queue: this.name,
      workerId: this.id,
      handlers,
      lookAhead,
      verbs,
      settings: this.#settings,
      ports: this.#ports,
      onActive: (job) => this.#events.emit("active", job),
      onUnknown: (unknown) => this.#putOffUnknown(unknown),
      onStuck: (attempt, reason) => this.#tellStuck(attempt, reason),
      childrenOf: (attempt) => new AttemptChildren(family, attempt),
      isBatchDone: ({ id }) => isBatchDone(this.#engine, this.name, id),
      onSettled: (attempt) => this.#loop.settle(attempt),
      onDropped: (attempt) => this.#loop.drop(attempt),
    });
    return runner;
  }

  /** Told of the jobs of each child that a handler has added, for monitoring. */
  protected tellAdded(_jobs: readonly AddedFlowJob[]): void {}

  /** Adds the children that handlers ask for, with the codec of this worker and the defaults of a plain queue. */
  #createChildAdder(): ChildAdder {
    const { codec, telemetry } = this.#settings;
    const queue = { drafter: new Drafter(new JobPlanner(), codec), schemas: undefined };
    return new ChildAdder({
      engine: this.#engine,
      queueOf: () => queue,
      maxDepth: FLOW_DEPTH_DEFAULT,
      telemetry,
      onAdded: (jobs) => this.tellAdded(jobs),
      onError: (error) => this.#onServiceError("renewing its node number", error),
    });
  }

  #createPump(): OutboxPump {
    const { logger } = this.#settings;
    return new OutboxPump({
      engine: this.#engine,
      clock: this.#ports.clock,
      queue: this.name,
      logger,
      onError: (error) => this.#onServiceError("delivering signals of children", error),
    });
  }

  #createRepeatKeeper(): RepeatKeeper {
    return new RepeatKeeper({
      engine: this.#engine,
      clock: this.#ports.clock,
      queue: this.name,
      logger: this.#settings.logger,
      onError: (error) => this.#onServiceError("firing schedulers", error),
    });
  }

  #createPoisonTeller(hook: PoisonHook, jobs: Jobs, verbs: WorkerVerbs): PoisonTeller {
    const { codec, resultBytesMax, logger } = this.#settings;
    return new PoisonTeller({
      hook,
      jobs,
      queue: this.name,
      reader: { verbs, codec, payloadBytesMax: resultBytesMax },
      clock: this.#ports.clock,
      logger,
      subject: this.#subject,
    });
  }

  #createLeaseKeeper(keys: QueueKeys, runner: HandlerRunner): LeaseKeeper {
    return new LeaseKeeper({
      engine: this.#engine,
      clock: this.#ports.clock,
      keys,
      leaseMs: this.#settings.leaseMs,
      held: () => this.#loop.held(),
      heldUnder: (id) => this.#loop.heldUnder(id),
      onLost: (attempt, why) => this.#loseLease(attempt, why),
      onCancelled: (attempt, error) => runner.cancel(attempt, error),
      onError: (error) => this.#onServiceError("renewing leases", error),
    });
  }

  #createControlLine(keys: QueueKeys): ControlLine {
    return new ControlLine({
      engine: this.#engine,
      channel: keys.control,
      workerId: this.id,
      logger: this.#settings.logger,
      onCancel: (id) => void this.#leases.lookForCancel(id),
      onPause: () => this.#loop.tellOfItself(),
      onSignals: () => this.#pump?.kick(),
      onRepeat: () => this.#repeats?.kick(),
    });
  }

  #createSweeper(keys: QueueKeys): Sweeper {
    return new Sweeper({
      engine: this.#engine,
      clock: this.#ports.clock,
      keys,
      logger: this.#settings.logger,
      beatMs: this.#settings.beatMs,
      crashLimit: this.#settings.crashLimit,
      keepDead: this.#keepLapsed(),
      onSent: () => this.#loop.sweepSent(),
      onAnswered: (sentAt, mayHaveWork) => this.#loop.sweepAnswered(sentAt, mayHaveWork),
      onSignals: () => this.#pump?.kick(),
      onRepeatIn: (ms) => this.#repeats?.expect(ms),
      onDead: (ids) => this.#poison?.tell(ids),
      onError: (error) => {
        this.#loop.sweepFailed();
        this.#onServiceError("sweeping", error);
      },
    });
  }

  /** What is kept of dead jobs by sweeps: a job that the hook is to be told of stays until it has been read. */
  #keepLapsed(): Keep {
    const { keepDead, onPoison } = this.#settings;
    return keepDead.count === 0 && onPoison !== undefined ? { count: KEEP_ALL, ms: POISON_KEPT_MS } : keepDead;
  }

  // Life.

  #begin(): void {
    if (this.#closing !== undefined) return;
    this.#state = this.#isPaused ? "paused" : "running";
    this.#loop.start();
    this.#leases.start();
    this.#sweeper.start();
    this.#control.start();
    this.#pump?.start();
    this.#repeats?.start();
  }

  /** The server will never serve this worker. It says so and lets the process end. */
  #giveUp(error: unknown): void {
    if (this.#closing !== undefined || this.#state === "failed") return;
    this.#state = "failed";
    const reason = new EchoMQError("lease_lost", "The server serves this worker no more, so the lease will lapse", {
      cause: error,
    });
    for (const attempt of this.#loop.held()) if (attempt.phase === "running") attempt.stop(reason);
    this.#outage.stop();
    this.#loop.stop();
    // Leases that nobody settles must lapse, so that others run those jobs.
    void Promise.all(this.#stopServices());
    if (!this.#events.emit("error", error)) {
      const why = causeText(error);
      this.#settings.logger.error(`${this.#subject}: it cannot work: ${why}`);
    }
    this.#endRun();
  }

  #onEngineState(state: EngineState): void {
    if (this.#state !== "running" && this.#state !== "paused" && this.#state !== "closing") return;
    if (state === "ready") {
      // A token may have gone down with the connection, and so may have renewals.
      this.#wake.owe();
      this.#leases.kick();
      this.#control.start();
      this.#pump?.kick();
      this.#repeats?.kick();
      this.#outage.retryNow();
    } else if (state === "closed" && this.#closing === undefined) {
      this.#giveUp(new EchoMQError("closed", "The engine under the worker was closed"));
    } else if (state === "down" && !this.#isAwaitingReturn) {
      // Away for a while, or for good: a password or the fence may have changed meanwhile.
      this.#isAwaitingReturn = true;
      this.#engine.ready().then(
        () => {
          this.#isAwaitingReturn = false;
        },
        (error) => this.#giveUp(error),
      );
    }
    this.#loop.wakeUp();
  }

  async #close(deadline: CloseDeadline): Promise<void> {
    const hasBegun = this.#state === "running" || this.#state === "paused";
    const { clock } = this.#ports;
    this.#state = "closing";
    this.#loop.hold();
    if (hasBegun) {
      await deadline.waitFor(this.#loop.quiet());
      this.#stopHandlers();
      await this.#flush({ deadlineAt: deadline.at, endAt: deadline.at + CLOSE_FLUSH_MS_MAX });
    }
    this.#outage.stop();
    this.#loop.stop();
    this.#lostLog.stop();
    this.#stopWatching();
    const leftMs = () => deadline.at + CLOSE_FLUSH_MS_MAX - clock.now();
    // What the last settlements told parents elsewhere must not wait for another process.
    if (hasBegun) await within(clock, this.#pump?.drained() ?? Promise.resolve(), leftMs());
    const services = Promise.all([...this.#stopServices(), this.#adder.release()]);
    // A sweep that was under way may have found more to tell.
    await within(
      clock,
      services.then(() => this.#poison?.ended()),
      leftMs(),
    );
    this.#poison?.abandon();
    try {
      await this.#lease.release();
    } finally {
      // A connection that cannot be ended is told by `close`; whoever waits for the worker alone need not wait for it.
      this.#state = "closed";
      this.#events.emit("closed");
      this.#endRun();
    }
  }

  #stopServices(): Promise<void>[] {
    const services = [this.#wake, this.#leases, this.#sweeper, this.#control, this.#pump, this.#repeats];
    return services.flatMap((service) => (service === undefined ? [] : [service.stop()]));
  }

  /** Tells the handlers that still run to stop, and gives their jobs back. */
  #stopHandlers(): void {
    const reason = new EchoMQError("closing", "The worker is closing and gives the job back");
    for (const attempt of this.#loop.held()) if (attempt.phase === "running") attempt.stop(reason);
    this.#loop.abandonRunning();
  }

  /** The last settlements, and the last act of all: it answers for a token that came while the worker closed. */
  async #flush(until: { readonly deadlineAt: number; readonly endAt: number }): Promise<void> {
    const { clock } = this.#ports;
    // Only a server that is there gets the time after the deadline.
    const leftMs = () => (this.#engine.state === "ready" ? until.endAt : until.deadlineAt) - clock.now();
    await within(clock, this.#loop.quiet(), leftMs());
    await within(clock, this.#wake.stop(), until.endAt - clock.now());
    if (this.#engine.state === "ready") {
      this.#wake.owe();
      this.#loop.wakeUp();
      await within(clock, this.#loop.quiet(), leftMs());
    }
    const left = this.#loop.unsettled;
    if (left > 0) {
      this.#settings.logger.warn(
        `${this.#subject}: closed before the server had acknowledged ${left} settlements; those jobs may run again`,
      );
    }
  }

  // What happens to jobs.

  #acknowledged(attempt: Attempt, verdict: string | undefined): void {
    // Nearly all go as asked, and then the time of the answer says nothing.
    const now = verdict === undefined ? 0 : this.#ports.clock.now();
    const judgement = judgeSettlement(attempt, verdict, now);
    switch (judgement.kind) {
      case "completed":
        if (attempt.job !== undefined) this.#events.emit("completed", attempt.job, attempt.outcome);
        return;
      case "failed":
        if (attempt.job !== undefined) this.#events.emit("failed", attempt.job, attempt.outcome, judgement.outcome);
        return;
      case "returned":
        return;
      case "lost":
        if (!attempt.isLost) this.#tellLost(attempt, judgement.why);
        return;
    }
  }

  /** The lease of a buffered or running attempt is over. */
  #loseLease(attempt: Attempt, why: string): void {
    if (attempt.isLost || attempt.isParking) return;
    attempt.isLost = true;
    this.#tellLost(attempt, why);
    attempt.stop(new EchoMQError("lease_lost", `The lease of job ${attempt.id} is over: ${why}`));
    if (attempt.phase === "buffered") this.#loop.drop(attempt);
  }

  /** A job that wanted to rest is dead, because a child that it cannot do without has failed. */
  #tellEndedByChild(attempt: Attempt): void {
    const error = new EchoMQError("job_failed", `Job ${attempt.id} is dead, because one of its children failed`, {
      details: { id: attempt.id },
    });
    if (attempt.job !== undefined) this.#events.emit("failed", attempt.job, error, "dead");
  }

  /** The slot of a handler was taken from it, because it ignored that it was told to stop. */
  #tellStuck(attempt: Attempt, error: EchoMQError): void {
    this.#settings.logger.warn(
      `job ${attempt.id}: its handler was told to stop (${error.code}) and still runs; its slot is free without it`,
    );
    this.#events.emit("stuck", attempt.job, { id: attempt.id, error });
  }

  #tellLost(attempt: Attempt, why: string): void {
    this.#lostLog.note(attempt.id, why);
    this.#events.emit("lease-lost", attempt.job, { id: attempt.id, why });
  }

  /** A job of a name that no handler has is given back. It is told once a name. */
  #putOffUnknown({ id, name, delayMs }: UnknownJob): void {
    this.#loop.expectForOthers(delayMs);
    const names = this.#unknownNames;
    if (names.has(name) || names.size > UNKNOWN_NAMES_MAX) return;
    names.add(name);
    const more = names.size > UNKNOWN_NAMES_MAX ? "; further names are not told any more" : "";
    this.#settings.logger.warn(
      `${this.#subject}: there is no handler for jobs named ${quote(name)}; they are given back for other workers${more}`,
      { id },
    );
    this.#events.emit("unknown-name", { id, name });
  }

  // Faults.

  #onServiceError(what: string, error: unknown): void {
    // While the server is away the turn loop says so.
    if (this.#outage.isOn || this.#engine.state !== "ready" || this.#closing !== undefined) return;
    if (this.#events.emit("error", error)) return;
    const now = this.#ports.clock.now();
    if (now - this.#serviceLineAt < SERVICE_LINE_EVERY_MS) return;
    this.#serviceLineAt = now;
    const why = causeText(error);
    this.#settings.logger.warn(`${this.#subject}: ${what} failed: ${why}`);
  }
}
