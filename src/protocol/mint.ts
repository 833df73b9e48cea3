/**
 * Mints ids: strictly rising, and never twice the same within one minter.
 *
 * The state is one pair, timestamp and sequence, which only ever grows: an id takes the clock's millisecond when that
 * is later, and else the next sequence. When the 4096 sequences of a millisecond are used up, the carry goes into the
 * timestamp, so the minter runs ahead of its clock instead of waiting; it never goes into the node bits, which would
 * make the ids of a neighbour. A clock that steps back changes nothing: the pair counts on. All namespaces share the
 * pair, so the order holds across them too.
 *
 * Within a millisecond the number of an id grows by one, so its digits are kept as character codes and counted up in
 * place, like an odometer. Only a new millisecond, of the clock or by carry, goes through a big integer. The text is
 * made by one call with fourteen codes: it is flat from the start, where a concatenation would be flattened on first
 * use.
 */

import { incrementBase62 } from "./base62.ts";
import { EchoMQError } from "./errors.ts";
import { encodeId, ID_EPOCH_MS, isNamespace, NODE_BITS, SEQUENCE_BITS } from "./id.ts";
import { quote } from "./quote.ts";

/** The largest number of a minter: nodes have ten bits. */
export const NODE_MAX = 2 ** NODE_BITS - 1;
const SEQUENCE_MAX = 2 ** SEQUENCE_BITS - 1;

/** The last timestamp that 41 bits hold, in milliseconds since the epoch of ids; it ends in September 2093. */
const TIMESTAMP_MAX = 2 ** 41 - 1;

const ID_BYTES = 14;

/** Mints the next id of a namespace. Throws `invalid_id` when that is not three capitals A-Z. */
export type Minter = (namespace: string) => string;

export interface MinterOptions {
  /** The number of this minter, 0 to 1023. Two minters that may work in one millisecond must have different ones. */
  readonly node: number;
  /** The instant now, in Unix milliseconds; fractions are cut off. */
  readonly clock: () => number;
}

/**
 * A function that mints ids, each greater than the one before whatever the namespace and the clock do.
 *
 * Throws `invalid_option` for a bad node or clock and `unknown_option` for any other option. The minter itself throws
 * `invalid_option` when its clock gives no number, or an instant that an id cannot hold (before 2024, where no id was
 * minted yet, or after 2093).
 */
export function createMinter(options: MinterOptions): Minter {
  assertOptions(options);
  const { node, clock } = options;
  let timestamp = -1;
  let sequence = 0;
  /** The namespace in `codes`: a good one from the start, so that no other value can pass as already checked. */
  let goodNamespace = "AAA";
  /** The character codes of the next id, once a millisecond has been entered. */
  const codes = new Uint8Array(ID_BYTES);
  put(codes, goodNamespace);

  function enter(ms: number): void {
    if (ms > TIMESTAMP_MAX) throw clockFault(ms + ID_EPOCH_MS);
    const value = (BigInt(ms) << BigInt(NODE_BITS + SEQUENCE_BITS)) | BigInt(node << SEQUENCE_BITS);
    put(codes, encodeId(goodNamespace, value));
    timestamp = ms;
    sequence = 0;
  }

  function count(): void {
    if (sequence === SEQUENCE_MAX) return enter(timestamp + 1);
    sequence += 1;
    incrementBase62(codes);
  }

  return function mint(namespace: string): string {
    if (namespace !== goodNamespace) {
      put(codes, checkedNamespace(namespace));
      goodNamespace = namespace;
    }
    const now = Math.floor(clock()) - ID_EPOCH_MS;
    if (now > timestamp) enter(now);
    else if (timestamp < 0 || Number.isNaN(now)) throw clockFault(now + ID_EPOCH_MS);
    else count();
    return idOf(codes);
  };
}

function put(codes: Uint8Array, text: string): void {
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
}

/** Written out, because spreading the array costs ten times the rest of the mint. */
function idOf(c: Uint8Array): string {
  return String.fromCharCode(
    c[0] ?? 0,
    c[1] ?? 0,
    c[2] ?? 0,
    c[3] ?? 0,
    c[4] ?? 0,
    c[5] ?? 0,
    c[6] ?? 0,
    c[7] ?? 0,
    c[8] ?? 0,
    c[9] ?? 0,
    c[10] ?? 0,
    c[11] ?? 0,
    c[12] ?? 0,
    c[13] ?? 0,
  );
}

function assertOptions(options: MinterOptions): void {
  for (const name of Object.keys(options)) {
    if (name !== "node" && name !== "clock") {
      throw new EchoMQError("unknown_option", `createMinter has no option ${quote(name)}: it takes node and clock`);
    }
  }
  const { node, clock } = options;
  if (!Number.isInteger(node) || node < 0 || node > NODE_MAX) {
    throw new EchoMQError("invalid_option", `node must be a whole number from 0 to ${NODE_MAX}, not ${quote(node)}`);
  }
  if (typeof clock !== "function") {
    throw new EchoMQError("invalid_option", `clock must be a function that gives Unix ms, not ${quote(clock)}`);
  }
}

function checkedNamespace(namespace: unknown): string {
  if (isNamespace(namespace)) return namespace;
  throw new EchoMQError("invalid_id", `${quote(namespace)} is no namespace: give three capitals A-Z`, {
    details: { id: namespace, fault: "namespace" },
  });
}

function clockFault(ms: number): EchoMQError {
  const range = "ids hold instants from 2024-01-01 to 2093-09-06";
  return new EchoMQError("invalid_option", `the clock of the minter gave ${quote(ms)}: set it right, ${range}`);
}
