/** A server over a folder: nobody is told of what the folder does not have. */

import { expect, it, onTestFinished } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { FsyncMode } from "../../../src/embedded/journal/journal-start.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { createServer } from "../../../src/server/index.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WireClient } from "../../server/wire-client.ts";
import { MemoryFiles, systemError } from "../../unit/embedded/journal/memory-files.ts";

async function setup(fsync: FsyncMode) {
  const files = new MemoryFiles();
  const { soon, later } = nodePorts();
  const ports = { ...createTestPorts(), soon, later };
  const engine = await EmbeddedEngine.open({ ports, store: { layer: files.layer(), folder: "/store", fsync } });
  const server = await createServer({ engine, port: 0 });
  const open = async () => {
    const client = await WireClient.connect(server.port);
    onTestFinished(() => client.close());
    return client;
  };
  onTestFinished(async () => {
    files.plan = () => undefined;
    await server.close();
    await engine.close();
  });
  return { files, engine, open };
}

it.each(["always", "everysec", "no"] as const)(
  "a call that finds no room is refused and took no effect, and work goes on when there is room: fsync %s",
  async (fsync) => {
    const { files, open } = await setup(fsync);
    const client = await open();
    expect(await client.command("SET", "a", "1")).toBe("OK");
    files.plan = (operation) => (operation === "write" ? systemError("ENOSPC") : undefined);
    const calls = [
      client.command("SET", "a", "2"),
      client.command("MULTI"),
      client.command("INCR", "a"),
      client.command("RPUSH", "list", "x"),
      client.command("EXEC"),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toContain("rejected");
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    for (const refusal of refusals) expect(refusal).toMatch(/MISCONF /);
    expect(await client.command("GET", "a")).toBe("1");
    expect(await client.command("EXISTS", "list")).toBe(0);
    files.plan = () => undefined;
    expect(await client.command("INCR", "a")).toBe(2);
    expect(await client.command("GET", "a")).toBe("2");
  },
);

it("a waiting client and one that listens are told when it is stored, each once", async () => {
  const { open } = await setup("always");
  const [writer, waiter, listener] = [await open(), await open(), await open()];
  const waited = waiter.command("BLPOP", "list", "0");
  await listener.command("SUBSCRIBE", "news");
  await expect.poll(async () => String(await writer.command("INFO", "clients"))).toContain("blocked_clients:1");
  expect(await writer.command("RPUSH", "list", "x")).toBe(1);
  expect(await waited).toEqual(["list", "x"]);
  expect(await writer.command("LLEN", "list")).toBe(0);
  expect(await writer.command("PUBLISH", "news", "hi")).toBe(1);
});

it.each(["always", "everysec", "no"] as const)(
  "a waiting client is not given what could not be stored, and who waits behind it gets that: fsync %s",
  async (fsync) => {
    const { files, open } = await setup(fsync);
    const [writer, first, second] = [await open(), await open(), await open()];
    const clients = async () => String(await writer.command("INFO", "clients"));
    const refused = first.command("BLPOP", "list", "0").catch(String);
    await expect.poll(clients).toContain("blocked_clients:1");
    const waited = second.command("BLPOP", "list", "0");
    await expect.poll(clients).toContain("blocked_clients:2");
    // The push is written, and what takes the item for who waits is not.
    let writes = 0;
    files.plan = (operation) => (operation === "write" && ++writes > 1 ? systemError("ENOSPC") : undefined);
    expect(await writer.command("RPUSH", "list", "x")).toBe(1);
    expect(await refused).toMatch(/MISCONF /);
    files.plan = () => undefined;
    expect(await writer.command("SET", "a", "1")).toBe("OK");
    expect(await waited).toEqual(["list", "x"]);
    expect(await writer.command("LLEN", "list")).toBe(0);
  },
);

it("replies keep their order while some of them wait for the device", async () => {
  const { open } = await setup("always");
  const client = await open();
  const calls: Promise<unknown>[] = [];
  for (let at = 0; at < 500; at++) calls.push(client.command("INCR", "n"), client.command("ECHO", `e${at}`));
  const replies = await Promise.all(calls);
  expect(replies).toEqual(Array.from({ length: 500 }, (_, at) => [at + 1, `e${at}`]).flat());
});
