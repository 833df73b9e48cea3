/**
 * Fires the repeats of one queue: makes the job of each slot, at its time by the server's clock.
 *
 * There is one timer, set for the next slot of the queue, and no beat. It is set anew when a slot has been fired, when
 * somebody makes an earlier one (a message on the channel `control`), and by every sweep, which says how long it is
 * until the next; so a message that is lost costs two beats. Where nobody sweeps, it looks by itself once in a while.
 *
 * Any number of keepers may work on one queue. What is to be done is worked out from the record and the server's clock
 * alone, and the act that does it does so once; whoever comes second learns that there is nothing left to do. A keeper
 * that dies, stops or sleeps between looking and firing has done nothing.
 */

import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { textOf } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { type FiringDecision, type FiringPolicy, firingDecision } from "../queue/firing-plan.ts";
import { type MintSource, openMint } from "../queue/mint-source.ts";
import { type Recurrence, recurrenceOf } from "../queue/recurrence.ts";
import { type DueRepeat, type DueRepeats, type FiringOutcome, Repeats } from "../queue/repeats.ts";
import { type PeriodicOptions, PeriodicService } from "./service.ts";

/** Repeats of each set that one act tells of. */
const DUE_LIMIT = 100;

/** Acts of firing on their way at once. */
const AT_ONCE = 16;

/** Looks of one round, at most: a round that is longer goes on in the next one. */
const LOOKS_PER_ROUND_MAX = 50;

/** First and longest rest while the server is away or refuses, in ms; each is twice the one before. */
const REST_MS_MIN = 100;
const REST_MS_MAX = 5000;

/** After how long a repeat is tried again that cannot be fired here, in ms. */
const STUCK_MS = 60_000;

/** By how much a sweep must tell of an earlier slot, in ms: clocks are rounded. */
const EARLIER_MS = 20;

/** Rules that are kept ready, and repeats of which a line was written. */
const RULES_KEPT_MAX = 1000;

/** What a {@link RepeatKeeper} works with. */
export interface RepeatKeeperOptions extends PeriodicOptions {
  readonly engine: Engine;
  readonly queue: string;
  readonly logger: Logger;
  /** How often it looks without being told, in ms; `undefined` for never, where sweeps tell of the next slot. */
  readonly idleMs?: number;
}

/** What one round has tried and what is in its way. */
interface Round {
  /** The occurrences that were tried. */
  readonly tried: Set<string>;
  /** Repeats to pass over, since they were tried and are due all the same. */
  readonly offsets: { repeat: number; cron: number };
  /** The last error that an act ended with. */
  failure: { readonly error: unknown } | undefined;
}

/** The firing service of one queue. */
export class RepeatKeeper extends PeriodicService {
  readonly #options: RepeatKeeperOptions;
  readonly #repeats: Repeats;
  /** By the text of the rule; what is wrong with one that cannot be read. */
  readonly #rules: Map<string, Recurrence | EchoMQError> = new Map();
  /** When a line was last written about a repeat that cannot be fired. */
  readonly #linedAt: Map<string, number> = new Map();
  #mint: MintSource | undefined;
  #nextInMs = Number.POSITIVE_INFINITY;
  /** When the next round comes because of {@link RepeatKeeper.#nextInMs}, by the host's clock. */
  #nextRoundAt = Number.POSITIVE_INFINITY;
  #restMs = 0;
  /** Something is due that cannot be fired here, so sweeps tell nothing new. */
  #isStuck = false;

  constructor(options: RepeatKeeperOptions) {
    super(options);
    this.#options = options;
    this.#repeats = new Repeats(options.engine);
  }

