/** What waits for one client: in order, written in pieces that a text can hold. */

import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { Outbox } from "../../../src/server/outbox.ts";

/** The longest text that there is, less some bytes. It takes no memory: it is one byte, repeated when it is read. */
const LONG = "x".repeat(2 ** 29 - 30);

function outboxOn(written: string[]): Outbox {
  const socket = { writable: true, writableLength: 0, write: (text: string) => void written.push(text) };
  return new Outbox(socket as unknown as Socket, () => {});
}

it("never joins replies to a text that is longer than a text can be", () => {
  const written: string[] = [];
  const outbox = outboxOn(written);
  for (const text of ["+PONG\r\n", LONG, "+PONG\r\n"]) outbox.add(text);
  outbox.flush();
  expect(written.map((text) => text.length)).toEqual([7, LONG.length, 7]);
  expect([outbox.isEmpty, outbox.pending]).toEqual([true, 0]);
});

it("does so behind a reply that had to wait", async () => {
  const written: string[] = [];
  const outbox = outboxOn(written);
  const stored = Promise.resolve();
  outbox.addHeld("+OK\r\n", stored, () => "");
  for (const text of ["+PONG\r\n", LONG]) outbox.add(text);
  outbox.flush();
  expect(written).toEqual([]);
  outbox.addHeld(LONG, stored, () => "");
  outbox.add("+PONG\r\n");
  await stored;
  await Promise.resolve();
  expect(written.map((text) => text.length)).toEqual([12, LONG.length, LONG.length, 7]);
  expect([outbox.isEmpty, outbox.pending]).toEqual([true, 0]);
});

it("joins short replies, since each write is a call to the system", () => {
  const written: string[] = [];
  const outbox = outboxOn(written);
  for (let count = 0; count < 20_000; count++) outbox.add("+PONG\r\n");
  outbox.flush();
  expect(written.join("")).toBe("+PONG\r\n".repeat(20_000));
  expect(written.length).toBeLessThan(10);
});
