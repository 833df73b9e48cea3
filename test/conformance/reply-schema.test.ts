/** Reply schemas: what fits passes, and everything else is named with its place. */

import { describe, expect, it } from "vitest";
import { type ReplySchema, replyFault } from "../../src/conformance/reply-schema.ts";
import type { Reply } from "../../src/engine/engine.ts";

const pair: ReplySchema = { type: "array", prefixItems: [{ type: "string" }, { type: "integer", minimum: 1 }] };

describe("replyFault", () => {
  const good: [ReplySchema, Reply][] = [
    [{ enum: [1, "a", null] }, "a"],
    [{ const: 0 }, 0],
    [{ type: ["string", "null"] }, null],
    [{ type: "array" }, [1, ["x"]]],
    [
      { type: "array", items: pair },
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    [{ anyOf: [{ type: "array", maxItems: 0 }, pair] }, []],
    [{ anyOf: [{ type: "array", maxItems: 0 }, pair] }, ["a", 3]],
  ];
  it("finds nothing in replies that fit", () => {
    for (const [schema, reply] of good) expect(replyFault(schema, reply)).toBeUndefined();
  });

  const bad: [ReplySchema, Reply, string][] = [
    [{ enum: [1, 2] }, 3, "reply is 3, not in its list"],
    [{ const: 0 }, "0", 'reply is "0", not its one value'],
    [{ type: "integer" }, "1", "reply is string and not integer"],
    [{ type: "integer" }, 1.5, "reply is fraction and not integer"],
    [{ type: ["string", "integer"] }, null, "reply is null and not string or integer"],
    [pair, ["a", 0], "reply[1] is 0, below 1"],
    [pair, ["a"], "reply has 1 items, not 2"],
    [{ type: "array", items: pair }, [["a", 1], "b"], "reply[1] is string and not array"],
    [{ type: "array", maxItems: 0 }, [1], "reply has 1 items, at most 0"],
    [{ anyOf: [{ const: 1 }, { type: "null" }] }, "x", 'reply is "x", which fits none of its forms'],
  ];
  for (const [schema, reply, fault] of bad) {
    it(`says of ${JSON.stringify(reply)}: ${fault}`, () => {
      expect(replyFault(schema, reply)).toBe(fault);
    });
  }
});
