/** Waiting for a server at a terminal. */

import { describe, expect, it } from "vitest";
import { firstAnswer, safeUrl } from "../../../src/cli/first-answer.ts";
import { fakeHost } from "./fake-host.ts";

const never = new Promise<void>(() => {});
const url = "valkey://:secret@127.0.0.1:1";

describe("firstAnswer", () => {
  it("resolves with the answer", async () => {
    await expect(firstAnswer(Promise.resolve(), { host: fakeHost(), url })).resolves.toBeUndefined();
  });

  it("passes on the refusal of the server", async () => {
    const refused = Promise.reject(new Error("WRONGPASS"));
    await expect(firstAnswer(refused, { host: fakeHost(), url })).rejects.toThrow("WRONGPASS");
  });

  it("gives up after a while and says where it asked, without the password", async () => {
    const waiting = firstAnswer(never, { host: fakeHost(), url, timeoutMs: 1 });
    await expect(waiting).rejects.toThrow("no server answered at valkey://***@127.0.0.1:1");
  });

  it("ends without an error when it is interrupted", async () => {
    const waiting = firstAnswer(never, { host: fakeHost(), url, signal: AbortSignal.abort() });
    await expect(waiting).resolves.toBeUndefined();
  });
});

describe("safeUrl", () => {
  it.each([
    ["valkey://127.0.0.1:6379/1", "valkey://127.0.0.1:6379/1"],
    ["valkey://user:pass@host", "valkey://***@host"],
    ["valkey://user:p@ss@host/1", "valkey://***@host/1"],
    ["valkey-sentinel://user:pass@one:1,two:2/mymaster", "valkey-sentinel://***@one:1,two:2/mymaster"],
    ["unix://user:pass@/tmp/a@b", "unix://***@/tmp/a@b"],
    ["unix:/tmp/s", "unix:/tmp/s"],
    ["memory:", "memory:"],
  ])("shows %s as %s", (given, shown) => {
    expect(safeUrl(given)).toBe(shown);
  });
});
