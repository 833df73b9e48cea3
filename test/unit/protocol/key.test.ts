/** Keys and queue names: the productions and the two doors. */

import { describe, expect, it } from "vitest";
import {
  assertQueueName,
  assertValidQueue,
  baseKey,
  isValidQueue,
  jobKey,
  queueFromKey,
  queueKey,
  reserveKey,
  splitQueueKey,
} from "../../../src/protocol/key.ts";
import { refusalOf } from "./refusal.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const NOT_TEXT = [undefined, null, 5, true, {}, [], ["orders"], Symbol("q"), () => "orders"];

describe("queueKey", () => {
  it.each([
    ["orders", "pending", "emq:{orders}:pending"],
    ["orders", "job:", "emq:{orders}:job:"],
    ["orders", "", "emq:{orders}:"],
    ["", "pending", "emq:{}:pending"],
    ["a}b", "pending", "emq:{a}b}:pending"],
    ["a{b", "pending", "emq:{a{b}:pending"],
    ["a:b", "g:l1:pending", "emq:{a:b}:g:l1:pending"],
    ["emq", "meta", "emq:{emq}:meta"],
    ["ü", "wake", "emq:{ü}:wake"],
  ])("composes %j and %j to %j", (queue, type, key) => {
    expect(queueKey(queue, type)).toBe(key);
    expect(queueKey(utf8(queue), utf8(type))).toEqual(utf8(key));
    expect(queueKey(utf8(queue), type)).toEqual(utf8(key));
  });

  it("keeps bytes that are no UTF-8", () => {
    expect(queueKey(Uint8Array.of(0xff, 0), "x")).toEqual(Uint8Array.from([...utf8("emq:{"), 0xff, 0, ...utf8("}:x")]));
  });

  it("fails loudly for what is neither text nor bytes", () => {
    for (const part of NOT_TEXT) {
      expect(() => queueKey(part as string, "pending")).toThrow(TypeError);
      expect(() => queueKey("orders", part as string)).toThrow(TypeError);
      expect(() => baseKey(part as string)).toThrow(TypeError);
      expect(() => reserveKey(part as string)).toThrow(TypeError);
      expect(() => splitQueueKey(part as string)).toThrow(TypeError);
      expect(() => queueFromKey(part as string, "pending")).toThrow(TypeError);
    }
  });
});

describe("baseKey and reserveKey", () => {
  it("compose the base of a queue", () => {
    expect(baseKey("orders")).toBe("emq:{orders}:");
    expect(baseKey("")).toBe("emq:{}:");
    expect(baseKey(utf8("orders"))).toEqual(utf8("emq:{orders}:"));
    expect(queueKey("orders", "job:")).toHaveLength(17);
  });

  it("compose the reserve, which differs from every queue at the first byte", () => {
    expect(reserveKey("version")).toBe("{emq}:version");
    expect(reserveKey("node:7")).toBe("{emq}:node:7");
    expect(reserveKey(utf8("queues"))).toEqual(utf8("{emq}:queues"));
  });
});

describe("jobKey", () => {
  it("is the row of a job of any namespace", () => {
    expect(jobKey("orders", "JOB0Nb1VTbfnu4")).toBe("emq:{orders}:job:JOB0Nb1VTbfnu4");
    expect(jobKey("orders", "USR0KHTOWnGLuC")).toBe("emq:{orders}:job:USR0KHTOWnGLuC");
    expect(jobKey("", "JOB00000000000")).toBe("emq:{}:job:JOB00000000000");
    expect(jobKey(utf8("orders"), "JOB0Nb1VTbfnu4")).toEqual(utf8("emq:{orders}:job:JOB0Nb1VTbfnu4"));
    expect(jobKey(utf8("orders"), utf8("JOB0Nb1VTbfnu4"))).toEqual(utf8("emq:{orders}:job:JOB0Nb1VTbfnu4"));
  });

  it.each(["", "JOB", "JOB1", "job0Nb1VTbfnu4", "JOB0Nb1VTbfnu!", "USRzzzzzzzzzzz", "JOB0Nb1VTbfnu4:logs"])(
    "refuses the malformed id %j",
    (id) => {
      expect(refusalOf(() => jobKey("orders", id)).code).toBe("invalid_id");
      expect(refusalOf(() => jobKey(utf8("orders"), utf8(id))).code).toBe("invalid_id");
    },
  );

  it("refuses an id that is no text", () => {
    for (const id of NOT_TEXT) expect(refusalOf(() => jobKey("orders", id as string)).code).toBe("invalid_id");
  });
});

