/** `echomq conformance`: the report of a run; what the scenarios demand is tested elsewhere. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { SCENARIOS } from "../../../src/conformance/scenarios.ts";
import { type FakeHost, fakeHost } from "./fake-host.ts";
import { run } from "./run.ts";

/** All scenarios on a machine that has much to do. */
const SUITE_MS_MAX = 300_000;

describe("on the embedded engine", () => {
  it(
    "prints a line a scenario and closes with the count",
    async () => {
      const { code, out, err } = await run(["conformance", "--url", "memory:conformance"]);
      expect(err).toBe("");
      const lines = out.trimEnd().split("\n");
      expect(lines.filter((line) => / FAIL /.test(line))).toEqual([]);
      expect(lines.slice(0, -1).map((line) => line.split(" ")[1])).toEqual(SCENARIOS.map(({ name }) => name));
      expect(lines.at(-1)).toBe(`CONFORMANCE ${SCENARIOS.length}/${SCENARIOS.length}`);
      expect(code).toBe(0);
    },
    SUITE_MS_MAX,
  );
});

it("says that nobody answers where no server is", async () => {
  const host: FakeHost = { ...fakeHost(), wait: () => Promise.resolve() };
  expect(await runCli(["conformance", "--url", "unix:/nonexistent/socket"], host)).toBe(1);
  expect(host.stderr()).toContain("no server answered at unix:/nonexistent/socket within 10 s");
});
