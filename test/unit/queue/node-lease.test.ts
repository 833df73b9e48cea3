import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { idParts } from "../../../src/protocol/id.ts";
import { openMint } from "../../../src/queue/mint-source.ts";
import { startWorld } from "./lease-world.ts";
import { errorOf, ScriptedEngine } from "./scripted-engine.ts";

describe("NodeLease", () => {
  it("mints nothing before a number is leased", async () => {
    const { startProcess } = startWorld();
    const { lease, mint } = startProcess(1);
    expect(mint()).toBeUndefined();
    await lease.whenReady();
    expect(mint()).toMatch(/^JOB/);
  });

  it("writes holder and mark with an expiry, and the mark 90 s ahead", async () => {
    const { clock, server, startProcess, marks } = startWorld();
    const { lease, mintSoon } = startProcess(1);
    const { node } = idParts(await mintSoon());
    const markMs = clock.now() + 90_000;
    expect(await marks()).toEqual([String(node), String(markMs)]);
    expect(await server.command(["GET", `{emq}:node:${node}`])).toMatch(new RegExp(`^test:1:1:\\w+ ${markMs}$`));
    expect(await server.command(["PTTL", `{emq}:node:${node}`])).toBe(60_000);
    await clock.advance(20_000);
    expect(await marks()).toEqual([String(node), String(markMs + 20_000)]);
    expect(await server.command(["PTTL", `{emq}:node:${node}`])).toBe(60_000);
    await lease.release();
    expect(await server.command(["EXISTS", `{emq}:node:${node}`])).toBe(0);
    await clock.advance(60_000);
    expect(await server.command(["EXISTS", `{emq}:node:${node}`])).toBe(0);
  });

  it("gives two holders two numbers", async () => {
    const { startProcess } = startWorld();
    // The same seed draws the same number first.
    const [a, b] = [startProcess(1), startProcess(1)];
    const nodes = [await a.mintSoon(), await b.mintSoon()].map((id) => idParts(id).node);
    expect(nodes[0]).not.toBe(nodes[1]);
  });

  it("never mints beyond its mark while the server is away, and goes on when it is back", async () => {
    const { clock, startProcess } = startWorld();
    const { process, mint, mintSoon, errors } = startProcess(1);
    const first = idParts(await mintSoon());
    process.isAway = true;
    await clock.advance(89_000);
    expect(mint()).toBeDefined();
    await clock.advance(2000);
    expect(mint()).toBeUndefined();
    expect(errors.length).toBeGreaterThan(0);
    process.isAway = false;
    await clock.advance(1000);
    const last = idParts(mint() ?? "");
    expect(last.ms).toBe(first.ms + 92_000);
  });

  it("starts above the last mark of a number, also when the clock has stepped back", async () => {
    const { clock, server, startProcess } = startWorld();
    const marksAhead = Array.from({ length: 1024 }, (_, node) => [String(node), String(clock.now() + 50_000)]).flat();
    await server.command(["HSET", "{emq}:nodes", ...marksAhead]);
    const { process, mintSoon } = startProcess(1);
    process.skewMs = -3_600_000;
    expect(idParts(await mintSoon()).ms).toBe(clock.now() + 50_001);
  });

  it("prefers a number whose mark lies behind", async () => {
    const { clock, server, startProcess } = startWorld();
    const ahead = String(clock.now() + 50_000);
    const marks = Array.from({ length: 1024 }, (_, node) => [String(node), node === 77 ? "5" : ahead]).flat();
    await server.command(["HSET", "{emq}:nodes", ...marks]);
    expect(idParts(await startProcess(1).mintSoon())).toMatchObject({ node: 77, ms: clock.now() });
  });

  it("keeps its ids rising when the clock steps back", async () => {
    const { clock, startProcess } = startWorld();
    const { process, mintSoon } = startProcess(1);
    const ids = [await mintSoon()];
    for (const skewMs of [-5000, -100_000, 3000, 200_000, -200_000]) {
      process.skewMs = skewMs;
      ids.push(await mintSoon(), await mintSoon());
      await clock.advance(21_000);
      ids.push(await mintSoon());
    }
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("takes another number when its lease was lost", async () => {
    const { clock, server, startProcess } = startWorld();
    const { mintSoon } = startProcess(1);
    const before = await mintSoon();
    const { node } = idParts(before);
    await server.command(["SET", `{emq}:node:${node}`, "other:1:x 5"]);
    await clock.advance(20_000);
    const after = await mintSoon();
    expect(idParts(after).node).not.toBe(node);
    expect(after > before).toBe(true);
    expect(await server.command(["GET", `{emq}:node:${node}`])).toBe("other:1:x 5");
  });

  it("makes no id twice when a holder sleeps through its lease in the middle of a renewal", async () => {
    const { clock, startProcess } = startWorld();
    const sleeper = startProcess(1);
    const ids = [await sleeper.mintSoon()];
    const { node } = idParts(ids[0] ?? "");
    // The sleeper has just made sure that it is the holder, and now stops before it takes its next range.
    let wake: () => void = () => undefined;
    sleeper.process.before = (parts) =>
      parts[0] === "HINCRBY" ? new Promise((resolve) => (wake = resolve)) : undefined;
    await clock.advance(20_000);
    // Its lease lapses, and others take all numbers, its own among them.
    await clock.advance(3_600_000);
    const heir = startProcess(1);
    ids.push(await heir.mintSoon());
    expect(idParts(ids[1] ?? "").node).toBe(node);
    sleeper.process.before = () => undefined;
    wake();
    await clock.settle();
    for (let round = 0; round < 50; round++) {
      ids.push(await sleeper.mintSoon(), await heir.mintSoon());
      await clock.advance(997);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("goes on renewing when an add extends its range at the moment of a renewal", async () => {
    const { clock, server, startProcess } = startWorld();
    const { process, mintSoon } = startProcess(1);
    const { node } = idParts(await mintSoon());
    await clock.advance(15_000);
    // The clock of its host jumps beyond its mark, so an add asks for more; the renewal falls due before the answer.
    process.skewMs = 100_000;
    let go: () => void = () => undefined;
    process.before = () => new Promise((resolve) => (go = resolve));
    const minted = mintSoon();
    await clock.advance(6000);
    process.before = () => undefined;
    go();
    expect(idParts(await minted).node).toBe(node);
    await clock.advance(55_000);
    expect(await server.command(["PTTL", `{emq}:node:${node}`])).toBeGreaterThan(39_000);
  });

  it("waits for the server, but not for ever", async () => {
    const { clock, startProcess } = startWorld();
    const { process, lease } = startProcess(1);
    process.isAway = true;
    const waiting = errorOf(() => lease.whenReady());
    await clock.advance(10_000);
    const error = await waiting;
    expect([error.code, error.retryable]).toEqual(["disconnected", true]);
    const again = lease.whenReady();
    process.isAway = false;
    await clock.advance(100);
    await again;
  });

  it("does not wait again where the engine has waited for a connection, or was told not to", async () => {
    const { clock, startProcess } = startWorld();
    const { process, lease } = startProcess(1);
    process.before = () => {
      throw new EchoMQError("disconnected", "There is no connection; nothing was sent.", { details: { sent: false } });
    };
    const refused = lease.whenReady().catch((error: unknown) => error);
    await clock.settle();
    expect(await refused).toMatchObject({ code: "disconnected", details: { sent: false } });
    expect(clock.timerCount).toBe(0);
  });

  it("gives up at once where waiting cannot help", async () => {
    const { startProcess } = startWorld();
    const { process, lease } = startProcess(1);
    process.before = () => {
      throw new EchoMQError("permission", "NOPERM no right to {emq}:nodes");
    };
    expect((await errorOf(() => lease.whenReady())).code).toBe("permission");
  });

  it("waits while every number is taken, and takes the first that is free", async () => {
    const { clock, server, startProcess } = startWorld();
    for (let node = 0; node < 1024; node++) await server.command(["SET", `{emq}:node:${node}`, "x 1", "PX", "3000"]);
    const { lease, mint } = startProcess(1);
    const ready = lease.whenReady();
    await clock.advance(2000);
    expect(mint()).toBeUndefined();
    await clock.advance(3000);
    await ready;
    expect(mint()).toMatch(/^JOB/);
  });

  it("mints nothing after its release, and tells who waits", async () => {
    const { clock, startProcess } = startWorld();
    const { process, lease, mintSoon, mint } = startProcess(1);
    await mintSoon();
    await lease.release();
    await lease.release();
    expect(mint()).toBeUndefined();
    expect((await errorOf(() => lease.whenReady())).code).toBe("closed");
    const other = startProcess(2);
    other.process.isAway = true;
    const waiting = errorOf(() => other.lease.whenReady());
    await clock.advance(10);
    await other.lease.release();
    await clock.advance(1000);
    expect((await waiting).code).toBe("closed");
    expect(process.errors).toEqual([]);
  });
});

describe("openMint", () => {
  it("gives the queues of one engine one mint", async () => {
    const engine = new ScriptedEngine();
    const [a, b] = [openMint(engine, undefined, () => undefined), openMint(engine, undefined, () => undefined)];
    const ids = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? a : b).tryMint("JOB") ?? "");
    expect(ids).toEqual([...new Set(ids)].sort());
    await a.release();
    expect((b.tryMint("JOB") ?? "") > (ids.at(-1) ?? "")).toBe(true);
  });

  it("mints with the number that it is given", () => {
    const mint = openMint(new ScriptedEngine(undefined, "valkey"), 9, () => undefined);
    expect(idParts(mint.tryMint("JOB") ?? "").node).toBe(9);
  });

  it("asks an embedded engine for no lease", () => {
    const engine = new ScriptedEngine();
    openMint(engine, undefined, () => undefined).tryMint("JOB");
    expect(engine.asks).toEqual([]);
  });

  it("releases a leased number with its last user", async () => {
    const { server, startProcess } = startWorld();
    const { engine } = startProcess(3);
    const [a, b] = [openMint(engine, undefined, () => undefined), openMint(engine, undefined, () => undefined)];
    await a.whenReady();
    const { node } = idParts(b.tryMint("JOB") ?? "");
    await a.release();
    await a.release();
    expect(await server.command(["EXISTS", `{emq}:node:${node}`])).toBe(1);
    await b.release();
    expect(await server.command(["EXISTS", `{emq}:node:${node}`])).toBe(0);
  });
});