  /** The next slot of the queue is `ms` away, as a sweep told; below 0 for none. */
  expect(ms: number): void {
    if (ms < 0 || this.#restMs > 0 || this.#isStuck) return;
    // A round that runs, or is due about as early, finds it.
    if (this.#options.clock.now() + ms < this.#nextRoundAt - EARLIER_MS) this.kick();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#mint?.release();
  }

  protected override firstDelayMs(): number {
    return 0;
  }

  protected override nextDelayMs(): number {
    const { idleMs = Number.POSITIVE_INFINITY, clock } = this.#options;
    const ms = this.#restMs > 0 ? this.#restMs : Math.min(this.#nextInMs, idleMs);
    this.#nextRoundAt = clock.now() + ms;
    return ms;
  }

  protected override async round(): Promise<void> {
    if (this.#options.engine.state !== "ready") return;
    // It holds until the round has shown that nothing is in the way.
    this.#restMs = Math.min(Math.max(this.#restMs * 2, REST_MS_MIN), REST_MS_MAX);
    const round: Round = { tried: new Set(), offsets: { repeat: 0, cron: 0 }, failure: undefined };
    this.#nextInMs = await this.#fireAll(round);
    if (round.failure !== undefined) throw round.failure.error;
    this.#restMs = 0;
  }

  /** Fires what is due; answers how long it is until the next look, in ms. */
  async #fireAll(round: Round): Promise<number> {
    for (let looks = 0; looks < LOOKS_PER_ROUND_MAX && this.isRunning; looks++) {
      const found = await this.#repeats.due(this.#options.queue, { limit: DUE_LIMIT, offsets: round.offsets });
      const fresh = this.#untried(round, found);
      if (fresh.length === 0 && !isFull(found)) {
        const nextInMs = found.nextAtMs === undefined ? Number.POSITIVE_INFINITY : found.nextAtMs - found.nowMs;
        this.#isStuck = found.entries.length > 0 || round.offsets.repeat + round.offsets.cron > 0;
        return this.#isStuck ? Math.min(nextInMs, STUCK_MS) : nextInMs;
      }
      await this.#fireSome(round, fresh, found.nowMs);
      if (round.failure !== undefined) return 0;
    }
    return 0;
  }

  /** The entries that this round has not tried; those that it has are passed over from now on. */
  #untried(round: Round, { entries }: DueRepeats): DueRepeat[] {
    const fresh: DueRepeat[] = [];
    for (const entry of entries) {
      const key = `${entry.set} ${entry.dueAtMs} ${entry.name}`;
      if (!round.tried.has(key)) fresh.push(entry);
      else if (entries.length >= DUE_LIMIT) round.offsets[entry.set]++;
      round.tried.add(key);
    }
    return fresh;
  }

  /** Fires some repeats, from a chance one on, so that keepers that look together do not all try the same. */
  async #fireSome(round: Round, entries: readonly DueRepeat[], nowMs: number): Promise<void> {
    const from = Math.floor(this.#options.engine.ports.random() * entries.length);
    const turned = [...entries.slice(from), ...entries.slice(0, from)];
    for (let at = 0; at < turned.length && this.isRunning && round.failure === undefined; at += AT_ONCE) {
      await Promise.all(turned.slice(at, at + AT_ONCE).map((entry) => this.#fireOne(round, entry, nowMs)));
    }
  }

  async #fireOne(round: Round, entry: DueRepeat, nowMs: number): Promise<void> {
    try {
      await this.#fire(entry, nowMs);
    } catch (error) {
      // What lies in the way of this one alone keeps no other back.
      if (isEchoMQError(error) && !error.retryable && OWN_FAULTS.has(error.code)) this.#tellStuck(entry, error);
      else round.failure = { error };
    }
  }

  async #fire(entry: DueRepeat, nowMs: number): Promise<FiringOutcome | "kind" | "skipped" | "changed"> {
    const { queue } = this.#options;
    const name = textOf(entry.name);
    const { set, dueAtMs } = entry;
    // A repeat of the wire before this one is all in its record; so is one that has none, which goes by this.
    if (entry.rule === "") return await this.#repeats.fire(queue, name, { id: await this.#mintId(), dueAtMs }, set);
    const recurrence = this.#recurrenceOf(entry.rule);
    const policy = policyOf(entry);
    const decision = firingDecision(entry, { recurrence, policy, nowMs });
    this.#tellMissed(name, decision);
    if (decision.kind === "skip") {
      const { nextAtMs, skipped } = decision;
      return await this.#repeats.skip(queue, name, { dueAtMs, rev: entry.rev, nextAtMs, skipped }, set);
    }
    const { slotAtMs, nextAtMs, skipped } = decision;
    const delayMs = Math.floor(this.#options.engine.ports.random() * ((policy.jitter ?? 0) + 1));
    const plan = { rev: entry.rev, slotAtMs, delayMs, ...(skipped === undefined ? {} : { skipped }) };
    return await this.#repeats.fire(queue, name, { id: await this.#mintId(), dueAtMs, nextAtMs, plan }, set);
  }

  /** The rule of a record. Making one costs more than firing it, so they are kept; they depend on their text alone. */
  #recurrenceOf(rule: string): Recurrence {
    const made = this.#rules.get(rule) ?? readRule(rule);
    if (this.#rules.size >= RULES_KEPT_MAX) this.#rules.clear();
    this.#rules.set(rule, made);
    if (made instanceof EchoMQError) throw made;
    return made;
  }

  async #mintId(): Promise<string> {
    this.#mint ??= openMint(this.#options.engine, undefined, (error) =>
      this.#options.logger.debug("The node number of the mint could not be renewed", { error }),
    );
    const id = this.#mint.tryMint("JOB");
    if (id !== undefined) return id;
    await this.#mint.whenReady();
    const late = this.#mint.tryMint("JOB");
    if (late !== undefined) return late;
    throw new EchoMQError("timeout", "No id could be minted: the clock of this machine keeps running away");
  }

  #tellMissed(name: string, { skipped }: FiringDecision): void {
    if (skipped === undefined || skipped.count === 0 || skipped.why !== "missed") return;
    const { queue, logger } = this.#options;
    logger.warn(`queue ${queue}: slots of the scheduler ${quote(name)} were missed and are left out`, {
      count: skipped.count,
      last: skipped.slotAtMs,
    });
  }

  #tellStuck({ name, set }: DueRepeat, error: unknown): void {
    const { queue, logger, clock } = this.#options;
    const key = `${set} ${name}`;
    if (clock.now() - (this.#linedAt.get(key) ?? Number.NEGATIVE_INFINITY) < STUCK_MS) return;
    if (this.#linedAt.size >= RULES_KEPT_MAX) this.#linedAt.clear();
    this.#linedAt.set(key, clock.now());
    const why = causeText(error);
    logger.error(`queue ${queue}: the scheduler ${quote(textOf(name))} cannot be fired here: ${why}`, { queue });
  }
}

/** Faults of one record, or of this platform with it; any other is one of the server or the way to it. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  "invalid_schedule",
  "invalid_pattern",
  "invalid_time_zone",
  "invalid_name",
  "invalid_option",
  "refused",
  "full",
]);

/** The slots of a rule, or what is wrong with it. */
function readRule(rule: string): Recurrence | EchoMQError {
  try {
    return recurrenceOf(textOf(rule));
  } catch (error) {
    if (error instanceof EchoMQError) return error;
    throw error;
  }
}

/** Whether there may be more of a set than was told. */
function isFull({ entries }: DueRepeats): boolean {
  const cron = entries.filter(({ set }) => set === "cron").length;
  return cron >= DUE_LIMIT || entries.length - cron >= DUE_LIMIT;
}

/** The policy of a record; one that cannot be read is the default. */
function policyOf({ policy }: DueRepeat): FiringPolicy {
  if (policy === "") return {};
  try {
    const value: unknown = JSON.parse(textOf(policy));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
