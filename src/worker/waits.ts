/**
 * Promises that resolve when a condition is met, looked at whenever its owner has done something.
 *
 * Bounded by the calls that wait; each leaves with its condition, and all of them at the end.
 */

/** The waits for one owner's conditions. */
export class Waits {
  readonly #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];
  #isOver = false;

  /** Resolves when the condition is met, at once if it is, or when nothing is to be waited for any more. */
  until(isMet: () => boolean): Promise<void> {
    if (this.#isOver || isMet()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ isMet, resolve });
    });
  }

  /** Resolves what was waited for and has come. */
  check(): void {
    if (this.#waiting.length === 0) return;
    for (const waiting of this.#waiting.splice(0)) {
      if (this.#isOver || waiting.isMet()) waiting.resolve();
      else this.#waiting.push(waiting);
    }
  }

  /** Resolves all, and every later wait at once. */
  end(): void {
    this.#isOver = true;
    this.check();
  }
}
