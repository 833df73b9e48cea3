/** What clients of the project's own server may not do to it and to one another. */

import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodePorts } from "../../../src/node-ports.ts";
import { createServer, type ServerOptions } from "../../../src/server/index.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { type Served, type ServedOptions, startServed } from "../../server/start-served.ts";
import { WireClient } from "../../server/wire-client.ts";
import { commandFrame } from "../../server/wire-frame.ts";

const PATIENCE = { timeout: 60_000, interval: 10 };

async function setup(options: ServedOptions = {}): Promise<Served> {
  const served = await startServed(options);
  onTestFinished(() => served.stop());
  return served;
}

async function clientOf({ socketPath, server }: Served): Promise<WireClient> {
  const client = await WireClient.connect(socketPath === "" ? server.port : socketPath);
  onTestFinished(() => client.close());
  return client;
}

/** A socket that reads nothing unless it is told to. */
function rawSocket({ socketPath }: Served): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      onTestFinished(() => void socket.destroy());
      resolve(socket);
    });
  });
}

/** Virtual time for the server, real sockets. */
function virtualPorts() {
  const { soon, later, clock } = nodePorts();
  return { ...createTestPorts({ now: clock.now() }), soon, later };
}

const frame = (...words: string[]) => commandFrame(words);

describe("a reader that is slow", () => {
  it("is disconnected when its messages are more than may wait, and nobody else notices", async () => {
    const served = await setup();
    const slow = await rawSocket(served);
    slow.pause();
    slow.write(frame("SUBSCRIBE", "news"));
    const writer = await clientOf(served);
    await expect.poll(async () => await writer.command("PUBSUB", "NUMSUB", "news"), PATIENCE).toEqual(["news", 1]);
    const listener = await clientOf(served);
    const message = "x".repeat(1024 * 1024);
    let sent = 0;
    // Far more than 32 MiB and what the system holds for a socket.
    while ((await writer.command("PUBLISH", "news", message)) === 1 && sent < 200) sent++;
    expect(sent).toBeGreaterThanOrEqual(32);
    expect(sent).toBeLessThan(200);
    expect(served.logged.join()).toContain("does not take what it is sent");
    expect(await listener.command("PING")).toBe("PONG");
  });

  it("is disconnected as well when the messages are its own, of one transaction", async () => {
    const served = await setup();
    const self = await rawSocket(served);
    self.resume();
    const isClosed = new Promise<void>((resolve) => void self.once("close", () => resolve()));
    const message = "x".repeat(12 * 1024 * 1024);
    self.write(frame("HELLO", "3") + frame("SUBSCRIBE", "news") + frame("MULTI"));
    for (let count = 0; count < 6; count++) self.write(frame("PUBLISH", "news", message));
    self.write(frame("EXEC"));
    await isClosed;
    expect(served.logged.join()).toContain("does not take what it is sent");
    expect(await (await clientOf(served)).command("PING")).toBe("PONG");
  });

  it("of replies holds up itself alone, and gets them all in the end", async () => {
    const served = await setup();
    const writer = await clientOf(served);
    await writer.command("SET", "big", "x".repeat(1024 * 1024));
    const slow = await rawSocket(served);
    slow.pause();
    slow.write(frame("GET", "big").repeat(100));
    const waiting = async () => {
      const list = String(await writer.command("CLIENT", "LIST"));
      return Math.max(...[...list.matchAll(/ omem=(\d+)/g)].map((match) => Number(match[1])));
    };
    await expect.poll(waiting, PATIENCE).toBeGreaterThan(1024 * 1024);
    // Its next replies are not made before it takes these.
    expect(await waiting()).toBeLessThan(8 * 1024 * 1024);
    let taken = 0;
    await new Promise<void>((resolve) => {
      slow.on("data", (chunk: Buffer) => {
        taken += chunk.length;
        if (taken === 100 * (1024 * 1024 + "$1048576\r\n\r\n".length)) resolve();
      });
      slow.resume();
    });
    expect(served.logged).toEqual([]);
  });

  it("that takes nothing for a minute is disconnected", async () => {
    const ports = virtualPorts();
    const served = await setup({ embedded: { ports } });
    const writer = await clientOf(served);
    await writer.command("SET", "big", "x".repeat(8 * 1024 * 1024));
    const slow = await rawSocket(served);
    slow.pause();
    slow.write(frame("GET", "big"));
    await expect.poll(async () => String(await writer.command("CLIENT", "LIST")), PATIENCE).toMatch(/ omem=\d{7}/);
    await ports.clock.advance(59_000);
    expect(served.server.clientCount).toBe(2);
    await ports.clock.advance(5000);
    await expect.poll(() => served.server.clientCount, PATIENCE).toBe(1);
    expect(ports.logger.messages("warn")).toEqual(["A client that takes nothing was disconnected"]);
  });
});

