/**
 * Shows how far a run is: one line that is drawn over again on a terminal, plain lines everywhere else.
 *
 * Plain lines come at most once a second, so that a log of a long run stays readable; what happens in between (a retry,
 * a dead job) is a line of its own at once. On a terminal such a line scrolls away above the bar.
 */

import { type Host, paint } from "../host.ts";

/** Where a run stands. */
export interface RunProgress {
  /** Files found so far; it grows while the folder is walked. */
  readonly files: number;
  /** Whether the walk has ended, so that `files` is final. */
  readonly isCounted: boolean;
  readonly done: number;
  readonly perSecond: number;
  readonly retries: number;
  readonly dead: number;
}

const BAR_REDRAW_MS = 80;
const LINE_MS = 1000;
const BAR_CELLS = 24;

/** To the first column, and clear to the end of the line. */
const CLEAR_LINE = "\r\u001b[2K";

/** The display of one run. */
export class ProgressDisplay {
  readonly #host: Host;
  readonly #progress: () => RunProgress;
  readonly #stop: () => void;
  #lastLine = "";

  /** Starts at once; {@link ProgressDisplay.end} stops it. `progress` is asked each time that something is drawn. */
  constructor(host: Host, progress: () => RunProgress) {
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
    const line = plainLine(progress);
    if (line !== this.#lastLine) out.write(`${line}\n`);
    this.#lastLine = line;
  }
}

function plainLine(progress: RunProgress): string {
  const { done, files, isCounted, perSecond, retries, dead } = progress;
  const rate = Math.round(perSecond);
  return `${done} of ${files}${isCounted ? "" : " or more"} files, ${rate}/s, retries ${retries}, dead ${dead}`;
}

function barLine(progress: RunProgress, host: Host): string {
  const share = progress.files === 0 ? 0 : Math.min(1, progress.done / progress.files);
  const full = Math.round(share * BAR_CELLS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CELLS - full);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const text = `${percent} ${plainLine(progress)}`;
  // A line that wraps could not be drawn over again.
  const room = Math.max(0, host.out.columns - BAR_CELLS - 2);
  return `${paint(host.out, "good", bar)} ${text.slice(0, room)}`;
}
