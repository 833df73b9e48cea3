/** `echomq conformance` says the same of the project's own server as of the engine in process, line for line. */

import { expect, it, onTestFinished } from "vitest";
import { startServed } from "../../server/start-served.ts";
import { run } from "../../unit/cli/run.ts";

it("is held to the contract by the command line as the engine in process is", async () => {
  const served = await startServed({ port: 0 });
  onTestFinished(() => served.stop());
  const near = await run(["conformance", "--url", "memory:"]);
  const far = await run(["conformance", "--url", served.server.url]);
  expect([near.code, far.code]).toEqual([0, 0]);
  expect(far.out).toBe(near.out);
  expect(near.out.match(/^CONF \S+ ok/gm)?.length).toBeGreaterThan(400);
  expect(served.logged).toEqual([]);
});
