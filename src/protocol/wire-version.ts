/**
 * The version of the wire: one constant per wire, not per release of this package.
 *
 * The fence compares it byte for byte with the key `{emq}:version` (docs/protocol/fence.md), so two releases that speak
 * the same wire share it, and it changes only together with the keyspace, the record or the call form of a verb.
 */

/** What `{emq}:version` holds on a server of this wire; the default of every `wireVersion` option. */
export const WIRE_VERSION = "echomq:4.0.0";
