/** The project's own server with the command line client of Valkey, its help and the hints that it makes of that. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { findServer } from "../../../scripts/server/find-server.mjs";
import { WIRE_VERSION } from "../../../src/protocol/wire-version.ts";
import { startServed } from "../../server/start-served.ts";

const run = promisify(execFile);

async function setup() {
  const { client } = findServer();
  const served = await startServed();
  onTestFinished(() => served.stop());
  return async (...args: readonly string[]) => {
    const { stdout } = await run(client ?? "valkey-cli", ["-s", served.socketPath, ...args], {
      env: { ...process.env, NO_COLOR: "1" },
    });
    // Colours of its help come whether they are wanted or not.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour begins with
    return stdout.replaceAll(/\x1b\[\d*m|\r/g, "");
  };
}

describe("valkey-cli on the project's own server", () => {
  it.each([
    ["the one protocol", []],
    ["the other", ["-3"]],
  ] as const)("speaks %s", async (_, flags) => {
    const cli = await setup();
    expect(await cli(...flags, "hset", "h", "f", "1")).toBe("1\n");
    expect(await cli(...flags, "hgetall", "h")).toMatch(/^f.*1\n$/s);
    expect(await cli(...flags, "emq.fence", "0", WIRE_VERSION)).toBe("OK\n");
  });

  // `COMMAND DOCS` is refused as by servers before 7.0, and the client goes by the documents that it has.
  it("has its help, for the commands of Valkey and for what it does not know", async () => {
    const cli = await setup();
    expect(await cli("command", "docs", "get")).toContain("unknown subcommand 'docs'");
    expect(await cli("help", "xadd")).toMatch(/XADD key .*\n\s*summary: .*\n\s*since: 5\.0\.0/);
    expect(await cli("help", "emq.complete")).toContain("EMQ.COMPLETE");
    expect(await cli("help", "@list")).toContain("LPUSH key element");
  });
});
