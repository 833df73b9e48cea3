/** A reader of a group on virtual time: nothing is lost, nothing is held up, and nothing polls. */

import { describe, expect, it } from "vitest";
import type { EchoMQError } from "../../../src/protocol/errors.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { Streams } from "../../../src/queue/streams.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { StreamConsumerCore, type StreamHandler } from "../../../src/worker/stream-consumer.ts";
import type { StreamConsumerOptions } from "../../../src/worker/stream-options.ts";
import { RemoteEngine } from "./remote-engine.ts";

const KEY = "emq:{q}:stream:s";
const IDLE_MS = 30_000;

class StreamWorld {
  readonly ports = createTestPorts({ now: 1_750_000_000_000 });
  readonly engine = new RemoteEngine(this.ports);
  readonly streams = new Streams(this.engine.store);
  readonly #mint = createMinter({ node: 1, clock: () => this.ports.clock.now() });
  #seed = 1;

  /** An engine of a host whose clock is set apart from the server's, by as much as `skew` says at the time. */
  skewedEngine(skew: { ms: number }): RemoteEngine {
    const { ports } = this.otherEngine();
    const { clock } = ports;
    const skewed = { now: () => clock.now() + skew.ms, after: clock.after.bind(clock) };
    return new RemoteEngine({ ...ports, clock: skewed as unknown as typeof clock }, this.engine.store);
  }

