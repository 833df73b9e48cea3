/** Clients that wait on the project's own server: in which order they are served, by what, and how a wait ends. */

import { describe, expect, it, onTestFinished } from "vitest";
import { nodePorts } from "../../../src/node-ports.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { startServed } from "../../server/start-served.ts";
import { WireClient } from "../../server/wire-client.ts";

const PATIENCE = { timeout: 60_000, interval: 5 };

async function setup() {
  const { soon, later, clock } = nodePorts();
  const ports = { ...createTestPorts({ now: clock.now() }), soon, later };
  const served = await startServed({ embedded: { ports } });
  onTestFinished(() => served.stop());
  const open = async () => {
    const client = await WireClient.connect(served.socketPath);
    onTestFinished(() => client.close());
    return client;
  };
  const writer = await open();
  const blocked = async (count: number) => {
    const line = `blocked_clients:${count}\r`;
    await expect.poll(async () => String(await writer.command("INFO", "clients")), PATIENCE).toContain(line);
  };
  /** Opens so many clients that wait by one command each, one after the other. */
  const wait = async (...commands: readonly (readonly string[])[]) => {
    const waits: Promise<unknown>[] = [];
    for (const command of commands) {
      const client = await open();
      waits.push(client.command(...command).catch((error: Error) => error.message));
      await blocked(waits.length);
    }
    return waits;
  };
  return { ...served, ports, open, writer, wait, blocked };
}

describe("clients that wait at a list", () => {
  it("are served in the order in which they came, each with one item", async () => {
    const { writer, wait } = await setup();
    const waits = await wait(
      ["BLPOP", "l", "0"],
      ["BRPOP", "other", "l", "0"],
      ["BLMOVE", "l", "d", "LEFT", "LEFT", "0"],
    );
    expect(await writer.command("RPUSH", "l", "1", "2", "3", "4")).toBe(4);
    expect(await Promise.all(waits)).toEqual([["l", "1"], ["l", "4"], "2"]);
    expect(await writer.command("LRANGE", "l", "0", "-1")).toEqual(["3"]);
    expect(await writer.command("LRANGE", "d", "0", "-1")).toEqual(["2"]);
  });

  it("are served by what one of them moves on", async () => {
    const { writer, wait } = await setup();
    const waits = await wait(["BLPOP", "second", "0"], ["BLMOVE", "first", "second", "LEFT", "RIGHT", "0"]);
    await writer.command("RPUSH", "first", "x");
    expect(await Promise.all(waits)).toEqual([["second", "x"], "x"]);
  });

  it("see a transaction, and an act, as a whole", async () => {
    const { writer, wait, engine } = await setup();
    const [wait1] = await wait(["BLPOP", "l", "0"]);
    await writer.command("MULTI");
    await writer.command("RPUSH", "l", "a");
    await writer.command("LPUSH", "l", "b");
    expect(await writer.command("EXEC")).toEqual([1, 2]);
    expect(await wait1).toEqual(["l", "b"]);
    const [wait2] = await wait(["BLPOP", "emq:{q}:wake", "0"]);
    const id = "JOB0Nb1VTbfnu4";
    await engine.act("ADMIT", ["emq:{q}:", "emq:{q}:pending"], ["", "1", id, "payload"]);
    expect(await wait2).toEqual(["emq:{q}:wake", "1"]);
  });

  it("wait on at a key that gets a value of another type, or is emptied before their turn", async () => {
    const { writer, wait } = await setup();
    const [waited] = await wait(["BLPOP", "l", "0"]);
    await writer.command("SET", "l", "text");
    await writer.command("DEL", "l");
    await writer.command("MULTI");
    await writer.command("RPUSH", "l", "a");
    await writer.command("DEL", "l");
    await writer.command("EXEC");
    await writer.command("RPUSH", "l", "b");
    expect(await waited).toEqual(["l", "b"]);
  });
});

