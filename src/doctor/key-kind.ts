/**
 * What a key of a queue is, told from its name: a type of `spec/keys.json`, and the name in it.
 *
 * A name may hold colons, so a longer type is tried before a shorter one, and a name is never taken for more than it
 * is.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { KEY_TYPES, KEY_VALKEY_TYPES } from "../protocol/registry.generated.ts";

/** A type of `spec/keys.json`. */
export type KeyType = (typeof KEY_TYPES)[number];

/** A key that the wire knows. */
export interface KeyKind {
  readonly type: KeyType;
  /** The variable part, empty where there is none. */
  readonly name: Bytes;
  /** The kind of value that it must hold. */
  readonly valkey: string;
}

/** The types without a variable part: the keys that a queue has one of. */
export const SINGLE_KEYS: readonly KeyType[] = KEY_TYPES.filter((type) => !type.includes("<"));

const PATTERNS: readonly (readonly [KeyType, RegExp])[] = [...KEY_TYPES]
  .sort((a, b) => b.length - a.length)
  .map((type) => [type, patternOf(type)]);

/** What the part of a key after `emq:{q}:` is; `undefined` for what the wire does not know. */
export function keyKind(suffix: Bytes): KeyKind | undefined {
  for (const [type, pattern] of PATTERNS) {
    const match = pattern.exec(suffix);
    if (match !== null) return { type, name: match[1] ?? "", valkey: KEY_VALKEY_TYPES[type] };
  }
  return undefined;
}

function patternOf(type: KeyType): RegExp {
  const escaped = type.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const source = escaped.replaceAll(/<(\w+)>/g, (_, part) =>
    part === "id" ? "([A-Z]{3}[0-9A-Za-z]{11})" : "([^{}\\0]+)",
  );
  return new RegExp(`^${source}$`, "s");
}
