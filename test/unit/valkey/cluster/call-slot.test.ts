import { describe, expect, it } from "vitest";
import { commandHead } from "../../../../src/valkey/call.ts";
import { ANY_SLOT, callSlot, keySlot } from "../../../../src/valkey/cluster/call-slot.ts";

const slotOf = (name: string, ...args: string[]) => callSlot({ head: commandHead(name), keys: [], args });

describe("the slot of a scan", () => {
  it("is the one of the queue that its pattern names", () => {
    expect(slotOf("SCAN", "0", "MATCH", "emq:{mail}:*", "COUNT", "10")).toBe(keySlot("emq:{mail}:pending"));
  });

  it.each([
    ["a*", "a\\*"],
    ["a[b]", "a\\[b\\]"],
    ["a\\b?", "a\\\\b\\?"],
  ])("is the one of a queue that is called %s, although its name is escaped", (queue, escaped) => {
    expect(slotOf("SCAN", "0", "MATCH", `emq:{${escaped}}:*`)).toBe(keySlot(`emq:{${queue}}:pending`));
  });

  it("is any where no pattern names a queue", () => {
    expect([slotOf("SCAN", "0"), slotOf("SCAN", "0", "MATCH", "emq:*")]).toEqual([ANY_SLOT, ANY_SLOT]);
  });
});
