/**
 * A string of the keyspace.
 *
 * It never changes: a write stores another value, and taking a write back is storing the earlier one.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { Value } from "./value.ts";

export class StringValue extends Value {
  readonly text: Bytes;

  constructor(text: Bytes) {
    super();
    this.text = text;
  }

  get type(): "string" {
    return "string";
  }
}
