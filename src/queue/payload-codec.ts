/**
 * From a caller's data to the bytes of a payload, and back, by whatever codec a queue or worker was given.
 *
 * Without a codec this is JSON, synchronous and without a promise: a codec that takes time costs those who chose it and
 * nobody else. What is plain stays plain: JSON is stored as its text and the codec of bytes stores them as they are;
 * all else says in its own bytes how it was encoded (payload-header.ts), so that earlier jobs, and those of producers
 * that know no codecs, are read beside encoded ones.
 */

import { arrayOf, type Bytes, bytesFrom, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { assertPayloadSize, decodePayload, encodePayload } from "./codec.ts";
import { PAYLOAD_BYTES_MAX, PAYLOAD_BYTES_MAX_DEFAULT } from "./defaults.ts";
import { HEADER_FIRST, HEADER_MARK, headerOf, readHeader } from "./payload-header.ts";
import { isThenable } from "./thenable.ts";

/** How data become bytes and bytes become data. */
export interface Codec<Data = unknown> {
  /**
   * Stored with every payload: lower-case letters, digits, `.`, `_` and `-`, at most 32. Change it when the form of the
   * bytes changes.
   */
  readonly name: string;
  /** The bytes of the data; text is stored as UTF-8. */
  encode(data: Data): Uint8Array | string | Promise<Uint8Array | string>;
  /** The data of bytes that {@link Codec.encode} made. */
  decode(bytes: Uint8Array): Data | Promise<Data>;
  /** What is done to the bytes after they are encoded, in this order. Default: nothing. */
  readonly layers?: readonly Layer[];
}

/** A step from bytes to bytes, such as compression, that a codec has on top. */
export interface Layer {
  /** The words by which it is named in headers; all are read, and {@link Layer.apply} says which was written. */
  readonly words: readonly string[];
  /** Refuses payloads that do not have it. Default false: they are read as well. */
  readonly isRequired?: boolean;
  /** The bytes with the layer, or `undefined` to leave them as they are. */
  apply(bytes: Uint8Array, context: LayerContext): Promise<LayeredBytes | undefined>;
  /** Takes the layer off. Must not give more than `bytesMax` bytes. */
  undo(bytes: Uint8Array, context: LayerContext & Omit<LayeredBytes, "bytes">): Promise<Uint8Array>;
}

/** What a layer knows of the payload. */
export interface LayerContext {
  /** The words of the header for what is inside the layer. */
  readonly inner: string;
  /** The most bytes that there may be without the layer. */
  readonly bytesMax: number;
}

/** What a layer made. */
export interface LayeredBytes {
  readonly bytes: Uint8Array;
  readonly word: string;
  /** Letters, digits, `.`, `_` and `-`; empty for none. */
  readonly parameter: string;
}

/** What a queue or worker takes: the first writes, and all of them read. */
export type CodecOption = Codec | readonly Codec[];

const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;

/** Data as JSON, which is what a queue without a codec stores. */
export const json: Codec = {
  name: "json",
  encode: (data) => arrayOf(encodePayload(data, PAYLOAD_BYTES_MAX)),
  decode: (bytes) => decodePayload(bytesFrom(bytes)),
};

/** Data that are bytes already and are stored as they are. Any speaker of the wire reads and writes them. */
export const bytes: Codec<Uint8Array> = {
  name: "bytes",
  encode(data) {
    if (data instanceof Uint8Array) return data;
    throw new EchoMQError("invalid_payload", `The codec bytes takes a Uint8Array, not ${quote(data)}`);
  },
  decode: (array) => array,
};

/** The codecs of one queue or worker. */
export class PayloadCodec {
  /** Whether it writes JSON without a layer, and reads it and bytes only: neither ever takes a promise. */
  readonly isPlain: boolean;
  readonly #writer: Codec;
  /** The codec of payloads without a header: bytes for a writer of bytes, else JSON. */
  readonly #plain: Codec;
  readonly #codecs: ReadonlyMap<string, Codec>;
  readonly #layers: ReadonlyMap<string, Layer>;

  /** @throws EchoMQError `invalid_option` for what is no codec, and for two of one name. */
  constructor(option?: CodecOption) {
    const list =
      option === undefined ? [json] : Array.isArray(option) ? (option as readonly Codec[]) : [option as Codec];
    for (const codec of list) assertCodec(codec);
    this.#writer = list[0] ?? json;
    this.#plain = this.#writer.name === bytes.name ? bytes : json;
    this.#codecs = codecsByName(list);
    this.#layers = new Map(
      list.flatMap((codec) => layersOf(codec).flatMap((layer) => layer.words.map((w) => [w, layer]))),
    );
    this.isPlain = this.#writer === json && list.every((codec) => codec === json || codec === (bytes as Codec));
  }

  /**
   * The payload of data.
   *
   * @param bytesMax the most bytes that it may have, its header included.
   * @throws EchoMQError `invalid_payload`, `payload_too_large`; a promise rejects with them.
   */
  encode(data: unknown, bytesMax: number): Bytes | Promise<Bytes> {
    return this.isPlain ? encodePayload(data, bytesMax) : this.#encodeBy(this.#writer, data, bytesMax);
  }

  /** The bytes of a handler's result: as a payload's, but a codec of bytes lets any other value be JSON. */
  encodeResult(result: unknown, bytesMax: number): Bytes | Promise<Bytes> {
    if (this.isPlain) return encodePayload(result, bytesMax, true);
    const isForeign = this.#writer.name === bytes.name && !(result instanceof Uint8Array);
    return this.#encodeBy(isForeign ? { ...json, layers: layersOf(this.#writer) } : this.#writer, result, bytesMax);
  }

  /**
   * The data of a payload.
   *
   * @param bytesMax the most bytes that it may have once its layers are off.
   * @throws EchoMQError `invalid_payload`, `unknown_codec`, `unknown_key`, `decryption_failed`, `payload_too_large`; a
   *   promise rejects with them.
   */
  decode(payload: Bytes, bytesMax: number): unknown {
    if (payload.charCodeAt(0) !== HEADER_FIRST || !payload.startsWith(HEADER_MARK)) {
      this.#assertLayered([]);
      return this.#plain === bytes ? arrayOf(payload) : decodePayload(payload);
    }
    const header = readHeader(payload);
    const codec = this.#codecs.get(header.codec);
    if (codec === undefined) throw unknownCodec(header.codec);
    this.#assertLayered(header.layers.map(({ word }) => word));
    const body = arrayOf(header.body);
    if (header.layers.length === 0) return decodeBy(codec, body);
    return this.#unwrap(body, header.layers, bytesMax).then((array) => decodeBy(codec, array));
  }

  #encodeBy(codec: Codec, data: unknown, bytesMax: number): Bytes | Promise<Bytes> {
    let encoded: unknown;
    try {
      encoded = codec.encode(data);
    } catch (cause) {
      throw codecFault(codec, "encode", cause);
    }
    if (!isThenable(encoded)) return this.#wrap(codec, encoded, bytesMax);
    return Promise.resolve(encoded).then(
      (value) => this.#wrap(codec, value, bytesMax),
      (cause: unknown) => {
        throw codecFault(codec, "encode", cause);
      },
    );
  }

  #wrap(codec: Codec, encoded: unknown, bytesMax: number): Bytes | Promise<Bytes> {
    if (typeof encoded !== "string" && !(encoded instanceof Uint8Array)) {
      const message = `The codec ${codec.name} must encode to bytes or text, not to ${quote(encoded)}`;
      throw new EchoMQError("invalid_payload", message, { details: { codec: codec.name } });
    }
    const layers = layersOf(codec);
    const body = typeof encoded === "string" ? bytesOf(encoded) : bytesFrom(encoded);
    if (layers.length > 0) return this.#wrapLayers(codec, layers, body, bytesMax);
    return this.#plainPayload(codec, body, bytesMax);
  }

  /** A payload without layers: with a header unless readers that see none take it for the same. */
  #plainPayload(codec: Codec, body: Bytes, bytesMax: number): Bytes {
    const needsHeader = codec.name !== this.#plain.name || body.startsWith(HEADER_MARK);
    const payload = needsHeader ? headerOf(codec.name) + body : body;
    assertPayloadSize(payload.length, bytesMax);
    return payload;
  }

  async #wrapLayers(codec: Codec, layers: readonly Layer[], body: Bytes, bytesMax: number): Promise<Bytes> {
    // The limit counts what is stored; before that there may be what readers take by default.
    const rawBytesMax = Math.max(bytesMax, PAYLOAD_BYTES_MAX_DEFAULT);
    assertPayloadSize(body.length, rawBytesMax);
    let inner = codec.name;
    let array: Uint8Array = arrayOf(body);
    for (const layer of layers) {
      const made = await layer.apply(array, { inner, bytesMax: rawBytesMax });
      if (made === undefined) continue;
      array = made.bytes;
      inner = `${made.parameter === "" ? made.word : `${made.word}:${made.parameter}`} ${inner}`;
    }
    if (inner === codec.name) return this.#plainPayload(codec, body, bytesMax);
    const payload = headerOf(inner) + bytesFrom(array);
    assertPayloadSize(payload.length, bytesMax);
    return payload;
  }

  async #unwrap(
    body: Uint8Array,
    layers: readonly { readonly word: string; readonly parameter: string; readonly inner: string }[],
    bytesMax: number,
  ): Promise<Uint8Array> {
    let array = body;
    for (const { word, parameter, inner } of layers) {
      const layer = this.#layers.get(word);
      if (layer === undefined) throw unknownCodec(word);
      array = await layer.undo(array, { word, parameter, inner, bytesMax });
    }
    return array;
  }

  /** Refuses a payload that lacks a layer which must be there. */
  #assertLayered(words: readonly string[]): void {
    if (this.isPlain) return;
    for (const { words: own, isRequired } of layersOf(this.#writer)) {
      if (isRequired !== true || own.some((word) => words.includes(word))) continue;
      const layer = own.join(" or ");
      throw new EchoMQError("invalid_payload", `The payload lacks ${layer}, without which it is not read here`, {
        details: { layer },
      });
    }
  }
}

