/**
 * Random acts on a store in memory and on one in a folder, which is closed, killed and opened again at random points:
 * answers and every key stay the same.
 */

import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import type { Engine, Reply } from "../../src/engine/engine.ts";
import { createRandom, createTestPorts } from "../../src/testing/test-ports.ts";
import { MemoryFiles } from "../unit/embedded/journal/memory-files.ts";
import { everything, openStore } from "../unit/embedded/journal/open-store.ts";
import { ActSource, type Step } from "./act-source.ts";

const START_AT = 2_840_140_800_000;
const STEPS = 1200;

/** How often a step is followed by the end of the process, of one kind or the other. */
const END_CHANCE = 0.02;

async function answer(engine: Engine, step: Step): Promise<unknown> {
  if (step.kind === "clock") return undefined;
  const call = step.kind === "act" ? engine.act(step.verb, step.keys, step.args) : engine.command(step.parts);
  return await call.catch((error: unknown) => String(error));
}

async function play(seed: number, isForeign: boolean): Promise<string | undefined> {
  const ports = createTestPorts({ seed, now: START_AT });
  const random = createRandom(seed);
  const source = new ActSource({ queue: "twin", random: createRandom(seed), now: START_AT, isForeign });
  const store = { fsync: seed % 2 === 0 ? "always" : "everysec", compactBytesMin: 20_000 } as const;
  const memory = new EmbeddedEngine({ ports });
  let { engine, files } = await openStore(new MemoryFiles(), store, ports);
  const steps = [...source.preparation(), ...Array.from({ length: STEPS }, () => undefined)];
  for (const [at, prepared] of steps.entries()) {
    const step = prepared ?? source.next();
    if (step.kind === "clock") ports.clock.shift(step.ms);
    const [one, other] = [await answer(memory, step), await answer(engine, step)];
    if (!isDeepStrictEqual(one, other)) {
      return `seed ${seed}, step ${at}: ${JSON.stringify([step, one, other]).slice(0, 2000)}`;
    }
    if (typeof one !== "string" || !one.startsWith("EchoMQError")) source.learn(step, one as Reply);
    if (random() >= END_CHANCE && at < steps.length - 1) continue;
    const end = random();
    if (end < 0.5) await engine.close();
    else if (end < 0.75) await ports.clock.settle();
    ({ engine, files } = await openStore(files.afterKill(), store, ports));
    const [all, again] = [await everything(memory), await everything(engine)];
    for (const key of new Set([...Object.keys(all), ...Object.keys(again)])) {
      if (isDeepStrictEqual(all[key], again[key])) continue;
      return `seed ${seed}, step ${at}, ${key}: ${JSON.stringify([all[key], again[key]]).slice(0, 2000)}`;
    }
  }
  await engine.close();
  return undefined;
}

describe("a store in a folder that is opened again and again", () => {
  for (const seed of [1, 2, 77, 78]) {
    for (const isForeign of [false, true]) {
      it(`does what a store in memory does (seed ${seed}${isForeign ? ", foreign" : ""})`, async () => {
        expect(await play(seed, isForeign)).toBeUndefined();
      });
    }
  }
});
