import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText } from "../../../src/embedded/json-text.ts";
import { bytesOf, textOf } from "../../../src/protocol/bytes.ts";

const anyBytes = fc.array(fc.nat(255), { maxLength: 60 }).map((bytes) => String.fromCharCode(...bytes));

describe("text as a JSON string", () => {
  it("is read back as the text that the bytes stand for", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(JSON.parse(textOf(jsonText(bytes)))).toBe(textOf(bytes));
      }),
    );
  });

  it("escapes what JSON forbids and nothing else", () => {
    expect(jsonText('a"b\\c/d\x7f')).toBe('"a\\"b\\\\c/d\x7f"');
    expect(jsonText("\b\f\n\r\t\x00\x1f")).toBe('"\\b\\f\\n\\r\\t\\u0000\\u001f"');
    expect(jsonText(bytesOf("é😀"))).toBe(`"${bytesOf("é😀")}"`);
    expect(jsonText(bytesOf("\ufeffx"))).toBe(`"${bytesOf("\ufeffx")}"`);
  });

  it("has one replacement character for each maximal part that is no UTF-8", () => {
    const mark = bytesOf("\ufffd");
    expect(jsonText("\xff\xfe")).toBe(`"${mark}${mark}"`);
    expect(jsonText("\xe2\x82a")).toBe(`"${mark}a"`);
    expect(jsonText("\xed\xa0\x80")).toBe(`"${mark}${mark}${mark}"`);
    expect(jsonText("\xf0\x9f\x98")).toBe(`"${mark}"`);
  });
});
