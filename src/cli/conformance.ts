/**
 * `echomq conformance`: holds a server to the contract, one line a scenario.
 *
 * The scenarios are those of the project's own tests. Whoever runs another server, another version or a proxy in
 * between can so see for himself whether it does what EchoMQ needs. The scenarios work in queues of their own and purge
 * them.
 */

import { Command } from "commander";
import { EnginePort } from "../conformance/engine-port.ts";
import { runConformance } from "../conformance/runner.ts";
import { connect } from "../connect.ts";
import { nodePorts } from "../node-ports.ts";
import { ValkeyEngine } from "../valkey/valkey-engine.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { firstAnswer, safeUrl } from "./first-answer.ts";
import { type Host, type Output, paint } from "./host.ts";

interface ConformanceCommandOptions {
  readonly url: string;
  readonly queue?: string;
  readonly json?: boolean;
}

/** The command; see `echomq conformance --help`. */
export function conformanceCommand(context: CommandContext): Command {
  return new Command("conformance")
    .summary("hold a server to the contract")
    .description("Run every scenario of the contract against a server and print a verdict for each.")
    .option("--url <url>", "server to look at; memory: is the embedded engine", "memory:")
    .option("--queue <name>", "queue whose sub-queues are used and purged; a fresh name without it")
    .option("--json", "print nothing but the report, as one JSON document")
    .addHelpText("after", CONFORMANCE_HELP)
    .action(async (options: ConformanceCommandOptions) => {
      context.setExitCode(await conformance(options, context.host));
    });
}

const CONFORMANCE_HELP = `
Example:
  echomq conformance --url valkey://127.0.0.1:6379

A line is ok, FAIL with the reason, or SKIP with what the server lacks; skipped scenarios count neither way.
The exit code is 1 when one failed. The run makes the server forget its cached scripts (SCRIPT FLUSH) and closes
connections that it opened itself, so run it where that disturbs nobody.`;

async function conformance(options: ConformanceCommandOptions, host: Host): Promise<number> {
  const { url, queue, json } = options;
  const lease = connect(url);
  const lines: string[] = [];
  try {
    await firstAnswer(lease.engine.ready(), { host, url });
    const isServer = lease.engine.kind === "valkey";
    const port = new EnginePort({ engine: lease.engine, ...(isServer ? { open: () => openAnother(url) } : {}) });
    const report = await runConformance(port, {
      print: (line) => (json === true ? void lines.push(line) : host.out.write(`${coloured(line, host.out)}\n`)),
      ...(queue === undefined ? {} : { queue }),
    });
    if (json === true) host.out.write(`${JSON.stringify({ url: safeUrl(url), ...report, lines })}\n`);
    return report.failed.length === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await lease.release();
  }
}

/**
 * A second engine to the same server, with sockets of its own; {@link connect} would share the first. It logs nothing:
 * the scenarios break its connection on purpose.
 */
async function openAnother(url: string): Promise<ValkeyEngine> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const engine = new ValkeyEngine({ connection: url, ports: { ...nodePorts(), logger } });
  await engine.ready();
  return engine;
}

const STYLES = { ok: "good", FAIL: "bad", SKIP: "note" } as const;

/** The verdict of a line in its colour, where there are colours. */
function coloured(line: string, out: Output): string {
  return line.replace(/^(CONF \S+ )(ok|FAIL|SKIP)\b/, (_, head: string, word: keyof typeof STYLES) => {
    return head + paint(out, STYLES[word], word);
  });
}
