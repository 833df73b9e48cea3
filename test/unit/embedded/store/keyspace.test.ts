import { describe, expect, it } from "vitest";
import { HashValue } from "../../../../src/embedded/store/hash-value.ts";
import { Keyspace } from "../../../../src/embedded/store/keyspace.ts";
import { StringValue } from "../../../../src/embedded/store/string-value.ts";

function setup() {
  const seen = { pushes: 0, writes: [] as string[], expiryChanges: 0 };
  const keyspace = new Keyspace({
    onPush: () => seen.pushes++,
    onAppend: () => {},
    onForeignWrite: (key) => seen.writes.push(key),
    onExpiryChange: () => seen.expiryChanges++,
  });
  keyspace.now = 1000;
  const put = (key: string, text = "") => keyspace.put(key, new StringValue(text));
  const keys = () => [...keyspace.entries()].map(([key]) => key);
  return { keyspace, put, keys, seen };
}

describe("a keyspace", () => {
  it("keeps a key through the millisecond at which it expires and not beyond", () => {
    const { keyspace, put } = setup();
    put("key");
    keyspace.setExpiry("key", 1500);
    keyspace.now = 1500;
    expect(keyspace.find("key")).toBeDefined();
    keyspace.now = 1501;
    expect(keyspace.find("key")).toBeUndefined();
    expect(keyspace.size).toBe(0);
    expect(keyspace.nextExpiry()).toBeUndefined();
  });

  it("hides a key that has expired from every walk", () => {
    const { keyspace, put, keys } = setup();
    put("stays");
    put("goes");
    keyspace.setExpiry("goes", 1500);
    keyspace.now = 2000;
    expect(keys()).toEqual(["stays"]);
    const scanned: string[] = [];
    expect(keyspace.scan(0, 10, (key) => scanned.push(key))).toBe(0);
    expect(scanned).toEqual(["stays"]);
  });

  it("takes out what has expired, the earliest first and no more than it is told to", () => {
    const { keyspace, put, keys } = setup();
    for (const [key, at] of [
      ["c", 1300],
      ["a", 1100],
      ["b", 1200],
      ["later", 9000],
    ] as const) {
      put(key);
      keyspace.setExpiry(key, at);
    }
    keyspace.now = 5000;
    keyspace.removeExpired(2);
    expect(keyspace.nextExpiry()).toBe(1300);
    keyspace.removeExpired(100);
    expect(keys()).toEqual(["later"]);
    expect(keyspace.nextExpiry()).toBe(9000);
  });

  it("forgets an expiry when the key is stored anew, unless it is told to keep it", () => {
    const { keyspace, put } = setup();
    put("key");
    keyspace.setExpiry("key", 1500);
    keyspace.put("key", new StringValue("kept"), true);
    expect(keyspace.expiryOf("key")).toBe(1500);
    put("key", "anew");
    expect(keyspace.expiryOf("key")).toBeUndefined();
    keyspace.now = 9000;
    expect(keyspace.find("key")).toBeDefined();
  });

  it("finds the next expiry of a key that was given many", () => {
    const { keyspace, put } = setup();
    put("key");
    for (let at = 1; at <= 1000; at++) keyspace.setExpiry("key", 2000 + at);
    expect(keyspace.nextExpiry()).toBe(3000);
    keyspace.setExpiry("key", undefined);
    expect(keyspace.nextExpiry()).toBeUndefined();
  });

  it("counts neither removed nor returning keys twice", () => {
    const { keyspace, put, keys } = setup();
    for (let round = 0; round < 3; round++) {
      put("emq:{q}:active");
      expect(keyspace.size).toBe(1);
      keyspace.remove("emq:{q}:active");
      expect(keyspace.size).toBe(0);
      expect(keyspace.find("emq:{q}:active")).toBeUndefined();
      expect(keys()).toEqual([]);
    }
  });

  it("keeps no trace of more than a bounded number of removed keys", () => {
    const { keyspace, put, keys } = setup();
    for (let at = 0; at < 2000; at++) put(`key:${at}`);
    for (let at = 0; at < 2000; at++) keyspace.remove(`key:${at}`);
    expect(keyspace.size).toBe(0);
    put("key:3");
    put("key:1999");
    expect(keys().sort()).toEqual(["key:1999", "key:3"]);
  });

  it("scans every key once when nothing changes, by steps of any size", () => {
    const { keyspace, put } = setup();
    for (let at = 0; at < 100; at++) put(`key:${at}`);
    for (const count of [1, 7, 100, 1000]) {
      const found: string[] = [];
      let cursor = 0;
      do cursor = keyspace.scan(cursor, count, (key) => found.push(key));
      while (cursor !== 0);
      expect(found).toHaveLength(100);
      expect(new Set(found).size).toBe(100);
    }
  });

  it("goes on with a scan whose walk was given up for newer ones", () => {
    const { keyspace, put } = setup();
    for (let at = 0; at < 100; at++) put(`key:${at}`);
    const found: string[] = [];
    let cursor = keyspace.scan(0, 50, (key) => found.push(key));
    for (let other = 1; other < 30; other++) keyspace.scan(0, other, () => undefined);
    while (cursor !== 0) cursor = keyspace.scan(cursor, 50, (key) => found.push(key));
    expect(new Set(found).size).toBe(100);
  });

  it("ends a scan beside a producer that never stops", () => {
    const { keyspace, put } = setup();
    for (let at = 0; at < 20; at++) put(`old:${at}`);
    let steps = 0;
    for (let cursor = keyspace.scan(0, 5, () => undefined); cursor !== 0 && steps < 50; steps++) {
      for (let at = 0; at < 10; at++) put(`new:${steps}:${at}`);
      cursor = keyspace.scan(cursor, 5, () => undefined);
    }
    expect(steps).toBeLessThan(10);
  });

  it("tells of writes outside of acts only", () => {
    const { keyspace, put, seen } = setup();
    put("outside");
    keyspace.begin();
    keyspace.create("inside", new HashValue());
    keyspace.commit();
    put("outside again");
    expect(seen.writes).toEqual(["outside", "outside again"]);
  });
});
