/** Waiting for entries of a stream on the embedded engine. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

const KEY = "emq:{q}:stream:s";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const add = (id: string) => engine.command(["XADD", KEY, id, "f", "v"]);
  const listen = () => {
    const seen = { entries: 0, losses: 0 };
    const handle = engine.listenForEntries(KEY, { onEntry: () => seen.entries++, onLost: () => seen.losses++ });
    return { seen, handle };
  };
  return { engine, ports, add, listen, settle: () => ports.clock.advance(0) };
}

describe("waiting for entries", () => {
  it("tells everyone who waits, once for each time that they arm", async () => {
    const { add, listen, settle } = setup();
    const [one, other] = [listen(), listen()];
    one.handle.arm("0-0");
    other.handle.arm("0-0");
    await add("1-1");
    await add("1-2");
    await settle();
    expect([one.seen.entries, other.seen.entries]).toEqual([1, 1]);
    one.handle.arm("1-2");
    await settle();
    expect(one.seen.entries).toBe(1);
    await add("1-3");
    await settle();
    expect([one.seen.entries, other.seen.entries]).toEqual([2, 1]);
  });

  it("tells at once of an entry that is there, and waits on for one that is not above", async () => {
    const { add, listen, settle } = setup();
    await add("5-9");
    const { seen, handle } = listen();
    handle.arm("5-9");
    await settle();
    expect(seen.entries).toBe(0);
    handle.arm("5-8");
    await settle();
    expect(seen.entries).toBe(1);
  });

  it("compares ids as numbers", async () => {
    const { add, listen, settle } = setup();
    await add("5-10");
    const { seen, handle } = listen();
    handle.arm("5-9");
    await settle();
    expect(seen.entries).toBe(1);
  });

  it("is not ended by entries that were trimmed away since", async () => {
    const { engine, add, listen, settle } = setup();
    await add("1-1");
    await engine.command(["XTRIM", KEY, "MAXLEN", "0"]);
    const { seen, handle } = listen();
    handle.arm("0-0");
    await settle();
    expect(seen.entries).toBe(0);
    await add("1-2");
    await settle();
    expect(seen.entries).toBe(1);
  });

  it("tells nothing after a wait was taken back, its place closed or the engine ended", async () => {
    const { engine, add, listen, settle } = setup();
    const [back, closed, ended] = [listen(), listen(), listen()];
    for (const { handle } of [back, closed, ended]) handle.arm("0-0");
    back.handle.disarm();
    await closed.handle.close();
    const added = add("1-1");
    await engine.close();
    await added;
    await settle();
    expect([back.seen.entries, closed.seen.entries, ended.seen.entries]).toEqual([0, 0, 0]);
  });

  it("waits out a value of another type", async () => {
    const { engine, add, listen, settle } = setup();
    await engine.command(["SET", KEY, "text"]);
    const { seen, handle } = listen();
    handle.arm("0-0");
    await engine.command(["DEL", KEY]);
    await add("1-1");
    await settle();
    expect(seen.entries).toBe(1);
  });
});
