/**
 * Builds the declared keys of a call from the table of verbs, so that a scenario can call any verb in its raw form.
 */

import type { Bytes } from "../protocol/bytes.ts";
import { VERBS, type Verb } from "../protocol/verbs.generated.ts";

/** Where the keys of a call come from. */
export interface CallPlace {
  /** The queue's base key. */
  readonly base: Bytes;
  /** The id of the row where no argument holds it. */
  readonly id?: Bytes;
  /** Types of further keys, for a verb that takes them. */
  readonly more?: readonly string[];
  /** Whether keys that may be of two types are of the second. */
  readonly isOther?: boolean;
}

/** The keys that `verb` declares for these arguments. */
export function callKeys(verb: Verb, args: readonly Bytes[], place: CallPlace): Bytes[] {
  const { keys } = VERBS[verb];
  const declared = keys.map(({ type, id, or }) => {
    const name = id === undefined ? (place.id ?? "") : (args[id] ?? "");
    return place.base + (place.isOther === true ? (or ?? type) : type).replace(/<\w+>/, () => name);
  });
  return declared.concat((place.more ?? []).map((type) => place.base + type));
}
