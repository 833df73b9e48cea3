/**
 * A host whose every line can be read back. Time is real, because the work of the demo is.
 */

import { type Host, type InterruptSignal, type Output, PROCESS_TIME } from "../../../src/cli/host.ts";

export interface FakeHost extends Host {
  /** Everything that was written to the output for results. */
  stdout(): string;
  /** Everything that was written to the output for what went wrong. */
  stderr(): string;
  /** Presses Ctrl-C, or sends another signal. */
  interrupt(signal?: InterruptSignal): void;
  /** The code with which the process was abandoned, if it was. */
  abandonedWith(): number | undefined;
}

export interface FakeHostOptions {
  /** Width of the terminal; there is none without it. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; each text is a chunk of its own. */
  readonly input?: readonly (string | Uint8Array)[];
  /** What a person types when asked; nobody can be asked without it. */
  readonly answer?: string;
}

/** A host without a terminal, or with one of `columns` characters. */
export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const { columns, answer, input = [], env = {} } = options;
  const [out, error] = [collector(columns), collector(columns)];
  const listeners = new Set<(signal: InterruptSignal) => void>();
  let abandonedWith: number | undefined;
  return {
    ...PROCESS_TIME,
    out,
    error,
    env,
    input: {
      isTerminal: answer !== undefined,
      async *chunks() {
        for (const chunk of input) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
      },
      ask(question) {
        error.write(question);
        return Promise.resolve(answer ?? "");
      },
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onOutputLost: () => () => {},
    abandon: (code) => {
      abandonedWith = code;
    },
    // Whoever ends a run reads its code; a test process is not to be ended.
    abandonAfter: () => {},
    stdout: () => out.text,
    stderr: () => error.text,
    interrupt: (signal = "SIGINT") => {
      for (const listener of listeners) listener(signal);
    },
    abandonedWith: () => abandonedWith,
  };
}

function collector(columns: number | undefined): Output & { text: string } {
  return {
    text: "",
    isTerminal: columns !== undefined,
    columns: columns ?? 80,
    write(text: string) {
      this.text += text;
    },
    send(bytes: Uint8Array) {
      this.text += new TextDecoder().decode(bytes);
      return Promise.resolve();
    },
  };
}
