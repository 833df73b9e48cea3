import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../../src/protocol/bytes.ts";
import { slot } from "../../../../src/protocol/slot.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";
import { commandHead, scriptHead } from "../../../../src/valkey/call.ts";
import { parseAddress } from "../../../../src/valkey/cluster/address.ts";
import { ANY_SLOT, callSlot } from "../../../../src/valkey/cluster/call-slot.ts";
import { ClusterMap } from "../../../../src/valkey/cluster/cluster-map.ts";
import { slotRanges } from "../../../../src/valkey/cluster/slot-ranges.ts";
import { Dispatcher } from "../../../../src/valkey/dispatch.ts";
import { FakeSession } from "../fake-session.ts";

const KEY = "emq:{q}:pending";
const SLOT = slot(KEY);
const SCRIPT = { sha: "abc", text: "return 1" };

/** Two nodes, the first of which owns everything. */
function setup() {
  const ports = createTestPorts();
  const map = new ClusterMap();
  const told: string[] = [];
  map.events = { onStale: () => void told.push("stale"), onNamed: (address) => void told.push(`named ${address}`) };
  map.replace([{ first: 0, last: 16_383, address: "a:1" }]);
  const [a, b] = [new FakeSession(), new FakeSession()];
  map.setSession("a:1", a);
  map.setSession("b:2", b);
  const dispatcher = new Dispatcher({
    ports,
    name: "cluster",
    offline: "wait",
    timeoutMs: 5000,
    pendingMax: 10,
    whyDown: () => undefined,
    onReadonly() {},
    route: map,
  });
  dispatcher.onUp(a);
  dispatcher.onUp(b);
  const ends: string[] = [];
  const act = (): void =>
    dispatcher.start(
      { head: scriptHead(SCRIPT.sha, false), keys: [KEY], args: [], script: SCRIPT },
      { onDone: (reply) => void ends.push(String(reply)), onFailed: (error) => void ends.push(error.code) },
    );
  return { ports, map, a, b, dispatcher, act, ends, told };
}

describe("the map of a cluster", () => {
  it("tells once that a slot has got another owner, from a refusal or from a node", () => {
    const { map, act, a } = setup();
    expect([map.takeChange(), map.takeChange()]).toEqual([true, false]);
    map.replace([{ first: 0, last: 16_383, address: "a:1" }]);
    expect(map.takeChange()).toBe(false);
    act();
    a.refuse(`MOVED ${SLOT} b:2`);
    expect([map.takeChange(), map.takeChange()]).toEqual([true, false]);
    map.replace([{ first: 0, last: 16_383, address: "b:2" }]);
    expect(map.takeChange()).toBe(true);
  });
});

