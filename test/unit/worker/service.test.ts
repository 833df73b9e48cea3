import { expect, test } from "vitest";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { PeriodicService } from "../../../src/worker/service.ts";

/** A service that notes when its rounds begin, and whose rounds a test can hold up or fail. */
class Rounds extends PeriodicService {
  readonly begun: number[] = [];
  hold: Promise<void> | undefined;
  fails = false;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, onError: (error: unknown) => void) {
    super({ clock, onError });
    this.#clock = clock;
  }

  protected override firstDelayMs(): number {
    return 5;
  }

  protected override nextDelayMs(): number {
    return 10;
  }

  protected override async round(): Promise<void> {
    this.begun.push(this.#clock.now());
    if (this.fails) throw new Error("round");
    await this.hold;
  }
}

function setup() {
  const clock = new VirtualClock({ now: 0 });
  const errors: unknown[] = [];
  return { clock, errors, service: new Rounds(clock, (error) => errors.push(error)) };
}

test("a service does its rounds until it is stopped", async () => {
  const { clock, service } = setup();
  service.start();
  service.start();
  await clock.advance(27);
  expect(service.begun).toEqual([5, 15, 25]);
  await service.stop();
  await service.stop();
  await clock.advance(100);
  expect(service.begun).toHaveLength(3);
  expect(clock.timerCount).toBe(0);
});

test("a service that is stopped before its start never starts", async () => {
  const { clock, service } = setup();
  await service.stop();
  service.start();
  await clock.advance(100);
  expect(service.begun).toEqual([]);
});

test("stop waits for the round that runs", async () => {
  const { clock, service } = setup();
  let release: () => void = () => {};
  service.hold = new Promise((resolve) => {
    release = resolve;
  });
  service.start();
  await clock.advance(6);
  let stopped = false;
  const stopping = service.stop().then(() => {
    stopped = true;
  });
  await clock.settle();
  expect(stopped).toBe(false);
  release();
  await stopping;
  expect(stopped).toBe(true);
});

test("rounds never overlap, and a kick during one brings another", async () => {
  const { clock, service } = setup();
  let release: () => void = () => {};
  service.hold = new Promise((resolve) => {
    release = resolve;
  });
  service.start();
  await clock.advance(6);
  service.kick();
  service.kick();
  await clock.advance(50);
  expect(service.begun).toEqual([5]);
  service.hold = undefined;
  release();
  await clock.advance(1);
  expect(service.begun).toEqual([5, 56]);
  service.kick();
  await clock.settle();
  expect(service.begun).toEqual([5, 56, 57]);
  await service.stop();
});

test("a round that throws is told, and the next one comes", async () => {
  const { clock, service, errors } = setup();
  service.fails = true;
  service.start();
  await clock.advance(26);
  expect(service.begun).toEqual([5, 15, 25]);
  expect(errors).toHaveLength(3);
  await service.stop();
});
