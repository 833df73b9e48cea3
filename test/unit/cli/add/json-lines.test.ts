/** JSON documents, one a line, whatever the chunks that they come in. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonLines } from "../../../../src/cli/add/json-lines.ts";
import { PAYLOAD_BYTES_MAX_DEFAULT } from "../../../../src/queue/defaults.ts";

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (let at = 0; from < bytes.length; at++) {
    const size = sizes[at % sizes.length] ?? 1;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { line, value } of readJsonLines(chunks)) values.push([line, value]);
  return values;
}

describe("readJsonLines", () => {
  it("reads the same values however they are cut", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 20 }), sizes, async (values, cut) => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
        const got = await read(inChunks(new TextEncoder().encode(text), cut));
        expect(got).toEqual(values.map((value, at): unknown[] => [at + 1, JSON.parse(JSON.stringify(value))]));
      }),
    );
  });

  it("takes no other character for a line end", async () => {
    const text = new TextEncoder().encode('"a\u2028b\u0085c"\n');
    expect(await read(inChunks(text, [7]))).toEqual([[1, "a\u2028b\u0085c"]]);
  });

  it("refuses bytes that are no text, with the line", async () => {
    const bytes = new Uint8Array([0x31, 0x0a, 0x22, 0xff, 0x22, 0x0a]);
    await expect(read(inChunks(bytes, [3]))).rejects.toMatchObject({ code: "bad_line", message: /^line 2 / });
  });

  it("refuses a line that is too long before it has all come", async () => {
    const block = new Uint8Array(2 ** 20).fill(0x31);
    let blocks = 0;
    async function* endless() {
      for (;;) {
        blocks++;
        yield block;
      }
    }
    await expect(read(endless())).rejects.toMatchObject({ code: "bad_line" });
    expect(blocks).toBe(PAYLOAD_BYTES_MAX_DEFAULT / block.length + 1);
  });
});
