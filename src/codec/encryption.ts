/**
 * Encryption on top of a codec: AES-GCM of the platform's WebCrypto, with named keys.
 *
 *   nonce, 12 bytes │ ciphertext │ tag, 16 bytes
 *
 * A payload names its key, so keys change without a pause: the first key of the list encrypts, all of them decrypt. The
 * tag covers the bytes, the name of the key, the words for what is inside, and a context of the caller's choice, so
 * that none of them can be changed unseen. The nonce is drawn at random by the platform; no other source of chance
 * would do, because two payloads under one nonce would reveal both, and this is why no port stands between.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { assertKnownOptions } from "../queue/option-check.ts";
import type { Codec, Layer } from "../queue/payload-codec.ts";

/** A key and its name. */
export interface EncryptionKey {
  /** Stored with each payload: 1 to 64 letters, digits, `.`, `_` and `-`. Never give it to another key. */
  readonly id: string;
  /** 16, 24 or 32 bytes, or the same as base64. */
  readonly key: Uint8Array | string;
}

/** Options of {@link withEncryption}. */
export interface EncryptionOptions {
  /** The first encrypts, all decrypt: put a new key in front, and drop an old one when no payload of it is left. */
  readonly keys: readonly EncryptionKey[];
  /** Refuses payloads that are not encrypted. Default false: they are read too, such as those of earlier jobs. */
  readonly required?: boolean;
  /** Text that both sides must say alike, for instance the name of the queue. Default: empty. */
  readonly context?: string;
}

/** The word of headers. A change of the layout above is a new word. */
const WORD = "aes-gcm";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = [16, 24, 32];

const KEY_ID = /^[\w.-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type SecretKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * The codec with encryption on top. Put compression below it: encrypted bytes do not shrink.
 *
 * @example
 * const codec = withEncryption(withCompression(json), { keys: [{ id: "2026-02", key: secret }] });
 * @throws EchoMQError `unknown_option`, `invalid_option`.
 */
export function withEncryption<Data>(codec: Codec<Data>, options: EncryptionOptions): Codec<Data> {
  assertKnownOptions(options, { owner: "withEncryption", known: ["keys", "required", "context"] });
  const ring = new KeyRing(options?.keys);
  const bound = (parameter: string, inner: string) =>
    new TextEncoder().encode(`echomq payload\0${options.context ?? ""}\0${WORD}:${parameter} ${inner}`);
  const layer: Layer = {
    words: [WORD],
    isRequired: options.required ?? false,
    async apply(bytes, { inner }) {
      const { id, secret } = await ring.newest();
      return { bytes: await encrypted(bytes, secret, bound(id, inner)), word: WORD, parameter: id };
    },
    async undo(bytes, { parameter, inner }) {
      return await decrypted(bytes, {
        id: parameter,
        secret: await ring.get(parameter),
        bound: bound(parameter, inner),
      });
    },
  };
  return { ...codec, layers: [...(codec.layers ?? []), layer] };
}

/** The keys by name; each is handed to the platform once, when it is first needed. */
class KeyRing {
  readonly #newestId: string;
  readonly #raw = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #secrets = new Map<string, Promise<SecretKey>>();

  constructor(keys: unknown) {
    if (!Array.isArray(keys) || keys.length === 0) throw invalidKeys("at least one is needed");
    for (const entry of keys as readonly (EncryptionKey | undefined)[]) {
      const { id, key } = entry ?? {};
      if (typeof id !== "string" || !KEY_ID.test(id)) throw invalidKeys(`${quote(id)} cannot be the id of a key`);
      if (this.#raw.has(id)) throw invalidKeys(`two are called ${quote(id)}`);
      this.#raw.set(id, keyBytes(id, key));
    }
    this.#newestId = (keys as readonly EncryptionKey[])[0]?.id ?? "";
  }

  async newest(): Promise<{ readonly id: string; readonly secret: SecretKey }> {
    return { id: this.#newestId, secret: await this.get(this.#newestId) };
  }

  async get(id: string): Promise<SecretKey> {
    const raw = this.#raw.get(id);
    if (raw === undefined) {
      const message = `The payload is encrypted under the key ${quote(id)}, which is not among the keys of this side`;
      throw new EchoMQError("unknown_key", message, { details: { keyId: id } });
    }
    let secret = this.#secrets.get(id);
    if (secret === undefined) {
      secret = crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
      this.#secrets.set(id, secret);
    }
    return await secret;
  }
}

async function encrypted(bytes: Uint8Array, secret: SecretKey, bound: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bound }, secret, bytes.slice());
  const made = new Uint8Array(NONCE_BYTES + sealed.byteLength);
  made.set(iv);
  made.set(new Uint8Array(sealed), NONCE_BYTES);
  return made;
}

async function decrypted(
  bytes: Uint8Array,
  { id, secret, bound }: { readonly id: string; readonly secret: SecretKey; readonly bound: Uint8Array<ArrayBuffer> },
): Promise<Uint8Array> {
  try {
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new RangeError("it is too short");
    const iv = bytes.slice(0, NONCE_BYTES);
    const sealed = bytes.slice(NONCE_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: bound }, secret, sealed));
  } catch (cause) {
    const message =
      `The payload cannot be decrypted under the key ${quote(id)}: ` +
      "it was written under another key of this id or another context, or its bytes were changed";
    throw new EchoMQError("decryption_failed", message, { cause, details: { keyId: id } });
  }
}

function keyBytes(id: string, key: unknown): Uint8Array<ArrayBuffer> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  if (typeof key === "string" && BASE64.test(key)) bytes = Uint8Array.from(atob(key), (c) => c.charCodeAt(0));
  else if (key instanceof Uint8Array) bytes = Uint8Array.from(key);
  if (bytes !== undefined && KEY_BYTES.includes(bytes.length)) return bytes;
  // The key itself must not end in a log.
  throw invalidKeys(`the key ${quote(id)} must be 16, 24 or 32 bytes, or the same as base64`);
}

function invalidKeys(why: string): EchoMQError {
  return new EchoMQError("invalid_option", `keys must be a list of { id, key }: ${why}`, {
    details: { option: "keys" },
  });
}
