/** The embedded engine under the suite, on a virtual clock, with every act under the watch over declared keys. */

import { EnginePort } from "../../src/conformance/engine-port.ts";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import { watchedTransitions } from "./declared-keys.ts";
import { describeSuite } from "./describe-suite.ts";

describeSuite("the embedded engine conforms", async () => {
  const ports = createTestPorts();
  const { transitions, faults } = watchedTransitions();
  const engine = new EmbeddedEngine({ ports, transitions });
  return {
    port: new EnginePort({ engine, advance: async (ms) => await ports.clock.advance(ms) }),
    faults: () => faults.splice(0),
    close: async () => await engine.close(),
  };
});
