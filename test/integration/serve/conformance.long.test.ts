/** The conformance suite says the same of the project's own server as of the engine in process, line for line. */

import { expect, it, onTestFinished } from "vitest";
import { EnginePort } from "../../../src/conformance/engine-port.ts";
import type { ConformancePort } from "../../../src/conformance/port.ts";
import { runConformance } from "../../../src/conformance/runner.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { servedTarget } from "../../conformance/served-target.ts";

/** What `echomq conformance` prints. */
async function linesOf(port: ConformancePort): Promise<string[]> {
  const lines: string[] = [];
  await runConformance(port, { queue: "held", print: (line) => void lines.push(line) });
  return lines;
}

it("holds the server and the engine in process to the contract by the same lines", async () => {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const near = await linesOf(new EnginePort({ engine, advance: async (ms) => await ports.clock.advance(ms) }));
  await engine.close();
  const served = await servedTarget({ client: "iovalkey", protocol: 2, native: "require" });
  onTestFinished(() => served.close());
  expect(await linesOf(served.port)).toEqual(near);
  expect(near.filter((line) => /^CONF \S+ ok/.test(line)).length).toBeGreaterThan(400);
});
