/** Every kind of damage is found and mended on a real server as it is in process, over both client libraries. */

import { describe, expect, it } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { useServer } from "../../server/use-server.ts";
import { DAMAGE, Patient } from "../../unit/doctor/damage.ts";
import { expectRecovery } from "../../unit/doctor/recovery.ts";

const server = useServer();

async function withEngine(
  options: { client: "iovalkey" | "ioredis"; protocol: 2 | 3 },
  run: (engine: ValkeyEngine) => Promise<void>,
) {
  const engine = new ValkeyEngine({ connection: { path: server().socketPath, ...options }, ports: nodePorts() });
  try {
    await engine.ready();
    await run(engine);
  } finally {
    await engine.close();
  }
}

describe.each([
  { client: "iovalkey", protocol: 2 },
  { client: "ioredis", protocol: 3 },
] as const)("damage is found and mended over $client, RESP$protocol", (options) => {
  it.each(DAMAGE.map((damage, at) => [damage.code, damage.what, at, damage] as const))(
    "%s: %s",
    async (_, __, at, damage) => {
      await withEngine(options, async (engine) => {
        await expectRecovery(new Patient(engine, `${options.client}-${at}`), damage);
      });
    },
  );
});

describe("a queue whose name is a pattern", () => {
  it("is looked at alone", async () => {
    await withEngine({ client: "iovalkey", protocol: 2 }, async (engine) => {
      const [stars, other] = ["glob*", "globe"].map((queue) => new Patient(engine, queue)) as [Patient, Patient];
      await stars.waiting();
      await other.row();
      expect(await inspectQueue(engine, "glob*")).toMatchObject({ isClean: true, looked: { keys: 2 } });
      expect(await inspectQueue(engine, "globe")).toMatchObject({ isClean: false, counts: { "row-place": 1 } });
    });
  });
});
