/**
 * The soak: `npm run soak` for half an hour with a seed that it prints, and a minute of it in `npm run test:long`.
 *
 * `ECHOMQ_SOAK_SECONDS` and `ECHOMQ_SOAK_SEED` say how long and which faults.
 */

import { expect, it } from "vitest";
import { HEAP_GROWTH_MAX, soak } from "./soak-run.ts";

const seconds = Number(process.env["ECHOMQ_SOAK_SECONDS"] ?? 60);
const seed = Number(process.env["ECHOMQ_SOAK_SEED"] ?? 1);

it(`keeps the accounts of every job through ${seconds} s of faults`, {
  timeout: seconds * 1000 + 600_000,
}, async () => {
  const say = (line: string) => console.log(`soak, seed ${seed}: ${line}`);
  say(`${seconds} s`);
  const result = await soak({ seconds, seed, say });
  const { added, completed, dead, repeated, faults, heapGrowthBytes } = result;
  const heap = `heap ${(heapGrowthBytes / 2 ** 20).toFixed(1)} MiB more`;
  say(`${added} in, ${completed} done, ${dead} dead, ${repeated} adds repeated, ${faults} faults, ${heap}`);
  expect({ seed, findings: result.findings, violations: result.violations }).toEqual({
    seed,
    findings: [],
    violations: [],
  });
  expect(added).toBeGreaterThan(seconds);
  expect(heapGrowthBytes).toBeLessThan(HEAP_GROWTH_MAX);
});
