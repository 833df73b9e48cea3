/** Keys for arbitrary names and types: round trip, agreement of text and bytes, and refusal. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeId } from "../../../src/protocol/id.ts";
import { baseKey, isValidQueue, jobKey, queueFromKey, queueKey, splitQueueKey } from "../../../src/protocol/key.ts";
import { slot } from "../../../src/protocol/slot.ts";

/** Texts in which the characters of the grammar are frequent. */
const grammarText = fc.string({
  unit: fc.oneof(
    fc.constantFrom("{", "}", ":", "\u0000", "emq:{", "}:"),
    fc.string({ minLength: 1, maxLength: 1, unit: "grapheme" }),
  ),
  maxLength: 12,
});
const goodName = grammarText.map((text) => text.replaceAll(/[{}]|\0/g, ""));
const anyId = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map((value) => encodeId("JOB", value));
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("keys", () => {
  it("split into the queue and type that they were built from", () => {
    fc.assert(
      fc.property(goodName, grammarText, (queue, type) => {
        const key = queueKey(queue, type);
        expect(splitQueueKey(key)).toEqual({ queue, type });
        expect(queueFromKey(key, type)).toBe(queue === "" ? undefined : queue);
        expect(key.startsWith(baseKey(queue))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("never split into a name that the wire refuses, whatever they are", () => {
    fc.assert(
      fc.property(grammarText, fc.boolean(), (text, prefixed) => {
        const key = prefixed ? `emq:{${text}` : text;
        const parts = splitQueueKey(key);
        if (parts === undefined) return;
        expect(isValidQueue(parts.queue)).toBe(true);
        expect(queueKey(parts.queue, parts.type)).toBe(key);
      }),
      { numRuns: 1000 },
    );
  });

  it("are the same bytes whether built from text or from bytes", () => {
    fc.assert(
      fc.property(grammarText, grammarText, anyId, (queue, type, id) => {
        expect(queueKey(utf8(queue), utf8(type))).toEqual(utf8(queueKey(queue, type)));
        expect(jobKey(utf8(queue), id)).toEqual(utf8(jobKey(queue, id)));
        expect(slot(utf8(queueKey(queue, type)))).toBe(slot(queueKey(queue, type)));
      }),
    );
  });

  it("of one queue share a slot when its name is good and not empty", () => {
    fc.assert(
      fc.property(goodName, grammarText, grammarText, anyId, (queue, a, b, id) => {
        fc.pre(queue !== "");
        const slots = new Set([queueKey(queue, a), queueKey(queue, b), baseKey(queue), jobKey(queue, id)].map(slot));
        expect(slots.size).toBe(1);
      }),
    );
  });

  it("are refused as a name exactly when they hold a brace or NUL", () => {
    fc.assert(
      fc.property(grammarText, (name) => {
        const bad = ["{", "}", "\u0000"].some((character) => name.includes(character));
        expect(isValidQueue(name)).toBe(!bad);
        expect(isValidQueue(utf8(name))).toBe(!bad);
      }),
    );
  });
});
