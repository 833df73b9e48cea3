/**
 * Compression on top of a codec, for payloads above a size.
 *
 * Small payloads are left as they are, since a header and a dictionary would make most of them larger, and so is any
 * payload that does not shrink. What is unpacked is bounded: a few kilobytes that claim to be gigabytes are refused
 * once they exceed the limit, before the memory is spent. All work is done in the pool of threads of Node.js.
 */

import { brotliCompress, brotliDecompress, constants, deflate, gunzip, gzip, inflate } from "node:zlib";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { assertKnownOptions, assertWhole } from "../queue/option-check.ts";
import type { Codec, Layer } from "../queue/payload-codec.ts";

/** Options of {@link withCompression}. */
export interface CompressionOptions {
  /** How to pack; payloads packed by any of the three are read. Default `deflate`. */
  readonly algorithm?: "deflate" | "gzip" | "brotli";
  /** Payloads of fewer bytes are left as they are. Default 1024. */
  readonly above?: number;
  /** From quick to small: 0 to 9, of brotli 0 to 11. Default 6, of brotli 4. */
  readonly level?: number;
}

/** Payloads below this many bytes seldom shrink by more than the header costs. */
const ABOVE_DEFAULT = 1024;

/** Called with the packed or unpacked bytes, or with why there are none. */
type Done = (error: Error | null, bytes: Uint8Array) => void;

/** One way to pack. */
interface Packer {
  readonly levelMax: number;
  readonly levelDefault: number;
  pack(bytes: Uint8Array, level: number, done: Done): void;
  unpack(bytes: Uint8Array, bytesMax: number, done: Done): void;
}

/** By the words that headers carry. */
const PACKERS: Readonly<Record<string, Packer>> = {
  deflate: {
    levelMax: 9,
    levelDefault: 6,
    pack: (bytes, level, done) => deflate(bytes, { level }, done),
    unpack: (bytes, maxOutputLength, done) => inflate(bytes, { maxOutputLength }, done),
  },
  gzip: {
    levelMax: 9,
    levelDefault: 6,
    pack: (bytes, level, done) => gzip(bytes, { level }, done),
    unpack: (bytes, maxOutputLength, done) => gunzip(bytes, { maxOutputLength }, done),
  },
  brotli: {
    levelMax: 11,
    levelDefault: 4,
    pack: (bytes, level, done) => brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }, done),
    unpack: (bytes, maxOutputLength, done) => brotliDecompress(bytes, { maxOutputLength }, done),
  },
};

/**
 * The codec with compression on top.
 *
 * @example
 * const codec = withCompression(json, { above: 4096 });
 * @throws EchoMQError `unknown_option`, `invalid_option`.
 */
export function withCompression<Data>(codec: Codec<Data>, options: CompressionOptions = {}): Codec<Data> {
  assertKnownOptions(options, { owner: "withCompression", known: ["algorithm", "above", "level"] });
  const { algorithm = "deflate", above = ABOVE_DEFAULT } = options;
  const packer = Object.hasOwn(PACKERS, algorithm) ? PACKERS[algorithm] : undefined;
  if (packer === undefined) {
    const message = `algorithm must be one of ${Object.keys(PACKERS).join(", ")}`;
    throw new EchoMQError("invalid_option", message, { details: { option: "algorithm", value: algorithm } });
  }
  const level = options.level ?? packer.levelDefault;
  if (above !== Number.POSITIVE_INFINITY) assertWhole(above, "above", { min: 0, max: Number.MAX_SAFE_INTEGER });
  assertWhole(level, "level", { min: 0, max: packer.levelMax });
  const layer: Layer = {
    words: Object.keys(PACKERS),
    async apply(bytes) {
      if (bytes.length < above) return undefined;
      const packed = await settled((done) => packer.pack(bytes, level, done));
      return packed.length < bytes.length ? { bytes: packed, word: algorithm, parameter: "" } : undefined;
    },
    undo: (bytes, { word, bytesMax }) => unpacked(bytes, word, bytesMax),
  };
  return { ...codec, layers: [...(codec.layers ?? []), layer] };
}

async function unpacked(bytes: Uint8Array, word: string, bytesMax: number): Promise<Uint8Array> {
  try {
    return await settled((done) => PACKERS[word]?.unpack(bytes, bytesMax, done));
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") {
      const message = `The payload has more than ${bytesMax} bytes once it is unpacked: raise sizeLimit to read it`;
      throw new EchoMQError("payload_too_large", message, { cause, details: { limit: bytesMax } });
    }
    const why = causeText(cause);
    throw new EchoMQError("invalid_payload", `The payload is no ${word} that can be unpacked: ${why}`, { cause });
  }
}

function settled(start: (done: Done) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    start((error, bytes) => {
      // A copy, because zlib answers with a Buffer, which is not what was given and may share its memory.
      if (error === null) resolve(new Uint8Array(bytes));
      else reject(error);
    });
  });
}
