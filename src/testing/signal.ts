/**
 * A signal: what a test waits for in place of a pause.
 *
 * Code under test calls `emit` at the moments that matter, or a test hands `emit` to it as a listener. Unless a test
 * has armed the signal a call costs one comparison and keeps nothing, so signals may stay where they are in production.
 * Once armed nothing is missed: what is emitted before anybody waits is kept for the next one who does.
 */

/** Values that an armed signal keeps for a test that does not fetch them. More is an error of the test. */
export const SIGNAL_VALUES_MAX = 10_000;

interface Waiting<T> {
  readonly matches: (value: T) => boolean;
  readonly resolve: (value: T) => void;
}

export class Signal<T = void> {
  /** Written by the test that arms it; `undefined` while nobody cares. */
  #kept: T[] | undefined;
  readonly #waiting: Waiting<T>[] = [];

  /** Tells that it happened. Bound, so that it can be handed out as a listener. */
  readonly emit = (value: T): void => {
    if (this.#kept !== undefined) this.#deliver(value, this.#kept);
  };

  get isArmed(): boolean {
    return this.#kept !== undefined;
  }

  /** From now on values are kept. Arming twice is arming once. Returns the signal. */
  arm(): this {
    this.#kept ??= [];
    return this;
  }

  /** Forgets what was kept and keeps no more. Who waits goes on waiting for a signal that is armed again. */
  disarm(): void {
    this.#kept = undefined;
  }

  /**
   * The oldest kept value that `matches` accepts, any without it, or else the next one. Each value is given to one
   * waiter only. Arms the signal.
   */
  next(matches: (value: T) => boolean = () => true): Promise<T> {
    this.#kept ??= [];
    const at = this.#kept.findIndex((value) => matches(value));
    if (at >= 0) return Promise.resolve(this.#kept.splice(at, 1)[0] as T);
    return new Promise((resolve) => {
      this.#waiting.push({ matches, resolve });
    });
  }

  /** The next `count` values, in order. */
  async take(count: number): Promise<T[]> {
    const values: T[] = [];
    while (values.length < count) values.push(await this.next());
    return values;
  }

  #deliver(value: T, kept: T[]): void {
    const at = this.#waiting.findIndex((waiting) => waiting.matches(value));
    if (at >= 0) {
      this.#waiting.splice(at, 1)[0]?.resolve(value);
      return;
    }
    if (kept.length === SIGNAL_VALUES_MAX)
      throw new Error(`a signal keeps ${SIGNAL_VALUES_MAX} values that nobody fetched`);
    kept.push(value);
  }
}
