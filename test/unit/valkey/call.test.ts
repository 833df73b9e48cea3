import { describe, expect, it } from "vitest";
import { Call, type CallContent, commandHead, scriptHead } from "../../../src/valkey/call.ts";

function setup(content: CallContent) {
  const told: unknown[] = [];
  const call = new Call(
    {
      onReply: (_call, reply) => told.push(["reply", reply]),
      onRefusal: (_call, text) => told.push(["refusal", text]),
      onLost: (_call, cause) => told.push(["lost", cause]),
    },
    content,
  );
  return { call, told };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

describe("a call", () => {
  it("is written as the protocol wants it, byte for byte", () => {
    const { call } = setup({ head: commandHead("SET"), args: ["k", "\u00ff\u0000\r\n", ""] });
    expect(text(call.toWritable())).toBe("*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\n\u00ff\u0000\r\n\r\n$0\r\n\r\n");
  });

  it("puts the number of keys before the keys of a script", () => {
    const { call } = setup({ head: scriptHead("abc", false), keys: ["k1", "k2"], args: ["a"] });
    expect(text(call.toWritable())).toBe(
      "*6\r\n$7\r\nEVALSHA\r\n$3\r\nabc\r\n$1\r\n2\r\n$2\r\nk1\r\n$2\r\nk2\r\n$1\r\na\r\n",
    );
    expect(text(setup({ head: scriptHead("abc", true), args: [] }).call.toWritable())).toBe(
      "*3\r\n$10\r\nEVALSHA_RO\r\n$3\r\nabc\r\n$1\r\n0\r\n",
    );
  });

  it("writes long parts with their length", () => {
    const { call } = setup({ head: commandHead("PING"), args: ["x".repeat(5000)] });
    expect(text(call.toWritable())).toBe(`*2\r\n$4\r\nPING\r\n$5000\r\n${"x".repeat(5000)}\r\n`);
  });

  it("is written right at every length where the form of a number or of a text changes", () => {
    const lengths = [0, 1, 9, 10, 23, 24, 25, 26, 99, 100, 101, 999, 1000, 1001, 9999, 10_000, 99_999, 100_000];
    const parts = lengths.map((length) => "\u00fe".repeat(length));
    const args = [...parts, ...Array.from({ length: 1000 }, (_, at) => String(at))];
    const { call } = setup({ head: commandHead("ECHO"), args });
    const wanted = ["ECHO", ...args].map((part) => `$${part.length}\r\n${part}\r\n`).join("");
    expect(text(call.toWritable()) === `*${args.length + 1}\r\n${wanted}`).toBe(true);
  });

  it("is written once: a second time it is a harmless ping that keeps the order of replies", () => {
    const { call, told } = setup({ head: commandHead("INCR"), args: ["n"] });
    expect(text(call.toWritable())).toContain("INCR");
    expect(text(call.toWritable())).toBe("*1\r\n$4\r\nPING\r\n");
    call.resolve(5);
    call.resolve(Buffer.from("PONG"));
    expect(told).toEqual([["reply", 5]]);
  });

  it("is never written and tells nobody anything once it was given up", () => {
    const { call, told } = setup({ head: commandHead("INCR"), args: ["n"] });
    call.abandon();
    expect(text(call.toWritable())).toBe("*1\r\n$4\r\nPING\r\n");
    expect(call.isWritten).toBe(false);
    call.resolve(5);
    call.reject(new Error("late"));
    expect(told).toEqual([]);
  });

  it("tells a refusal of the server from a failure of the library", () => {
    const refused = setup({ head: commandHead("GET"), args: [] });
    refused.call.reject(Object.assign(new Error("ERR no"), { name: "ReplyError" }));
    expect(refused.told).toEqual([["refusal", "ERR no"]]);
    const lost = setup({ head: commandHead("GET"), args: [] });
    const cause = new Error("Connection is closed.");
    lost.call.reject(cause);
    expect(lost.told).toEqual([["lost", cause]]);
  });
});
