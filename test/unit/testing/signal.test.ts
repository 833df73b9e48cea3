/**
 * A signal: nothing is missed once it is armed, and nothing is kept before.
 */

import { describe, expect, it } from "vitest";
import { SIGNAL_VALUES_MAX, Signal } from "../../../src/testing/signal.ts";

const setup = () => new Signal<number>();

describe("Signal", () => {
  it("keeps nothing until it is armed", async () => {
    const signal = setup();
    signal.emit(1);
    const next = signal.next();
    signal.emit(2);
    expect(await next).toBe(2);
  });

  it("keeps what is emitted before anybody waits, once armed", async () => {
    const signal = setup().arm();
    signal.emit(1);
    signal.emit(2);
    expect(await signal.take(2)).toEqual([1, 2]);
  });

  it("gives each value to one waiter, in order of waiting", async () => {
    const signal = setup();
    const waiting = [signal.next(), signal.next()];
    signal.emit(1);
    signal.emit(2);
    expect(await Promise.all(waiting)).toEqual([1, 2]);
  });

  it("waits for the value that is asked for and leaves the others to others", async () => {
    const signal = setup().arm();
    signal.emit(1);
    const even = signal.next((value) => value % 2 === 0);
    signal.emit(3);
    signal.emit(4);
    expect(await even).toBe(4);
    expect(await signal.take(2)).toEqual([1, 3]);
  });

  it("can be handed out as a listener", async () => {
    const signal = setup().arm();
    for (const listener of [signal.emit]) listener(9);
    expect(await signal.next()).toBe(9);
  });

  it("forgets when it is disarmed", async () => {
    const signal = setup().arm();
    signal.emit(1);
    signal.disarm();
    expect(signal.isArmed).toBe(false);
    const next = signal.next();
    signal.emit(2);
    expect(await next).toBe(2);
  });

  it("refuses to grow without bound", () => {
    const signal = setup().arm();
    for (let value = 0; value < SIGNAL_VALUES_MAX; value++) signal.emit(value);
    expect(() => signal.emit(0)).toThrow(/nobody fetched/);
  });
});
