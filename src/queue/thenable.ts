/**
 * Tells a promise of any kind from a value, so that a value need not pay for an `await`.
 */

/** Whether the platform would await it. Throws what reading `then` throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}
