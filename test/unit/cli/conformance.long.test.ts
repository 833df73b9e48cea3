/** `echomq conformance` with all scenarios on a real server. */

import { expect, it } from "vitest";
import { SCENARIOS } from "../../../src/conformance/scenarios.ts";
import type { TestServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { runJson } from "./run.ts";

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

const server = useServer();

it("reports in one JSON document and leaves no key behind", async () => {
  const { code, json } = await runJson(["conformance", "--url", server().url, "--queue", "held"]);
  const lacking = await lackingScenarios(server());
  expect(json).toMatchObject({ url: server().url, failed: [], skipped: lacking.length });
  expect(code).toBe(0);
  expect(await server().command("KEYS", "emq:*")).toEqual([]);
});
