/**
 * `echomq events`: what happens in a queue, a line each, until Ctrl-C.
 *
 * With `--json` each event is a document of its own on a line of its own, since a list without an end cannot be one.
 */

import type { Command } from "commander";
import { borrowed } from "../queue/engine-lease.ts";
import type { AnyQueueEvent } from "../queue/queue-event.ts";
import { isEventName, QUEUE_EVENT_NAMES } from "../queue/queue-event.ts";
import { QueueEventsCore } from "../queue/queue-events.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { hostLogger } from "./host-logger.ts";
import { watchInterrupt } from "./interrupt-watch.ts";
import { printable } from "./printable.ts";
import {
  firstContact,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  withEngine,
  writeJson,
} from "./server-command.ts";

const EVENTS: ServerCommandSpec = {
  name: "events",
  summary: "what happens in a queue, as it happens",
  description:
    "Print what happens to the jobs of a queue, one line an event, until Ctrl-C. With --json each line is a document. " +
    "The user of the server needs the right to write the key listeners, which makes acts tell events.",
  example: "events mail failed dead",
  memory: "blind",
  isReadonly: true,
};

/** How often the wait for Ctrl-C looks up, in ms: the timer that keeps the process alive. */
const WAIT_MS = 3_600_000;

interface EventsOptions extends ServerOptions {
  readonly results?: boolean;
}

/** The command; see `echomq events --help`. */
export function eventsCommand(context: CommandContext): Command {
  return serverCommand(EVENTS)
    .argument("<queue>", "name of the queue")
    .argument("[names...]", `only these: ${QUEUE_EVENT_NAMES.join(", ")}`)
    .option("--results", "show the results of completed jobs, up to 16 KiB each")
    .action(async (queue: string, names: readonly string[], options: EventsOptions) => {
      const wanted = wantedNames(names);
      const { host } = context;
      await withEngine({ context, spec: EVENTS, options, logger: hostLogger(host) }, async (engine) => {
        await firstContact(engine);
        const watch = watchInterrupt(host);
        const events = new QueueEventsCore(queue, borrowed(engine), { results: options.results === true });
        try {
          events.on("any", (event) => {
            if (!wanted.has(event.event)) return;
            if (options.json === true) writeJson(host, { at: new Date(host.unixMs()).toISOString(), queue, ...event });
            else host.out.write(`${eventLine(event, host.unixMs())}\n`);
          });
          await events.waitUntilReady();
          while (!watch.signal.aborted) await host.wait(WAIT_MS, watch.signal);
          context.setExitCode(EXIT.interrupted);
        } finally {
          watch.end();
          await events.close();
        }
      });
    });
}

function wantedNames(names: readonly string[]): ReadonlySet<string> {
  const unknown = names.find((name) => !isEventName(name));
  if (unknown !== undefined) {
    const text = `there is no event ${printable(unknown)}: there are ${QUEUE_EVENT_NAMES.join(", ")}`;
    throw new CliError("usage", text, { code: "unknown_event" });
  }
  return new Set(names.length === 0 ? QUEUE_EVENT_NAMES : names);
}

/** Time, name, id, and what else there is. */
function eventLine(event: AnyQueueEvent, atMs: number): string {
  const { event: name, ...rest } = event;
  const told = Object.entries(rest).filter(([key, value]) => key !== "id" && value !== undefined);
  const more = told.map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const id = "id" in event ? event.id : "";
  const parts = [new Date(atMs).toISOString(), name.padEnd(12), id.padEnd(14), ...more];
  return printable(parts.join("  ").trimEnd());
}
