/**
 * A string of the keyspace.
 *
 * It never changes: a write stores another value, and taking a write back is storing the earlier one.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { Value } from "./value.ts";
import { wholeOf } from "./whole.ts";

/** The most bytes that the server stores beside its own head of the value. */
const EMBEDDED_BYTES_MAX = 44;

export class StringValue extends Value {
  readonly text: Bytes;
  /** Whether a part of it was written, after which the server does not look for a smaller form. */
  readonly #isPatched: boolean;

  constructor(text: Bytes, isPatched = false) {
    super();
    this.text = text;
    this.#isPatched = isPatched;
  }

  get type(): "string" {
    return "string";
  }

  copy(): StringValue {
    return new StringValue(this.text, this.#isPatched);
  }

  get encoding(): "int" | "embstr" | "raw" {
    if (this.#isPatched) return "raw";
    if (wholeOf(this.text) !== undefined) return "int";
    return this.text.length <= EMBEDDED_BYTES_MAX ? "embstr" : "raw";
  }
}
