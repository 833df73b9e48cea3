/** Ids that come from a file, and so are the same in every process. */

import { describe, expect, it } from "vitest";
import { FileIds } from "../../../../src/cli/demo/file-ids.ts";
import { idParts, isValidId } from "../../../../src/protocol/id.ts";

const CHANGED_AT_MS = Date.UTC(2025, 5, 1, 12);

describe("FileIds", () => {
  it("gives a file the same id in every process", () => {
    expect(new FileIds().idOf("/a/b", CHANGED_AT_MS)).toBe(new FileIds().idOf("/a/b", CHANGED_AT_MS));
  });

  it("gives a changed file and a file of another path another id", () => {
    const id = new FileIds().idOf("/a/b", CHANGED_AT_MS);
    expect(new FileIds().idOf("/a/b", CHANGED_AT_MS + 1)).not.toBe(id);
    expect(new FileIds().idOf("/a/c", CHANGED_AT_MS)).not.toBe(id);
  });

  it("keeps the change time readable in the id", () => {
    const id = new FileIds().idOf("/a/b", CHANGED_AT_MS + 0.7);
    expect(id).toMatch(/^JOB/);
    expect(idParts(id).ms).toBe(CHANGED_AT_MS);
  });

  it("keeps apart a hundred thousand files of one millisecond, alike in every process", () => {
    const [one, other] = [new FileIds(), new FileIds()];
    const ids = new Set<string>();
    for (let at = 0; at < 100_000; at++) {
      const id = one.idOf(`/package/${at}`, CHANGED_AT_MS);
      ids.add(id);
      if (other.idOf(`/package/${at}`, CHANGED_AT_MS) !== id) expect.fail(`file ${at} has two ids`);
    }
    expect(ids.size).toBe(100_000);
    expect([...ids].every(isValidId)).toBe(true);
  });

  it.each([0, -5, Date.UTC(1985, 9, 26), Date.UTC(2200, 0, 1), Number.MAX_SAFE_INTEGER])(
    "gives a file of the instant %d an id too",
    (changedAtMs) => {
      const id = new FileIds().idOf("/old", changedAtMs);
      expect(isValidId(id)).toBe(true);
      expect(new FileIds().idOf("/other", changedAtMs)).not.toBe(id);
    },
  );
});
