/**
 * Several kinds of damage at once: what mends one kind must not stand in the way of another, whatever comes together.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { isEchoMQError } from "../../../src/protocol/errors.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { DAMAGE, type Damage, Patient } from "./damage.ts";

/** Does what can be done of it: a key that is of a foreign type by now takes no further damage of its own type. */
async function hurt(patient: Patient, damage: Damage): Promise<void> {
  try {
    await damage.seed(patient);
  } catch (error) {
    if (!isEchoMQError(error) || !error.message.startsWith("WRONGTYPE")) throw error;
  }
}

describe("damage of several kinds in one queue", () => {
  it("is mended in one repair, and a second look finds nothing", async () => {
    const kinds = fc.array(fc.constantFrom(...DAMAGE), { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(kinds, async (damages) => {
        const engine = new EmbeddedEngine({ ports: createTestPorts() });
        const patient = new Patient(engine, "q");
        for (const damage of damages) await hurt(patient, damage);
        const repaired = await inspectQueue(engine, "q", { repair: true, destroy: true });
        expect(repaired.findings.filter(({ outcome }) => outcome === "left")).toEqual([]);
        expect(repaired.unchecked).toEqual([]);
        expect((await inspectQueue(engine, "q")).findings).toEqual([]);
      }),
      { numRuns: 200, examples: [[[...DAMAGE]]] },
    );
  });
});
