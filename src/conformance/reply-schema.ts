/**
 * Judges a reply by the schema that `spec/` gives its verb.
 *
 * It knows the words of JSON Schema that the specification uses and no others, so a schema that says more than this can
 * check is a compile error in the generated table and not a silent pass. One word is stricter than its original:
 * `prefixItems` names all items of a list, because a reply never has more parts than its verb says.
 */

import type { Reply } from "../engine/engine.ts";

/** The types that a reply's part may have; nil is `null`. */
export type ReplyType = "array" | "integer" | "string" | "null";

/** One schema of a reply or of a part of it. Every word that is present must hold. */
export interface ReplySchema {
  readonly type?: ReplyType | readonly ReplyType[];
  readonly const?: Reply;
  readonly enum?: readonly Reply[];
  readonly anyOf?: readonly ReplySchema[];
  /** The schema of every item of a list. */
  readonly items?: ReplySchema;
  /** The schema of each item of a list, which has exactly as many. */
  readonly prefixItems?: readonly ReplySchema[];
  readonly minimum?: number;
  readonly maxItems?: number;
}

/** What is wrong with a reply, with its place in it; `undefined` when it fits. */
export function replyFault(schema: ReplySchema, reply: Reply, place = "reply"): string | undefined {
  const { type, anyOf } = schema;
  if (type !== undefined && !([type].flat() as readonly string[]).includes(typeOf(reply))) {
    return `${place} is ${typeOf(reply)} and not ${[type].flat().join(" or ")}`;
  }
  if (schema.const !== undefined && reply !== schema.const) return `${place} is ${text(reply)}, not its one value`;
  if (schema.enum !== undefined && !schema.enum.includes(reply)) return `${place} is ${text(reply)}, not in its list`;
  if (schema.minimum !== undefined && typeof reply === "number" && reply < schema.minimum) {
    return `${place} is ${reply}, below ${schema.minimum}`;
  }
  if (anyOf?.every((one) => replyFault(one, reply, place) !== undefined)) {
    return `${place} is ${text(reply)}, which fits none of its forms`;
  }
  return Array.isArray(reply) ? listFault(schema, reply as readonly Reply[], place) : undefined;
}

function listFault(schema: ReplySchema, list: readonly Reply[], place: string): string | undefined {
  const { items, prefixItems, maxItems } = schema;
  if (maxItems !== undefined && list.length > maxItems) return `${place} has ${list.length} items, at most ${maxItems}`;
  if (prefixItems !== undefined && list.length !== prefixItems.length) {
    return `${place} has ${list.length} items, not ${prefixItems.length}`;
  }
  for (const [at, item] of list.entries()) {
    const schemaOfItem = prefixItems?.[at] ?? items;
    const fault = schemaOfItem === undefined ? undefined : replyFault(schemaOfItem, item, `${place}[${at}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function typeOf(reply: Reply): ReplyType | "fraction" {
  if (reply === null) return "null";
  if (typeof reply === "string") return "string";
  if (typeof reply === "number") return Number.isInteger(reply) ? "integer" : "fraction";
  return "array";
}

function text(reply: Reply): string {
  return JSON.stringify(reply).slice(0, 200);
}
