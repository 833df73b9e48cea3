/** Branded ids: every vector of the contract. */

import { describe, expect, it } from "vitest";
import {
  assertValidId,
  decodeId,
  encodeId,
  hash32,
  ID_EPOCH_MS,
  idParts,
  idTime,
  isValidId,
  parseId,
} from "../../../src/protocol/id.ts";
import { refusalOf } from "./refusal.ts";
import { createXorshift } from "./xorshift.ts";

/** Number, payload, hash32, and milliseconds since 2024, node and sequence. */
const VECTORS = [
  [0n, "00000000000", 0, 0, 0, 0],
  [1n, "00000000001", 2466077478, 0, 0, 1],
  [61n, "0000000000z", 3864657888, 0, 0, 61],
  [62n, "00000000010", 274485891, 0, 0, 62],
  [3843n, "000000000zz", 2833379920, 0, 0, 3843],
  [3844n, "00000000100", 3688629527, 0, 0, 3844],
  [4096n, "00000000144", 1437757290, 0, 1, 0],
  [4194304n, "0000000Hb84", 1237166769, 1, 0, 0],
  [12345678901234n, "0003VLrOWLi", 1403997167, 2943439, 226, 4082],
  [9007199254740991n, "00fFgnDxSe7", 2099287379, 2147483647, 1023, 4095],
  [274557032793636864n, "0KHTOWnGLuC", 234878118, 65459497641, 0, 0],
  [320636799581945856n, "0NgWEfAEJfs", 3694611501, 76445770164, 0, 0],
  [9223372036854775807n, "AzL8n0Y58m7", 2186628710, 2199023255551, 1023, 4095],
] as const;

const FAULTS = [
  ["USR0KHTOWnGLu", "length"],
  ["USR0KHTOWnGLuCx", "length"],
  ["", "length"],
  ["JOB", "length"],
  ["USR0KHTOWnGLé", "charset"],
  ["USR0KHTOWnGLué", "length"],
  ["usr0KHTOWnGLuC", "namespace"],
  ["U5R0KHTOWnGLuC", "namespace"],
  ["USr0KHTOWnGLuC", "namespace"],
  ["12345678901234", "namespace"],
  ["order-shipping", "namespace"],
  ["usrzzzzzzzzzz!", "namespace"],
  ["USR0KHTOWnGL!C", "charset"],
  ["USR0KHTOWnGLu*", "charset"],
  ["USR0KHTOWnGLu\n", "charset"],
  ["USR\u00000KHTOWnGLu", "charset"],
  ["USRzzzzzzzzzz!", "charset"],
  ["USRzzzzzzzzzzz", "range"],
  ["USRAzL8n0Y58m8", "range"],
  ["USRB0000000000", "range"],
] as const;

const NO_IDS = [undefined, null, 0, 274557032793636864n, true, Symbol("id"), {}, [], ["USR0KHTOWnGLuC"], () => "USR"];

