/**
 * Text of unknown origin on its way to a terminal.
 *
 * A key or the name of a file may hold any character, also those that move the cursor or change colours.
 */

/** The text with control characters as escapes; printable text stays as it is. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Text cut at `columns` characters, with a mark where something is left out. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns) return text;
  return `${text.slice(0, Math.max(0, columns - 1)).replace(/\p{Surrogate}$/u, "")}…`;
}

/** The text as one word of a command line for a shell, for lines that are to be typed again. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${printable(text).replaceAll("'", `'\\''`)}'`;
}

/** "one job", "30 jobs". */
export function jobCount(count: number, kind = ""): string {
  const words = kind === "" ? "" : `${kind} `;
  return count === 1 ? `one ${words}job` : `${count} ${words}jobs`;
}

/** "one queue", "30 queues". */
export function queueCount(count: number): string {
  return count === 1 ? "one queue" : `${count} queues`;
}
