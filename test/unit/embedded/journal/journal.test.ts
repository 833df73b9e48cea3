import { describe, expect, it } from "vitest";
import { UNSYNCED_BYTES_HURRIED } from "../../../../src/embedded/journal/journal.ts";
import { Queue } from "../../../../src/index.ts";
import { errorOf } from "../../queue/scripted-engine.ts";
import { systemError } from "./memory-files.ts";
import { everything, FOLDER, openStore } from "./open-store.ts";

const JOURNAL = "journal-000001.emq";

/** Values of all types, with expiries, groups and what a group was given. */
const ALL_TYPES: readonly (readonly string[])[] = [
  ["SET", "text", "\u0000\u00ff{}"],
  ["SET", "soon", "gone", "PX", "100000"],
  ["HSET", "row", "state", "pending", "payload", "x".repeat(5000)],
  ["HSET", "lock", "a", "1", "b", "2"],
  ["HPEXPIRE", "lock", "50000", "FIELDS", "1", "a"],
  ["RPUSH", "list", "1", "2", "3"],
  ["LPUSH", "list", "0"],
  ["SADD", "set", "m", "n"],
  ["ZADD", "zset", "1.5", "a", "-inf", "b", "3", "c"],
  ["ZINCRBY", "zset", "2", "a"],
  ["XADD", "stream", "1-1", "f", "v"],
  ["XADD", "stream", "*", "f", "w"],
  ["XGROUP", "CREATE", "stream", "group", "0"],
  ["XREADGROUP", "GROUP", "group", "one", "COUNT", "1", "STREAMS", "stream", ">"],
  ["XGROUP", "CREATECONSUMER", "stream", "group", "two"],
  ["XDEL", "stream", "1-1"],
  ["PEXPIRE", "set", "90000"],
];

describe("a store in a folder", () => {
  it("holds after closing and opening what it held before, of every type", async () => {
    const { engine, files, ports } = await openStore();
    for (const command of ALL_TYPES) await engine.command(command);
    const before = await everything(engine);
    await engine.close();
    const again = await openStore(files, {}, ports);
    expect(await everything(again.engine)).toEqual(before);
    expect(Object.keys(before)).toHaveLength(9);
    await again.engine.close();
  });

  it("holds the same when the process ends without closing", async () => {
    const { engine, files, ports } = await openStore();
    for (const command of ALL_TYPES) await engine.command(command);
    const before = await everything(engine);
    const again = await openStore(files.afterKill(), {}, ports);
    expect(await everything(again.engine)).toEqual(before);
  });

  it("writes nothing for what reads, is refused, or changes nothing", async () => {
    const { engine, files } = await openStore();
    const queue = new Queue("mail", { connection: engine });
    await queue.add("a", 1);
    const size = files.bytes(JOURNAL).length;
    await queue.getJobCounts();
    await errorOf(() => engine.act("CLAIM", ["emq:{mail}:"], ["bad"]));
    await errorOf(() => engine.command(["LPUSH", "{emq}:version", "x"]));
    await engine.command(["DEL", "absent"]);
    await engine.command(["HDEL", "absent", "f"]);
    expect(files.bytes(JOURNAL)).toHaveLength(size);
    await queue.close();
  });

  it("writes the records of one step of the program at once", async () => {
    const { engine, files } = await openStore();
    let writes = 0;
    files.plan = (operation) => {
      if (operation === "write") writes++;
      return undefined;
    };
    await Promise.all(Array.from({ length: 50 }, async (_, at) => await engine.command(["SET", `k${at}`, "v"])));
    expect(writes).toBe(1);
  });

  it("does not let live again what expired before the clock was set back", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["SET", "k", "old", "PX", "1000"]);
    await engine.command(["HSET", "h", "kept", "1", "field", "1"]);
    await engine.command(["HPEXPIRE", "h", "1000", "FIELDS", "1", "field"]);
    await ports.clock.advance(5000);
    expect(await engine.command(["GET", "k"])).toBeNull();
    const { now } = ports.clock;
    ports.clock.now = () => now.call(ports.clock) - 4900;
    await engine.command(["HSETNX", "h", "field", "2"]);
    await engine.command(["APPEND", "k", "new"]);
    const before = await everything(engine);
    expect(before).toMatchObject({ k: ["string", -1, "new"] });
    const again = await openStore(files.afterKill(), {}, ports);
    expect(await everything(again.engine)).toEqual(before);
  });
});

