import { describe, expect, it } from "vitest";
import { CommandTable } from "../../../src/embedded/command/command-table.ts";
import { createServer } from "../../../src/embedded/server.ts";
import { Keyspace } from "../../../src/embedded/store/keyspace.ts";

function setup() {
  const keyspace = new Keyspace({
    onPush: () => {},
    onAppend: () => {},
    onForeignWrite: () => {},
    onExpiryChange: () => {},
  });
  const server = createServer(new CommandTable(keyspace, () => 0), keyspace);
  return { server, keyspace };
}

describe("the server of transitions", () => {
  it("answers as the server's Lua does: false for absent, scores as text, numbers stored as decimals", () => {
    const { server } = setup();
    expect(server.call("HSET", "h", "n", 9007199254740991)).toBe(1);
    expect(server.call("HGET", "h", "n")).toBe("9007199254740991");
    expect(server.call("HMGET", "h", "n", "none")).toEqual(["9007199254740991", false]);
    expect(server.call("GET", "none")).toBe(false);
    expect(server.call("LPOP", "none")).toBe(false);
    expect(server.call("ZADD", "z", 1719792000000, "b", 0, "a")).toBe(2);
    expect(server.call("ZSCORE", "z", "b")).toBe("1719792000000");
    expect(server.call("ZRANGEBYSCORE", "z", "-inf", 1719792000000, "LIMIT", 0, 1)).toEqual(["a"]);
    expect(server.call("ZRANGEBYSCORE", "z", "(0", "+inf", "WITHSCORES")).toEqual(["b", "1719792000000"]);
    expect(server.call("ZPOPMIN", "z", 5)).toEqual(["a", "0", "b", "1719792000000"]);
    expect(server.call("EXISTS", "z", "h", "h")).toBe(2);
  });

  it("tells canonical integers in range from everything else", () => {
    const { server } = setup();
    for (const text of ["0", "1", "12", "9007199254740991"]) expect(server.int(text, 0, 9007199254740991)).toBe(true);
    for (const text of ["", "-", "+1", "01", "00", "-0", "1.0", "1e3", " 1", "1 ", "0x1", "9007199254740992", "١"]) {
      expect(server.int(text, 0, 9007199254740991)).toBe(false);
    }
    expect(server.int("5", 6, 9)).toBe(false);
    expect(server.int("10", 6, 9)).toBe(false);
    expect(server.int("-3", -3, 0)).toBe(true);
  });

  it("tells base keys, ids and names", () => {
    const { server } = setup();
    for (const text of ["emq:{q}:", "emq:{a b}:", "emq:{\xff\n}:"]) expect(server.base(text)).toBe(true);
    for (const text of [
      "emq:{}:",
      "emq:{a}b}:",
      "emq:{a{b}:",
      "emq:{a\x00}:",
      "emq:{q}:x",
      "xemq:{q}:",
      "emq:{q}:\n",
    ]) {
      expect(server.base(text)).toBe(false);
    }
    for (const text of ["JOB00000000000", "USRAzL8n0Y58m7"]) expect(server.branded(text)).toBe(true);
    for (const text of ["JOB0000000000", "JOb00000000000", "JOB0000000000-", "USRAzL8n0Y58m8", "JOB00000000000\n"]) {
      expect(server.branded(text)).toBe(false);
    }
    for (const text of ["a", "a:b", "\n", "x".repeat(256)]) expect(server.name(text)).toBe(true);
    for (const text of ["", "x".repeat(257), "{", "}", "a\x00"]) expect(server.name(text)).toBe(false);
    expect(server.char("ab", 1)).toBe("b");
    expect(server.char("ab", 2)).toBe("");
  });

  it("makes a refusal and reads numbers and the clock", () => {
    const { server, keyspace } = setup();
    keyspace.now = 1234;
    expect(server.error("EMQSTALE x")).toEqual({ err: "EMQSTALE x" });
    expect(server.num("42")).toBe(42);
    expect(server.now()).toBe(1234);
  });
});
