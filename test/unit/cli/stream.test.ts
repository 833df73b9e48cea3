/** `echomq stream` on a store in this process. */

import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { firstRecordIdAt } from "../../../src/protocol/record-id.ts";
import { Streams } from "../../../src/queue/streams.ts";
import { fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

const T0 = Date.parse("2026-03-01T12:00:00.000Z");

async function setup(names: readonly string[] = ["a", "b", "c"]) {
  const store = setupStore();
  const streams = new Streams(store.engine);
  const ids = names.map((_, at) => firstRecordIdAt(T0 + at * 60_000));
  for (const [at, n] of names.entries()) await streams.append("mail", "sent", { id: ids[at] ?? "", fields: { n } });
  return { ...store, streams, ids };
}

/** The values of the field `n` of the lines. */
function namesIn(out: string): string[] {
  return [...out.matchAll(/ n=(\S+)/g)].map(([, name]) => name ?? "");
}

describe("stream read", () => {
  it("prints a line for each record, the oldest first", async () => {
    const { run, ids } = await setup();
    const { code, out } = await run(["stream", "read", "mail", "sent"]);
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")[0]).toBe(`2026-03-01T12:00:00.000Z  ${ids[0]}  n=a`);
    expect(namesIn(out)).toEqual(["a", "b", "c"]);
  });

  it.each<[readonly string[], string[]]>([
    [
      ["--from", "2026-03-01T12:01Z"],
      ["b", "c"],
    ],
    [
      ["--to", "2026-03-01T12:01:00.000Z"],
      ["a", "b"],
    ],
    [["--from", "2026-03-01T12:01Z", "--to", "2026-03-01T12:01Z"], ["b"]],
    [
      ["--count", "2"],
      ["a", "b"],
    ],
    [
      ["--from", firstRecordIdAt(T0)],
      ["b", "c"],
    ],
    [["--from", `${T0 + 60_000}-0`], ["c"]],
    [["--from", firstRecordIdAt(T0), "--to", "2026-03-01T12:01Z"], ["b"]],
    [["--from", "start", "--count", "1"], ["a"]],
  ])("reads %j", async (args, expected) => {
    const { run } = await setup();
    expect(namesIn((await run(["stream", "read", "mail", "sent", ...args])).out)).toEqual(expected);
  });

  it("prints a document a line with --json, and nothing that a terminal would obey without", async () => {
    const { run, ids } = await setup(["\u001b[31mred\nb"]);
    const { out } = await run(["stream", "read", "mail", "sent", "--json"]);
    expect(JSON.parse(out)).toEqual({
      id: ids[0],
      entryId: `${T0}-0`,
      at: "2026-03-01T12:00:00.000Z",
      fields: { n: "\u001b[31mred\nb" },
    });
    const plain = (await run(["stream", "read", "mail", "sent"])).out;
    expect(plain.trimEnd()).not.toContain("\n");
    expect(plain).not.toContain("\u001b");
  });

  it.each<[readonly string[], string]>([
    [["mail", "sent", "--from", "yesterday"], "invalid_window"],
    [["mail", "sent", "--to", "7"], "invalid_window"],
    [["mail", "sent", "--from", "2026-03-02T00:00Z", "--to", "2026-03-01T00:00Z"], "invalid_window"],
    [["mail", "a:archived"], "invalid_stream"],
    [["emq", "sent"], "invalid_queue"],
    [["mail", "sent", "--from", "JOB000xY9Wvvcd"], "kind"],
  ])("refuses %j", async (args, code) => {
    const { runJson } = await setup();
    expect(await runJson(["stream", "read", ...args])).toMatchObject({ json: { error: { code } } });
  });
});

describe("stream tail", () => {
  it("prints what is there since a place, and what comes, until Ctrl-C", async () => {
    const { openEngine, streams } = await setup();
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
    const end = runCli(["stream", "tail", "mail", "sent", "--from", "2026-03-01T12:01Z"], host, openEngine);
    while (namesIn(host.stdout()).length < 2) await new Promise(setImmediate);
    await streams.append("mail", "sent", { id: firstRecordIdAt(T0 + 600_000), fields: { n: "new" } });
    while (namesIn(host.stdout()).length < 3) await new Promise(setImmediate);
    host.interrupt();
    expect(await end).toBe(130);
    expect(namesIn(host.stdout())).toEqual(["b", "c", "new"]);
    expect(host.stderr()).toBe("");
  });
});

describe("stream trim", () => {
  it("keeps the newest, and tells how many went and how many are left", async () => {
    const { run, runJson } = await setup();
    expect(await run(["stream", "trim", "mail", "sent", "--keep", "2"])).toMatchObject({
      code: 0,
      out: "1 removed, 2 left\n",
    });
    expect(await runJson(["stream", "trim", "mail", "sent", "--keep", "0"])).toMatchObject({
      code: 0,
      json: { queue: "mail", stream: "sent", removed: 2, left: 0 },
    });
  });

  it("takes what is older out", async () => {
    const { run, streams } = await setup();
    const now = fakeHost().unixMs();
    await streams.remove("mail", "sent");
    for (const [at, ms] of [now - 7_200_000, now - 3_599_000].entries()) {
      await streams.append("mail", "sent", { id: firstRecordIdAt(ms), fields: { n: String(at) } });
    }
    const { out } = await run(["stream", "trim", "mail", "sent", "--older-than", "1h"]);
    expect(out).toBe("1 removed, 1 left\n");
  });

  it.each([[[]], [["--keep", "1", "--older-than", "1h"]]])("wants one thing said of what stays: %j", async (args) => {
    const { runJson } = await setup();
    expect(await runJson(["stream", "trim", "mail", "sent", ...args])).toMatchObject({
      code: 2,
      json: { error: { code: "invalid_window" } },
    });
  });
});
