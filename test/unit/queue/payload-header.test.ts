import { describe, expect, it } from "vitest";
import { HEADER_MARK, headerOf, readHeader } from "../../../src/queue/payload-header.ts";
import { errorOf } from "./scripted-engine.ts";

describe("headerOf", () => {
  it("writes the mark, the length and the words", () => {
    expect(headerOf("msgpack")).toBe("\u00ffemq\u0007msgpack");
    expect(headerOf("aes-gcm:k2 deflate json")).toBe("\u00ffemq\u0017aes-gcm:k2 deflate json");
  });

  it("cannot begin a text in JSON or UTF-8", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    expect(() => decoder.decode(Uint8Array.from(HEADER_MARK, (unit) => unit.charCodeAt(0)))).toThrow();
  });

  it.each(["", "a  b", "a:b:c", "Ü", "a:", ":b", "x".repeat(256)])("refuses the words %j", async (words) => {
    expect((await errorOf(() => headerOf(words))).code).toBe("invalid_option");
  });
});

describe("readHeader", () => {
  it("gives the layers, outermost first, each with what is inside it, then the codec and the body", () => {
    expect(readHeader(`${headerOf("aes-gcm:k2 deflate json")}body`)).toEqual({
      layers: [
        { word: "aes-gcm", parameter: "k2", inner: "deflate json" },
        { word: "deflate", parameter: "", inner: "json" },
      ],
      codec: "json",
      body: "body",
    });
    expect(readHeader(headerOf("bytes"))).toEqual({ layers: [], codec: "bytes", body: "" });
  });

  it.each([
    ["the mark alone", HEADER_MARK],
    ["no words", `${HEADER_MARK}\u0000body`],
    ["fewer bytes than it says", `${HEADER_MARK}\u0009json`],
    ["words that are none", `${HEADER_MARK}\u0004\u00ff\u00fe\u0000\u0001`],
  ])("refuses %s", async (_, payload) => {
    expect((await errorOf(() => readHeader(payload))).code).toBe("invalid_payload");
  });
});
