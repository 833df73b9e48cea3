/** `echomq conformance`: the report of a run; what the scenarios demand is tested elsewhere. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { SCENARIOS } from "../../../src/conformance/scenarios.ts";
import type { TestServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { type FakeHost, fakeHost } from "./fake-host.ts";
import { run, runJson } from "./run.ts";

describe("on the embedded engine", () => {
  it("prints a line a scenario and closes with the count", async () => {
    const { code, out, err } = await run(["conformance", "--url", "memory:conformance"]);
    expect(err).toBe("");
    const lines = out.trimEnd().split("\n");
    const [, passed, ran] = /^CONFORMANCE (\d+)\/(\d+)$/.exec(lines.at(-1) ?? "") ?? [];
    expect(Number(ran)).toBeGreaterThan(40);
    expect(lines.filter((line) => / FAIL /.test(line))).toEqual([]);
    expect(passed).toBe(ran);
    expect(code).toBe(0);
  });
});

/** The scenarios that need a command which the server does not have. */
async function lackingScenarios(server: TestServer): Promise<string[]> {
  const known = async (command: string) =>
    ((await server.command("COMMAND", "INFO", command)) as unknown[])[0] !== null;
  const lacking: string[] = [];
  for (const { name, needs = [] } of SCENARIOS) {
    const has = await Promise.all(needs.map(known));
    if (has.includes(false)) lacking.push(name);
  }
  return lacking;
}

/** The whole suite on a real server while other tests have the machine. */
const SUITE_MS_MAX = 120_000;

describe("on a server", () => {
  const server = useServer();

  it(
    "reports in one JSON document and leaves no key behind",
    async () => {
      const { code, json } = await runJson(["conformance", "--url", server().url, "--queue", "held"]);
      const lacking = await lackingScenarios(server());
      expect(json).toMatchObject({ url: server().url, failed: [], skipped: lacking.length });
      expect(code).toBe(0);
      expect(await server().command("KEYS", "emq:*")).toEqual([]);
    },
    SUITE_MS_MAX,
  );

  it("says that nobody answers where no server is", async () => {
    const host: FakeHost = { ...fakeHost(), wait: () => Promise.resolve() };
    expect(await runCli(["conformance", "--url", "unix:/nonexistent/socket"], host)).toBe(1);
    expect(host.stderr()).toContain("no server answered at unix:/nonexistent/socket within 10 s");
  });
});