  /** The connection of another process to the same server. */
  otherEngine(): RemoteEngine {
    this.#seed += 1;
    return new RemoteEngine(createTestPorts({ clock: this.ports.clock, seed: this.#seed }), this.engine.store);
  }

  consumer(
    handler: StreamHandler,
    options: Partial<StreamConsumerOptions> = {},
    engine: RemoteEngine = this.engine,
  ): StreamConsumerCore {
    const lease = { engine, release: () => Promise.resolve() };
    return new StreamConsumerCore("q", "s", handler, lease, { group: "g", from: "start", ...options });
  }

  async append(...names: string[]): Promise<string[]> {
    const drafts = names.map((n) => ({ id: this.#mint("EVT"), fields: { n } }));
    await this.streams.appendMany("q", "s", drafts);
    return drafts.map(({ id }) => id);
  }

  async pending(group = "g"): Promise<number> {
    return Number(((await this.engine.store.command(["XPENDING", KEY, group])) as unknown[])[0]);
  }

  async run(...parts: string[]): Promise<unknown> {
    return await this.engine.store.command(parts);
  }

  advance(ms: number): Promise<void> {
    return this.ports.clock.advance(ms);
  }
}

/** A handler that notes what it is given as `n#attempts`, and fails as it is told. */
function noting(fails: (note: string) => boolean = () => false) {
  const notes: string[] = [];
  const handler: StreamHandler = ({ fields, attempts }) => {
    const note = `${fields["n"]}#${attempts}`;
    notes.push(note);
    if (fails(note)) throw new Error(`no ${note}`);
  };
  return { notes, handler };
}

/** A handler that never ends. */
const hanging: StreamHandler = () => new Promise(() => {});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(at));
}

describe("a consumer of a stream", () => {
  it("handles what is there and what comes, in order, and settles it", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting();
    await world.append("a", "b", "c");
    const consumer = world.consumer(handler);
    await world.advance(0);
    await world.append("d");
    await world.advance(0);
    expect(notes).toEqual(["a#1", "b#1", "c#1", "d#1"]);
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });

  it("gives the handler the record, how often it was given, and who it is for", async () => {
    const world = new StreamWorld();
    const seen: unknown[] = [];
    const [id = ""] = await world.append("a");
    const consumer = world.consumer((record, { signal, ...context }) => seen.push(record, context, signal.aborted), {
      consumer: "me",
    });
    await world.advance(0);
    expect(seen).toEqual([
      { id, entryId: expect.stringMatching(/^\d+-\d+$/), at: world.ports.clock.now(), fields: { n: "a" }, attempts: 1 },
      { group: "g", consumer: "me" },
      false,
    ]);
    await consumer.close();
  });

  it("begins a new group at the end when it is told so, and an existing one where it was", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting();
    await world.append("old");
    const first = world.consumer(handler, { from: "end" });
    await first.waitUntilReady();
    await world.append("new");
    await world.advance(0);
    await first.close();
    await world.append("between");
    const second = world.consumer(handler, { from: "end" });
    await world.advance(0);
    expect(notes).toEqual(["new#1", "between#1"]);
    await second.close();
  });

  it("tries a failed record again by itself after its backoff, while the others go on", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting((note) => note === "b#1" || note === "b#2");
    const failures: unknown[] = [];
    await world.append("a", "b", "c");
    const consumer = world.consumer(handler, { backoff: { type: "exponential", delay: "1s" } });
    consumer.on("failed", ({ fields }, error, outcome) =>
      failures.push([fields["n"], (error as Error).message, outcome]),
    );
    await world.advance(999);
    expect(notes).toEqual(["a#1", "b#1", "c#1"]);
    await world.advance(1);
    expect(notes).toEqual(["a#1", "b#1", "c#1", "b#2"]);
    await world.advance(2000);
    expect(notes.at(-1)).toBe("b#3");
    expect(failures).toEqual([
      ["b", "no b#1", "retry"],
      ["b", "no b#2", "retry"],
    ]);
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });

  it("holds a record for a backoff that is longer than others wait before they take over", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting((note) => note.endsWith("#1"));
    const other = noting();
    await world.append("a");
    const consumer = world.consumer(handler, { backoff: "5m" });
    await world.advance(0);
    const peer = world.consumer(other.handler, {}, world.otherEngine());
    await world.advance(300_000);
    expect([notes, other.notes]).toEqual([["a#1", "a#2"], []]);
    await consumer.close();
    await peer.close();
  });

  it("sets a record aside after its last delivery, with what was wrong, and goes on with the rest", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting((note) => note.startsWith("poison"));
    const outcomes: unknown[] = [];
    const [id] = await world.append("poison", "a");
    const consumer = world.consumer(handler, { maxDeliveries: 3 });
    consumer.on("failed", (record, _error, outcome) => outcomes.push([record.attempts, outcome]));
    await world.advance(10_000);
    expect(notes).toEqual(["poison#1", "a#1", "poison#2", "poison#3"]);
    expect(outcomes).toEqual([
      [1, "retry"],
      [2, "retry"],
      [3, "dead"],
    ]);
    const [buried, ...others] = await world.streams.read("q", "s.dead");
    expect(others).toEqual([]);
    expect(buried?.id).toBe(id);
    expect(buried?.fields).toMatchObject({ n: "poison", "dead:group": "g", "dead:stream": "s", "dead:attempts": "3" });
    expect(buried?.fields["dead:error"]).toMatch(/^Error: no poison#3\n/);
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });

  it("sets every tenth of two hundred aside that is never settled, and the others are done (PB-191)", async () => {
    const world = new StreamWorld();
    const done = new Set<string>();
    const { handler } = noting((note) => Number(note.split("#")[0]) % 10 === 0);
    await world.append(...names(200));
    const consumer = world.consumer(handler, { maxDeliveries: 3, concurrency: 7, prefetch: 20 });
    consumer.on("completed", ({ fields }) => done.add(fields["n"] ?? ""));
    await world.advance(60_000);
    const dead = await world.streams.read("q", "s.dead");
    expect([dead.length, done.size, await world.pending()]).toEqual([20, 180, 0]);
    expect(new Set(dead.map(({ fields }) => Number(fields["n"]) % 10))).toEqual(new Set([0]));
    await consumer.close();
  });

  it("sets aside without a further run what was given too often to consumers that died of it", async () => {
    const world = new StreamWorld();
    await world.append("deadly");
    for (let life = 0; life < 3; life++) {
      const engine = world.otherEngine();
      world.consumer(hanging, {}, engine);
      await world.advance(0);
      engine.goDown();
      await world.advance(IDLE_MS);
    }
    const { notes, handler } = noting();
    const consumer = world.consumer(handler, { maxDeliveries: 3 }, world.otherEngine());
    await world.advance(IDLE_MS);
    expect(notes).toEqual([]);
    const [buried] = await world.streams.read("q", "s.dead");
    expect(buried?.fields["dead:error"]).toContain("delivered 4 times");
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });

  it("never sets aside where it is told so, and never above the bound of the dead stream", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting(() => true);
    await world.append("a");
    const consumer = world.consumer(handler, { maxDeliveries: 0, backoff: 100 });
    await world.advance(5000);
    expect(notes.length).toBeGreaterThan(40);
    expect(await world.streams.length("q", "s.dead")).toBe(0);
    await consumer.close();
    await world.append(...names(400));
    const burying = world.consumer(handler, { maxDeliveries: 1, deadLength: 150 });
    await world.advance(5000);
    expect(await world.streams.length("q", "s.dead")).toBeLessThan(300);
    expect(await world.streams.length("q", "s.dead")).toBeGreaterThanOrEqual(150);
    await burying.close();
  });
});

