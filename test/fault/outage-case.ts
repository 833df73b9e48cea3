/**
 * The outages of a whole server, each as a function of how long it lasts: a fraction of it in `npm test`, all of it in
 * `npm run test:long`.
 */

import { expect, onTestFinished } from "vitest";
import { startFaultProxy } from "../server/fault-proxy.ts";
import type { TestServer } from "../server/start-server.ts";
import { BACK_MS, last, openWorld, PATIENCE, report, type WorldOptions } from "./fault-world.ts";
import { LoneProcess } from "./lone-process.ts";

/** A connection that was tried while nothing answered is given up after so long, and the next one made. */
const OPEN_MS = 10_000;

/** How an outage is played. */
export interface OutageCase extends WorldOptions {
  readonly outageMs: number;
}

/** Stops the server and starts it again at the same address, with its data. */
export async function stopAndStart(server: TestServer, options: OutageCase): Promise<void> {
  const { outageMs } = options;
  const world = await openWorld(server, options);
  const before = await world.footprint();
  const ids = await world.add(3);
  await world.untilCompleted(3);
  await server.kill();
  await expect.poll(() => world.worker.health().isConsuming, PATIENCE).toBe(false);
  const deafAt = Date.now();
  const during = world.queue.add("letter", "during", { retryOnDisconnect: outageMs + 20_000 });
  await last(outageMs);
  const { notConsumingSince, state } = world.worker.health();
  expect(state).toBe("running");
  expect(notConsumingSince).toBeLessThanOrEqual(deafAt);
  await server.start();
  const startedAt = performance.now();
  const kept = await during;
  expect(kept.outcome).toBe("added");
  ids.push(kept.id, ...(await world.add(3)));
  await world.untilCompleted(ids.length);
  report(`jobs after an outage of ${outageMs} ms are done in`, performance.now() - startedAt);
  await world.expectAllDone(ids);
  await expect.poll(() => world.worker.health(), PATIENCE).toMatchObject({ isConsuming: true, lastError: undefined });
  await world.expectFootprint(before);
  world.expectFewLines();
}

/** Freezes the server for a while, then restarts it five times, with ten jobs after each. */
export async function freezeAndRestart(
  server: TestServer,
  options: OutageCase & { readonly pauseMs: number },
): Promise<void> {
  const { outageMs, pauseMs } = options;
  const world = await openWorld(server, options);
  const before = await world.footprint();
  const ids: string[] = [];
  server.freeze();
  try {
    await last(outageMs);
  } finally {
    server.thaw();
  }
  const addTen = async (): Promise<void> => {
    const adds = Array.from({ length: 10 }, (_, at) => world.queue.add("letter", at, { retryOnDisconnect: "20s" }));
    ids.push(...(await Promise.all(adds)).map(({ id }) => id));
    await world.untilCompleted(ids.length);
  };
  await addTen();
  for (let times = 0; times < 5; times++) {
    await server.restart();
    await last(pauseMs);
    await addTen();
  }
  expect(ids).toHaveLength(60);
  await world.expectAllDone(ids);
  await world.expectFootprint(before);
  world.expectFewLines();
}

/** Lets the server answer nobody for a while, with twenty jobs pending. */
export async function pauseServer(server: TestServer, options: OutageCase): Promise<void> {
  const { outageMs } = options;
  const world = await openWorld(server, options);
  const before = await world.footprint();
  await world.worker.pause();
  const ids = await world.add(20);
  const pausedAt = performance.now();
  await server.command("CLIENT", "PAUSE", String(outageMs), "ALL");
  world.worker.resume();
  await world.untilCompleted(20, { timeout: outageMs + 20_000 });
  const tookMs = performance.now() - pausedAt;
  // The server counts in whole milliseconds, and so may a timer.
  expect(tookMs).toBeGreaterThanOrEqual(outageMs - 5);
  report(`20 jobs are done after a pause of ${outageMs} ms in`, tookMs - outageMs);
  await world.expectAllDone(ids);
  await world.expectFootprint(before);
  world.expectFewLines();
}

/** Lets the bytes of all connections vanish in silence, while another process adds jobs. */
export async function halfOpen(server: TestServer, options: OutageCase): Promise<void> {
  const { outageMs } = options;
  const world = await openWorld(server, options);
  const ids = await world.add(2);
  await world.untilCompleted(2);
  await world.awake();
  const before = await world.footprint();
  const silence = world.proxy.inject({ does: "silence" });
  const silentAt = performance.now();
  ids.push(...(await world.addElsewhere(5)));
  await expect.poll(() => world.engine.state, { timeout: 150_000, interval: 5 }).toBe("down");
  console.info(`measured: a dead link is found after ${Math.round(performance.now() - silentAt)} ms of this machine`);
  await last(Math.max(0, outageMs - (performance.now() - silentAt)));
  silence.lift();
  const liftedAt = performance.now();
  await world.untilCompleted(ids.length, { timeout: 150_000 });
  report("the backlog is done after a half-open connection in", performance.now() - liftedAt, OPEN_MS + BACK_MS);
  await world.expectAllDone(ids);
  world.proxy.endSilent();
  await world.expectFootprint(before);
  world.expectFewLines();
}

/** Starts a program without a server, and looks at what it costs and says. */
export async function startWithout(server: TestServer, outageMs: number): Promise<void> {
  const proxy = await startFaultProxy({ path: server.socketPath });
  onTestFinished(() => proxy.close());
  const refusal = proxy.inject({ does: "refuse" });
  const program = await LoneProcess.start(proxy.url);
  const cpuBefore = Number(await program.tell("cpu"));
  const [triesBefore, begunAt] = [proxy.acceptedCount, performance.now()];
  await last(outageMs);
  const cpuMs = Number(await program.tell("cpu")) - cpuBefore;
  const lastedMs = performance.now() - begunAt;
  console.info(`measured: a worker without a server takes ${Math.round((100 * cpuMs) / lastedMs)} % (promised 10 %)`);
  expect(cpuMs / lastedMs).toBeLessThan(0.5);
  // Steps of 100 ms to 2 s: each try is a connection.
  expect(proxy.acceptedCount - triesBefore).toBeLessThanOrEqual(10 + lastedMs / 1000);
  expect(program.lines.length, program.lines.join("\n")).toBeGreaterThan(0);
  expect(program.lines.length, program.lines.join("\n")).toBeLessThanOrEqual(20);
  await expect.poll(() => program.tell("health"), PATIENCE).toBe(false);
  refusal.lift();
  expect(await program.tell("add")).toBe("added");
  await expect.poll(() => program.tell("completed"), PATIENCE).toBe(1);
  expect(await program.tell("close")).toBe(0);
}
