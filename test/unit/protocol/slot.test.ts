/** Hashtag and slot: every vector of the contract. */

import { describe, expect, it } from "vitest";
import { baseKey, jobKey, queueKey, reserveKey } from "../../../src/protocol/key.ts";
import { hashtag, slot } from "../../../src/protocol/slot.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

describe("slot", () => {
  it.each([
    ["123456789", 12739],
    ["{emq}:version", 9051],
    ["{emq}:locks", 9051],
    ["emq:{a}b}:pending", 15495],
    ["emq:{a{b}:pending", 13340],
    ["emq:{}:pending", 7387],
    ["emq:{}:active", 5857],
    ["emq:{}:job:JOB0KHTOWnGLuC", 15069],
    ["", 0],
  ])("of %j is %d", (key, expected) => {
    expect(slot(key)).toBe(expected);
    expect(slot(utf8(key))).toBe(expected);
  });

  it.each([
    ["orders", 105],
    ["fills", 4165],
    ["payments", 8507],
    ["q", 11958],
    ["default", 5718],
    ["a:b", 2785],
  ])("of every key of the queue %j is %d", (queue, expected) => {
    for (const type of ["pending", "active", "g:l1:pending", "wake", "meta"]) {
      expect(slot(queueKey(queue, type))).toBe(expected);
    }
    expect(slot(baseKey(queue))).toBe(expected);
    expect(slot(jobKey(queue, "JOB0KHTOWnGLuC"))).toBe(expected);
  });

  it("is one for the whole reserve", () => {
    expect([reserveKey("queues"), reserveKey("node:1023"), reserveKey("nodes")].map(slot)).toEqual([9051, 9051, 9051]);
  });

  it("counts text as its UTF-8 bytes", () => {
    expect(slot("emq:{Bestellungen-ü}:pending")).toBe(slot(utf8("emq:{Bestellungen-ü}:active")));
    expect(slot("é")).toBe(slot(Uint8Array.of(0xc3, 0xa9)));
    expect(slot("é")).not.toBe(slot(Uint8Array.of(0xe9)));
  });
});

describe("hashtag", () => {
  it.each([
    ["emq:{orders}:pending", "orders"],
    ["emq:{a}b}:pending", "a"],
    ["emq:{a{b}:pending", "a{b"],
    ["emq:{ü}:x", "ü"],
    ["{emq}:version", "emq"],
    ["emq:{}:pending", "emq:{}:pending"],
    ["emq:{}:{x}", "emq:{}:{x}"],
    ["plain", "plain"],
    ["}x{", "}x{"],
    ["}a{b}c{d}", "b"],
    ["{open", "{open"],
    ["", ""],
  ])("of %j is %j", (key, tag) => {
    expect(hashtag(key)).toBe(tag);
    expect(hashtag(utf8(key))).toEqual(utf8(tag));
  });
});
