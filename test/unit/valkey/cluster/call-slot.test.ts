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

describe("the slot of a command on a stream", () => {
  const key = "emq:{mail}:stream:s";

  it.each([
    ["XADD", key, "1-1", "f", "v"],
    ["XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", key, ">"],
    ["XREADGROUP", "GROUP", "streams", "STREAMS", "STREAMS", key, ">"],
    ["xread", "count", "1", "block", "5", "streams", key, "0-0"],
    ["XGROUP", "CREATE", key, "g", "0", "MKSTREAM"],
    ["XINFO", "GROUPS", key],
    ["XAUTOCLAIM", key, "g", "c", "0", "0-0"],
  ])("%s is that of its key", (name, ...args) => {
    expect(slotOf(name, ...args)).toBe(keySlot(key));
  });
});