describe("what an earlier consumer left", () => {
  it("comes first to one of the same name, in order, before anything newer", async () => {
    const world = new StreamWorld();
    const engine = world.otherEngine();
    await world.append("a", "b", "c");
    world.consumer(hanging, { consumer: "me" }, engine);
    await world.advance(0);
    engine.goDown();
    await world.append("newer");
    const { notes, handler } = noting();
    const consumer = world.consumer(handler, { consumer: "me" });
    await world.advance(0);
    expect(notes).toEqual(["a#2", "b#2", "c#2", "newer#1"]);
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });

  it("ends also when its records fail again, and when they were trimmed away", async () => {
    const world = new StreamWorld();
    const engine = world.otherEngine();
    await world.append(...names(250));
    world.consumer(hanging, { consumer: "me", prefetch: 300 }, engine);
    await world.advance(0);
    engine.goDown();
    await world.streams.trim("q", "s", { maxLength: 100 });
    await world.append("newer");
    const { notes, handler } = noting((note) => note.endsWith("#2"));
    const consumer = world.consumer(handler, { consumer: "me", maxDeliveries: 3 });
    await world.advance(0);
    expect(notes).toEqual([
      ...names(250)
        .slice(150)
        .map((n) => `${n}#2`),
      "newer#1",
    ]);
    await world.advance(1000);
    expect(notes).toHaveLength(201);
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });

  it("is taken over by another once it was silent for long, and not before", async () => {
    const world = new StreamWorld();
    const engine = world.otherEngine();
    await world.append("a", "b");
    world.consumer(hanging, {}, engine);
    await world.advance(0);
    engine.goDown();
    const { notes, handler } = noting();
    const consumer = world.consumer(handler);
    await world.advance(IDLE_MS - 1);
    expect(notes).toEqual([]);
    await world.advance(IDLE_MS / 2);
    expect(notes).toEqual(["a#2", "b#2"]);
    await consumer.close();
  });

  it("is found behind a thousand records that others hold and renew", async () => {
    const world = new StreamWorld();
    const busy = world.consumer(hanging, { prefetch: 1000, concurrency: 900 }, world.otherEngine());
    await world.append(...names(1900));
    await world.advance(0);
    const silent = world.otherEngine();
    world.consumer(hanging, {}, silent);
    await world.append("behind");
    await world.advance(0);
    silent.goDown();
    const { notes, handler } = noting();
    const consumer = world.consumer(handler);
    await world.advance(IDLE_MS * 2);
    expect(notes.filter((note) => note.startsWith("behind"))).toEqual(["behind#2"]);
    await consumer.close();
    const closed = busy.close({ timeout: 0 });
    await world.advance(2000);
    await closed;
  });
});

