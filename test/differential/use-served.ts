/**
 * The project's own server for the tests of a file, on a clock that the tests move.
 */

import { afterAll, beforeAll } from "vitest";
import { nodePorts } from "../../src/node-ports.ts";
import { createTestPorts, type TestPorts } from "../../src/testing/test-ports.ts";
import { type Served, startServed } from "../server/start-served.ts";

export interface ClockedServed extends Served {
  readonly ports: TestPorts;
}

/** Call it in the body of a file or `describe`; call what it returns inside tests. */
export function useServed(): () => ClockedServed {
  let started: ClockedServed | undefined;
  beforeAll(async () => {
    const { soon, later, clock } = nodePorts();
    const ports = { ...createTestPorts({ now: clock.now() }), soon, later };
    started = { ...(await startServed({ embedded: { ports } })), ports };
  });
  afterAll(async () => started?.stop());
  return () => {
    if (started === undefined) throw new Error("a server is started before the first test and not earlier");
    return started;
  };
}
