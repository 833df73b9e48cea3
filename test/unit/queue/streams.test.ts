/** The low-level verbs of streams: what is refused before anything is sent, and how records are read. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { bytesOf } from "../../../src/protocol/bytes.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { entryIdOf } from "../../../src/protocol/record-id.ts";
import { READ_COUNT_MAX, Streams } from "../../../src/queue/streams.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

const NOW = 1_750_000_000_000;

function setup() {
  const ports = createTestPorts({ now: NOW });
  const engine = new EmbeddedEngine({ ports });
  const streams = new Streams(engine);
  const mint = createMinter({ node: 1, clock: () => ports.clock.now() });
  const append = (fields: Record<string, string>) => streams.append("q", "s", { id: mint("EVT"), fields });
  const isEmpty = async () => (await engine.command(["KEYS", "emq:{q}:*"])) as readonly unknown[];
  return { engine, streams, mint, append, isEmpty };
}

describe("appending", () => {
  it("writes the id first and the fields as they come, in UTF-8", async () => {
    const { engine, streams, mint } = setup();
    const id = mint("EVT");
    expect(await streams.append("q", "s", { id, fields: { b: "2", ä: "ü😀", a: "" } })).toBe("appended");
    const entry = [entryIdOf(id), ["id", id, "b", "2", bytesOf("ä"), bytesOf("ü😀"), "a", ""]];
    expect(await engine.command(["XRANGE", "emq:{q}:stream:s", "-", "+"])).toEqual([entry]);
    const [record] = await streams.read("q", "s");
    expect(record).toEqual({ id, entryId: entryIdOf(id), at: NOW, fields: { b: "2", ä: "ü😀", a: "" } });
  });

  it("keeps a field that is named as a member of every object", async () => {
    const { streams, append } = setup();
    await append(JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>);
    const [record] = await streams.read("q", "s");
    expect(Object.entries(record?.fields ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  it.each<[unknown, string]>([
    ["text", "fields"],
    [["a", "b"], "an array"],
    [null, "null"],
    [{ a: 1 }, "a number"],
    [{ a: undefined }, "an absent value"],
    [{ id: "x" }, "a field id"],
    [{ "": "x" }, "a field without a name"],
    [{ a: "\ud800" }, "half a surrogate pair"],
    [Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`f${at}`, ""])), "too many fields"],
    [{ a: "x".repeat(2 ** 24 + 1) }, "too many bytes"],
  ])("refuses a record of %j before anything is written", async (fields) => {
    const { append, isEmpty } = setup();
    await expect(append(fields as never)).rejects.toMatchObject({ code: "invalid_record" });
    expect(await isEmpty()).toEqual([]);
  });

  it.each(["", "a:archived", ":archived", "a{b", "a}b", "a\u0000b", "x".repeat(257), 7])(
    "refuses the stream name %j before anything is written",
    async (name) => {
      const { streams, mint, isEmpty } = setup();
      const append = streams.append("q", name as string, { id: mint("EVT"), fields: {} });
      await expect(append).rejects.toMatchObject({ code: "invalid_stream" });
      expect(await isEmpty()).toEqual([]);
    },
  );

  it.each([
    ["JOB", "kind"],
    ["text", "invalid_id"],
  ])("refuses a batch with one id of %s as a whole", async (namespace, code) => {
    const { streams, mint, isEmpty } = setup();
    const bad = namespace === "text" ? "text" : mint(namespace);
    const drafts = [mint("EVT"), bad].map((id) => ({ id, fields: {} }));
    await expect(streams.appendMany("q", "s", drafts)).rejects.toMatchObject({ code });
    expect(await isEmpty()).toEqual([]);
  });
});

describe("reading", () => {
  it("lets the first of two fields of one name win, so that nothing takes the place of the receipt", async () => {
    const { engine, streams, mint } = setup();
    const id = mint("EVT");
    await engine.command(["XADD", "emq:{q}:stream:s", entryIdOf(id), "id", id, "a", "1", "a", "2", "id", "forged"]);
    expect(await streams.read("q", "s")).toMatchObject([{ id, fields: { a: "1" } }]);
  });

  it("reads the id of an entry that has none of its own out of the entry, where a mint could have made it", async () => {
    const { engine, streams } = setup();
    await engine.command(["XADD", "emq:{q}:stream:s", "5-1", "a", "1"]);
    await engine.command(["XADD", "emq:{q}:stream:s", "1704117200000-1620567", "a", "2"]);
    const records = await streams.read("q", "s");
    expect(records.map(({ id, entryId }) => [id, entryId])).toEqual([
      [undefined, "5-1"],
      ["EVT000xY9Wvvcd", "1704117200000-1620567"],
    ]);
  });

  it("answers an empty list for a stream that is not there, a count of 0 and a trimmed range", async () => {
    const { streams, append } = setup();
    expect(await streams.read("q", "s")).toEqual([]);
    expect(await streams.newest("q", "s")).toBeUndefined();
    await append({});
    expect(await streams.read("q", "s", { count: 0 })).toEqual([]);
    await streams.trim("q", "s", { maxLength: 0 });
    expect(await streams.read("q", "s")).toEqual([]);
    expect(await streams.length("q", "s")).toBe(0);
  });

  it.each<[unknown, string]>([
    [{ maxLength: 1, from: 0 }, "invalid_option"],
    [{ maxlen: 1 }, "unknown_option"],
    [null, "invalid_option"],
    [undefined, "invalid_option"],
    [{}, "invalid_window"],
    [{ maxLength: -1 }, "invalid_option"],
  ])("refuses to trim to %j, and takes nothing out", async (window, code) => {
    const { streams, append } = setup();
    for (const n of ["1", "2"]) await append({ n });
    await expect(streams.trim("q", "s", window as never)).rejects.toMatchObject({ code });
    expect(await streams.length("q", "s")).toBe(2);
  });

  it("caps by the oldest", async () => {
    const { streams, append } = setup();
    for (const n of ["1", "2", "3", "4", "5"]) await append({ n });
    expect((await streams.read("q", "s", { count: 2 })).map(({ fields }) => fields["n"])).toEqual(["1", "2"]);
    const window = await streams.readWindow("q", "s", { from: NOW, to: NOW, count: 3 });
    expect(window.map(({ fields }) => fields["n"])).toEqual(["1", "2", "3"]);
    expect((await streams.newest("q", "s"))?.fields["n"]).toBe("5");
  });

  it.each([-1, 1.5, READ_COUNT_MAX + 1, Number.NaN])("refuses the count %s", async (count) => {
    const { streams } = setup();
    await expect(streams.read("q", "s", { count })).rejects.toMatchObject({ code: "invalid_option" });
  });

  it.each([
    [NOW, NOW - 1],
    [new Date(Number.NaN), NOW],
    ["2025-01-01" as never, NOW],
    [NOW, Number.POSITIVE_INFINITY],
    [-1, NOW],
  ])("refuses the window from %s to %s", async (from, to) => {
    const { streams } = setup();
    await expect(streams.readWindow("q", "s", { from, to })).rejects.toMatchObject({ code: "invalid_window" });
  });

  it("takes a window of one instant", async () => {
    const { streams, append } = setup();
    await append({ n: "1" });
    expect(await streams.readWindow("q", "s", { from: NOW, to: new Date(NOW) })).toHaveLength(1);
  });
});

describe("removing", () => {
  it("takes the stream with its mark of what was archived", async () => {
    const { streams, append, mint, isEmpty } = setup();
    await append({});
    await streams.putArchived("q", "s", mint("EVT"));
    expect(await streams.remove("q", "s")).toBe(true);
    expect(await streams.remove("q", "s")).toBe(false);
    expect(await isEmpty()).toEqual([]);
  });

  it("refuses to note an id that is no record's as archived", async () => {
    const { streams, mint, isEmpty } = setup();
    await expect(streams.putArchived("q", "s", mint("JOB"))).rejects.toMatchObject({ code: "kind" });
    expect(await isEmpty()).toEqual([]);
  });

  it.each([-1, 0.5])("refuses to trim to a length of %s", async (maxLength) => {
    const { streams } = setup();
    await expect(streams.trim("q", "s", { maxLength })).rejects.toMatchObject({ code: "invalid_option" });
  });
});
