/**
 * `echomq serve`: the embedded engine as a server of its own, which every client of RESP2 and RESP3 can use.
 *
 * A password never stands on the command line, which every user of the machine can read: it comes from a file or from
 * the environment.
 */

import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { EmbeddedEngine } from "../embedded/embedded-engine.ts";
import type { FsyncMode } from "../embedded/journal/journal-start.ts";
import { openFileEngine } from "../node-file-engine.ts";
import { nodePorts } from "../node-ports.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { createServer } from "../server/index.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { durationOption, durationText } from "./duration-option.ts";
import { folderPath, givenText } from "./given-text.ts";
import type { Host, InterruptSignal } from "./host.ts";
import { hostLogger } from "./host-logger.ts";
import { printable } from "./printable.ts";
import { writeJson } from "./server-command.ts";
import { wholeNumber } from "./whole-number.ts";

/** Where the password may stand in the environment. */
const PASSWORD_VARIABLE = "ECHOMQ_SERVE_PASSWORD";

const HOST_DEFAULT = "127.0.0.1";
const PORT_DEFAULT = 6379;
const CLIENTS_MAX_DEFAULT = 10_000;
const CLOSE_MS_DEFAULT = 5000;

const FSYNC_MODES: readonly FsyncMode[] = ["always", "everysec", "no"];

const SERVE_HELP = `
The password of clients is read from --password-file or from the environment's ${PASSWORD_VARIABLE}. Without one the
server listens on loopback addresses and unix sockets only. The user of clients is default, or none.
The first SIGTERM or Ctrl-C takes no further commands, sends what is on its way and ends; a second one ends at once.
The exit code is 0 after SIGTERM, 130 after Ctrl-C.

Example:
  echomq serve --file /var/lib/app/jobs --fsync always
  ECHOMQ_URL=redis://127.0.0.1:6379 echomq add mail welcome '{"to":"ada@example.com"}'`;

interface ServeOptions {
  readonly file?: string;
  readonly fsync?: FsyncMode;
  readonly port?: number;
  readonly host?: string;
  readonly socket?: string;
  readonly passwordFile?: string;
  readonly maxClients: number;
  readonly idleTimeout?: number;
  readonly timeout: number;
  readonly wireVersion?: string;
  readonly json?: boolean;
}

/** The command; see `echomq serve --help`. */
export function serveCommand(context: CommandContext): Command {
  return new Command("serve")
    .summary("be a server for queues, without Valkey")
    .description("Serve an embedded engine over RESP2 and RESP3, so that other processes share its queues.")
    .option(
      "--file <folder>",
      "keep everything in this folder; without it in memory, and it ends with the process",
      folderPath,
    )
    .addOption(
      new Option(
        "--fsync <mode>",
        "when the device has to have what was written, with --file; everysec without it",
      ).choices(FSYNC_MODES),
    )
    .option(
      "--port <n>",
      `port to listen on, ${PORT_DEFAULT} without it; 0 takes a free one`,
      wholeNumber({ min: 0, max: 65_535 }),
    )
    .option("--host <address>", `address to listen on, ${HOST_DEFAULT} without it`, givenText("an address"))
    .option("--socket <path>", "listen on a unix socket and on no port", givenText("the path of a socket"))
    .option(
      "--password-file <path>",
      "file whose first line is the password of clients",
      givenText("the path of a file"),
    )
    .option(
      "--max-clients <n>",
      "how many clients there may be",
      wholeNumber({ min: 1, max: 1_000_000 }),
      CLIENTS_MAX_DEFAULT,
    )
    .addOption(
      new Option("--idle-timeout <duration>", "end clients that are silent for so long; never without it").argParser(
        durationOption("--idle-timeout"),
      ),
    )
    .addOption(
      new Option("--timeout <duration>", "how long clients may take at the end to receive what is theirs")
        .argParser(durationOption("--timeout"))
        .default(CLOSE_MS_DEFAULT, durationText(CLOSE_MS_DEFAULT)),
    )
    .option("--wire-version <version>", "version of the wire to serve, if not this package's")
    .option("--json", "print a JSON document when it listens, and nothing else")
    .addHelpText("after", SERVE_HELP)
    .action(async (options: ServeOptions) => {
      context.setExitCode(await serve(options, context.host));
    });
}

async function serve(options: ServeOptions, host: Host): Promise<number> {
  const { file, socket, port, host: address, idleTimeout } = options;
  const password = passwordOf(options, host);
  const engine = await openStore(options, host);
  try {
    const server = await createServer({
      engine,
      maxClients: options.maxClients,
      ...(port === undefined ? {} : { port }),
      ...(address === undefined ? {} : { host: address }),
      ...(socket === undefined ? {} : { path: socket }),
      ...(password === undefined ? {} : { password }),
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
    });
    const store = file === undefined ? "memory:" : `file:${file}`;
    if (options.json === true) writeJson(host, { url: server.url, port: server.port, store });
    else host.out.write(`${startText(store, server.url)}\n`);
    const signal = await untilSignal(host);
    await server.close({ timeout: options.timeout });
    return signal === "SIGINT" ? EXIT.interrupted : EXIT.ok;
  } finally {
    await engine.close();
  }
}

async function openStore({ file, fsync, wireVersion }: ServeOptions, host: Host): Promise<EmbeddedEngine> {
  const ports = { ...nodePorts(), logger: hostLogger(host) };
  if (file === undefined) {
    if (fsync !== undefined) throw new CliError("usage", "--fsync is about a folder: give --file as well");
    return new EmbeddedEngine({ ports, ...(wireVersion === undefined ? {} : { wireVersion: bytesOf(wireVersion) }) });
  }
  if (wireVersion !== undefined) throw new CliError("usage", "a folder is written by this wire alone");
  return await openFileEngine({ ports, folder: file, fsync: fsync ?? "everysec" });
}

function startText(store: string, url: string): string {
  const end = store === "memory:" ? "; what it holds ends with this process" : "";
  return `serving ${printable(store)} at ${printable(url)}${end}`;
}

/** The first signal; a second one ends the process without waiting for anything. */
function untilSignal(host: Host): Promise<InterruptSignal> {
  let first: InterruptSignal | undefined;
  return new Promise((resolve) => {
    host.onInterrupt((signal) => {
      if (first !== undefined) return host.abandon(EXIT.interrupted);
      first = signal;
      resolve(signal);
    });
  });
}

function passwordOf({ passwordFile }: ServeOptions, { env }: Host): string | undefined {
  if (passwordFile === undefined) return env[PASSWORD_VARIABLE] === "" ? undefined : env[PASSWORD_VARIABLE];
  let text: string;
  try {
    text = readFileSync(passwordFile, "utf8");
  } catch (error) {
    throw new CliError("failed", `the password cannot be read: ${causeText(error)}`, { cause: error });
  }
  const [line = ""] = text.split(/\r?\n/, 1);
  if (line === "") throw new CliError("usage", `the first line of ${passwordFile}, the password, is empty`);
  return line;
}
