import { describe, expect, it } from "vitest";
import { play } from "./driver.ts";
import { useServerSide } from "./use-server-side.ts";

describe("b1", () => {
  const side = useServerSide();
  for (let seed = 100; seed < 130; seed++)
    for (const mode of ["clean", "foreign"] as const)
      it(`${mode} ${seed}`, async () => {
        expect(await play(side(), { seed, steps: 700, mode })).toBeUndefined();
      });
});
