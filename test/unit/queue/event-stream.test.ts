/** The stream of a program: appending with minted ids, bounds, and following. */

import { describe, expect, it } from "vitest";
import { createMinter } from "../../../src/protocol/mint.ts";
import { EventStreamCore, type EventStreamOptions } from "../../../src/queue/event-stream.ts";
import type { StreamRecord } from "../../../src/queue/stream-record.ts";
import type { TailOptions } from "../../../src/queue/stream-tail.ts";
import { Streams } from "../../../src/queue/streams.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { RemoteEngine } from "../worker/remote-engine.ts";

const NOW = 1_750_000_000_000;
const KEY = "emq:{q}:stream:s";

function setup(options: EventStreamOptions = {}) {
  const ports = createTestPorts({ now: NOW });
  const engine = new RemoteEngine(ports);
  let releases = 0;
  const lease = {
    engine,
    release: () => {
      releases += 1;
      return Promise.resolve();
    },
  };
  const stream = new EventStreamCore("q", "s", lease, { node: 1, ...options });
  /** Follows the stream, and notes what comes. */
  const follow = (options: TailOptions = {}) => {
    const seen: string[] = [];
    const end = { isOver: false, error: undefined as unknown };
    const run = async (): Promise<void> => {
      for await (const { fields } of stream.tail(options)) seen.push(fields["n"] ?? "?");
    };
    const done = run().then(
      () => {
        end.isOver = true;
      },
      (error: unknown) => {
        end.error = error;
      },
    );
    return { seen, end, done };
  };
  const add = (...names: string[]) => Promise.all(names.map((n) => stream.append({ n })));
  return { ports, engine, stream, follow, add, releases: () => releases };
}

function namesOf(records: readonly StreamRecord[]): (string | undefined)[] {
  return records.map(({ fields }) => fields["n"]);
}