describe("an answer", () => {
  it("comes once the device has the record with always, and once the file has it otherwise", async () => {
    for (const fsync of ["always", "everysec", "no"] as const) {
      const { engine, files } = await openStore(undefined, { fsync });
      await engine.command(["SET", "k", "v"]);
      const again = await openStore(files.afterPowerCut());
      expect([fsync, await again.engine.command(["GET", "k"])]).toEqual([fsync, fsync === "always" ? "v" : null]);
    }
  });

  it("is safe a second later with everysec", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["SET", "k", "v"]);
    await ports.clock.advance(1000);
    const again = await openStore(files.afterPowerCut());
    expect(await again.engine.command(["GET", "k"])).toBe("v");
  });

  it("is safe a second later with everysec when the device was still busy with what came before", async () => {
    const { engine, files, ports } = await openStore();
    let end = () => {};
    const busy = new Promise<void>((resolve) => {
      end = resolve;
    });
    files.device = () => busy;
    await engine.command(["SET", "early", "v"]);
    await ports.clock.advance(1000);
    await engine.command(["SET", "late", "v"]);
    await ports.clock.advance(1000);
    files.device = () => Promise.resolve();
    end();
    await new Promise((resolve) => setImmediate(resolve));
    const again = await openStore(files.afterPowerCut());
    expect(await again.engine.command(["GET", "late"])).toBe("v");
  });

  it("has the device asked at once with everysec when there is much that it lacks", async () => {
    const { engine, files } = await openStore();
    const text = "x".repeat(1 << 20);
    for (let bytes = 0; bytes <= UNSYNCED_BYTES_HURRIED; bytes += text.length) await engine.command(["SET", "k", text]);
    await new Promise((resolve) => setImmediate(resolve));
    const again = await openStore(files.afterPowerCut());
    expect(await again.engine.command(["GET", "k"])).toBe(text);
  });

  it("that rests on what is not safe waits for it, and one sync covers all that came meanwhile", async () => {
    const { engine, files } = await openStore(undefined, { fsync: "always" });
    let syncs = 0;
    files.plan = (operation) => {
      if (operation === "sync") syncs++;
      return undefined;
    };
    const told: string[] = [];
    const tell = (name: string) => () => void told.push(`${name} after ${syncs}`);
    const first = engine.command(["SET", "a", "1"]).then(tell("write"));
    const read = engine.command(["GET", "a"]).then(tell("read"));
    const others = Array.from({ length: 20 }, async (_, at) => await engine.command(["SET", `k${at}`, "v"]));
    await Promise.all([first, read, ...others]);
    expect(told).toEqual(["write after 1", "read after 1"]);
    expect(syncs).toBe(1);
  });
});

