/**
 * The ports: everything that the rest of EchoMQ may know of the world outside the queue.
 *
 * Nothing else reads a clock, draws a random number, sets a timer or writes a line. A test that replaces the ports
 * therefore controls every source of chance, and a year of retries runs in a second. The host's clock never prices a
 * lease or a delay: that is the server's clock, which the engine asks inside the act. The host's clock only sets timers
 * and mints ids.
 */

/** A timer that was set and can be taken back. */
export interface Timer {
  /** Takes the timer back. Doing so twice, or after it has fired, does nothing. */
  cancel(): void;
}

/** Time as the host sees it. */
export interface Clock {
  /** The instant now, in Unix milliseconds. It may step back; only differences over short spans mean anything. */
  now(): number;
  /**
   * Runs `action` once, `ms` milliseconds from now; 0 means as soon as timers run again.
   *
   * A timer keeps the process alive unless `background` is set. Delays beyond the host's own limit (2^31 - 1 ms in
   * Node.js) are cut into several by the port, so any number up to 2^53 is safe.
   */
  after(ms: number, action: () => void, options?: { readonly background?: boolean }): Timer;
}

/** Where EchoMQ writes what nobody listens for. Four methods, so that most loggers fit as they are. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** The outside world, as one value that an engine carries and everything above it uses. */
export interface Ports {
  readonly clock: Clock;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Runs `action` when the current step of the program has ended, before any timer or input: `process.nextTick`. */
  soon(action: () => void): void;
  /** Runs `action` after waiting input was read once: `setImmediate`, or a zero timer in a browser. */
  later(action: () => void): void;
  readonly logger: Logger;
  /**
   * How long workers wait for a token before they ask anyway, in ms, unless their `beat` says it. Default 1 s. It is
   * for worlds in which no token is lost and time is cheap.
   */
  readonly beatMs?: number;
  /** The name of this process in `owner` fields and logs: `host:pid:boot`, unique to one start of one process. */
  readonly processName: string;
}