describe("many clients", () => {
  it("may be a thousand that idle, and the next is served as if it were alone", async () => {
    const served = await setup();
    const idle = await Promise.all(Array.from({ length: 1000 }, () => clientOf(served)));
    expect(await Promise.all(idle.map((client) => client.command("PING")))).toEqual(idle.map(() => "PONG"));
    expect(served.server.clientCount).toBe(1000);
    const client = await clientOf(served);
    expect(await client.command("SET", "a", "1")).toBe("OK");
    expect(
      String(await client.command("CLIENT", "LIST"))
        .trim()
        .split("\n"),
    ).toHaveLength(1001);
    for (const one of idle) one.close();
    await expect.poll(() => served.server.clientCount, PATIENCE).toBe(1);
  });

  it("are no more than there may be", async () => {
    const served = await setup({ maxClients: 2 });
    const first = await clientOf(served);
    await clientOf(served);
    const third = await clientOf(served);
    await expect(third.command("PING")).rejects.toThrow(/max number of clients reached|closed|EPIPE|ECONNRESET/);
    expect(await first.command("PING")).toBe("PONG");
    expect(String(await first.command("INFO", "stats"))).toContain("rejected_connections:1");
  });

  it("that are silent for too long are let go, but for those that wait or listen", async () => {
    const ports = virtualPorts();
    const served = await setup({ idleTimeout: "1m", embedded: { ports } });
    const [silent, blocked, listening] = [await clientOf(served), await clientOf(served), await clientOf(served)];
    await silent.command("PING");
    const waited = blocked.command("BLPOP", "list", "0");
    await listening.command("SUBSCRIBE", "news");
    await ports.clock.advance(70_000);
    await expect.poll(() => served.server.clientCount, PATIENCE).toBe(2);
    await expect(silent.command("PING")).rejects.toThrow();
    await served.engine.command(["RPUSH", "list", "x"]);
    expect(await waited).toEqual(["list", "x"]);
  });

  it("that run much without a pause let the others have their turn", async () => {
    const served = await setup();
    const busy = await rawSocket(served);
    busy.resume();
    busy.write(frame("INCR", "n").repeat(200_000));
    const client = await clientOf(served);
    const seen = Number(await client.command("GET", "n"));
    expect(seen).toBeLessThan(200_000);
    await expect.poll(async () => Number(await client.command("GET", "n")), PATIENCE).toBe(200_000);
  });
});

describe("a fault of the protocol", () => {
  it("ends the connection that made it, in the server's words, and no other", async () => {
    const served = await setup();
    const good = await clientOf(served);
    const waited = good.command("BLPOP", "list", "0");
    const bad = await rawSocket(served);
    let said = "";
    const closed = new Promise<void>((resolve) => bad.on("close", () => resolve()));
    bad.on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
    bad.write(`${frame("PING")}*1\r\n:5\r\n${frame("SET", "after", "1")}`);
    await closed;
    expect(said).toBe("+PONG\r\n-ERR Protocol error: expected '$', got ':'\r\n");
    const other = await clientOf(served);
    expect(await other.command("EXISTS", "after")).toBe(0);
    await other.command("RPUSH", "list", "x");
    expect(await waited).toEqual(["list", "x"]);
  });

  it("is an argument that is longer than it may be", async () => {
    const served = await setup({ maxArgumentBytes: 1000 });
    const client = await clientOf(served);
    expect(await client.command("SET", "a", "x".repeat(1000))).toBe("OK");
    await expect(client.command("SET", "a", "x".repeat(1001))).rejects.toThrow("invalid bulk length");
  });

  it("is what a browser sends that was lured to the port", async () => {
    const served = await setup();
    const lured = await rawSocket(served);
    const closed = new Promise<void>((resolve) => lured.on("close", () => resolve()));
    lured.on("data", () => {});
    lured.write("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 12\r\n\r\nSET pwned 1\r\n");
    await closed;
    expect(await served.engine.command(["EXISTS", "pwned"])).toBe(0);
    expect(served.logged).toEqual(["A client spoke HTTP and was disconnected"]);
  });
});