describe("encodeId and decodeId", () => {
  it.each(VECTORS)("write %s as %s and read it back", (value, payload) => {
    expect(encodeId("USR", value)).toBe(`USR${payload}`);
    expect(decodeId(`USR${payload}`)).toBe(value);
    expect(parseId(`ZZZ${payload}`)).toEqual({ namespace: "ZZZ", value });
    expect(isValidId(`AAA${payload}`)).toBe(true);
  });

  it("take a safe integer as a plain number", () => {
    expect(encodeId("JOB", 62)).toBe("JOB00000000010");
  });

  it("read an id that is given as bytes", () => {
    const id = new TextEncoder().encode("USR0KHTOWnGLuC");
    expect(decodeId(id)).toBe(274557032793636864n);
    expect(isValidId(id)).toBe(true);
    expect(parseId(id)).toEqual({ namespace: "USR", value: 274557032793636864n });
    expect(isValidId(id.subarray(1))).toBe(false);
  });

  it("keep the number through every digit length, at both ends of it", () => {
    for (let digits = 0; digits <= 10; digits++) {
      for (const value of [62n ** BigInt(digits) - 1n, 62n ** BigInt(digits), 56800235584n + BigInt(digits)]) {
        expect(decodeId(encodeId("CRS", value))).toBe(value);
      }
    }
  });

  it.each([2n ** 63n, -1n, 2n ** 64n, -1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, "0", undefined, null])(
    "refuse %s as a number",
    (value) => {
      expect(refusalOf(() => encodeId("USR", value as bigint))).toMatchObject({
        code: "invalid_id",
        details: { fault: "range" },
      });
    },
  );

  it.each(["usr", "US", "USER", "U5R", "", "ÄBC", "US\n", "USR\n", undefined, 123, null])(
    "refuse %j as a namespace",
    (namespace) => {
      expect(refusalOf(() => encodeId(namespace as string, 1n))).toMatchObject({
        code: "invalid_id",
        details: { fault: "namespace" },
      });
    },
  );

  it("judge the number before the namespace", () => {
    expect(refusalOf(() => encodeId("usr", 2n ** 63n))).toMatchObject({ details: { fault: "range" } });
  });

  it("give back the numbers of a xorshift sequence", () => {
    // A quarter of the contract's million, which takes a second; id.long.test.ts runs them all.
    const next = createXorshift();
    let wrong = 0;
    for (let round = 0; round < 250_000; round++) {
      const value = next();
      if (decodeId(encodeId("CRS", value)) !== value) wrong += 1;
    }
    expect(wrong).toBe(0);
  });

  it("are tested with the contract's sequence and not another", () => {
    const next = createXorshift();
    let state = 0x6a09e667f3bcc909n;
    for (let round = 0; round < 1000; round++) {
      state ^= BigInt.asUintN(64, state << 13n);
      state ^= state >> 7n;
      state ^= BigInt.asUintN(64, state << 17n);
      expect(next()).toBe(BigInt.asUintN(63, state));
    }
  });
});

describe("a refused id", () => {
  it.each(FAULTS)("%j fails by %s", (id, fault) => {
    expect(parseId(id)).toEqual({ error: fault });
    expect(isValidId(id)).toBe(false);
    expect(refusalOf(() => decodeId(id))).toMatchObject({
      code: "invalid_id",
      retryable: false,
      details: { id, fault },
    });
    expect(refusalOf(() => assertValidId(id)).message).toContain("mint ids with createMinter");
  });

  it("fails by length when it is neither text nor bytes", () => {
    for (const id of NO_IDS) {
      expect(parseId(id)).toEqual({ error: "length" });
      expect(isValidId(id)).toBe(false);
      expect(refusalOf(() => decodeId(id as string)).code).toBe("invalid_id");
    }
  });

  it("is shown cut short in the message", () => {
    expect(refusalOf(() => decodeId("x".repeat(100_000))).message.length).toBeLessThan(200);
  });
});

describe("hash32", () => {
  it.each(VECTORS)("of %s (%s) is %d", (value, _payload, hash) => {
    expect(hash32(encodeId("USR", value))).toBe(hash);
  });

  it("is the same for two numbers that are known to collide", () => {
    expect(hash32(encodeId("USR", 5847939110438719485n))).toBe(2903169986);
    expect(hash32(encodeId("USR", 8650000486196437660n))).toBe(2903169986);
  });

  it("does not look at the namespace", () => {
    expect(hash32("JOB0KHTOWnGLuC")).toBe(hash32("USR0KHTOWnGLuC"));
  });
});

describe("the parts of an id", () => {
  it.each(VECTORS)(
    "of %s (%s) are its instant, node and sequence",
    (value, _payload, _hash, sinceEpoch, node, sequence) => {
      expect(idParts(encodeId("USR", value))).toEqual({ ms: ID_EPOCH_MS + sinceEpoch, node, sequence });
    },
  );

  it.each([
    ["USR0KHTOWnGLuC", 1769526697641, "2026-01-27T15:11:37.641Z"],
    ["USR0NgWEfAEJfs", 1780512970164, "2026-06-03T18:56:10.164Z"],
    ["USR00000000000", 1704067200000, "2024-01-01T00:00:00.000Z"],
    ["USRAzL8n0Y58m7", 3903090455551, "2093-09-06T15:47:35.551Z"],
  ])("of %s say that it was minted at %d", (id, ms, iso) => {
    expect(idParts(id).ms).toBe(ms);
    expect(idTime(id).toISOString()).toBe(iso);
  });

  it("are refused for what is no id", () => {
    for (const read of [idParts, idTime, hash32, decodeId]) {
      expect(refusalOf(() => read("USRzzzzzzzzzzz")).code).toBe("invalid_id");
    }
  });
});
