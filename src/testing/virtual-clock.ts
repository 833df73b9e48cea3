/**
 * A clock that stands still until a test moves it.
 *
 * Timers fire in order of their due time, those of one instant in the order in which they were set, and everything that
 * a timer causes is done before the next one fires. A test of a year of retries therefore runs in a moment and runs the
 * same way every time. Between two timers the host's own queue is emptied, not a fixed number of promise turns: how
 * many turns a piece of code takes is nobody's contract.
 */

import type { Clock, Timer } from "../engine/ports.ts";
import { type Duration, durationMs } from "../queue/duration.ts";

// The one thing that this port takes from its host: a turn of the event loop, after which no promise is left waiting.
declare const setTimeout: (action: () => void, ms: number) => unknown;
declare const setImmediate: ((action: () => void) => unknown) | undefined;
declare const MessageChannel:
  | (new () => {
      readonly port1: { onmessage: unknown; close(): void };
      readonly port2: { postMessage(message: null): void };
    })
  | undefined;

/** The instant at which a virtual clock starts unless told otherwise: 2024-07-01T00:00:00Z in Unix ms. */
export const VIRTUAL_EPOCH_MS = 1_719_792_000_000;

/** Timers that one call fires before it gives up, because something sets timers without end. */
const TIMERS_MAX = 1_000_000;

/** Turns of the host's queue in which `later` actions may go on causing further ones. */
const TURNS_MAX = 100_000;

export interface VirtualClockOptions {
  /** The instant at which it starts, in Unix ms; {@link VIRTUAL_EPOCH_MS} by default. */
  readonly now?: number;
}

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  readonly action: () => void;
  readonly isBackground: boolean;
}

export class VirtualClock implements Clock {
  /** What `now` says; a shift changes it and leaves the timers alone. */
  #offsetMs: number;
  /**
   * Milliseconds that passed since the start. Timers are kept by it, so that a step of the clock does not move them.
   */
  #elapsedMs = 0;
  #order = 0;
  /** In order of firing. */
  readonly #timers: Entry[] = [];
  #laterActions: (() => void)[] = [];
  #isTurning = false;
  #isMoving = false;
  /** Told when the move that is under way has ended. */
  #onceStill: (() => void)[] = [];

  constructor(options: VirtualClockOptions = {}) {
    this.#offsetMs = finite(options.now ?? VIRTUAL_EPOCH_MS, "now");
  }

  now(): number {
    return this.#offsetMs + this.#elapsedMs;
  }

  /** How many timers are set, background ones included. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /** The instant of the next timer in Unix ms; `undefined` when none is set. */
  get nextDueAt(): number | undefined {
    const next = this.#timers[0];
    return next === undefined ? undefined : this.#offsetMs + next.dueMs;
  }

  /** See {@link Clock.after}. A time below 0 counts as 0. */
  after(ms: number, action: () => void, options: { readonly background?: boolean } = {}): Timer {
    this.#order += 1;
    const entry: Entry = {
      dueMs: this.#elapsedMs + Math.max(0, ms),
      order: this.#order,
      action,
      isBackground: options.background === true,
    };
    this.#timers.splice(this.#placeOf(entry), 0, entry);
    return { cancel: () => this.#remove(entry) };
  }

  /** Runs `action` after the promises that wait now, without moving time: the `later` of a test's ports. */
  later(action: () => void): void {
    this.#laterActions.push(action);
    if (!this.#isTurning) void this.#turn();
  }

  /** Lets everything run that waits for no timer. */
  async settle(): Promise<void> {
    await hostTurn();
    for (let turns = 0; this.#laterActions.length > 0; turns++) {
      if (turns > TURNS_MAX) throw new Error(`still busy after ${TURNS_MAX} turns: something runs without end`);
      await hostTurn();
    }
  }

  /**
   * Moves time on by a duration, ms or text such as `"1h"`, firing the timers on the way, and settles before, between
   * and after.
   */
  async advance(duration: Duration): Promise<void> {
    if (typeof duration === "number" && !(duration >= 0 && Number.isFinite(duration))) {
      throw new RangeError(`a clock moves on by 0 ms or more, not by ${duration}; shift() steps back`);
    }
    // A number may be a fraction: the times of timers may be, too.
    const ms = typeof duration === "number" ? duration : durationMs(duration, "duration");
    await this.#move(async () => {
      await this.settle();
      const endMs = this.#elapsedMs + ms;
      await this.#fire((next) => next.dueMs <= endMs);
      this.#elapsedMs = endMs;
    });
  }