describe("clients that wait at a stream", () => {
  it("are all told of an entry, from the end as it was when they came, and a group's one member alone", async () => {
    const { writer, wait } = await setup();
    await writer.command("XADD", "s", "1-1", "f", "old");
    await writer.command("XGROUP", "CREATE", "s", "g", "$");
    const waits = await wait(
      ["XREAD", "BLOCK", "0", "STREAMS", "s", "$"],
      ["XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", "none", "s", "0", "$"],
      ["XREADGROUP", "GROUP", "g", "one", "BLOCK", "0", "STREAMS", "s", ">"],
      ["XREADGROUP", "GROUP", "g", "two", "BLOCK", "5000", "STREAMS", "s", ">"],
    );
    await writer.command("XADD", "s", "2-1", "f", "new");
    const told = [["s", [["2-1", ["f", "new"]]]]];
    expect(await Promise.all(waits.slice(0, 3))).toEqual([told, told, told]);
    expect(String(await writer.command("INFO", "clients"))).toContain("blocked_clients:1\r");
    await writer.command("XADD", "s", "3-1", "f", "next");
    expect(await waits[3]).toEqual([["s", [["3-1", ["f", "next"]]]]]);
  });
});

describe("clients that wait for a group", () => {
  const GONE = "NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option";

  it.each([
    ["its stream is removed", ["DEL", "s"], GONE],
    ["its stream expires", ["PEXPIREAT", "s", "1"], GONE],
    ["its stream is renamed", ["RENAME", "s", "elsewhere"], GONE],
    ["everything is removed", ["FLUSHALL"], GONE],
    ["its group is removed", ["XGROUP", "DESTROY", "s", "g"], GONE],
    [
      "its stream becomes something else",
      ["SET", "s", "x"],
      "WRONGTYPE Operation against a key holding the wrong kind of value",
    ],
  ])("are told when %s, and who waits for the stream waits on", async (_, command, refusal) => {
    const { writer, wait, blocked } = await setup();
    await writer.command("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM");
    await writer.command("XGROUP", "CREATE", "s", "other", "$");
    const waits = await wait(
      ["XREADGROUP", "GROUP", "g", "one", "BLOCK", "0", "STREAMS", "s", ">"],
      ["XREAD", "BLOCK", "0", "STREAMS", "s", "$"],
    );
    await writer.command(...command);
    expect(await waits[0]).toBe(refusal);
    await blocked(1);
  });
});

describe("a wait", () => {
  it("ends with its time, and never without one", async () => {
    const { wait, ports, blocked } = await setup();
    const [short, long] = await wait(
      ["BLPOP", "l", "1.5"],
      ["XREAD", "BLOCK", "60000", "STREAMS", "s", "$"],
      ["BLPOP", "l", "0"],
    );
    await ports.clock.advance(1500);
    expect(await short).toBeNull();
    await blocked(2);
    await ports.clock.advance(60_000);
    expect(await long).toBeNull();
    await ports.clock.advance(10_000_000);
    await blocked(1);
  });

  it("is ended by another client, as if its time were over or with an error", async () => {
    const { writer, open } = await setup();
    const client = await open();
    const id = String(await client.command("CLIENT", "ID"));
    for (const [reason, outcome] of [
      [[], null],
      [["TIMEOUT"], null],
      [["ERROR"], "UNBLOCKED client unblocked via CLIENT UNBLOCK"],
    ] as const) {
      expect(await writer.command("CLIENT", "UNBLOCK", id, ...reason)).toBe(0);
      const waited = client.command("BLPOP", "l", "0").catch((error: Error) => error.message);
      await expect.poll(async () => await writer.command("CLIENT", "UNBLOCK", id, ...reason), PATIENCE).toBe(1);
      expect(await waited).toBe(outcome);
    }
  });

  it("holds back what the client sends behind it, and nothing of others", async () => {
    const { writer, open, blocked } = await setup();
    const client = await open();
    const replies = Promise.all([
      client.command("BLPOP", "l", "0"),
      client.command("INCR", "n"),
      client.command("PING"),
    ]);
    await blocked(1);
    expect(await writer.command("EXISTS", "n")).toBe(0);
    await writer.command("RPUSH", "l", "x");
    expect(await replies).toEqual([["l", "x"], 1, "PONG"]);
  });
});
