/**
 * One command line, run to its end in this process.
 */

import { runCli } from "../../../src/cli/cli.ts";
import type { OpenEngine } from "../../../src/cli/open-server.ts";
import { type FakeHostOptions, fakeHost } from "./fake-host.ts";

/** What a command line left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions extends FakeHostOptions {
  /** What a server is, when it is no real one. */
  readonly openEngine?: OpenEngine;
}

/** Runs the tool without a terminal, or with one of `columns` characters. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const host = fakeHost(options);
  const code = await runCli(args, host, options.openEngine);
  return { code, out: host.stdout(), err: host.stderr() };
}

/** A command line with `--json`. */
export interface RanJson {
  readonly code: number;
  readonly json: unknown;
  readonly err: string;
}

/** The one JSON document that a command line printed. Throws when it printed anything else. */
export async function runJson(args: readonly string[], options: RunOptions = {}): Promise<RanJson> {
  const { code, out, err } = await run([...args, "--json"], options);
  return { code, json: JSON.parse(out), err };
}
