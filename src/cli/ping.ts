/**
 * `echomq ping`: whether a server can be reached, what it is, and whether it will do.
 *
 * The facts come from `INFO`, since managed servers forbid `CONFIG`; a user who may not ask for it is told less.
 */

import type { Command } from "commander";
import type { Engine } from "../engine/engine.ts";
import { textOf } from "../protocol/bytes.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { FENCE_KEY, type FenceReading, pastFence } from "./fence-reading.ts";
import { safeUrl } from "./first-answer.ts";
import { type Host, type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";
import { type ServerCommandSpec, type ServerOptions, serverCommand, serverUrl, writeJson } from "./server-command.ts";

const PING: ServerCommandSpec = {
  name: "ping",
  summary: "reach a server and tell what it is",
  description:
    "Connect to a server and tell its kind and version, its mark, how quickly it answers, and what is risky.",
  example: "ping",
  memory: "blind",
  isReadonly: true,
};

/** Questions for the latency; the median of them is told. */
const PROBES = 5;

/** What a kind is called; our own server tells the version of Valkey whose commands it has. */
const KIND_TEXTS = { echomq: "EchoMQ with the commands of Valkey", valkey: "Valkey", redis: "Redis" } as const;

/** What a server says of itself; `null` where the user may not ask. */
interface ServerFacts {
  readonly kind: "echomq" | "valkey" | "redis" | null;
  readonly version: string | null;
  readonly role: string | null;
  readonly evictionPolicy: string | null;
}

/** The command; see `echomq ping --help`. */
export function pingCommand(context: CommandContext): Command {
  return serverCommand(PING)
    .addHelpText("after", "\nThe exit code is 1 when the server cannot be reached or is marked for another version.")
    .action(async (options: ServerOptions) => {
      const { host } = context;
      const call = { context, spec: PING, options };
      const url = safeUrl(serverUrl(call));
      const found = await pastFence(call, async (engine, fence) => {
        const facts = await factsOf(engine);
        return { url, ...facts, fence, latencyMs: await latencyOf(engine, host), warnings: warningsOf(facts) };
      });
      if (options.json === true) writeJson(host, found);
      else host.out.write(pingText(found, host.out));
      context.setExitCode(found.fence.isPassable ? EXIT.ok : EXIT.failed);
    });
}

interface PingReport extends ServerFacts {
  readonly url: string;
  readonly fence: FenceReading;
  /** Median time of a question and its answer. */
  readonly latencyMs: number;
  readonly warnings: readonly string[];
}

async function factsOf(engine: Engine): Promise<ServerFacts> {
  const [server, memory, replication] = await Promise.all([
    inform(engine, "server"),
    inform(engine, "memory"),
    inform(engine, "replication"),
  ]);
  const valkey = field(server, "valkey_version");
  const redis = field(server, "redis_version");
  return {
    kind: kindOf(server),
    version: valkey ?? redis,
    role: field(replication, "role"),
    evictionPolicy: field(memory, "maxmemory_policy"),
  };
}

function kindOf(server: string): ServerFacts["kind"] {
  if (field(server, "server_name") === "echomq") return "echomq";
  if (field(server, "valkey_version") !== null) return "valkey";
  return field(server, "redis_version") === null ? null : "redis";
}

/** A section of `INFO`, empty where it may not be asked for. */
async function inform(engine: Engine, section: string): Promise<string> {
  try {
    const reply = await engine.command(["INFO", section]);
    return typeof reply === "string" ? textOf(reply) : "";
  } catch (error) {
    if (isEchoMQError(error, "permission") || isEchoMQError(error, "refused")) return "";
    throw error;
  }
}

function field(info: string, name: string): string | null {
  return new RegExp(`^${name}:([^\r\n]*)`, "m").exec(info)?.[1] ?? null;
}

/** Asks for the mark, which every user of the wire may read. */
async function latencyOf(engine: Engine, host: Host): Promise<number> {
  const times: number[] = [];
  for (let probe = 0; probe < PROBES; probe++) {
    const startedAtMs = host.nowMs();
    await engine.command(["GET", FENCE_KEY]);
    times.push(host.nowMs() - startedAtMs);
  }
  const median = times.sort((a, b) => a - b)[Math.floor(PROBES / 2)] ?? 0;
  return Math.round(median * 100) / 100;
}

function warningsOf({ evictionPolicy, role }: ServerFacts): string[] {
  const warnings: string[] = [];
  if (evictionPolicy?.startsWith("allkeys-") === true) {
    warnings.push(`the policy ${evictionPolicy} lets jobs vanish when memory is full: set maxmemory-policy noeviction`);
  }
  if (role !== null && role !== "master") warnings.push(`it is a ${role} and takes no writes: only reading works here`);
  return warnings;
}

function pingText(report: PingReport, out: Output): string {
  const { url, kind, version, role, fence, latencyMs, evictionPolicy, warnings } = report;
  const unknown = "unknown, the user may not ask";
  const mark = fence.found === null ? "not set" : printable(fence.found);
  const fit = fence.isPassable ? "" : paint(out, "bad", `  but this package speaks ${fence.speaks}: see echomq fence`);
  const rows = [
    ["server", kind === null ? unknown : `${KIND_TEXTS[kind]} ${version}, ${role ?? "role unknown"}`],
    ["fence", `${mark}${fit}`],
    ["latency", `${latencyMs} ms`],
    ["eviction", evictionPolicy ?? unknown],
  ];
  const lines = rows.map(([label = "", value = ""]) => `  ${label.padEnd(8)}  ${value}`);
  const risks = warnings.map((text) => `${paint(out, "note", "warning")}  ${text}`);
  return `${[paint(out, "strong", printable(url)), ...lines, ...risks].join("\n")}\n`;
}
