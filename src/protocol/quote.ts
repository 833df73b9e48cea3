/**
 * Shows a refused value inside an error message.
 *
 * The value may be anything and of any size, and the message may end in a log: so text is quoted with its control
 * characters escaped and cut short, and of an object only the kind is told.
 */

/** Characters of a text that a message shows; enough for an id and for most queue names. */
const SHOWN_MAX = 48;

/** A short and printable form of `value`. */
export function quote(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value);
  }
  if (value instanceof Uint8Array) return `a byte array of length ${value.length}`;
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return String(value);
}
