/** The minter: the rules of order, and every option that it refuses. */

import { describe, expect, it } from "vitest";
import { ID_EPOCH_MS, idParts, isValidId } from "../../../src/protocol/id.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { refusalOf } from "./refusal.ts";

const NOW = 1769526697641;

/** A minter whose clock stands still until it is set. */
function setup({ node = 5, now = NOW } = {}) {
  const clock = { now };
  return { clock, mint: createMinter({ node, clock: () => clock.now }) };
}

/** How many of the payloads are not above the one before. */
function disorderOf(ids: readonly string[]): number {
  return ids.filter((id, at) => at > 0 && id.slice(3) <= (ids[at - 1] ?? "").slice(3)).length;
}

describe("a minter", () => {
  it("takes the instant of its clock, its node and sequence 0 first", () => {
    expect(setup({ node: 0 }).mint("USR")).toBe("USR0KHTOWnGLuC");
    expect(idParts(setup({ node: 1023 }).mint("JOB"))).toEqual({ ms: NOW, node: 1023, sequence: 0 });
  });

  it("counts the sequence within a millisecond and starts it again in the next", () => {
    const { clock, mint } = setup();
    expect(["JOB", "JOB", "JOB"].map((namespace) => idParts(mint(namespace)).sequence)).toEqual([0, 1, 2]);
    clock.now += 1;
    expect(idParts(mint("JOB"))).toEqual({ ms: NOW + 1, node: 5, sequence: 0 });
  });

  it("carries into the timestamp and never into the node after 4096 ids in one millisecond", () => {
    const { mint } = setup({ node: 1023 });
    const parts = Array.from({ length: 10_000 }, () => idParts(mint("JOB")));
    expect(parts.map(({ node }) => node).filter((node) => node !== 1023)).toEqual([]);
    expect(parts[4095]).toEqual({ ms: NOW, node: 1023, sequence: 4095 });
    expect(parts[4096]).toEqual({ ms: NOW + 1, node: 1023, sequence: 0 });
    expect(parts[8192]).toEqual({ ms: NOW + 2, node: 1023, sequence: 0 });
  });

  it("goes on from the carried timestamp until the clock has passed it", () => {
    const { clock, mint } = setup();
    for (let minted = 0; minted < 8193; minted++) mint("JOB");
    clock.now = NOW + 2;
    expect(idParts(mint("JOB"))).toEqual({ ms: NOW + 2, node: 5, sequence: 1 });
    clock.now = NOW + 3;
    expect(idParts(mint("JOB"))).toEqual({ ms: NOW + 3, node: 5, sequence: 0 });
  });

  it("keeps order when the clock steps back", () => {
    const { clock, mint } = setup();
    const ids = [mint("JOB")];
    for (const back of [1, 1000, 3_600_000, NOW - ID_EPOCH_MS, NOW, NOW + 1]) {
      clock.now = NOW - back;
      ids.push(mint("JOB"));
    }
    clock.now = Number.NEGATIVE_INFINITY;
    ids.push(mint("JOB"));
    expect(disorderOf(ids)).toBe(0);
    expect(idParts(ids[7] ?? "")).toEqual({ ms: NOW, node: 5, sequence: 7 });
  });

  it("rises strictly across namespaces", () => {
    const { clock, mint } = setup();
    const ids = Array.from({ length: 9000 }, (_, at) => {
      if (at % 1000 === 0) clock.now += 1;
      return mint(["USR", "JOB", "ZZZ", "AAA"][at % 4] ?? "");
    });
    expect(disorderOf(ids)).toBe(0);
    expect(ids.map((id) => id.slice(0, 3)).slice(0, 5)).toEqual(["USR", "JOB", "ZZZ", "AAA", "USR"]);
  });

  it("gives only valid ids with another digit carry in every millisecond", () => {
    const { clock, mint } = setup({ node: 512 });
    let bad = 0;
    for (let ms = 0; ms < 2000; ms++) {
      clock.now = NOW + ms;
      const first = mint("JOB");
      for (let more = 0; more < 70; more++) mint("JOB");
      const last = mint("JOB");
      if (!isValidId(first) || !isValidId(last) || idParts(last).sequence !== 71 || last <= first) bad += 1;
    }
    expect(bad).toBe(0);
  });

  it("cuts fractions of a millisecond off", () => {
    expect(idParts(setup({ now: NOW + 0.999 }).mint("JOB")).ms).toBe(NOW);
  });

  it("reaches the first and the last instant that an id holds", () => {
    expect(setup({ node: 0, now: ID_EPOCH_MS }).mint("JOB")).toBe("JOB00000000000");
    const { mint } = setup({ node: 1023, now: ID_EPOCH_MS + 2 ** 41 - 1 });
    for (let minted = 0; minted < 4095; minted++) mint("JOB");
    expect(mint("JOB")).toBe("JOBAzL8n0Y58m7");
    expect(refusalOf(() => mint("JOB"))).toMatchObject({ code: "invalid_option" });
  });

  it.each([
    ID_EPOCH_MS - 1,
    0,
    -1,
    ID_EPOCH_MS + 2 ** 41,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])("refuses a clock at %d", (now) => {
    const refusal = refusalOf(() => setup({ now }).mint("JOB"));
    expect(refusal.code).toBe("invalid_option");
    expect(refusal.message).toContain("2024-01-01");
  });

  it("mints on once its clock is right again", () => {
    const { clock, mint } = setup({ now: Number.NaN });
    expect(refusalOf(() => mint("JOB")).code).toBe("invalid_option");
    clock.now = NOW;
    const id = mint("JOB");
    clock.now = Number.NaN;
    expect(refusalOf(() => mint("JOB")).code).toBe("invalid_option");
    clock.now = NOW;
    expect(mint("JOB") > id).toBe(true);
  });

  it.each(["job", "JO", "JOBS", "J0B", "", "JOB\n", undefined, null, 5])(
    "refuses %j as a namespace and mints on",
    (namespace) => {
      const { mint } = setup();
      for (const _ of [1, 2]) {
        expect(refusalOf(() => mint(namespace as string))).toMatchObject({
          code: "invalid_id",
          details: { fault: "namespace" },
        });
      }
      expect(idParts(mint("JOB")).sequence).toBe(0);
    },
  );

  it.each([-1, 1024, 1.5, Number.NaN, "5", undefined, null])("refuses the node %j", (node) => {
    const refusal = refusalOf(() => createMinter({ node: node as number, clock: () => NOW }));
    expect(refusal.code).toBe("invalid_option");
    expect(refusal.message).toContain("0 to 1023");
  });

  it("refuses a clock that is no function, and an option that it does not know", () => {
    expect(refusalOf(() => createMinter({ node: 1, clock: NOW as never })).code).toBe("invalid_option");
    const options = { node: 1, clock: () => NOW, nodes: 2 };
    const refusal = refusalOf(() => createMinter(options));
    expect(refusal.code).toBe("unknown_option");
    expect(refusal.message).toContain('"nodes"');
  });
});