/** Every codec by its name; the two plain ones are always read. */
function codecsByName(list: readonly Codec[]): Map<string, Codec> {
  const codecs = new Map<string, Codec>();
  for (const codec of list) {
    if (codecs.has(codec.name)) throw invalidCodec(`two of them are called ${quote(codec.name)}`);
    codecs.set(codec.name, codec);
  }
  for (const codec of [json, bytes as Codec]) if (!codecs.has(codec.name)) codecs.set(codec.name, codec);
  return codecs;
}

function assertCodec(codec: Codec): void {
  if (typeof codec !== "object" || codec === null) throw invalidCodec(`${quote(codec)} is none`);
  const { name, encode, decode } = codec;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw invalidCodec(`${quote(name)} cannot be the name of one: use at most 32 of a-z 0-9 . _ -`);
  }
  if (typeof encode !== "function" || typeof decode !== "function") {
    throw invalidCodec(`${quote(name)} lacks encode or decode`);
  }
  const isOwn = (plain: Codec) => plain.encode === encode && plain.decode === decode;
  if ((name === json.name && !isOwn(json)) || (name === bytes.name && !isOwn(bytes))) {
    throw invalidCodec(`${quote(name)} is the name of a codec that every reader knows: take another one`);
  }
}

function invalidCodec(why: string): EchoMQError {
  const message = `codec must be an object with name, encode and decode, or an array of them; ${why}`;
  return new EchoMQError("invalid_option", message, { details: { option: "codec" } });
}

function layersOf(codec: Codec): readonly Layer[] {
  return codec.layers ?? [];
}

function decodeBy(codec: Codec, array: Uint8Array): unknown {
  let data: unknown;
  try {
    data = codec.decode(array);
  } catch (cause) {
    throw codecFault(codec, "decode", cause);
  }
  if (!isThenable(data)) return data;
  return Promise.resolve(data).catch((cause: unknown) => {
    throw codecFault(codec, "decode", cause);
  });
}

function unknownCodec(name: string): EchoMQError {
  const message = `The payload was encoded by ${quote(name)}, for which this side has no codec: give it the same codec`;
  return new EchoMQError("unknown_codec", message, { details: { codec: name } });
}

function codecFault(codec: Codec, verb: "encode" | "decode", cause: unknown): EchoMQError {
  if (isEchoMQError(cause)) return cause;
  const why = cause instanceof Error ? cause.message : quote(cause);
  const message = `The codec ${codec.name} could not ${verb} the payload: ${why}`;
  return new EchoMQError("invalid_payload", message, { cause, details: { codec: codec.name } });
}
