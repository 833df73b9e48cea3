/**
 * What all commands that look at a server have in common: three options, the refusal of `memory:`, an engine that ends
 * with the command.
 *
 * A store in memory belongs to one process, so one command line could neither leave anything in it nor find anything
 * there. It is the library's default and would seem to work, so it is refused with the reason and with a line that can
 * be typed instead.
 */

import { Command } from "commander";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { reserveKey } from "../protocol/key.ts";
import { borrowed } from "../queue/engine-lease.ts";
import { QueueCore } from "../queue/queue.ts";
import { assertQueueExists } from "../queue/queue-names.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import type { Host } from "./host.ts";
import { SILENT_LOGGER } from "./host-logger.ts";

/** What a command that needs a server says of itself. */
export interface ServerCommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Arguments of an example, behind `echomq`. */
  readonly example: string;
  /** Why `memory:` is refused: its jobs would end with this process, or there is nothing to see in it. */
  readonly memory: "loses" | "blind";
  /** Whether the command writes. One that does not needs the rights of a reader only and never sets the fence. */
  readonly isReadonly: boolean;
  /** Whether the queue need not be there yet, because the command makes it or waits for what comes; default false. */
  readonly mayBeAbsent?: boolean;
  /** Whether a folder is read as it is at one instant, whoever has it open; default false. */
  readonly isCopy?: boolean;
}

/** The options of every such command. */
export interface ServerOptions {
  readonly url?: string;
  readonly wireVersion?: string;
  readonly json?: boolean;
}

/** A command line that was read, on its way to a server. */
export interface ServerCall {
  readonly context: CommandContext;
  readonly spec: ServerCommandSpec;
  readonly options: ServerOptions;
  /** Where the engine tells of its connection. Default: nowhere, because the error at the end has the reason. */
  readonly logger?: Logger;
}

/** A {@link ServerCall} about one queue. */
export interface QueueCall extends ServerCall {
  readonly queue: string;
}

/** How long adds on their way may take when a command ends, in ms. */
const CLOSE_MS_MAX = 5000;

/** A command with the common options and its example. */
export function serverCommand(spec: ServerCommandSpec): Command {
  return new Command(spec.name)
    .summary(spec.summary)
    .description(spec.description)
    .option("--url <url>", "server, or file: and a folder; without it the environment's ECHOMQ_URL")
    .option("--wire-version <version>", "version of the wire that the server is marked for, if not this package's")
    .option("--json", "print nothing but one JSON document")
    .addHelpText("after", `\nExample:\n  echomq ${spec.example} --url valkey://localhost:6379`);
}

/** The server that a command line means. Throws CliError `memory` when it means none. */
export function serverUrl({ spec, options, context }: ServerCall): string {
  const named = options.url ?? context.host.env["ECHOMQ_URL"] ?? "";
  const url = named === "" ? "memory:" : named;
  if (!url.startsWith("memory:")) return url;
  const origin = named === "" ? "neither --url nor ECHOMQ_URL names a server, and " : "";
  const reason =
    spec.memory === "loses"
      ? "the jobs of memory: end with the process, so they would be lost with this command"
      : "a store of memory: is seen by its own process only, so there is nothing here to look at";
  throw new CliError(
    "usage",
    `${origin}${reason}; name a server or a folder:\n` +
      `  echomq ${spec.example} --url valkey://localhost:6379\n  echomq ${spec.example} --url file:./jobs`,
    { code: "memory" },
  );
}

/** Connects, runs `work`, and disconnects whatever comes of it. */
export async function withEngine<Result>(call: ServerCall, work: (engine: Engine) => Promise<Result>): Promise<Result> {
  const engine = openCallEngine(call);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/**
 * {@link withEngine} with the queue that the call is about.
 *
 * Throws EchoMQError `invalid_queue` for a name that the library's own classes refuse, `queue_absent` when the queue is
 * not there and has to be.
 */
export async function withQueue<Result>(
  call: QueueCall,
  work: (queue: QueueCore, engine: Engine) => Promise<Result>,
): Promise<Result> {
  return await withEngine(call, async (engine) => {
    const queue = new QueueCore(call.queue, borrowed(engine));
    try {
      await assertPresent(call, engine);
      return await work(queue, engine);
    } finally {
      await queue.close({ timeout: CLOSE_MS_MAX });
    }
  });
}

/** Refuses a queue that is not there, unless the command can do without: a mistyped name must not look like no jobs. */
export async function assertPresent({ spec, queue }: QueueCall, engine: Engine): Promise<void> {
  if (spec.mayBeAbsent !== true) await assertQueueExists(engine, queue);
}

/**
 * Resolves once the server has answered; rejects with the reason when it does not in the time of one call. It stands
 * before work that has a patience of its own, which a person with a mistyped address should not have to share.
 */
export async function firstContact(engine: Engine): Promise<void> {
  // The one key that every user of the wire may read.
  await engine.command(["GET", reserveKey("version")]);
}

/** An engine for a call; the caller closes it. */
export function openCallEngine(call: ServerCall): Engine {
  const { context, spec, options, logger = SILENT_LOGGER } = call;
  const url = serverUrl(call);
  const { isReadonly, isCopy = false } = spec;
  return context.openEngine({ url, isReadonly, isCopy, wireVersion: options.wireVersion, logger });
}

/** Writes the one document of `--json`. */
export function writeJson(host: Host, document: unknown): void {
  host.out.write(`${JSON.stringify(document)}\n`);
}