describe("a record in hand", () => {
  it("stays with a consumer that lives, however long its handler takes", async () => {
    const world = new StreamWorld();
    const peer = noting();
    let end: () => void = () => {};
    await world.append("slow", "waits");
    const consumer = world.consumer(() => new Promise<void>((resolve) => (end = resolve)));
    await world.advance(0);
    const other = world.consumer(peer.handler, {}, world.otherEngine());
    await world.advance(IDLE_MS * 10);
    expect(peer.notes).toEqual([]);
    end();
    await world.advance(0);
    end();
    await world.advance(0);
    expect(await world.pending()).toBe(0);
    await consumer.close();
    await other.close();
  });

  it("is given up by one that was cut off for too long, whose handler is told", async () => {
    const world = new StreamWorld();
    const engine = world.otherEngine();
    const reasons: unknown[] = [];
    await world.append("a");
    const cutOff = world.consumer(
      (_record, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push((signal.reason as EchoMQError).code);
            reject(signal.reason as Error);
          });
        }),
      {},
      engine,
    );
    await world.advance(0);
    engine.goDown();
    const { notes, handler } = noting();
    const peer = world.consumer(handler);
    await world.advance(IDLE_MS * 1.5);
    expect(notes).toEqual(["a#2"]);
    engine.comeBack();
    await world.advance(IDLE_MS);
    expect(reasons).toEqual(["lease_lost"]);
    expect(notes).toEqual(["a#2"]);
    await cutOff.close();
    await peer.close();
  });

  it("is one of few: no more are read than there is room for", async () => {
    const world = new StreamWorld();
    const ends: (() => void)[] = [];
    await world.append(...names(500));
    const consumer = world.consumer(() => new Promise<void>((resolve) => ends.push(resolve)), {
      concurrency: 3,
      prefetch: 10,
    });
    await world.advance(0);
    expect([ends.length, await world.pending()]).toEqual([3, 13]);
    for (let at = 0; at < 500; at++) {
      ends[at]?.();
      await world.advance(0);
      expect(await world.pending()).toBeLessThanOrEqual(13);
      expect(ends.length).toBeLessThanOrEqual(at + 4);
    }
    expect([ends.length, await world.pending()]).toEqual([500, 0]);
    await consumer.close();
  });

  it("leaves room for others while it waits for its next attempt", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting((note) => note.startsWith("bad"));
    await world.append(...names(50).map((n) => `bad${n}`), "good");
    const consumer = world.consumer(handler, { prefetch: 5, backoff: "1h" });
    await world.advance(0);
    expect(notes.at(-1)).toBe("good#1");
    await consumer.close();
  });
});

describe("closing", () => {
  it("lets the running handler finish, and gives the others back as if they had never been given", async () => {
    const world = new StreamWorld();
    let end: () => void = () => {};
    await world.append("a", "b", "c");
    const consumer = world.consumer(() => new Promise<void>((resolve) => (end = resolve)));
    await world.advance(0);
    const closed = consumer.close();
    await world.advance(0);
    end();
    await closed;
    const { notes, handler } = noting();
    const next = world.consumer(handler, {}, world.otherEngine());
    await world.advance(0);
    expect(notes).toEqual(["b#1", "c#1"]);
    await next.close();
  });

  it("aborts a handler that outlives the time, and the record costs a delivery and goes on elsewhere at once", async () => {
    const world = new StreamWorld();
    const reasons: unknown[] = [];
    await world.append("a");
    const consumer = world.consumer((_record, { signal }) => {
      signal.addEventListener("abort", () => reasons.push((signal.reason as EchoMQError).code));
      return new Promise(() => {});
    });
    await world.advance(0);
    const closed = consumer.close({ timeout: "5s" });
    await world.advance(5000);
    await closed;
    expect(reasons).toEqual(["closing"]);
    const { notes, handler } = noting();
    const next = world.consumer(handler, {}, world.otherEngine());
    await world.advance(0);
    expect(notes).toEqual(["a#2"]);
    await next.close();
  });

  it("leaves no consumer behind that holds nothing", async () => {
    const world = new StreamWorld();
    await world.append("a");
    const consumer = world.consumer(noting().handler);
    await world.advance(0);
    await consumer.close();
    const [group] = (await world.run("XINFO", "GROUPS", KEY)) as unknown[][];
    expect(group?.slice(2, 6)).toEqual(["consumers", 0, "pending", 0]);
  });

  it("ends in its time while the server is away, and a second call is the same", async () => {
    const world = new StreamWorld();
    await world.append("a");
    const consumer = world.consumer(hanging);
    await world.advance(0);
    world.engine.goDown();
    const closed = consumer.close({ timeout: "1s" });
    expect(consumer.close()).toBe(closed);
    await world.advance(3000);
    await closed;
    expect(consumer.isRunning()).toBe(false);
  });

  it("leaves no timer behind", async () => {
    const world = new StreamWorld();
    const { handler } = noting((note) => note === "b#1");
    await world.append("a", "b");
    const consumer = world.consumer(handler, { backoff: "1h" });
    await world.advance(0);
    await consumer.close();
    await world.engine.store.close();
    const before = world.ports.clock.now();
    await world.advance(86_400_000);
    expect(world.engine.commands.length).toBeLessThan(50);
    expect(world.ports.clock.now() - before).toBe(86_400_000);
  });
});