  /** Moves time on to an instant in Unix ms. An instant that has passed is an error. */
  async advanceTo(at: number): Promise<void> {
    finite(at, "the instant");
    await this.advance(at - this.now());
  }

  /**
   * Moves time on to an instant in Unix ms at most: `isEnough` is asked after each timer and all that it caused, and
   * time stops there when it says so.
   */
  async advanceUntil(at: number, isEnough: () => boolean): Promise<void> {
    const endMs = this.#elapsedMs + Math.max(0, finite(at, "the instant") - this.now());
    await this.#move(async () => {
      await this.settle();
      let isOver = isEnough();
      await this.#fire((next) => {
        isOver ||= isEnough();
        return !isOver && next.dueMs <= endMs;
      });
      if (!isOver && !isEnough()) this.#elapsedMs = endMs;
    });
  }

  /**
   * Moves time on from timer to timer until none is left but background ones. Resolves to the number that fired.
   *
   * Something that sets its timer again for ever, such as the beat of a running worker, is never idle: give `limitMs`,
   * and time stops there at the latest.
   */
  async runUntilIdle(options: { readonly limitMs?: number } = {}): Promise<number> {
    const { limitMs } = options;
    if (limitMs !== undefined && finite(limitMs, "limitMs") < 0) {
      throw new RangeError(`limitMs of a clock must be 0 ms or more, not ${limitMs}: time does not go back`);
    }
    const endMs = this.#elapsedMs + (limitMs ?? Number.POSITIVE_INFINITY);
    let fired = 0;
    await this.#move(async () => {
      await this.settle();
      fired = await this.#fire((next) => next.dueMs <= endMs && this.#timers.some((timer) => !timer.isBackground));
    });
    return fired;
  }

  /** Resolves when nobody moves the clock: at once, or with the end of the move that is under way. */
  async still(): Promise<void> {
    while (this.#isMoving) await new Promise<void>((resolve) => void this.#onceStill.push(resolve));
  }

  /** Steps the time that `now` says, forwards or back, as an operator or a time server does. Timers do not move. */
  shift(ms: number): void {
    this.#offsetMs += finite(ms, "the step");
  }

  async #move(action: () => Promise<void>): Promise<void> {
    if (this.#isMoving) throw new Error("the clock is being moved already: await the earlier call first");
    this.#isMoving = true;
    try {
      await action();
    } finally {
      this.#isMoving = false;
      for (const tell of this.#onceStill.splice(0)) tell();
    }
  }

  async #fire(isWanted: (next: Entry) => boolean): Promise<number> {
    let fired = 0;
    for (let next = this.#timers[0]; next !== undefined && isWanted(next); next = this.#timers[0]) {
      if (fired === TIMERS_MAX) throw new Error(`${TIMERS_MAX} timers fired and more are set: give a limit`);
      this.#timers.shift();
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.action();
      fired += 1;
      await this.settle();
    }
    return fired;
  }

  async #turn(): Promise<void> {
    this.#isTurning = true;
    await hostTurn();
    const actions = this.#laterActions;
    this.#laterActions = [];
    this.#isTurning = false;
    for (const action of actions) action();
  }

  #remove(entry: Entry): void {
    const at = this.#placeOf(entry);
    if (this.#timers[at] === entry) this.#timers.splice(at, 1);
  }

  /** The first place whose timer does not fire before `entry`. */
  #placeOf(entry: Entry): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle];
      if (other !== undefined && isBefore(other, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** One number that is none would make every later instant none. @throws RangeError */
function finite(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const shown = typeof value === "number" || typeof value === "string" ? value : typeof value;
  throw new RangeError(`${name} of a clock must be a number of milliseconds, not ${shown}`);
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

/** Resolves after a turn of the host's event loop, when no promise is left that could go on by itself. */
function hostTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else if (typeof MessageChannel === "function") turnByMessage(resolve, new MessageChannel());
    else setTimeout(resolve, 0);
  });
}

/** The turn of a browser: a zero timer would take 4 ms there when one follows another. */
function turnByMessage(resolve: () => void, { port1, port2 }: InstanceType<NonNullable<typeof MessageChannel>>): void {
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(null);
}