describe("appending", () => {
  it("keeps the order of the calls, whatever is awaited", async () => {
    const { stream, add } = setup();
    const ids = await add("a", "b", "c", "d");
    expect(namesOf(await stream.read())).toEqual(["a", "b", "c", "d"]);
    expect(ids.toSorted()).toEqual(ids);
    expect((await stream.read()).map(({ id }) => id)).toEqual(ids);
    await stream.close();
  });

  it("mints anew where another writer is a little ahead", async () => {
    const { ports, engine, stream, add } = setup();
    const other = createMinter({ node: 9, clock: () => ports.clock.now() + 3 });
    await new Streams(engine.store).append("q", "s", { id: other("EVT"), fields: { n: "theirs" } });
    const added = add("ours");
    await ports.clock.advance(10);
    await added;
    expect(namesOf(await stream.read())).toEqual(["theirs", "ours"]);
    await stream.close();
  });

  it("says so when the other writer stays ahead, and writes nothing", async () => {
    const { ports, engine, stream, add } = setup();
    const other = createMinter({ node: 9, clock: () => ports.clock.now() + 60_000 });
    await new Streams(engine.store).append("q", "s", { id: other("EVT"), fields: { n: "theirs" } });
    const added = add("ours");
    const refused = expect(added).rejects.toMatchObject({ code: "nonmonotonic", retryable: true });
    await ports.clock.advance(1000);
    await refused;
    const [verdict] = await stream.appendBatch([{ n: "ours" }]);
    expect(verdict?.error).toMatchObject({ code: "nonmonotonic" });
    expect(await stream.length()).toBe(1);
    await stream.close();
  });

  it("answers for each record of a batch, with ids that rise", async () => {
    const { stream } = setup();
    const verdicts = await stream.appendBatch([{ n: "a" }, { n: "b" }]);
    expect(verdicts.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect((await stream.read()).map(({ id }) => ({ id }))).toEqual(verdicts);
    expect(await stream.appendBatch([])).toEqual([]);
    await stream.close();
  });

  it("names the bad record of a batch, of which nothing is written", async () => {
    const { engine, stream } = setup();
    const batch = stream.appendBatch([{ n: "a" }, { n: 7 } as never]);
    await expect(batch).rejects.toMatchObject({ code: "invalid_record", details: { index: 1 } });
    await expect(stream.append({ id: "x" })).rejects.toMatchObject({ code: "invalid_record" });
    await expect(stream.appendBatch("ab" as never)).rejects.toMatchObject({ code: "invalid_option" });
    expect(engine.commands).toEqual([]);
    await stream.close();
  });

  it("is refused once it is closed, and gives its share back once", async () => {
    const { stream, add, releases } = setup();
    await stream.close();
    await stream.close();
    await expect(add("a")).rejects.toMatchObject({ code: "closed" });
    expect(releases()).toBe(1);
  });
});

describe("a bound", () => {
  it("of length is kept about, by trims beside the appends", async () => {
    const { stream, add } = setup({ maxLength: 50 });
    for (let at = 0; at < 1000; at++) await add(String(at));
    const left = await stream.read();
    expect(left.length).toBeGreaterThanOrEqual(50);
    expect(left.length).toBeLessThan(250);
    expect(left.at(-1)?.fields["n"]).toBe("999");
    await stream.close();
  });

  it("of age is kept about", async () => {
    const { ports, stream, add } = setup({ maxAge: "1m" });
    for (let at = 0; at < 1000; at++) {
      await add(String(at));
      await ports.clock.advance(1000);
    }
    const left = await stream.length();
    expect(left).toBeGreaterThanOrEqual(60);
    expect(left).toBeLessThan(260);
    await stream.close();
  });

  it("costs those who append nothing when it cannot be kept", async () => {
    const { ports, engine, stream, add } = setup({ maxLength: 1 });
    const inner = engine.store.command.bind(engine.store);
    engine.store.command = (parts) =>
      parts[0] === "XTRIM" ? Promise.reject(new Error("no trim today")) : inner(parts);
    for (let at = 0; at < 100; at++) await add(String(at));
    await ports.clock.advance(0);
    expect(ports.logger.messages("warn")).toEqual(["The stream s could not be trimmed"]);
    await stream.close();
  });
});

describe("following", () => {
  it("begins with the next record, waits on the server, and does not poll", async () => {
    const { ports, engine, stream, follow, add } = setup();
    await add("old");
    const { seen, end, done } = follow();
    await ports.clock.advance(0);
    const before = engine.commands.length;
    await ports.clock.advance(4000);
    expect(engine.commands.length).toBe(before);
    await add("a", "b");
    await ports.clock.advance(0);
    expect(seen).toEqual(["a", "b"]);
    await stream.close();
    await done;
    expect(end).toEqual({ isOver: true, error: undefined });
  });

  it.each<[string, (ids: readonly string[]) => TailOptions, string[]]>([
    ["the start", () => ({ from: "start" }), ["a", "b", "c", "new"]],
    ["an instant", () => ({ from: NOW + 1000 }), ["b", "c", "new"]],
    ["a Date", () => ({ from: new Date(NOW + 1001) }), ["c", "new"]],
    ["an instant to come", () => ({ from: NOW + 2001 }), ["new"]],
    ["behind a record", (ids) => ({ from: { after: ids[1] ?? "" } }), ["c", "new"]],
    ["now", () => ({}), ["new"]],
  ])("begins at %s, with pages of one or of many", async (_what, optionsOf, expected) => {
    for (const page of [1, 1000]) {
      const { ports, engine, stream, follow, add } = setup();
      const ids: string[] = [];
      for (const n of ["a", "b", "c"]) {
        ids.push(...(await add(n)));
        await ports.clock.advance(1000);
      }
      const { seen, done } = follow({ ...optionsOf(ids), page });
      await ports.clock.advance(0);
      await add("new");
      await ports.clock.advance(0);
      expect(seen).toEqual(expected);
      const before = engine.commands.length;
      await ports.clock.advance(60_000);
      expect(engine.commands.length - before).toBeLessThanOrEqual(12);
      await stream.close();
      await done;
    }
  });

  it("goes on after an outage where it was", async () => {
    const { ports, engine, stream, follow, add } = setup();
    const { seen, done } = follow({ from: "start" });
    await add("a");
    await ports.clock.advance(0);
    engine.goDown();
    const streams = new Streams(engine.store);
    const mint = createMinter({ node: 5, clock: () => ports.clock.now() });
    await ports.clock.advance(1);
    for (const n of ["b", "c"]) await streams.append("q", "s", { id: mint("EVT"), fields: { n } });
    await ports.clock.advance(20_000);
    expect(seen).toEqual(["a"]);
    engine.comeBack();
    await ports.clock.advance(5000);
    expect(seen).toEqual(["a", "b", "c"]);
    await stream.close();
    await done;
  });

  it("ends by its signal, by leaving the loop, and at once when the signal was given before", async () => {
    const { ports, stream, follow, add } = setup();
    const controller = new AbortController();
    const { seen, end, done } = follow({ signal: controller.signal });
    await ports.clock.advance(0);
    controller.abort();
    await done;
    expect([seen, end.isOver]).toEqual([[], true]);
    const late = follow({ from: "start", signal: controller.signal });
    await late.done;
    await add("a", "b");
    for await (const { fields } of stream.tail({ from: "start" })) {
      expect(fields).toEqual({ n: "a" });
      break;
    }
    await stream.close();
  });

  it("throws what will not pass", async () => {
    const { engine, stream, follow } = setup();
    await engine.store.command(["SET", KEY, "text"]);
    const { end, done } = follow({ from: "start" });
    await done;
    expect(end.error).toMatchObject({ code: "refused" });
    await stream.close();
  });

  it.each<object>([{ from: "then" }, { from: null }, { from: { after: 7 } }, { page: 0 }, { page: 1001 }])(
    "refuses %j before it begins",
    async (options) => {
      const { engine, stream } = setup();
      expect(() => stream.tail(options as TailOptions)).toThrow(expect.objectContaining({ code: "invalid_option" }));
      expect(() => stream.tail({ from: { after: "JOB000xY9Wvvcd" } })).toThrow(
        expect.objectContaining({ code: "kind" }),
      );
      expect(engine.commands).toEqual([]);
      await stream.close();
    },
  );
});

describe("what is known of a stream", () => {
  it("tells its groups, and none for one that is not there", async () => {
    const { engine, stream, add } = setup();
    expect(await stream.groups()).toEqual([]);
    await add("a", "b", "c");
    await engine.store.command(["XGROUP", "CREATE", KEY, "g\xc3\xa4", "0"]);
    await engine.store.command(["XREADGROUP", "GROUP", "g\xc3\xa4", "c", "COUNT", "1", "STREAMS", KEY, ">"]);
    const [first] = await stream.read({ count: 1 });
    expect(await stream.groups()).toEqual([
      { group: "gä", consumers: 1, pending: 1, lastEntryId: first?.entryId, lag: 2 },
    ]);
    await stream.close();
  });

  it.each(["name", "consumers", "pending", "last-delivered-id", "lag"])(
    "tells a group that is called %s as any other",
    async (group) => {
      const { engine, stream, add } = setup();
      await add("a", "b");
      await engine.store.command(["XGROUP", "CREATE", KEY, group, "0"]);
      expect(await stream.groups()).toEqual([{ group, consumers: 0, pending: 0, lastEntryId: "0-0", lag: 2 }]);
      await stream.close();
    },
  );

  it("keeps the mark of what was archived until it is forgotten or removed", async () => {
    const { stream, add } = setup();
    const [id] = await add("a");
    expect(await stream.archived()).toBeUndefined();
    await stream.setArchived(id);
    expect(await stream.archived()).toBe(id);
    await stream.setArchived(undefined);
    expect(await stream.archived()).toBeUndefined();
    expect([await stream.remove(), await stream.remove()]).toEqual([true, false]);
    await stream.close();
  });
});

describe("bad options", () => {
  it.each<[object, string]>([
    [{ maxLength: 0 }, "invalid_option"],
    [{ maxAge: "soon" }, "invalid_option"],
    [{ node: 1024 }, "invalid_option"],
    [{ size: 5 }, "unknown_option"],
  ])("are refused: %j", (options, code) => {
    expect(() => setup(options as EventStreamOptions)).toThrow(expect.objectContaining({ code }));
  });
});
