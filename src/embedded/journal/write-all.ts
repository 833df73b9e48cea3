/**
 * Writes a span of bytes whole, however few of them the system takes at a time.
 */

import type { OpenFile } from "./file-layer.ts";

/** What stopped a write, and how many bytes were written before. */
export class ShortWrite extends Error {
  readonly written: number;

  constructor(written: number, cause: unknown) {
    super("a file took no more bytes", { cause });
    this.written = written;
  }
}

/** @throws ShortWrite whose cause is what the system gave. */
export function writeAll(
  file: OpenFile,
  bytes: Uint8Array,
  { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
): void {
  let written = 0;
  while (from + written < to) {
    try {
      const count = file.write(bytes, { from: from + written, to, at: at + written });
      if (count <= 0) throw new Error("no byte was written");
      written += count;
    } catch (error) {
      throw new ShortWrite(written, error);
    }
  }
}
