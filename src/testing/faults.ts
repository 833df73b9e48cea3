/**
 * Faults that a test asks for: calls that are refused, answers that are lost, a server that is away.
 *
 * They meet acts on the way between queue or worker and the store, as a network's and a server's faults do; the store
 * itself stays sound. What code sees of each is what it sees of a real server: the same codes, and the same waits, on
 * the virtual clock.
 */

import type { EngineState } from "../engine/engine.ts";
import type { Clock, Timer } from "../engine/ports.ts";
import { ERROR_CODES, type ErrorCode } from "../protocol/error-codes.generated.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { VERBS, type Verb } from "../protocol/verbs.generated.ts";
import { type Duration, durationMs } from "../queue/duration.ts";
import { assertKnownOptions, assertWhole, nearestName } from "../queue/option-check.ts";

/** How long a call waits for a server that is away, in ms: what a connection's `commandTimeoutMs` is by default. */
const AWAY_MS_MAX = 5000;

/** Faults that are armed at once, at most. */
const ARMED_MAX = 1000;

/** Which calls a fault meets. */
export interface FaultOptions {
  /**
   * Only acts of this verb: `"ADMIT"` adds, `"TURN"` is what workers send to settle and claim. Default: the next act,
   * whichever it is.
   */
  readonly verb?: Verb;
  /** How many acts it meets, 1 to 1000. Default 1. */
  readonly times?: number;
  /** The code of the error. Default `server_busy` for a refusal, `disconnected` for a lost answer. */
  readonly code?: ErrorCode;
}

/** An outage that was begun. */
export interface Outage {
  /** The server is back: what waits for it goes on. Calling it twice is harmless. */
  end(): void;
}

/** What meets one act. */
export interface Fault {
  /** `before`: it is not done. `after`: it is done, and nobody learns of it. */
  readonly when: "before" | "after";
  readonly error: EchoMQError;
}

interface Armed {
  readonly when: Fault["when"];
  readonly verb: Verb | undefined;
  readonly code: ErrorCode;
  left: number;
}

export class Faults {
  readonly #clock: Clock;
  readonly #tell: (state: EngineState) => void;
  readonly #armed: Armed[] = [];
  /** Calls that wait for the end of the outage. */
  readonly #waiting = new Set<() => void>();
  #endTimer: Timer | undefined;
  #isAway = false;

  /** @param tell hears of the engine's state when it changes. */
  constructor(clock: Clock, tell: (state: EngineState) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Whether the server is away now. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The next act is not done, and rejects: the server refuses it, `server_busy` unless `code` says otherwise. */
  refuseNext(options: FaultOptions = {}): void {
    this.#arm("before", options, "server_busy");
  }

  /** The next act is done, but its answer never comes: it rejects with `disconnected`. */
  loseNextAnswer(options: FaultOptions = {}): void {
    this.#arm("after", options, "disconnected");
  }

  /**
   * The server is away from now on. Calls wait for it up to 5 s on the virtual clock and then reject with
   * `disconnected`, undone; workers wait, and settle when it is back.
   *
   * @param duration ends it by itself after so long. Default: when `end` is called, or the world closes.
   */
  outage(duration?: Duration): Outage {
    const ms = duration === undefined ? undefined : durationMs(duration, "duration");
    if (this.#isAway) throw new Error("the server is away already: end that outage first");
    this.#isAway = true;
    this.#tell("down");
    if (ms !== undefined) this.#endTimer = this.#clock.after(ms, () => this.end());
    return { end: () => this.end() };
  }

  /** Ends an outage, if there is one. */
  end(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#endTimer?.cancel();
    this.#endTimer = undefined;
    this.#tell("ready");
    for (const go of this.#waiting) go();
  }

  /** Takes back everything that is armed, and ends an outage. */
  clear(): void {
    this.#armed.length = 0;
    this.end();
  }

  /** The fault that meets this act; `undefined` for none. */
  next(verb: Verb): Fault | undefined {
    const at = this.#armed.findIndex((armed) => armed.verb === undefined || armed.verb === verb);
    const armed = this.#armed[at];
    if (armed === undefined) return undefined;
    armed.left -= 1;
    if (armed.left === 0) this.#armed.splice(at, 1);
    const what = armed.when === "before" ? "was not done" : "was done, and its answer is lost";
    return { when: armed.when, error: new EchoMQError(armed.code, `A test asked for this: ${verb} ${what}`) };
  }

  /** Resolves when the server is there. */
  async back(): Promise<void> {
    if (!this.#isAway) return;
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        this.#waiting.delete(go);
        timer.cancel();
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(go);
        const details = { sent: false };
        reject(new EchoMQError("disconnected", "A test keeps the server away: the call was not sent", { details }));
      };
      const timer = this.#clock.after(AWAY_MS_MAX, giveUp, { background: true });
      this.#waiting.add(go);
    });
  }

  #arm(when: Fault["when"], options: FaultOptions, codeDefault: ErrorCode): void {
    assertKnownOptions(options, { owner: "a fault", known: ["verb", "times", "code"] });
    const { verb, times = 1, code = codeDefault } = options;
    assertWhole(times, "times", { min: 1, max: 1000 });
    if (verb !== undefined) assertOneOf(verb, "verb", VERBS);
    assertOneOf(code, "code", ERROR_CODES);
    if (this.#armed.length === ARMED_MAX) throw new Error(`${ARMED_MAX} faults are armed already`);
    this.#armed.push({ when, verb, code, left: times });
  }
}

/** A fault of a mistyped verb would meet no act, and the test would pass without it. @throws EchoMQError */
function assertOneOf(value: unknown, option: string, known: object): void {
  if (typeof value === "string" && Object.hasOwn(known, value)) return;
  const nearest = typeof value === "string" ? nearestName(value, Object.keys(known)) : undefined;
  const advice = nearest === undefined ? "" : `: did you mean ${nearest}?`;
  throw new EchoMQError("invalid_option", `${option} of a fault is not known: ${quote(value)}${advice}`, {
    details: { option },
  });
}
