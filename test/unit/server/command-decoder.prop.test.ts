/** The decoder of commands: cut anywhere it reads the same, and whatever is sent to it is read or refused. */

import { array, assert, constantFrom, integer, oneof, property, string, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandDecoder, ProtocolError } from "../../../src/server/command-decoder.ts";
import { commandFrame } from "../../server/wire-frame.ts";

const LIMITS = { bulkBytesMax: 1024, commandBytesMax: 4096 };

/** Everything that the decoder says to input in these pieces: commands, and the fault that ends them. */
function read(pieces: readonly Buffer[], isTrusted = true): (string[] | string)[] {
  const decoder = new CommandDecoder(LIMITS);
  decoder.isTrusted = isTrusted;
  const said: (string[] | string)[] = [];
  try {
    for (const piece of pieces) {
      decoder.push(piece);
      for (let words = decoder.next(); words !== undefined; words = decoder.next()) said.push(words);
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    said.push(error.message);
  }
  return said;
}

const bytes = string({ unit: "binary", maxLength: 40 }).map((text) => Buffer.from(text).toString("latin1"));
const commands = array(array(bytes, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

describe("a decoder of commands", () => {
  it("reads the words that were sent, wherever the bytes are cut", () => {
    assert(
      property(commands, array(integer({ min: 1, max: 60 })), (sent, sizes) => {
        const whole = Buffer.from(sent.map(commandFrame).join(""), "latin1");
        const pieces: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(whole.subarray(at, at + size));
          at += size;
        }
        expect(read([...pieces, whole.subarray(at)])).toEqual(sent);
      }),
    );
  });

  it("reads the same when every byte comes alone", () => {
    assert(
      property(commands, (sent) => {
        const whole = Buffer.from(sent.map(commandFrame).join("PING x\r\n"), "latin1");
        expect(read([...whole].map((byte) => Buffer.from([byte])))).toEqual(read([whole]));
      }),
    );
  });

  it("reads any bytes as commands or refuses them by its own error, cut anywhere with one outcome", () => {
    const sign = constantFrom("*", "$", "\r\n", "1", "3", "-1", "x", "PING", '"', "'", "\\x4", " ", "\0", "\n");
    const noise = oneof(
      uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      array(oneof(sign, bytes), { maxLength: 40 }).map((parts) => Buffer.from(parts.join(""), "latin1")),
    );
    assert(
      property(noise, (input) => {
        expect(read([...input].map((byte) => Buffer.from([byte])))).toEqual(read([input]));
      }),
    );
  });

  it("lets nobody send more than it may: words, a word, a command, a line", () => {
    const word = (length: number) => `$${length}\r\n${"x".repeat(length)}\r\n`;
    const said = (text: string, isTrusted = true) => read([Buffer.from(text)], isTrusted).at(-1);
    expect(said(`*1048577\r\n`)).toBe("ERR Protocol error: invalid multibulk length");
    expect(said(`*1\r\n${word(1025)}`)).toBe("ERR Protocol error: invalid bulk length");
    expect(said(`*5\r\n${word(1000).repeat(5)}`)).toBe("ERR Protocol error: too big command");
    expect(said("x".repeat(65_537))).toBe("ERR Protocol error: too big inline request");
    expect(said(`*${"1".repeat(65_537)}`)).toBe("ERR Protocol error: too big mbulk count string");
    expect(said(`*1\r\n$${"1".repeat(65_537)}`)).toBe("ERR Protocol error: too big bulk count string");
    expect(said("*11\r\n", false)).toBe("ERR Protocol error: unauthenticated multibulk length");
    const decoder = new CommandDecoder({ bulkBytesMax: 2 ** 20, commandBytesMax: 2 ** 21 });
    decoder.push(Buffer.from("*1\r\n$16385\r\n"));
    expect(() => decoder.next()).toThrow("unauthenticated bulk length");
  });

  it("keeps what is missing a byte, and takes no time for each piece of a long word", () => {
    const decoder = new CommandDecoder({ bulkBytesMax: 2 ** 26, commandBytesMax: 2 ** 27 });
    decoder.isTrusted = true;
    const length = 2 ** 25;
    decoder.push(Buffer.from(`*1\r\n$${length}\r\n`));
    const piece = Buffer.alloc(1024, "x");
    // Joined at each piece this would copy half a terabyte.
    for (let at = 0; at < length; at += piece.length) {
      expect(decoder.next()).toBeUndefined();
      decoder.push(piece);
    }
    expect(decoder.buffered).toBe(length);
    decoder.push(Buffer.from("\r\n"));
    expect(decoder.next()?.[0]?.length).toBe(length);
    expect(decoder.buffered).toBe(0);
    expect(decoder.isHalfway).toBe(false);
  });
});
