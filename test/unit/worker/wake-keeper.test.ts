import { describe, expect, test } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { type Debt, type ScheduleNews, WakeKeeper } from "../../../src/worker/wake-keeper.ts";

const KEY = "emq:{q}:wake";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  let debts = 0;
  const keeper = new WakeKeeper({ engine, key: KEY, beatMs: 1000, onDebt: () => debts++, onBeat: () => 1000 });
  const push = async () => await engine.command(["LPUSH", KEY, "1"]);
  const news = (dueMs: number | undefined, more: Partial<ScheduleNews> = {}) => ({
    moved: 0,
    scheduled: false,
    dueMs,
    ...more,
  });
  return { clock: ports.clock, engine, keeper, push, news, debts: () => debts };
}

const NOTHING: Debt = { forToken: false, timer: 0 };
const TOKEN: Debt = { forToken: true, timer: 0 };

describe("the wake keeper", () => {
  test("owes for a token, once, and hands the debt to the TURN that leaves", async () => {
    const { clock, keeper, push, debts } = setup();
    keeper.arm();
    await push();
    await clock.settle();
    expect(keeper.owes).toBe(true);
    expect(debts()).toBe(1);
    expect(keeper.takeDebt()).toEqual({ forToken: true, timer: 0 });
    expect(keeper.owes).toBe(false);
    keeper.returnDebt();
    expect(keeper.owes).toBe(true);
    await keeper.stop();
  });

  test("keeps no time for who asked for no token, moved nothing and scheduled nothing", () => {
    const { keeper, news, clock } = setup();
    keeper.keepTime(NOTHING, news(50));
    expect(keeper.keepsTime).toBe(false);
    expect(clock.timerCount).toBe(0);
  });

  test.each<[string, Debt, Partial<ScheduleNews>]>([
    ["answered a token", TOKEN, {}],
    ["moved due jobs", NOTHING, { moved: 1 }],
    ["scheduled a job itself", NOTHING, { scheduled: true }],
  ])("keeps time for who %s", async (_name, debt, more) => {
    const { keeper, news, clock } = setup();
    keeper.keepTime(debt, news(50, more));
    expect(keeper.keepsTime).toBe(true);
    await clock.advance(49);
    expect(keeper.owes).toBe(false);
    await clock.advance(1);
    expect(keeper.owes).toBe(true);
    expect(keeper.takeDebt().timer).toBeGreaterThan(0);
    await keeper.stop();
  });

  test("keeps no time without a schedule", () => {
    const { keeper, news } = setup();
    keeper.keepTime(TOKEN, news(undefined));
    expect(keeper.keepsTime).toBe(false);
  });

  test("steps down when its own timer moved nothing and the head is another", async () => {
    const { keeper, news, clock } = setup();
    keeper.keepTime(TOKEN, news(50));
    await clock.advance(50);
    keeper.keepTime(keeper.takeDebt(), news(700));
    expect(keeper.keepsTime).toBe(false);
    expect(clock.timerCount).toBe(0);
  });

  test("takes a head that is due in a moment for its own, met early", async () => {
    const { keeper, news, clock } = setup();
    keeper.keepTime(TOKEN, news(50));
    await clock.advance(50);
    keeper.keepTime(keeper.takeDebt(), news(2));
    expect(keeper.keepsTime).toBe(true);
    await clock.advance(2);
    expect(keeper.owes).toBe(true);
    await keeper.stop();
  });

  test("does not step down for a timer that was set anew while its TURN was on the way", async () => {
    const { keeper, news, clock } = setup();
    keeper.keepTime(TOKEN, news(50));
    await clock.advance(50);
    const own = keeper.takeDebt();
    // The reply to another TURN comes first, and knows a later head.
    keeper.keepTime(NOTHING, news(400));
    keeper.keepTime(own, news(400));
    expect(keeper.keepsTime).toBe(true);
    await clock.advance(400);
    expect(keeper.owes).toBe(true);
    await keeper.stop();
  });

  test("goes on keeping time over the replies to other TURNs, by one timer", async () => {
    const { keeper, news, clock } = setup();
    keeper.keepTime(TOKEN, news(100));
    for (let elapsed = 10; elapsed < 100; elapsed += 10) {
      await clock.advance(10);
      keeper.keepTime(NOTHING, news(100 - elapsed));
      expect(clock.timerCount).toBe(1);
    }
    await clock.advance(10);
    expect(keeper.takeDebt().timer).toBeGreaterThan(0);
    await keeper.stop();
  });

  test("leaves no timer when it is stopped, and still owes for a token that was on its way", async () => {
    const { keeper, push, clock } = setup();
    keeper.start();
    keeper.arm();
    await push();
    await keeper.stop();
    expect(keeper.owes).toBe(true);
    expect(clock.timerCount).toBe(0);
    keeper.start();
    expect(clock.timerCount).toBe(0);
  });
});
