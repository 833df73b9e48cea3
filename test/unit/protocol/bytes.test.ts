/** The codec of byte strings: every byte and every text that the wire may carry. */

import { describe, expect, it } from "vitest";
import { arrayOf, bytesFrom, bytesOf, isAscii, textOf } from "../../../src/protocol/bytes.ts";

describe("byte strings", () => {
  it("keep all 256 byte values, NUL included", () => {
    const array = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const bytes = bytesFrom(array);
    expect(bytes).toHaveLength(256);
    expect(bytes.charCodeAt(0)).toBe(0);
    expect(bytes.charCodeAt(255)).toBe(255);
    expect(arrayOf(bytes)).toEqual(array);
  });

  it("keep an array longer than the arguments of one call", () => {
    const array = Uint8Array.from({ length: 300_001 }, (_, at) => (at * 31) & 255);
    // Compared as buffers: an assertion that walks the array element by element takes seconds.
    expect(Buffer.compare(arrayOf(bytesFrom(array)), array)).toBe(0);
  });

  it("are the text itself when the text is ASCII", () => {
    const text = "a\u0000~\u007f";
    expect(isAscii(text)).toBe(true);
    expect(bytesOf(text)).toBe(text);
    expect(textOf(text)).toBe(text);
  });

  it("hold the UTF-8 of any other text, one character a byte", () => {
    expect(isAscii("é")).toBe(false);
    expect(bytesOf("é€😀")).toBe("\u00c3\u00a9\u00e2\u0082\u00ac\u00f0\u009f\u0098\u0080");
    expect(textOf("\u00c3\u00a9\u00e2\u0082\u00ac\u00f0\u009f\u0098\u0080")).toBe("é€😀");
  });

  it.each(["\ufeff", "\ufeffa", "\ufeff\ufeff", "a\ufeff", "\ufeff é"])("keep the byte order mark of %j", (text) => {
    expect(textOf(bytesOf(text))).toBe(text);
  });

  it.each([
    ["\ud800", "\ufffd"],
    ["a\udfffb", "a\ufffdb"],
    ["\udc00\ud800", "\ufffd\ufffd"],
    ["\ud83d\ude00", "😀"],
  ])("turn the lone surrogates of %j into U+FFFD and leave pairs alone", (text, expected) => {
    expect(textOf(bytesOf(text))).toBe(expected);
  });

  it.each([
    ["\u00ff", "\ufffd"],
    ["\u00c3", "\ufffd"],
    ["a\u00c0\u0080b", "a\ufffd\ufffdb"],
    ["\u00ed\u00a0\u0080", "\ufffd\ufffd\ufffd"],
  ])("read the invalid UTF-8 %j as U+FFFD and never throw", (bytes, expected) => {
    expect(textOf(bytes)).toBe(expected);
  });

  it("give a fresh array, so that a caller may change it", () => {
    const array = arrayOf("abc");
    array[0] = 0;
    expect(arrayOf("abc")[0]).toBe(97);
  });
});
