/**
 * What every stored value has, whatever its Valkey type.
 *
 * The fields come first in every subclass, so that the keyspace reads them at one place of the object. They are
 * written by the keyspace alone.
 */

/** The name that `TYPE` gives a value. */
export type ValkeyType = "string" | "hash" | "list" | "set" | "zset" | "stream";

/** Up to so many entries, none longer than so many bytes, the server keeps a collection in its compact form. */
export const COMPACT_ENTRIES_MAX = 128;
export const COMPACT_BYTES_MAX = 64;

export abstract class Value {
  /** Rises with every key that is created, so that the order of the keyspace's map is the order of serials. */
  serial = 0;
  /** Whether the keyspace holds an expiry for this key. */
  expiring = false;
  /** The number of the last snapshot that has this value, or that began before it was there. */
  savedIn = 0;

  abstract readonly type: ValkeyType;

  /** The name of the form in which the server would keep the value, as `OBJECT ENCODING` tells it. */
  abstract readonly encoding: string;

  /** Another value with the same content, which belongs to no key yet. */
  abstract copy(): Value;
}
