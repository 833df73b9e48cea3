/**
 * What a checksum run leaves out, counted by reason.
 *
 * A folder of a real machine holds links, sockets and files that one may not read; none of them is a failure of the
 * run, and none may be left out in silence.
 */

/** Why something was left out, with the words that the summary uses. */
export const SKIP_WORDS = {
  link: "symbolic links, which are not followed",
  special: "sockets, pipes and devices",
  vanished: "files that vanished meanwhile",
  unreadable: "folders or files that may not be read",
  name: "names that are no UTF-8",
  limit: "files beyond the bound of one run",
} as const;

/** Why a file or folder was left out. */
export type SkipReason = keyof typeof SKIP_WORDS;

/** Counts by reason. */
export class Skips {
  readonly #counts = new Map<SkipReason, number>();

  add(reason: SkipReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** The counts above 0, by reason. */
  toRecord(): Partial<Record<SkipReason, number>> {
    return Object.fromEntries(this.#counts);
  }
}

/** The reason behind an error of the file system. */
export function skipReasonOf(error: unknown): SkipReason {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ESTALE") return "vanished";
  if (code === "ELOOP") return "link";
  if (code === "ENXIO") return "special";
  return "unreadable";
}
