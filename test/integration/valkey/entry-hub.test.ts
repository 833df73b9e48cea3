/** The socket that waits at streams: whoever waits is told, nobody's command is held up, and nothing polls. */

import { describe, expect, it } from "vitest";
import type { EntryListener } from "../../../src/engine/engine.ts";
import type { ValkeyEngineOptions } from "../../../src/valkey/valkey-engine.ts";
import { useServer } from "../../server/use-server.ts";
import { blockedLines, openOnEmpty, until, WAYS } from "./setup-engine.ts";

const streamKey = (queue: string | number): string => `emq:{${queue}}:stream:s`;

/** A listener that counts, and can be awaited. */
class Counter implements EntryListener {
  entries = 0;
  losses = 0;
  onEntry(): void {
    this.entries += 1;
  }
  onLost(): void {
    this.losses += 1;
  }
}

describe.each(WAYS)("waiting at streams by %s", (_name, way) => {
  const server = useServer();
  const setup = async (options: Partial<ValkeyEngineOptions> = {}) => {
    const engine = await openOnEmpty(server(), way, options);
    const listen = (queue: string | number) => {
      const counter = new Counter();
      return { counter, handle: engine.listenForEntries(streamKey(queue), counter) };
    };
    const add = (queue: string | number, id = "*") => server().command("XADD", streamKey(queue), id, "f", "v");
    return { engine, listen, add };
  };
  const blocked = () => blockedLines(server());
  const untilBlocked = (count = 1) => until(async () => (await blocked()).length === count);

  it("tells everyone who waits, and takes nothing out", async () => {
    const { listen, add } = await setup();
    const [one, other] = [listen("q"), listen("q")];
    one.handle.arm("0-0");
    other.handle.arm("0-0");
    await untilBlocked();
    await add("q", "5-1");
    await until(() => one.counter.entries === 1 && other.counter.entries === 1);
    expect(await server().command("XLEN", streamKey("q"))).toBe(1);
    one.handle.arm("5-1");
    await untilBlocked();
    await add("q", "5-2");
    await until(() => one.counter.entries === 2);
    expect(other.counter.entries).toBe(1);
  });

  it("tells at once of an entry that was there before", async () => {
    const { listen, add } = await setup({ beatMs: 5000 });
    await add("q", "5-10");
    const { counter, handle } = listen("q");
    handle.arm("5-9");
    await until(() => counter.entries === 1);
  });

  it("waits at a further stream, and above a lower id, although it waits already", async () => {
    const { listen, add } = await setup({ beatMs: 5000 });
    await add("a", "5-1");
    const first = listen("a");
    first.handle.arm("5-1");
    await untilBlocked();
    const second = listen("b");
    second.handle.arm("0-0");
    const third = listen("a");
    third.handle.arm("0-0");
    const startedAt = performance.now();
    await add("b");
    await until(() => second.counter.entries === 1 && third.counter.entries === 1);
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it("serves fifty streams with one socket, and commands are not held up", async () => {
    const { engine, listen, add } = await setup({ beatMs: 5000 });
    const places = Array.from({ length: 50 }, (_, queue) => listen(queue));
    for (const { handle } of places) handle.arm("0-0");
    await untilBlocked();
    expect(await engine.command(["PING"])).toBe("PONG");
    for (let queue = 0; queue < 50; queue++) await add(queue);
    await until(() => places.every(({ counter }) => counter.entries === 1));
  });

  it("is ended by closing the engine, and soon when nobody waits any more", async () => {
    const { engine, listen } = await setup({ beatMs: 5000 });
    const { counter, handle } = listen("q");
    handle.arm("0-0");
    await untilBlocked();
    handle.disarm();
    await untilBlocked(0);
    handle.arm("0-0");
    await untilBlocked();
    await engine.close();
    expect(counter.entries).toBe(0);
    await untilBlocked(0);
  });

  it("says when the socket was lost, and waits again afterwards", async () => {
    const { listen, add } = await setup();
    const { counter, handle } = listen("q");
    handle.arm("0-0");
    await untilBlocked();
    const id = / ?id=(\d+)/.exec((await blocked())[0] ?? "")?.[1] ?? "";
    await server().command("CLIENT", "KILL", "ID", id);
    await until(() => counter.losses === 1);
    handle.arm("0-0");
    await add("q");
    await until(() => counter.entries === 1);
  });

  it("hears the others while one stream is a value of another type", async () => {
    const { listen, add } = await setup({ beatMs: 100 });
    await server().command("SET", streamKey("bad"), "text");
    const [bad, good] = [listen("bad"), listen("good")];
    bad.handle.arm("0-0");
    good.handle.arm("0-0");
    await add("good");
    await until(() => good.counter.entries === 1);
    expect(bad.counter.entries).toBe(0);
  });

  it.each([
    ["XREAD", "BLOCK", "0", "STREAMS", streamKey("q"), "$"],
    ["xreadgroup", "GROUP", "g", "c", "block", "10", "STREAMS", streamKey("q"), ">"],
    ["XREADGROUP", "group", "streams", "c", "BLOCK", "10", "STREAMS", streamKey("q"), ">"],
  ])("refuses to wait on the socket that all share: %s %s", async (...parts) => {
    const { engine } = await setup();
    await expect(engine.command(parts)).rejects.toMatchObject({ code: "unsupported" });
  });
});
