/**
 * `echomq fence`: shows for which version of the wire a server is marked, and changes it.
 *
 * A changed mark shuts out every program of the other version at its next connect, so a person is asked first; the
 * answer is not taken from a pipe.
 */

import { type Command, InvalidArgumentError } from "commander";
import type { Engine } from "../engine/engine.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { assertCanConfirm, isConfirmed, YES_OPTION } from "./confirm.ts";
import { FENCE_KEY, type FenceReading, pastFence } from "./fence-reading.ts";
import { type Host, type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";
import {
  type ServerCall,
  type ServerCommandSpec,
  type ServerOptions,
  serverCommand,
  writeJson,
} from "./server-command.ts";

const FENCE: ServerCommandSpec = {
  name: "fence",
  summary: "show or change the version that a server is marked for",
  description: `Show for which version of the wire a server is marked (the key ${FENCE_KEY}), or change it.`,
  example: "fence --set echomq:4.0.0",
  memory: "blind",
  // The mark is looked at as it is; what --set writes is written by this command itself.
  isReadonly: true,
};

interface FenceOptions extends ServerOptions {
  readonly set?: string;
  readonly yes?: boolean;
}

/** The command; see `echomq fence --help`. */
export function fenceCommand(context: CommandContext): Command {
  return serverCommand(FENCE)
    .option("--set <version>", "mark the server for this version, such as echomq:4.0.0", versionOf)
    .option(...YES_OPTION)
    .addHelpText(
      "after",
      "\nThe exit code is 1 when the server is marked for a version that this package does not speak.",
    )
    .action(async (options: FenceOptions) => {
      const call = { context, spec: FENCE, options };
      if (options.set === undefined) await showFence(call);
      else await setFence(call, { version: options.set, isSure: options.yes === true });
    });
}

/** A mark that no program speaks would shut out all of them. */
function versionOf(text: string): string {
  if (/^echomq:\d+\.\d+\.\d+$/.test(text)) return text;
  throw new InvalidArgumentError("A version of the wire is written as echomq:4.0.0.");
}

async function showFence(call: ServerCall): Promise<void> {
  const { context, options } = call;
  const { host } = context;
  const fence = await pastFence(call, (_engine, reading) => Promise.resolve(reading));
  if (options.json === true) writeJson(host, fence);
  else host.out.write(fenceText(fence, host.out));
  context.setExitCode(fence.isPassable ? EXIT.ok : EXIT.failed);
}

function fenceText({ found, speaks, isPassable }: FenceReading, out: Output): string {
  const mark = found === null ? "not set; the first producer or worker sets it" : printable(found);
  const verdict = isPassable ? paint(out, "good", "they fit") : paint(out, "bad", "they do not fit");
  const lines = [`${FENCE_KEY}   ${mark}`, `this package    ${speaks}`, verdict];
  if (!isPassable) {
    lines.push(
      "Programs of this package can speak to this server with the option wireVersion (here --wire-version).",
      `Once no program of the other version is left: echomq fence --set ${speaks}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

async function setFence(call: ServerCall, wish: { version: string; isSure: boolean }): Promise<void> {
  const { context, options } = call;
  const { host } = context;
  const isJson = options.json === true;
  assertCanConfirm(call, { isSure: wish.isSure, look: "look at the mark with echomq fence" });
  const outcome = await pastFence(call, async (engine, { found }) => {
    if (found === wish.version) return { outcome: "unchanged", previous: found };
    if (!wish.isSure && !(await isChangeConfirmed(host, { found, version: wish.version }))) {
      return { outcome: "declined", previous: found };
    }
    return { outcome: "set", previous: await write(engine, wish.version) };
  });
  if (isJson) writeJson(host, { ...outcome, found: wish.version });
  else host.out.write(`${setText(outcome, wish.version)}\n`);
  context.setExitCode(outcome.outcome === "declined" ? EXIT.failed : EXIT.ok);
}

async function isChangeConfirmed(host: Host, change: { found: string | null; version: string }): Promise<boolean> {
  const from = change.found === null ? "no mark" : printable(change.found);
  return await isConfirmed(
    host,
    `This server has ${from}. Programs of other versions than ${change.version} will be refused at their next ` +
      `connect;\nthose that are connected now go on until then. Set ${FENCE_KEY} to ${change.version}?`,
  );
}

/** Writes the mark and answers the one that was there, in one command. */
async function write(engine: Engine, version: string): Promise<string | null> {
  const reply = await engine.command(["SET", FENCE_KEY, bytesOf(version), "GET"]);
  return typeof reply === "string" ? textOf(reply) : null;
}

function setText({ outcome, previous }: { outcome: string; previous: string | null }, version: string): string {
  if (outcome === "unchanged") return `${FENCE_KEY} is ${version} already`;
  if (outcome === "declined") return "nothing was changed";
  return `${FENCE_KEY} is ${version} now; before it was ${previous === null ? "not set" : printable(previous)}`;
}
