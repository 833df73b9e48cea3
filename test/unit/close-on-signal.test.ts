/** Closing at a signal; processes that get real ones are in test/integration/worker/. */

import { describe, expect, it } from "vitest";
import { closeOnSignal } from "../../src/close-on-signal.ts";

const SIGNAL = "SIGUSR2";

describe("closeOnSignal", () => {
  it("closes workers before queues, whatever one of them throws, and tells what could not be closed", async () => {
    const closed: string[] = [];
    const fault = new Error("no options, please");
    const part = (name: string) => ({
      close: async () => {
        closed.push(name);
      },
    });
    const throwing = {
      close() {
        throw fault;
      },
    };
    const worker = { ...part("worker"), isRunning: () => true };
    const faults = await new Promise<readonly unknown[]>((resolve) => {
      closeOnSignal([throwing, part("queue"), worker], { signals: [SIGNAL], onClosed: resolve });
      process.emit(SIGNAL);
    });
    expect([closed, faults]).toEqual([["worker", "queue"], [fault]]);
    expect(process.listenerCount(SIGNAL)).toBe(0);
  });
});
