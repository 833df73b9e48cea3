/**
 * A set of byte strings, in the order in which members were added.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { Value } from "./value.ts";

export class SetValue extends Value {
  readonly members: Set<Bytes> = new Set();

  get type(): "set" {
    return "set";
  }
}
