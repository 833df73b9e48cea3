/** The list of queues as flows keep it: each name once a minute, and back again after somebody has taken it away. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { FlowProducerCore } from "../../../src/queue/flow-producer.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const lease = { engine, release: () => Promise.resolve() };
  const flows = new FlowProducerCore(lease, { node: 1 });
  const add = () =>
    flows.add({ name: "report", queueName: "reports", children: [{ name: "count", queueName: "files" }] });
  return { clock: ports.clock, files: new QueueCore("files", lease), add };
}

describe("a flow", () => {
  it("writes the names of its queues to the list, also after another process has obliterated one", async () => {
    const { clock, files, add } = setup();
    await add();
    expect(await files.queues()).toEqual(["files", "reports"]);
    await files.obliterate({ force: true });
    await clock.advance(59_000);
    await add();
    expect(await files.queues()).toEqual(["reports"]);
    await clock.advance(1000);
    await add();
    expect(await files.queues()).toEqual(["files", "reports"]);
  });
});
