#!/usr/bin/env node
/**
 * The program `echomq`.
 *
 * It only joins the tool to a real process. The exit code is set and the process left to end by itself, so that every
 * line reaches a pipe; a command therefore has to close what it opened.
 */

import { runCli } from "./cli.ts";
import { processHost } from "./host.ts";

process.exitCode = await runCli(process.argv.slice(2), processHost());
