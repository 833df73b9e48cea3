/**
 * The entry point `echomq/codec`: how data become the bytes of a payload, beyond plain JSON.
 *
 * It stands apart from `echomq` because compression needs a module of Node.js, which no browser bundle should carry.
 */

export {
  bytes,
  type Codec,
  type CodecOption,
  json,
  type Layer,
  type LayerContext,
  type LayeredBytes,
} from "../queue/payload-codec.ts";
export { type CompressionOptions, withCompression } from "./compression.ts";
export { type EncryptionKey, type EncryptionOptions, withEncryption } from "./encryption.ts";
