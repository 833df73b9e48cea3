/** Names in keys: every text comes back as it was, and no two texts, nor two kinds, share a name. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { isEchoMQError } from "../../../src/protocol/errors.ts";
import { aliasName, aliasText, dedupName, dedupText } from "../../../src/queue/dedup-name.ts";

/** Text in which the characters that have to be escaped are common. */
const texts = fc.array(
  fc.oneof(
    fc.constantFrom("%", "{", "}", "\0", "%7B", "%id:", "%de:", "x"),
    fc.string({ unit: "binary", maxLength: 20 }),
  ),
  { minLength: 1, maxLength: 8 },
);

/** The name of a text, `undefined` when it is refused by the code that says so. */
function nameOr(make: (text: string) => string, code: "invalid_job_id" | "invalid_deduplication", text: string) {
  try {
    return make(text);
  } catch (error) {
    expect(isEchoMQError(error, code)).toBe(true);
    return undefined;
  }
}

it("a name is one of the wire, and stands for its text", () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join("");
      const alias = nameOr(aliasName, "invalid_job_id", text);
      const dedup = nameOr(dedupName, "invalid_deduplication", text);
      for (const name of [alias, dedup]) if (name !== undefined) expect(name).toMatch(/^[^{}\0]{1,256}$/s);
      if (alias !== undefined) expect(aliasText(alias)).toBe(text);
      if (dedup !== undefined) expect(dedupText(dedup)).toBe(text);
      if (dedup !== undefined) expect(dedup).not.toBe(alias);
    }),
  );
});

it("two texts have two names", () => {
  fc.assert(
    fc.property(texts, texts, (some, others) => {
      const [text, other] = [some.join(""), others.join("")];
      fc.pre(text !== other);
      const alias = nameOr(aliasName, "invalid_job_id", text);
      const dedup = nameOr(dedupName, "invalid_deduplication", text);
      if (alias !== undefined) expect(alias).not.toBe(nameOr(aliasName, "invalid_job_id", other));
      if (alias !== undefined) expect(alias).not.toBe(nameOr(dedupName, "invalid_deduplication", other));
      if (dedup !== undefined) expect(dedup).not.toBe(nameOr(dedupName, "invalid_deduplication", other));
    }),
  );
});
