import { expect, test } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { OUTAGE_DELAY_MS_MAX, Outage } from "../../../src/worker/outage.ts";

function setup(isHeard = false) {
  const { clock, logger } = createTestPorts();
  const retries: number[] = [];
  const beganAt = clock.now();
  const outage: Outage = new Outage({
    clock,
    logger,
    subject: "worker",
    onError: () => isHeard,
    onRetry: () => {
      retries.push(clock.now() - beganAt);
      outage.failed(new EchoMQError("disconnected", "away"));
    },
  });
  return { clock, logger, retries, outage };
}

test("an outage waits longer each time, up to a second", async () => {
  const { clock, outage, retries } = setup();
  outage.failed(new Error("away"));
  await clock.advance(4600);
  expect(retries).toEqual([50, 150, 350, 750, 1550, 2550, 3550, 4550]);
  expect(OUTAGE_DELAY_MS_MAX).toBe(1000);
  outage.stop();
  expect(clock.timerCount).toBe(0);
});

test("an outage writes a line for each longer wait, then one a minute", async () => {
  const { clock, outage, logger } = setup();
  outage.failed(new Error("away"));
  await clock.advance(10_000);
  expect(logger.messages("warn")).toHaveLength(6);
  await clock.advance(3_600_000);
  expect(logger.messages("warn").length).toBeLessThanOrEqual(67);
  expect(logger.messages("warn").length).toBeGreaterThan(60);
  outage.stop();
});

test("an outage says nothing to the log when a listener took notice", async () => {
  const { clock, outage, logger } = setup(true);
  outage.failed(new Error("away"));
  await clock.advance(10_000);
  expect(logger.messages("warn")).toEqual([]);
  outage.stop();
});

test("an outage ends with the first answer, says how long it was, and begins afresh", async () => {
  const { clock, outage, logger } = setup();
  outage.failed(new Error("away"));
  await clock.advance(3000);
  expect(outage.isOn).toBe(true);
  outage.ended();
  expect(outage).toMatchObject({ isOn: false, isWaiting: false, lastError: undefined });
  expect(logger.lines.at(-1)).toMatchObject({ level: "info", fields: { afterMs: 3000 } });
  outage.failed(new Error("again"));
  await clock.advance(49);
  expect(outage.isWaiting).toBe(true);
  outage.stop();
});

test("an answer without an outage says nothing, and a failure during a wait changes nothing", async () => {
  const { clock, outage, logger, retries } = setup();
  outage.ended();
  expect(logger.lines).toEqual([]);
  outage.failed(new Error("one"));
  outage.failed(new Error("two"));
  await clock.advance(60);
  expect(retries).toEqual([50]);
  outage.stop();
});
