/** The contract's million round trips, in full. */

import { expect, it } from "vitest";
import { decodeId, encodeId, isValidId } from "../../../src/protocol/id.ts";
import { createXorshift } from "./xorshift.ts";

it("ids give back a million numbers of the contract's xorshift sequence", () => {
  const next = createXorshift();
  let wrong = 0;
  for (let round = 0; round < 1_000_000; round++) {
    const value = next();
    const id = encodeId("CRS", value);
    if (!isValidId(id) || decodeId(id) !== value) wrong += 1;
  }
  expect(wrong).toBe(0);
});