describe("calls in a cluster", () => {
  it("follow a slot that moved at once, and every later call goes there straight away", () => {
    const { act, a, b, ends, told } = setup();
    act();
    a.refuse(`MOVED ${SLOT} b:2`);
    expect(b.texts).toEqual([`EVALSHA ${KEY}`]);
    b.answer(1);
    act();
    expect([a.texts.length, b.texts.length]).toEqual([0, 1]);
    expect(ends).toEqual(["1"]);
    expect(told).toEqual(["named b:2", "stale"]);
  });

  it("ask the importing node once, behind ASKING, and go to the owner with the next call", () => {
    const { act, a, b } = setup();
    act();
    a.refuse(`ASK ${SLOT} b:2`);
    expect(b.texts).toEqual(["ASKING", `EVALSHA ${KEY}`]);
    act();
    expect(a.texts).toEqual([`EVALSHA ${KEY}`]);
  });

  it("say ASKING again when the importing node has to be given the script first", () => {
    const { act, a, b, ends } = setup();
    act();
    a.refuse(`ASK ${SLOT} b:2`);
    b.answer("OK");
    b.refuse("NOSCRIPT No matching script.");
    expect(b.texts).toEqual([`SCRIPT abc LOAD ${SCRIPT.text}`, "ASKING", `EVALSHA ${KEY}`]);
    b.answer("abc");
    b.answer("OK");
    b.answer(7);
    expect(ends).toEqual(["7"]);
  });

  it("rest while their keys are on the way, and then begin with the owner again", async () => {
    const { act, a, b, ports, ends } = setup();
    act();
    a.refuse(`ASK ${SLOT} b:2`);
    b.answer("OK");
    b.refuse("TRYAGAIN Multiple keys request during rehashing of slot");
    expect([a.texts.length, b.texts.length]).toEqual([0, 0]);
    await ports.clock.advance(10);
    expect(a.texts).toEqual([`EVALSHA ${KEY}`]);
    a.answer(1);
    expect(ends).toEqual(["1"]);
  });

  it("rest when the node that they should ask is not connected yet", async () => {
    const { act, a, ports, told, map } = setup();
    map.setSession("b:2", undefined);
    act();
    a.refuse(`ASK ${SLOT} b:2`);
    expect(told).toEqual(["named b:2"]);
    await ports.clock.advance(10);
    expect(a.texts).toEqual([`EVALSHA ${KEY}`]);
  });

  it("are not sent round in circles without a pause", async () => {
    const { act, a, b, ports } = setup();
    act();
    let refusals = 0;
    for (; a.texts.length + b.texts.length > 0 && refusals < 100; refusals++) {
      if (a.texts.length > 0) a.refuse(`MOVED ${SLOT} b:2`);
      else b.refuse(`MOVED ${SLOT} a:1`);
    }
    expect(refusals).toBe(6);
    await ports.clock.advance(10);
    expect(a.texts.length + b.texts.length).toBe(1);
  });

  it("wait for the owner of their slot alone, and are rejected with its session alone", () => {
    const { act, a, map, dispatcher, ends, b } = setup();
    act();
    map.setSession("a:1", undefined);
    dispatcher.onDown(new Error("gone"), a);
    expect(ends).toEqual(["disconnected"]);
    act();
    expect([a.texts.length, b.texts.length]).toEqual([1, 0]);
    map.replace([{ first: 0, last: 16_383, address: "b:2" }]);
    dispatcher.resume();
    expect(b.texts).toEqual([`EVALSHA ${KEY}`]);
  });

  it("take the host of the node that was asked where a redirect leaves it out", () => {
    const { act, a, told } = setup();
    act();
    a.refuse(`MOVED ${SLOT} :7`);
    expect(told[0]).toBe("named a:7");
  });
});

describe("the slot of a call", () => {
  const slotOf = (...parts: string[]) =>
    callSlot({ head: commandHead(parts[0] ?? ""), keys: [], args: parts.slice(1) });

  it("is that of its first key, wherever the command has it", () => {
    expect(slotOf("GET", KEY)).toBe(SLOT);
    expect(slotOf("EVALSHA", "abc", "1", KEY)).toBe(SLOT);
    expect(slotOf("SCAN", "0", "MATCH", "emq:{q}:*", "COUNT", "10")).toBe(SLOT);
    expect(callSlot({ head: scriptHead("abc", true), keys: [KEY], args: ["x"] })).toBe(SLOT);
  });

  it("is any where there is no key", () => {
    for (const parts of [["PING"], ["INFO", "server"], ["SCAN", "0"], ["PUBLISH", KEY, "x"], ["CLIENT", "ID"]]) {
      expect(slotOf(...parts)).toBe(ANY_SLOT);
    }
  });

  it("counts the bytes of a key and not its characters", () => {
    expect(slotOf("GET", bytesOf("emq:{größe}:pending"))).toBe(slot("emq:{größe}:pending"));
  });
});

describe("what a node says of the cluster", () => {
  const asked = { host: "here", port: 1 };

  it("gives the primaries, and the host that was asked for one that has none", () => {
    const reply = [
      [0, 99, ["10.0.0.1", 7000, "id", []], ["10.0.0.2", 7000, "id", []]],
      [100, 199, [null, 7001, "id"]],
      [200, 299, ["?", 7002, "id"]],
    ];
    expect(slotRanges(reply, asked)).toEqual([
      { first: 0, last: 99, address: "10.0.0.1:7000" },
      { first: 100, last: 199, address: "here:7001" },
      { first: 200, last: 299, address: "here:7002" },
    ]);
  });

  it("is no answer while no slot is served, or when it is something else", () => {
    for (const reply of [[], null, "OK", [["x"]], [[0, 1, "no list"]]]) {
      expect(() => slotRanges(reply, asked)).toThrow(expect.objectContaining({ code: "server_busy", retryable: true }));
    }
  });

  it("names nodes by the last colon, so that an address of IPv6 is one", () => {
    expect(parseAddress("::1:7000", "")).toEqual({ host: "::1", port: 7000 });
    expect(parseAddress("host", "")).toBeUndefined();
    expect(parseAddress("host:0", "")).toBeUndefined();
  });
});
