/** Every kind of damage is found where it is, mended when asked, and what can run runs afterwards. */

import { describe, expect, it } from "vitest";
import { FINDINGS } from "../../../src/doctor/finding.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { DAMAGE, Patient } from "./damage.ts";
import { expectRecovery } from "./recovery.ts";

describe("damage is found and mended on the embedded engine", () => {
  it.each(DAMAGE.map((damage) => [damage.code, damage.what, damage] as const))("%s: %s", async (_, __, damage) => {
    const engine = new EmbeddedEngine({ ports: createTestPorts() });
    await expectRecovery(new Patient(engine, "q"), damage);
  });

  it("there is damage of every code that a queue can have without being told that it is idle", () => {
    const seeded = new Set(DAMAGE.map(({ code }) => code));
    expect(Object.keys(FINDINGS).filter((code) => !seeded.has(code as (typeof DAMAGE)[number]["code"]))).toEqual([
      "wake-idle",
    ]);
  });
});
