/**
 * The world outside the command line tool: two outputs, one input, the environment, a clock, timers and signals.
 *
 * Commands see the world only through a {@link Host}, so a test gives them one of its own and reads back every line.
 * This file is the only one of the tool that touches `process` and timers.
 */

import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { EXIT } from "./command-context.ts";

/** One of the two outputs. */
export interface Output {
  /** Whether a person looks at it: then there may be colours and a line that is drawn over again. */
  readonly isTerminal: boolean;
  /** Characters of one line; 80 where that is unknown. */
  readonly columns: number;
  write(text: string): void;
  /** Writes bytes; resolves once there is room for more. */
  send(bytes: Uint8Array): Promise<void>;
}

/** What is typed or piped in. */
export interface Input {
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  /** The bytes up to the end of the input. */
  chunks(): AsyncIterable<Uint8Array>;
  /**
   * Asks a person and resolves with the answer without its line end, with nothing at the end of the input. The question
   * goes to the output for what went wrong, so that results stay alone.
   */
  ask(question: string): Promise<string>;
}

/** A wish of the world that the tool should end. */
export type InterruptSignal = "SIGINT" | "SIGTERM";

/** The process around a command: its outputs, input, environment, clock and end. Tests give one of their own. */
export interface Host {
  /** Results. */
  readonly out: Output;
  /** What went wrong. */
  readonly error: Output;
  readonly input: Input;
  /** Variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since some fixed instant; never steps back. */
  nowMs(): number;
  /** The instant now in Unix milliseconds. */
  unixMs(): number;
  /** Calls `action` every `ms` milliseconds until the function that it returns is called. */
  every(ms: number, action: () => void): () => void;
  /** Resolves after `ms` milliseconds, or at once when the signal fires. Never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `listener` on each Ctrl-C or SIGTERM until the function that it returns is called. */
  onInterrupt(listener: (signal: InterruptSignal) => void): () => void;
  /**
   * Calls `listener` once results can no longer be written, until the function that it returns is called. Where nobody
   * listens that ends the process: quietly when the reader has seen enough (`| head`), else with the reason.
   */
  onOutputLost(listener: () => void): () => void;
  /** Ends the process without waiting for anything, with an exit code. */
  abandon(code: number): void;
  /**
   * Ends the process after `ms` milliseconds, unless it has ended by itself by then: code that is not ours may hold it.
   */
  abandonAfter(ms: number, code: number): void;
}

/** Styles of text by their meaning. */
const STYLES = { good: "green", bad: "red", note: "yellow", faint: "dim", strong: "bold" } as const;

/** Text in the style of a meaning where the output is a terminal, else the bare text. */
export function paint(output: Output, style: keyof typeof STYLES, text: string): string {
  // The host decides about colour by `isTerminal`; `styleText` must not look at the stream once more.
  return output.isTerminal ? styleText(STYLES[style], text, { validateStream: false }) : text;
}

const COLUMNS_DEFAULT = 80;

/** The clock and the timers of a real process. */
export const PROCESS_TIME: Pick<Host, "nowMs" | "unixMs" | "every" | "wait"> = {
  nowMs: () => performance.now(),
  unixMs: () => Date.now(),
  every(ms, action) {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  },
  wait: waitFor,
};

/** The host of a real process. `NO_COLOR` or a dumb terminal make a terminal count as none. */
export function processHost(): Host {
  const onOutputLost = watchOutputs();
  return {
    out: outputOf(process.stdout),
    error: outputOf(process.stderr),
    input: inputOf(process.stdin),
    env: process.env,
    ...PROCESS_TIME,
    onInterrupt(listener) {
      process.on("SIGINT", listener);
      process.on("SIGTERM", listener);
      return () => {
        process.off("SIGINT", listener);
        process.off("SIGTERM", listener);
      };
    },
    onOutputLost,
    abandon: (code) => process.exit(code),
    abandonAfter(ms, code) {
      setTimeout(() => process.exit(code), ms).unref();
    },
  };
}

/** Sees to it that an output which cannot be written ends nothing that it should not; see {@link Host.onOutputLost}. */
function watchOutputs(): Host["onOutputLost"] {
  const listeners = new Set<() => void>();
  let isLost = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // Each later write fails as well.
    if (isLost) return;
    isLost = true;
    const isReader = error.code === "EPIPE";
    if (!isReader) process.stderr.write(`echomq: the output cannot be written: ${error.message}\n`);
    if (listeners.size === 0) process.exit(isReader ? EXIT.ok : EXIT.failed);
    for (const listener of listeners) listener();
  });
  // What went wrong cannot be told then; it is the exit code that must still say so.
  process.stderr.on("error", () => {});
  return (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
}

function inputOf(stream: NodeJS.ReadStream): Input {
  return {
    isTerminal: stream.isTTY === true,
    chunks: () => stream,
    ask(question) {
      // Without `terminal` Ctrl-C stays a signal, which ends the process.
      const lines = createInterface({ input: stream, output: process.stderr, terminal: false });
      return new Promise((resolve) => {
        lines.once("close", () => resolve(""));
        lines.question(question, (answer) => {
          resolve(answer);
          lines.close();
        });
      });
    },
  };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  const isTerminal = stream.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  return {
    isTerminal,
    get columns() {
      // A terminal that does not know its width says 0.
      return stream.columns || COLUMNS_DEFAULT;
    },
    write: (text) => {
      stream.write(text);
    },
    // A failure is told to those who listen for it (`onOutputLost`).
    send: (bytes) => new Promise((resolve) => stream.write(bytes, () => resolve())),
  };
}

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