describe("trouble", () => {
  it("asks the server for nothing while nothing comes, but what others may have left", async () => {
    const world = new StreamWorld();
    const consumer = world.consumer(noting().handler);
    await world.advance(0);
    const before = world.engine.commands.length;
    await world.advance(IDLE_MS * 10);
    const words = world.engine.commands.slice(before).map(([word]) => word);
    // A look at what others hold, and one for what came unheard, twice in the time after which they are silent.
    expect(words.filter((word) => word === "XAUTOCLAIM").length).toBeLessThanOrEqual(21);
    expect(words.length).toBeLessThanOrEqual(63);
    await consumer.close();
  });

  it("goes on after an outage with what came meanwhile", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting();
    const consumer = world.consumer(handler);
    await world.advance(0);
    world.engine.goDown();
    await world.append("meanwhile");
    await world.advance(20_000);
    const asked = world.engine.commands.length;
    expect(asked).toBeLessThan(40);
    world.engine.comeBack();
    await world.advance(5000);
    expect(notes).toEqual(["meanwhile#1"]);
    await consumer.close();
  });

  it("makes a group that was deleted anew and reads all that the new stream holds, without a hot loop", async () => {
    const world = new StreamWorld();
    const { notes, handler } = noting();
    await world.append("a");
    const consumer = world.consumer(handler, { from: "end" });
    await world.advance(0);
    await world.run("DEL", KEY);
    const before = world.engine.commands.length;
    await world.append("b", "c");
    await world.advance(IDLE_MS);
    expect(notes).toEqual(["b#1", "c#1"]);
    expect(world.engine.commands.length - before).toBeLessThan(20);
    expect(world.ports.logger.messages("warn")).toEqual(["The group of readers g is gone and is made anew"]);
    await consumer.close();
  });

  it("tells what will not pass, rests longer and longer, and heals when it has passed", async () => {
    const world = new StreamWorld();
    const errors: unknown[] = [];
    await world.run("SET", KEY, "text");
    const { notes, handler } = noting();
    const consumer = world.consumer(handler);
    consumer.on("error", (error) => errors.push((error as EchoMQError).message));
    await world.advance(60_000);
    expect(errors.length).toBeGreaterThan(3);
    expect(errors.length).toBeLessThan(20);
    expect(errors[0]).toMatch(/^WRONGTYPE /);
    await world.run("DEL", KEY);
    await world.append("a");
    await world.advance(10_000);
    expect(notes).toEqual(["a#1"]);
    await consumer.close();
  });

  it("settles what was handled while the server was away, once it is back", async () => {
    const world = new StreamWorld();
    let end: () => void = () => {};
    await world.append("a");
    const consumer = world.consumer(() => new Promise<void>((resolve) => (end = resolve)));
    await world.advance(0);
    world.engine.goDown();
    end();
    await world.advance(3000);
    expect(await world.pending()).toBe(1);
    world.engine.comeBack();
    await world.advance(6000);
    expect(await world.pending()).toBe(0);
    await consumer.close();
  });
});

describe("groups", () => {
  it("each get every record, and each tries again alone what failed there", async () => {
    const world = new StreamWorld();
    const [mailer, biller] = [noting((note) => note === "b#1"), noting()];
    const consumers = [
      world.consumer(mailer.handler, { group: "mailer" }),
      world.consumer(biller.handler, { group: "biller" }, world.otherEngine()),
    ];
    await world.append("a", "b", "c");
    await world.advance(1000);
    expect(mailer.notes).toEqual(["a#1", "b#1", "c#1", "b#2"]);
    expect(biller.notes).toEqual(["a#1", "b#1", "c#1"]);
    expect([await world.pending("mailer"), await world.pending("biller")]).toEqual([0, 0]);
    for (const consumer of consumers) await consumer.close();
  });

  it("share their records among their consumers, each to one", async () => {
    const world = new StreamWorld();
    const [one, other] = [noting(), noting()];
    const consumers = [world.consumer(one.handler), world.consumer(other.handler, {}, world.otherEngine())];
    await world.advance(0);
    for (const n of names(200)) await world.append(n);
    await world.advance(0);
    expect([...one.notes, ...other.notes].toSorted()).toEqual(
      names(200)
        .map((n) => `${n}#1`)
        .toSorted(),
    );
    for (const consumer of consumers) await consumer.close();
  });
});