describe("a write that fails", () => {
  it("refuses the call with a code that may be tried again, changes nothing, and works when there is room", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["RPUSH", "list", "1"]);
    const before = await everything(engine);
    files.plan = (operation) => (operation === "write" ? systemError("ENOSPC") : undefined);
    const error = await errorOf(() => engine.command(["RPUSH", "list", "2"]));
    expect([error.code, error.retryable, error.message]).toEqual([
      "not_stored",
      true,
      expect.stringContaining("ENOSPC"),
    ]);
    expect(await everything(engine)).toEqual(before);
    files.plan = () => undefined;
    await engine.command(["RPUSH", "list", "3"]);
    expect(await engine.command(["LRANGE", "list", "0", "-1"])).toEqual(["1", "3"]);
    const again = await openStore(files.afterKill(), {}, ports);
    expect(await again.engine.command(["LRANGE", "list", "0", "-1"])).toEqual(["1", "3"]);
  });

  it("takes back exactly what the file has not as a whole, wherever the device stopped", async () => {
    for (let room = 0; room < 260; room += 3) {
      const { engine, files, ports } = await openStore();
      for (const command of ALL_TYPES) await engine.command(command);
      let left = room;
      files.plan = (operation, _, bytes) => {
        if (operation !== "write") return undefined;
        if (left === 0) return systemError("ENOSPC");
        const count = Math.min(left, bytes);
        left -= count;
        return count;
      };
      const calls = [
        ["INCR", "count"],
        ["DEL", "row", "list"],
        ["XACK", "stream", "group", "1-1"],
        ["XREADGROUP", "GROUP", "group", "two", "STREAMS", "stream", ">"],
        ["INCR", "count"],
        ["FLUSHALL"],
        ["INCR", "count"],
      ];
      const answers = await Promise.allSettled(calls.map(async (call) => await engine.command(call)));
      const kept = answers.filter(({ status }) => status === "fulfilled").length;
      expect(answers.slice(kept).every(({ status }) => status === "rejected")).toBe(true);
      files.plan = () => undefined;
      const now = await everything(engine);
      const again = await openStore(files.afterKill(), {}, ports);
      expect([room, await everything(again.engine)]).toEqual([room, now]);
      const counts = [undefined, "1", "1", "1", "1", "2", undefined, "1"];
      expect([kept, (now["count"] as unknown[] | undefined)?.[2]]).toEqual([kept, counts[kept]]);
    }
  });

  it("goes on in a new file when the torn end cannot be cut off", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["SET", "a", "1"]);
    let left = 10;
    files.plan = (operation, _, bytes) => {
      if (operation === "truncate") return systemError("EIO");
      if (operation !== "write" || left === 0) return operation === "write" ? systemError("ENOSPC") : undefined;
      const count = Math.min(left, bytes);
      left -= count;
      return count;
    };
    expect((await errorOf(() => engine.command(["SET", "b", "2"]))).code).toBe("not_stored");
    files.plan = () => undefined;
    await ports.clock.advance(2000);
    await engine.command(["SET", "c", "3"]);
    expect(files.names()).toContain("journal-000002.emq");
    const again = await openStore(files.afterKill(), {}, ports);
    expect(Object.keys(await everything(again.engine))).toEqual(["a", "c", "{emq}:version"]);
    expect(ports.logger.messages("warn")).toEqual([]);
  });
});

describe("a sync that fails", () => {
  function failSyncOnce(files: { plan: unknown }, name: string): void {
    let isFirst = true;
    files.plan = (operation: string, path: string) => {
      if (operation !== "sync" || !path.endsWith(name) || !isFirst) return undefined;
      isFirst = false;
      return systemError("EIO");
    };
  }

  it("takes back with always what was not safe, and goes on in a new file from there", async () => {
    const { engine, files, ports } = await openStore(undefined, { fsync: "always" });
    await engine.command(["SET", "a", "1"]);
    failSyncOnce(files, JOURNAL);
    expect((await errorOf(() => engine.command(["SET", "b", "2"]))).code).toBe("not_stored");
    await engine.command(["SET", "c", "3"]);
    for (const disk of [files.afterKill(), files.afterPowerCut()]) {
      const again = await openStore(disk, {}, ports);
      expect(Object.keys(await everything(again.engine))).toEqual(["a", "c", "{emq}:version"]);
    }
  });

  it("loses nothing with everysec: what was answered goes into the new file", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["SET", "a", "1"]);
    failSyncOnce(files, JOURNAL);
    await ports.clock.advance(1000);
    await engine.command(["SET", "b", "2"]);
    const cut = await openStore(files.afterPowerCut(), {}, ports);
    expect(Object.keys(await everything(cut.engine))).toEqual(["a", "{emq}:version"]);
    await ports.clock.advance(1000);
    for (const disk of [files.afterKill(), files.afterPowerCut()]) {
      const again = await openStore(disk, {}, ports);
      expect(Object.keys(await everything(again.engine))).toEqual(["a", "b", "{emq}:version"]);
    }
  });

  it("at closing is told unless a new file took what was answered", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["SET", "a", "1"]);
    failSyncOnce(files, JOURNAL);
    await engine.close();
    const again = await openStore(files.afterPowerCut(), {}, ports);
    expect(await again.engine.command(["GET", "a"])).toBe("1");
    await again.engine.command(["SET", "b", "1"]);
    again.files.plan = (operation) => (operation === "sync" ? systemError("EIO") : undefined);
    expect((await errorOf(() => again.engine.close())).code).toBe("not_stored");
  });
});

it("names the folder in what it refuses", async () => {
  const { engine, files } = await openStore();
  files.plan = () => systemError("EROFS");
  const error = await errorOf(() => engine.command(["SET", "a", "1"]));
  expect(error.details).toMatchObject({ folder: FOLDER });
});
