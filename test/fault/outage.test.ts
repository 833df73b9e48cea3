/** A server that is away for a while, in every way in which a server can be away. */

import { describe, expect, it, onTestFinished } from "vitest";
import { isEchoMQError } from "../../src/protocol/errors.ts";
import { WAYS } from "../integration/valkey/setup-engine.ts";
import { startServer } from "../server/start-server.ts";
import { useServer } from "../server/use-server.ts";
import { openWorld, PATIENCE } from "./fault-world.ts";
import { LoneProcess } from "./lone-process.ts";
import { freezeAndRestart, pauseServer, startWithout, stopAndStart } from "./outage-case.ts";

describe.each(WAYS)("a server that is away, by %s", (_name, way) => {
  const server = useServer({ tcp: true, config: { appendonly: "yes" } });

  it("is found again when it starts, and everything added before, meanwhile and after is done (PB-001)", async () => {
    await stopAndStart(server(), { way, outageMs: 300 });
  }, 120_000);

  it("may freeze and be restarted over and over: every job is done on as many sockets (PB-005)", async () => {
    await freezeAndRestart(server(), { way, outageMs: 500, pauseMs: 50 });
  }, 120_000);

  it("may answer nobody for a while: what is pending is done when it answers again (PB-007)", async () => {
    await pauseServer(server(), { way, outageMs: 500 });
  }, 120_000);
});

describe("a server that is not there", () => {
  const server = useServer({ tcp: true, config: { appendonly: "yes" } });

  it("costs a worker that waits for it next to nothing, and a few lines (PB-010)", async () => {
    await server().command("FLUSHALL");
    await startWithout(server(), 2500);
  }, 120_000);

  it("ends no program that listens to nothing; a few lines say what is the matter, and jobs go on (PB-011)", async () => {
    await server().command("FLUSHALL");
    const program = await LoneProcess.start(server().url);
    expect(await program.tell("add")).toBe("added");
    await expect.poll(() => program.tell("completed"), PATIENCE).toBe(1);
    expect(program.lines).toEqual([]);
    await server().kill();
    await expect.poll(() => program.tell("health"), PATIENCE).toBe(false);
    const added = program.tell("add");
    await expect.poll(() => program.lines.length, PATIENCE).toBeGreaterThan(0);
    await server().start();
    expect(await added).toBe("added");
    await expect.poll(() => program.tell("completed"), PATIENCE).toBe(2);
    console.info(`measured: an outage without listeners shows\n${program.lines.join("\n")}`);
    // One line when the connection goes, one for each new reason why there is none, and one when it is back.
    const warnings = program.lines.filter((line) => line.startsWith("echomq warn: "));
    const reasons = new Set(warnings.map((line) => line.replace(/ pauseMs=.*$/, "")));
    expect(reasons.size, program.lines.join("\n")).toBe(warnings.length);
    expect(warnings.length).toBeLessThanOrEqual(5);
    expect(await program.tell("close")).toBe(0);
  }, 120_000);

  it("rejects adds in their time, however many wait, and stores nothing of them later (PB-014)", async () => {
    const world = await openWorld(server(), { commandTimeoutMs: 2000 });
    await server().kill();
    await expect.poll(() => world.engine.state, PATIENCE).toBe("down");
    const ids = Array.from({ length: 950 }, () => world.newId());
    const calledAt = performance.now();
    const ends = await Promise.allSettled(ids.map((id) => world.queue.add("letter", 1, { id })));
    console.info(
      `measured: 950 adds of 2000 ms without a server end in ${Math.round(performance.now() - calledAt)} ms`,
    );
    for (const [at, end] of ends.entries()) {
      expect(end.status).toBe("rejected");
      const error: unknown = end.status === "rejected" ? end.reason : undefined;
      expect(isEchoMQError(error, "disconnected") && error.details).toMatchObject({ sent: false, id: ids[at] });
    }
    await server().start();
    await world.awake();
    expect([world.runs.size, await server().command("ZCARD", "emq:{mail}:pending")]).toEqual([0, 0]);
    await world.worker.pause();
    const [first = ""] = ids;
    const options = { id: first, retryOnDisconnect: true };
    const again = await Promise.all([1, 2].map(() => world.queue.add("letter", 1, options)));
    expect(again.map(({ id }) => id)).toEqual([first, first]);
    expect(await server().command("ZCARD", "emq:{mail}:pending")).toBe(1);
    world.worker.resume();
    await world.expectAllDone([first]);
  }, 120_000);
});

describe("a server that forgets", () => {
  const setup = async () => {
    const server = await startServer({ tcp: true });
    onTestFinished(() => server.stop());
    return { server, world: await openWorld(server) };
  };

  it.each(["SCRIPT FLUSH", "FUNCTION FLUSH", "restart"])(
    "by %s between two adds: the second is stored once (PB-013)",
    async (what) => {
      const { server, world } = await setup();
      await world.worker.pause();
      const first = await world.queue.add("letter", 1);
      if (what === "restart") await server.restart();
      else await server.command(...what.split(" "));
      const second = await world.queue.add("letter", 2, { retryOnDisconnect: true });
      expect([second.outcome, second.existing]).toEqual(["added", undefined]);
      const stored = what === "restart" ? [second.id] : [first.id, second.id];
      expect(await world.queue.count()).toBe(stored.length);
      world.worker.resume();
      await world.expectAllDone(stored);
      world.expectFewLines();
    },
    120_000,
  );

  it("everything while jobs run: their handlers lose them, and the queue goes on with what comes", async () => {
    const server = await startServer({ tcp: true });
    onTestFinished(() => server.stop());
    const stopped: unknown[] = [];
    let isFirst = true;
    const world = await openWorld(server, {
      worker: { concurrency: 2, lease: 4000 },
      handler: async (_job, { signal }) => {
        if (!isFirst) return;
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            stopped.push(signal.reason);
            resolve();
          });
        });
      },
    });
    const before = await world.footprint();
    await world.add(2);
    await expect.poll(() => world.runs.size, PATIENCE).toBe(2);
    await server.restart();
    await expect.poll(() => stopped.length, PATIENCE).toBe(2);
    expect(stopped.every((reason) => isEchoMQError(reason, "lease_lost"))).toBe(true);
    isFirst = false;
    const jobs = await Promise.all([1, 2, 3].map((at) => world.queue.add("letter", at, { retryOnDisconnect: true })));
    await world.expectAllDone(jobs.map(({ id }) => id));
    await world.expectFootprint(before);
    world.expectFewLines();
  }, 120_000);
});
