/**
 * What every stored value has, whatever its Valkey type.
 *
 * The two fields come first in every subclass, so that the keyspace reads them at one place of the object. They are
 * written by the keyspace alone.
 */

/** The name that `TYPE` gives a value. */
export type ValkeyType = "string" | "hash" | "list" | "set" | "zset" | "stream";

export abstract class Value {
  /** Rises with every key that is created, so that the order of the keyspace's map is the order of serials. */
  serial = 0;
  /** Whether the keyspace holds an expiry for this key. */
  expiring = false;

  abstract readonly type: ValkeyType;
}
