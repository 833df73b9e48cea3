/** The blocking socket: tokens reach who waits, none is lost, and nobody is left behind. */

import { describe, expect, it } from "vitest";
import type { WakeListener } from "../../../src/engine/engine.ts";
import type { ValkeyEngineOptions } from "../../../src/valkey/valkey-engine.ts";
import { QUEUES_PER_GROUP } from "../../../src/valkey/wake-groups.ts";
import { useServer } from "../../server/use-server.ts";
import { blockedLines, openEngine, openOnEmpty, recordingPorts, until, WAYS } from "./setup-engine.ts";

const wakeKey = (queue: string | number): string => `emq:{${queue}}:wake`;

/** A listener that counts, and can be awaited. */
class Counter implements WakeListener {
  tokens = 0;
  losses = 0;
  onToken(): void {
    this.tokens += 1;
  }
  onLost(): void {
    this.losses += 1;
  }
}

describe.each(WAYS)("waiting for work by %s", (_name, way) => {
  const server = useServer();
  const setup = async (options: Partial<ValkeyEngineOptions> = {}) => {
    const engine = await openOnEmpty(server(), way, options);
    const listen = (queue: string | number) => {
      const counter = new Counter();
      return { counter, handle: engine.listenForWake(wakeKey(queue), counter) };
    };
    return { engine, listen };
  };
  const blocked = () => blockedLines(server());
  const untilBlocked = (count = 1) => until(async () => (await blocked()).length === count);

  it("delivers a token to who is armed, once", async () => {
    const { listen } = await setup();
    const { counter, handle } = listen("q");
    handle.arm();
    handle.arm();
    await server().command("LPUSH", wakeKey("q"), "1", "1");
    await until(() => counter.tokens === 1);
    await server().command("PING");
    expect(await server().command("LLEN", wakeKey("q"))).toBe(1);
    handle.arm();
    await until(() => counter.tokens === 2);
  });

  it("takes a token that lay there before", async () => {
    const { listen } = await setup();
    await server().command("LPUSH", wakeKey("q"), "1");
    const { counter, handle } = listen("q");
    handle.arm();
    await until(() => counter.tokens === 1);
  });

  it("waits for a further queue at once although it already waits for others", async () => {
    const { listen } = await setup({ beatMs: 5000 });
    const first = listen("a");
    first.handle.arm();
    await untilBlocked();
    const second = listen("b");
    second.handle.arm();
    const startedAt = performance.now();
    await server().command("LPUSH", wakeKey("b"), "1");
    await until(() => second.counter.tokens === 1);
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(first.counter.tokens).toBe(0);
  });

  it("serves a hundred queues with one socket for each group and gives each its own tokens", async () => {
    const { listen } = await setup();
    const places = Array.from({ length: 100 }, (_, queue) => listen(queue));
    const groups = Math.ceil(places.length / QUEUES_PER_GROUP);
    for (const { handle } of places) handle.arm();
    await untilBlocked(groups);
    for (let queue = 0; queue < 100; queue++) await server().command("LPUSH", wakeKey(queue), "1");
    await until(() => places.every(({ counter }) => counter.tokens === 1));
    const list = String(await server().command("CLIENT", "LIST"))
      .trim()
      .split("\n");
    expect(list.filter((line) => line.includes("name=echomq:")).length).toBe(groups);
  });

  it("gives the token to whoever has waited longest at the list", async () => {
    const { listen } = await setup();
    const [early, late] = [listen("q"), listen("q")];
    late.handle.arm();
    late.handle.disarm();
    early.handle.arm();
    late.handle.arm();
    await server().command("LPUSH", wakeKey("q"), "1");
    await until(() => early.counter.tokens === 1);
    expect(late.counter.tokens).toBe(0);
    await server().command("LPUSH", wakeKey("q"), "1");
    await until(() => late.counter.tokens === 1);
  });

  it("soon lets tokens lie when nobody is armed any more", async () => {
    const { listen } = await setup({ beatMs: 5000 });
    const { counter, handle } = listen("q");
    handle.arm();
    await untilBlocked();
    handle.disarm();
    await untilBlocked(0);
    await server().command("LPUSH", wakeKey("q"), "1");
    expect(await server().command("LLEN", wakeKey("q"))).toBe(1);
    expect(counter.tokens).toBe(0);
  });

  it("still delivers a token that was on its way when the wait was taken back", async () => {
    const { listen } = await setup({ beatMs: 5000 });
    const { counter, handle } = listen("q");
    handle.arm();
    await untilBlocked();
    const pushed = server().command("LPUSH", wakeKey("q"), "1");
    handle.disarm();
    await pushed;
    await until(async () => counter.tokens === 1 || (await server().command("LLEN", wakeKey("q"))) === 1);
  });

  it("closes a place only when no token can reach it, and at once when another listens there", async () => {
    const { listen } = await setup({ beatMs: 5000 });
    const [one, two] = [listen("q"), listen("q")];
    one.handle.arm();
    two.handle.arm();
    await untilBlocked();
    await Promise.all([one.handle.close(), one.handle.close()]);
    expect(await blocked()).toHaveLength(1);
    const startedAt = performance.now();
    await two.handle.close();
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(await blocked()).toHaveLength(0);
    await server().command("LPUSH", wakeKey("q"), "1");
    one.handle.arm();
    two.handle.arm();
    expect(await server().command("LLEN", wakeKey("q"))).toBe(1);
    expect([one.counter.tokens, two.counter.tokens]).toEqual([0, 0]);
  });

  it("loses no token under a storm of arming, disarming and closing", async () => {
    const { engine, listen } = await setup();
    const counters: Counter[] = [];
    let places = Array.from({ length: 6 }, (_, at) => listen(at % 3));
    counters.push(...places.map(({ counter }) => counter));
    let chance = 1;
    const random = (below: number) => {
      chance = (chance * 48_271) % 2_147_483_647;
      return chance % below;
    };
    let pushed = 0;
    const closing: Promise<void>[] = [];
    for (let step = 0; step < 600; step++) {
      const place = places[random(places.length)] as (typeof places)[number];
      const dice = random(20);
      if (dice < 9) place.handle.arm();
      else if (dice < 13) place.handle.disarm();
      else if (dice === 13) {
        closing.push(place.handle.close());
        const fresh = listen(random(3));
        counters.push(fresh.counter);
        places = [...places.filter((other) => other !== place), fresh];
      } else {
        pushed += 1;
        await engine.command(["LPUSH", wakeKey(random(3)), "1"]);
      }
    }
    await Promise.all(closing);
    await Promise.all(places.map(({ handle }) => handle.close()));
    const taken = counters.reduce((sum, counter) => sum + counter.tokens, 0);
    let left = 0;
    for (const queue of [0, 1, 2]) left += Number(await server().command("LLEN", wakeKey(queue)));
    expect(taken + left).toBe(pushed);
    expect(taken).toBeGreaterThan(0);
  });

  it("puts back a token that comes while the engine closes", async () => {
    const { engine, listen } = await setup({ beatMs: 5000 });
    const { counter, handle } = listen("q");
    handle.arm();
    await untilBlocked();
    const pushed = server().command("LPUSH", wakeKey("q"), "1");
    await Promise.all([pushed, engine.close()]);
    expect(counter.tokens + Number(await server().command("LLEN", wakeKey("q")))).toBe(1);
  });

  it("tells everybody when the blocking socket is lost, waits again, and kills what may linger of it", async () => {
    const { listen } = await setup();
    const armed = listen("a");
    const idle = listen("b");
    armed.handle.arm();
    await untilBlocked();
    const id = /id=(\d+)/.exec((await blocked())[0] ?? "")?.[1] ?? "";
    await server().command("CLIENT", "KILL", "ID", id);
    await until(() => armed.counter.losses === 1 && idle.counter.losses === 1);
    await untilBlocked();
    await server().command("LPUSH", wakeKey("a"), "1");
    await until(() => armed.counter.tokens === 1);
  });

  it("hears again after the server was away", async () => {
    const { engine, listen } = await setup();
    const { counter, handle } = listen("q");
    handle.arm();
    await untilBlocked();
    await server().restart();
    await until(() => counter.losses === 1);
    await engine.command(["LPUSH", wakeKey("q"), "1"]);
    await until(() => counter.tokens === 1);
  });

  it("goes on for all other queues when the list of one is of a foreign type", async () => {
    const ports = recordingPorts();
    const { listen } = await setup({ ports, beatMs: 100 });
    await server().command("SET", wakeKey("bad"), "x");
    const [bad, good] = [listen("bad"), listen("good")];
    bad.handle.arm();
    good.handle.arm();
    await until(() => ports.logger.messages("warn").some((message) => message.includes("WRONGTYPE")));
    await server().command("LPUSH", wakeKey("good"), "1");
    await until(() => good.counter.tokens === 1);
    expect(ports.logger.messages("warn").length).toBeLessThan(5);
  });

  it("gets along without the right to unblock: the beat ends the wait", async () => {
    await setup();
    await server().command(
      "ACL",
      "SETUSER",
      "tame",
      "on",
      ">pw",
      "~*",
      "&*",
      "+@all",
      "-client|unblock",
      "-client|kill",
    );
    const connection = { ...way, url: server().url, username: "tame", password: "pw" };
    const engine = openEngine({ connection, beatMs: 50 });
    const counters = [new Counter(), new Counter()];
    engine.listenForWake(wakeKey("a"), counters[0] as Counter).arm();
    await untilBlocked();
    const second = engine.listenForWake(wakeKey("b"), counters[1] as Counter);
    second.arm();
    await server().command("LPUSH", wakeKey("b"), "1");
    await until(() => counters[1]?.tokens === 1);
    second.arm();
    await second.close();
  });
});