describe("splitQueueKey and queueFromKey", () => {
  it.each([
    ["emq:{orders}:pending", "orders", "pending"],
    ["emq:{orders}:job:JOB0Nb1VTbfnu4", "orders", "job:JOB0Nb1VTbfnu4"],
    ["emq:{orders}:", "orders", ""],
    ["emq:{}:pending", "", "pending"],
    ["emq:{}:", "", ""],
    ["emq:{a:b}:x}:y{", "a:b", "x}:y{"],
    ["emq:{ü}:meta", "ü", "meta"],
  ])("cut %j into %j and %j", (key, queue, type) => {
    expect(splitQueueKey(key)).toEqual({ queue, type });
    expect(splitQueueKey(utf8(key))).toEqual({ queue: utf8(queue), type: utf8(type) });
    expect(queueFromKey(key, type)).toBe(queue === "" ? undefined : queue);
    expect(queueFromKey(utf8(key), utf8(type))).toEqual(queue === "" ? undefined : utf8(queue));
    expect(queueFromKey(utf8(key), type)).toEqual(queue === "" ? undefined : utf8(queue));
    expect(queueFromKey(key, `${type}x`)).toBeUndefined();
  });

  it.each([
    "",
    "emq:",
    "emq:{",
    "emq:{orders",
    "emq:{orders}",
    "emq:{orders}pending",
    "emq:{a}b}:pending",
    "emq:{a{b}:pending",
    "emq:{a\u0000b}:pending",
    "EMQ:{orders}:pending",
    " emq:{orders}:pending",
    "{emq}:version",
    "emq:orders:pending",
    "bull:{orders}:pending",
  ])("refuse %j", (key) => {
    expect(splitQueueKey(key)).toBeUndefined();
    expect(splitQueueKey(utf8(key))).toBeUndefined();
    expect(queueFromKey(key, "pending")).toBeUndefined();
    expect(queueFromKey(utf8(key), "pending")).toBeUndefined();
  });

  it("refuse another type", () => {
    expect(queueFromKey("emq:{orders}:pending", "active")).toBeUndefined();
    expect(queueFromKey("emq:{orders}:pending", "")).toBeUndefined();
    expect(queueFromKey("emq:{orders}:", "pending")).toBeUndefined();
  });
});

describe("the wire's rule for a queue name", () => {
  it.each(["", "orders", "a:b", "emq", "*?[]\\", "ü", " ", "\n", "\ud800", "x".repeat(10_000)])(
    "lets %j pass",
    (name) => {
      expect(isValidQueue(name)).toBe(true);
      expect(isValidQueue(utf8(name))).toBe(true);
      expect(() => assertValidQueue(name)).not.toThrow();
    },
  );

  it.each(["{", "}", "a}b", "a{b", "{x}", "\u0000", "a\u0000", `${"x".repeat(300)}}`])("refuses %j", (name) => {
    expect(isValidQueue(name)).toBe(false);
    expect(isValidQueue(utf8(name))).toBe(false);
    const refusal = refusalOf(() => assertValidQueue(name));
    expect(refusal).toMatchObject({ code: "invalid_queue", details: { queue: name } });
    expect(refusal.message).toContain("remove it");
    expect(refusalOf(() => assertValidQueue(utf8(name))).code).toBe("invalid_queue");
  });

  it("refuses what is neither text nor bytes", () => {
    for (const name of NOT_TEXT) {
      expect(isValidQueue(name)).toBe(false);
      expect(refusalOf(() => assertValidQueue(name)).message).toContain("must be text");
    }
  });

  it("lets bytes pass that are no UTF-8", () => {
    expect(isValidQueue(Uint8Array.of(0xff, 0xfe))).toBe(true);
  });
});

describe("the stricter rule for Queue and Worker", () => {
  it.each([
    "orders",
    "a",
    "a:b",
    "emq2",
    "Emq",
    "*?[]\\",
    "ü",
    "😀",
    " ",
    "x".repeat(256),
    "é".repeat(128),
    "😀".repeat(64),
  ])("lets %j pass", (name) => {
    expect(() => assertQueueName(name)).not.toThrow();
  });

  it.each([
    ["", "is empty: give"],
    ["emq", "choose another"],
    ["a}b", "remove it"],
    ["a{b", "remove it"],
    ["a\u0000b", "remove it"],
    ["x".repeat(257), "shorten it"],
    [`${"é".repeat(128)}a`, "shorten it"],
    ["😀".repeat(65), "shorten it"],
    ["\ud800", "lone surrogate"],
    ["a\udc00b", "lone surrogate"],
    ["\ude00\ud83d", "lone surrogate"],
  ])("refuses %j and says what to do", (name, advice) => {
    const refusal = refusalOf(() => assertQueueName(name));
    expect(refusal).toMatchObject({ code: "invalid_queue", retryable: false, details: { queue: name } });
    expect(refusal.message).toContain(advice);
  });

  it("refuses what is no text, bytes included", () => {
    for (const name of [...NOT_TEXT, utf8("orders")]) {
      expect(refusalOf(() => assertQueueName(name)).message).toContain("must be text");
    }
  });
});
