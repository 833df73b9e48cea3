/** What messages say of a cause. */

import { describe, expect, it } from "vitest";
import { causeText } from "../../../src/protocol/cause-text.ts";

describe("causeText", () => {
  it.each([
    [new TypeError("no such file"), "no such file"],
    ["plain", "plain"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
  ])("takes the message of an error and the text of anything else: %s", (cause, text) => {
    expect(causeText(cause)).toBe(text);
  });

  it("never throws, whatever was thrown", () => {
    const trap = new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error("a trap");
        },
      },
    );
    for (const cause of [Object.create(null), trap]) {
      expect(causeText(cause)).toBe("a value that cannot be shown was thrown");
    }
  });
});
