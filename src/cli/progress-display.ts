/**
 * Shows how far long work is: one line that is drawn over again on a terminal, plain lines everywhere else.
 *
 * Plain lines come at most once a second, so that a log of long work stays readable; what happens in between (a retry,
 * a dead job) is a line of its own at once. On a terminal such a line scrolls away above the bar.
 */

import { type Host, paint } from "./host.ts";

/** Where the work stands. */
export interface Progress {
  /** From 0 to 1; `undefined` while nobody knows how much there is, and then no bar is drawn. */
  readonly share: number | undefined;
  /** The rest of the line. */
  readonly text: string;
}

const BAR_REDRAW_MS = 80;
const LINE_MS = 1000;
const BAR_CELLS = 24;

/** To the first column, and clear to the end of the line. */
const CLEAR_LINE = "\r\u001b[2K";

/** The display of one piece of work. */
export class ProgressDisplay {
  readonly #host: Host;
  readonly #progress: () => Progress;
  readonly #stop: () => void;
  #lastLine = "";

  /** Starts at once; {@link ProgressDisplay.end} stops it. `progress` is asked each time that something is drawn. */
  constructor(host: Host, progress: () => Progress) {
    this.#host = host;
    this.#progress = progress;
    this.#stop = host.every(host.out.isTerminal ? BAR_REDRAW_MS : LINE_MS, () => this.#draw());
  }

  /** Writes a line of its own. */
  note(text: string): void {
    const { out } = this.#host;
    out.write(out.isTerminal ? `${CLEAR_LINE}${text}\n` : `${text}\n`);
    if (out.isTerminal) this.#draw();
  }

  /** Draws the last state and stops. Calling it twice is harmless. */
  end(): void {
    this.#stop();
    const { out } = this.#host;
    if (out.isTerminal) out.write(CLEAR_LINE);
    else this.#draw();
  }

  #draw(): void {
    const { out } = this.#host;
    const progress = this.#progress();
    if (out.isTerminal) {
      out.write(`${CLEAR_LINE}${barLine(progress, this.#host)}`);
      return;
    }
    if (progress.text !== this.#lastLine) out.write(`${progress.text}\n`);
    this.#lastLine = progress.text;
  }
}

/** A line that wraps could not be drawn over again, so it is cut at the last column but one. */
function barLine({ share, text }: Progress, { out }: Host): string {
  if (share === undefined) return text.slice(0, Math.max(0, out.columns - 1));
  const full = Math.round(share * BAR_CELLS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CELLS - full);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const room = Math.max(0, out.columns - BAR_CELLS - 2);
  return `${paint(out, "good", bar)} ${`${percent} ${text}`.slice(0, room)}`;
}
