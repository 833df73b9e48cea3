/**
 * Ports under a test's control: time stands still, chance comes from a seed, and what would be logged is kept.
 *
 * With the embedded engine on top, two runs of one seed do the very same.
 */

import type { Logger, Ports } from "../engine/ports.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Lines that a recording logger keeps; the oldest go first. */
export const LOG_LINES_MAX = 10_000;

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps what it is told, the newest {@link LOG_LINES_MAX} lines. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[] = [];

  debug(message: string, fields: Record<string, unknown> = {}): void {
    this.#keep({ level: "debug", message, fields });
  }

  info(message: string, fields: Record<string, unknown> = {}): void {
    this.#keep({ level: "info", message, fields });
  }

  warn(message: string, fields: Record<string, unknown> = {}): void {
    this.#keep({ level: "warn", message, fields });
  }

  error(message: string, fields: Record<string, unknown> = {}): void {
    this.#keep({ level: "error", message, fields });
  }

  /** The messages of one level, oldest first. */
  messages(level: keyof Logger): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  #keep(line: LogLine): void {
    if (this.lines.length === LOG_LINES_MAX) this.lines.shift();
    this.lines.push(line);
  }
}

/** {@link Ports} with the parts that a test looks at. */
export interface TestPorts extends Ports {
  readonly clock: VirtualClock;
  readonly logger: RecordingLogger;
}

export interface TestPortsOptions {
  /** Where chance starts, a whole number; 1 by default. One seed gives one sequence. */
  readonly seed?: number;
  /** The instant at which the clock starts, in Unix ms. */
  readonly now?: number;
  /** Another clock, so that several processes of one test share time. `now` means nothing then. */
  readonly clock?: VirtualClock;
  /** The beat of workers that say none, in ms; that of production by default. See {@link Ports.beatMs}. */
  readonly beatMs?: number;
  /** The name of the process; `test:1:<seed>` by default. */
  readonly processName?: string;
}

/** Ports of their own for one test, or for one of several processes that a test plays. */
export function createTestPorts(options: TestPortsOptions = {}): TestPorts {
  const { seed = 1 } = options;
  const clock = options.clock ?? new VirtualClock(options.now === undefined ? {} : { now: options.now });
  return {
    clock,
    logger: new RecordingLogger(),
    random: createRandom(seed),
    soon: (action) => void Promise.resolve().then(action),
    later: (action) => clock.later(action),
    ...(options.beatMs === undefined ? {} : { beatMs: options.beatMs }),
    processName: options.processName ?? `test:1:${seed}`,
  };
}

/**
 * A generator of numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed: a counter in steps of the
 * golden ratio, stirred by two multiplications. Good for tests and for nothing secret.
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000;
  };
}
