/**
 * Finds keys of a queue whose value is of another Valkey type than the wire gives them.
 *
 * An act must be refused for such a key before anything is written, also where it would have met it late or not at all.
 * Looking up every key of every act would cost as much as the act. Acts themselves only ever write the right types, so
 * it is enough to look at what plain commands write: while they wrote nothing foreign, an act pays for one comparison.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { queueFromKey, splitQueueKey } from "../protocol/key.ts";
import { KEY_TYPES, KEY_VALKEY_TYPES } from "../protocol/registry.generated.ts";
import { VERBS, type Verb } from "../protocol/verbs.generated.ts";
import type { Keyspace } from "./store/keyspace.ts";
import type { Value } from "./store/value.ts";

/** Keys that are remembered before those that are foreign no more are dropped. */
const KEYS_KEPT = 1024;

/** A key type with a variable part. */
interface Pattern {
  readonly before: string;
  readonly after: string;
  readonly valkeyType: string;
}

const FIXED: Map<string, string> = new Map();
const PATTERNS: Pattern[] = [];
for (const type of KEY_TYPES) {
  const [before = "", after] = type.split(/<[a-z]+>/);
  if (after === undefined) FIXED.set(type, KEY_VALKEY_TYPES[type]);
  else PATTERNS.push({ before, after, valkeyType: KEY_VALKEY_TYPES[type] });
}
// The longest ending first: `job:<id>:logs` fits `job:<id>` too.
PATTERNS.sort((one, other) => other.after.length - one.after.length);

export class ForeignKeys {
  readonly #keyspace: Keyspace;
  readonly #keys: Set<Bytes> = new Set();

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  /** Whether there may be any; `false` is certain. */
  get any(): boolean {
    return this.#keys.size > 0;
  }

  /** Looks at what a plain command stored under a key. */
  note(key: Bytes, value: Value): void {
    const expected = valkeyTypeOf(key);
    if (expected === undefined) return;
    if (expected === value.type) this.#keys.delete(key);
    else this.#keys.add(key);
    if (this.#keys.size > KEYS_KEPT) this.#dropOthers();
  }

  /** Whether an act with these declared keys could meet one of them. */
  concern(verb: Verb, keys: readonly Bytes[]): boolean {
    let base = "";
    for (const key of keys) {
      if (key.endsWith("}:")) base = key;
      else if (this.#isForeign(key)) return true;
    }
    if (base === "" || queueFromKey(base, "") === undefined) return false;
    for (const type of VERBS[verb].uses) {
      if (!type.includes("<") && this.#isForeign(base + type)) return true;
    }
    return false;
  }

  #isForeign(key: Bytes): boolean {
    if (!this.#keys.has(key)) return false;
    const value = this.#keyspace.find(key);
    if (value !== undefined && value.type !== valkeyTypeOf(key)) return true;
    this.#keys.delete(key);
    return false;
  }

  #dropOthers(): void {
    for (const key of this.#keys) this.#isForeign(key);
  }
}

/** The Valkey type that the wire gives a key; `undefined` for a key that is not one of a queue's. */
function valkeyTypeOf(key: Bytes): string | undefined {
  const type = splitQueueKey(key)?.type;
  if (type === undefined) return undefined;
  const fixed = FIXED.get(type);
  if (fixed !== undefined) return fixed;
  return PATTERNS.find(({ before, after }) => fits(type, before, after))?.valkeyType;
}

function fits(type: string, before: string, after: string): boolean {
  return type.length > before.length + after.length && type.startsWith(before) && type.endsWith(after);
}
