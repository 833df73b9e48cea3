/** `echomq key`: both halves of the check, as the page of the braced grammar shows them. */

import { describe, expect, it } from "vitest";
import { keyReport } from "../../../src/cli/key.ts";
import { run, runJson } from "./run.ts";

interface Report {
  readonly key: string;
  readonly queue?: string;
  readonly type?: string;
  readonly valkeyType?: string;
  readonly hashtag: string;
  readonly slot: number;
  readonly host: { readonly isAccepted: boolean; readonly reason: string };
  readonly server: { readonly isAccepted: boolean; readonly reason: string };
}

async function report(...args: string[]): Promise<Report & { code: number }> {
  const { code, json } = await runJson(["key", ...args]);
  return { ...(json as Report), code };
}

describe("building a key", () => {
  it("shows key, type, hashtag, slot and both verdicts", async () => {
    const { code, out } = await run(["key", "orders", "pending"]);
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "emq:{orders}:pending",
      "  type     pending (zset)",
      "  hashtag  orders, every key of this queue shares it",
      "  slot     105",
      '  host     accepts: the name "orders" holds no brace and no NUL',
      '  server   accepts: queue "orders", type "pending"; the fence is next',
      "",
    ]);
  });

  it("builds the row of a job", async () => {
    const row = await report("orders", "job", "JOB0Nb1VTbfnu4");
    expect(row).toMatchObject({
      key: "emq:{orders}:job:JOB0Nb1VTbfnu4",
      valkeyType: "hash",
      code: 0,
      server: { isAccepted: true },
    });
  });

  it("refuses to build the row of a malformed id", async () => {
    const { code, json } = await runJson(["key", "orders", "job", "JOB-1"]);
    expect(code).toBe(1);
    expect(json).toEqual({ error: { code: "invalid_id", message: expect.stringContaining("JOB-1") } });
  });

  it("says of the row of a foreign id what the act will say", async () => {
    const { code, server } = await report("orders", "job", "LNE0Nb1VTbfnu4");
    expect(code).toBe(0);
    expect(server.reason).toContain("begins with JOB");
  });

  it.each([
    // queue, type, key, hashtag, host, server
    ["orders", "pending", "emq:{orders}:pending", "orders", true, true],
    ["", "pending", "emq:{}:pending", "emq:{}:pending", true, false],
    ["a}b", "pending", "emq:{a}b}:pending", "a", false, false],
    ["a{b", "pending", "emq:{a{b}:pending", "a{b", false, false],
    ["a:b", "pending", "emq:{a:b}:pending", "a:b", true, true],
    ["ü", "meta", "emq:{ü}:meta", "ü", true, true],
    ["orders", "waiting", "emq:{orders}:waiting", "orders", true, false],
    ["orders", "", "emq:{orders}:", "orders", true, true],
    ["orders", "g:tenant 7:pending", "emq:{orders}:g:tenant 7:pending", "orders", true, true],
    ["orders", "g::pending", "emq:{orders}:g::pending", "orders", true, false],
    ["orders", "metrics:completed", "emq:{orders}:metrics:completed", "orders", true, true],
    ["orders", "metrics:other:data", "emq:{orders}:metrics:other:data", "orders", true, false],
    ["orders", "job:JOB0Nb1VTbfnu4:logs", "emq:{orders}:job:JOB0Nb1VTbfnu4:logs", "orders", true, true],
    ["orders", "job:x:logs", "emq:{orders}:job:x:logs", "orders", true, false],
  ])("judges %j with type %j by both halves", async (queue, type, key, hashtag, host, server) => {
    const got = await report(queue, type);
    expect(got).toMatchObject({ key, hashtag, host: { isAccepted: host }, server: { isAccepted: server } });
    expect(got.code).toBe(host && server ? 0 : 1);
  });

  it("judges a name with NUL, which no command line can carry", () => {
    const { host, server } = keyReport("emq:{a\0b}:pending", { queue: "a\0b", type: "pending" });
    expect([host.isAccepted, server.isAccepted]).toEqual([false, false]);
  });
});

describe("checking a key", () => {
  it.each([
    ["emq:{orders}:pending", "orders", true, true],
    ["emq:{}:pending", "", true, false],
    ["emq:{a}b}:pending", "a}b", false, false],
    ["emq:{a:b}:pending", "a:b", true, true],
    ["emq:{orders}pending", undefined, false, false],
    ["emq:orders:pending", undefined, false, false],
    ["bull:{orders}:pending", undefined, false, false],
    ["EMQ:{orders}:pending", undefined, false, false],
    ["emq:{orders", undefined, false, false],
    ["", undefined, false, false],
    ["{emq}:version", undefined, true, true],
    ["{emq}:node:1023", undefined, true, true],
    ["{emq}:other", undefined, false, false],
    ["emq:{orders}:job:JOB0Nb1VTbfnu4", "orders", true, true],
    ["emq:{orders}:job:JOB0Nb1VTbfnu", "orders", true, false],
    ["emq:{orders}:de:a}:b", "orders", true, false],
  ])("judges %j", async (key, queue, host, server) => {
    const got = await report("--check", key);
    expect(got).toMatchObject({ key, host: { isAccepted: host }, server: { isAccepted: server } });
    expect(got.queue).toBe(queue);
    expect(got.code).toBe(host && server ? 0 : 1);
  });

  it("gives the slots that a cluster gives", async () => {
    // Values of the page on the hashtag and the slot, and of `CLUSTER KEYSLOT`.
    expect((await report("--check", "123456789")).slot).toBe(12739);
    expect((await report("--check", "emq:{123456789}:pending")).slot).toBe(12739);
  });

  it("moves no cursor with a key", async () => {
    const { out } = await run(["key", "--check", "emq:{\u001b[2J}:pending"], { columns: 80 });
    expect(out).not.toContain("\u001b[2J");
    expect(out).toContain("\\u001b[2J");
  });
});
