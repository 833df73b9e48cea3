/**
 * What went wrong, for the end of a message that says what failed.
 *
 * Anything can be thrown, also what cannot be made a text: an object without a prototype, a proxy full of traps. An
 * error about an error would hide the first one, so this never throws.
 */

/** The message of an error, or the text of whatever else was thrown. */
export function causeText(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.message : String(cause);
  } catch {
    return "a value that cannot be shown was thrown";
  }
}