describe("bad input", () => {
  it.each<[object, string]>([
    [{ from: undefined }, "invalid_option"],
    [{ from: "new" }, "invalid_option"],
    [{ group: "" }, "invalid_name"],
    [{ group: undefined }, "invalid_name"],
    [{ group: "a{b" }, "invalid_name"],
    [{ consumer: "" }, "invalid_name"],
    [{ concurrency: 0 }, "invalid_option"],
    [{ prefetch: 1001 }, "invalid_option"],
    [{ idle: 999 }, "invalid_option"],
    [{ maxDeliveries: -1 }, "invalid_option"],
    [{ deadStream: "s" }, "invalid_option"],
    [{ deadStream: "x:archived" }, "invalid_stream"],
    [{ deadLength: 0 }, "invalid_option"],
    [{ backoff: "soon" }, "invalid_option"],
    [{ logger: {} }, "invalid_option"],
    [{ blockMs: 5 }, "unknown_option"],
  ])("is refused before anything is sent: %j", async (options, code) => {
    const world = new StreamWorld();
    expect(() => world.consumer(hanging, options as Partial<StreamConsumerOptions>)).toThrow(
      expect.objectContaining({ code }),
    );
    await world.advance(0);
    expect(world.engine.commands).toEqual([]);
  });

  it("is refused in place of a handler, a stream and a listener", () => {
    const world = new StreamWorld();
    expect(() => world.consumer("no" as never)).toThrow(expect.objectContaining({ code: "invalid_handler" }));
    const lease = { engine: world.engine, release: () => Promise.resolve() };
    const options = { group: "g", from: "start", autorun: false } as const;
    expect(() => new StreamConsumerCore("q", "", hanging, lease, options)).toThrow(
      expect.objectContaining({ code: "invalid_stream" }),
    );
    expect(() => new StreamConsumerCore("{", "s", hanging, lease, options)).toThrow(
      expect.objectContaining({ code: "invalid_queue" }),
    );
    const consumer = new StreamConsumerCore("q", "s", hanging, lease, options);
    expect(consumer.isRunning()).toBe(false);
    expect(() => consumer.on("done" as never, () => undefined)).toThrow(
      expect.objectContaining({ code: "unknown_option" }),
    );
  });
});

describe("a host whose clock is set back by an hour", () => {
  const HOUR_MS = 3_600_000;

  it("tries a failed record again all the same", async () => {
    const world = new StreamWorld();
    const skew = { ms: 0 };
    const { notes, handler } = noting((note) => note === "a#1");
    await world.append("a");
    const consumer = world.consumer(handler, { backoff: 1000 }, world.skewedEngine(skew));
    await world.advance(0);
    skew.ms = -HOUR_MS;
    await world.advance(5000);
    expect(notes).toEqual(["a#1", "a#2"]);
    await consumer.close();
  });

  it("goes on renewing what it has in hand", async () => {
    const world = new StreamWorld();
    const skew = { ms: 0 };
    await world.append("a");
    const { notes, handler } = noting();
    const consumer = world.consumer(hanging, {}, world.skewedEngine(skew));
    const peer = world.consumer(handler, {}, world.otherEngine());
    await world.advance(IDLE_MS / 2);
    skew.ms = -HOUR_MS;
    await world.advance(4 * IDLE_MS);
    expect(notes).toEqual([]);
    await Promise.all([consumer.close({ timeout: 0 }), peer.close(), world.advance(10_000)]);
  });

  it("takes over what a peer has left", async () => {
    const world = new StreamWorld();
    const skew = { ms: 0 };
    const { notes, handler } = noting();
    await world.append("a");
    await world.run("XGROUP", "CREATE", KEY, "g", "0");
    const consumer = world.consumer(handler, {}, world.skewedEngine(skew));
    await world.run("XREADGROUP", "GROUP", "g", "gone", "COUNT", "1", "STREAMS", KEY, ">");
    await world.advance(1000);
    skew.ms = -HOUR_MS;
    await world.advance(2 * IDLE_MS);
    expect(notes).toEqual(["a#2"]);
    await consumer.close();
  });
});
