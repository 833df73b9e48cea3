/** How the bare sockets of the bench read replies. */

import { describe, expect, it } from "vitest";
import { readReply } from "../../../bench/wire.mjs";

describe("a reply", () => {
  it.each([
    ["+OK\r\n", "OK"],
    [":-3\r\n", -3],
    ["$5\r\na\r\nbc\r\n", "a\r\nbc"],
    ["$0\r\n\r\n", ""],
    ["$-1\r\n", null],
    ["*-1\r\n", null],
    ["*0\r\n", []],
    ["*3\r\n:1\r\n*1\r\n$1\r\nx\r\n$-1\r\n", [1, ["x"], null]],
  ])("%j is read whole, and not before it is there", (text, expected) => {
    const cursor = { text: `${text}:7\r\n`, at: 0 };
    expect(readReply(cursor)).toEqual(expected);
    expect(cursor.at).toBe(text.length);
    expect(readReply(cursor)).toBe(7);
    for (let size = 0; size < text.length; size += 1) {
      expect(readReply({ text: text.slice(0, size), at: 0 })).toBeUndefined();
    }
  });

  it("that refuses is an error with its text", () => {
    expect(readReply({ text: "-ERR no such key\r\n", at: 0 })).toEqual(new Error("ERR no such key"));
  });
});
