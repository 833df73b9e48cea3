/**
 * One command line, run to its end in this process.
 */

import { runCli } from "../../../src/cli/cli.ts";
import { fakeHost } from "./fake-host.ts";

/** What a command line left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the tool without a terminal, or with one of `columns` characters. */
export async function run(args: readonly string[], options: { readonly columns?: number } = {}): Promise<Ran> {
  const host = fakeHost(options);
  const code = await runCli(args, host);
  return { code, out: host.stdout(), err: host.stderr() };
}

/** The one JSON document that a command line printed. Throws when it printed anything else. */
export async function runJson(args: readonly string[]): Promise<{ code: number; json: unknown; err: string }> {
  const { code, out, err } = await run([...args, "--json"]);
  return { code, json: JSON.parse(out), err };
}
