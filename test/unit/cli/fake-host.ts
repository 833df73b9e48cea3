/**
 * A host whose every line can be read back. Time is real, because the work of the demo is.
 */

import { type Host, type Output, PROCESS_TIME } from "../../../src/cli/host.ts";

export interface FakeHost extends Host {
  /** Everything that was written to the output for results. */
  stdout(): string;
  /** Everything that was written to the output for what went wrong. */
  stderr(): string;
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** The code with which the process was abandoned, if it was. */
  abandonedWith(): number | undefined;
}

/** A host without a terminal, or with one of `columns` characters. */
export function fakeHost(options: { readonly columns?: number } = {}): FakeHost {
  const { columns } = options;
  const [out, error] = [collector(columns), collector(columns)];
  const listeners = new Set<() => void>();
  let abandonedWith: number | undefined;
  return {
    ...PROCESS_TIME,
    out,
    error,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    abandon: (code) => {
      abandonedWith = code;
    },
    stdout: () => out.text,
    stderr: () => error.text,
    interrupt: () => {
      for (const listener of listeners) listener();
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
  };
}