describe("a client that is killed", () => {
  it.each([
    ["while it waits", / flags=bU /, [frame("BLPOP", "list", "0")]],
    ["while it listens", / sub=1 psub=1 /, [frame("SUBSCRIBE", "a"), frame("PSUBSCRIBE", "a*")]],
    ["in a transaction", / multi=1 watch=1 /, [frame("WATCH", "a"), frame("MULTI"), frame("SET", "a", "1")]],
    ["in the middle of a command", / cmd=NULL /, [frame("SET", "a", "1").slice(0, 20)]],
    ["with a command behind the one that waits", / qbuf=27 /, [frame("BLPOP", "list", "0") + frame("SET", "a", "1")]],
  ])("%s leaves nothing behind", async (_when, pattern, inputs) => {
    const served = await setup();
    const client = await clientOf(served);
    const killed = await rawSocket(served);
    const closed = new Promise<void>((resolve) => killed.on("close", () => resolve()));
    killed.resume();
    for (const input of inputs) killed.write(input);
    const lineOf = async () =>
      String(await client.command("CLIENT", "LIST"))
        .split("\n")
        .at(1) ?? "";
    await expect.poll(lineOf, PATIENCE).toMatch(pattern);
    const id = /^id=(\d+)/.exec(await lineOf())?.[1] ?? "";
    expect(await client.command("CLIENT", "KILL", "ID", id)).toBe(1);
    await closed;
    expect(await client.command("RPUSH", "list", "x")).toBe(1);
    expect(await client.command("LLEN", "list")).toBe(1);
    expect(await client.command("PUBLISH", "a", "x")).toBe(0);
    expect(await client.command("EXISTS", "a")).toBe(0);
    const info = String(await client.command("INFO", "clients"));
    expect(info).toMatch(/connected_clients:1\r\n[\s\S]*blocked_clients:0\r\n[\s\S]*watching_clients:0/);
  });

  it("by itself gets its answer", async () => {
    const served = await setup();
    const client = await clientOf(served);
    const id = String(await client.command("CLIENT", "ID"));
    expect(await client.command("CLIENT", "KILL", "ID", id, "SKIPME", "no")).toBe(1);
    await expect(client.command("PING")).rejects.toThrow();
  });
});

describe("the place to listen at", () => {
  const listen = async (options: Partial<ServerOptions>) => {
    const { engine } = await setup();
    return await createServer({ engine, ...options }).then(async (server) => {
      onTestFinished(() => server.close());
      return server;
    });
  };

  it.each(["0.0.0.0", "::", "10.1.2.3"])("is not %s without a password", async (host) => {
    await expect(listen({ host, port: 0 })).rejects.toMatchObject({ code: "cannot_listen" });
  });

  it("may be public with a password", async () => {
    const server = await listen({ host: "0.0.0.0", port: 0, password: "secret" });
    const client = await WireClient.connect(server.port);
    onTestFinished(() => client.close());
    await expect(client.command("PING")).rejects.toThrow("NOAUTH Authentication required.");
    await expect(client.command("AUTH", "wrong")).rejects.toThrow("WRONGPASS");
    expect(await client.command("AUTH", "secret")).toBe("OK");
    expect(await client.command("PING")).toBe("PONG");
    expect(await client.command("RESET")).toBe("RESET");
    await expect(client.command("PING")).rejects.toThrow("NOAUTH");
  });

  it("is not that of another server, nor a file that is no socket", async () => {
    const served = await setup({ port: 0 });
    await expect(listen({ port: served.server.port })).rejects.toMatchObject({ code: "cannot_listen" });
    const folder = mkdtempSync(join(tmpdir(), "echomq-listen-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "file");
    writeFileSync(path, "mine");
    await expect(listen({ path })).rejects.toMatchObject({ code: "cannot_listen" });
    const first = await listen({ path: join(folder, "socket") });
    expect(first.url).toBe(`unix:${join(folder, "socket")}`);
    await expect(listen({ path: join(folder, "socket") })).rejects.toMatchObject({ code: "cannot_listen" });
  });

  it.each([
    [{ port: -1 }, "invalid_option"],
    [{ port: 1, path: "x" }, "invalid_option"],
    [{ password: "" }, "invalid_option"],
    [{ prot: 1 }, "unknown_option"],
    [{ engine: {} }, "unsupported"],
  ])("and all else that is given is checked: %o", async (options, code) => {
    await expect(listen(options as Partial<ServerOptions>)).rejects.toMatchObject({ code });
  });
});

describe("the end of a server", () => {
  it("sends what is on its way, ends those that wait, and takes nobody more", async () => {
    const served = await setup();
    const [reader, waiter] = [await clientOf(served), await clientOf(served)];
    await reader.command("SET", "big", "x".repeat(4 * 1024 * 1024));
    const waited = waiter.command("BLPOP", "list", "0");
    const big = reader.command("GET", "big");
    const outcome = Promise.allSettled([big, waited]);
    const other = await clientOf(served);
    await expect
      .poll(async () => String(await other.command("CLIENT", "LIST")), PATIENCE)
      .toMatch(/cmd=get [\s\S]*cmd=blpop/);
    await Promise.all([served.server.close(), served.server.close()]);
    const [got, ended] = await outcome;
    expect(got.status === "fulfilled" && String(got.value).length).toBe(4 * 1024 * 1024);
    expect(ended.status).toBe("rejected");
    expect(served.server.clientCount).toBe(0);
    await expect(WireClient.connect(served.socketPath)).rejects.toThrow();
    // The engine goes on.
    expect(await served.engine.command(["EXISTS", "big"])).toBe(1);
  });
});

it("makes a socket that is its user's alone, whatever the mask of the process", async () => {
  const { socketPath } = await setup();
  expect(lstatSync(socketPath).mode & 0o077).toBe(0);
});
