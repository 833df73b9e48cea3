/** Hosts of both forms on one queue: who uses the native half, who does not, and what happens when it goes away. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Queue, Worker } from "../../../src/index.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import type { NativeMode } from "../../../src/valkey/native-form.ts";
import { ValkeyEngine } from "../../../src/valkey/valkey-engine.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startCluster } from "../../server/start-cluster.ts";
import { startServer, type TestServer } from "../../server/start-server.ts";

const JOBS = 300;
const MODULE = ["--loadmodule", nativeModule()];

const why = whyNoNative();

describe.skipIf(why !== undefined)(
  `a fleet on a server with the native half${why === undefined ? "" : ` (${why})`}`,
  () => {
    it("runs each job once, whoever adds it and whoever takes it", async () => {
      const server = await serverOf(MODULE);
      const runs = new Map<string, number>();
      const handler = async (job: { id: string }) => void runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
      const modes: NativeMode[] = ["auto", "off", "require"];
      const queues = modes.map((native) => new Queue("mixed", { connection: { path: server.socketPath, native } }));
      const workers = modes.map(
        (native) => new Worker("mixed", handler, { connection: { path: server.socketPath, native }, concurrency: 5 }),
      );
      onTestFinished(async () => void (await Promise.all([...workers, ...queues].map((each) => each.close()))));
      const adds = queues.flatMap((queue, at) =>
        Array.from({ length: JOBS / queues.length }, async () => await queue.add("each", { at })),
      );
      const added = await Promise.all(adds);
      await expect.poll(() => runs.size, { timeout: 60_000 }).toBe(JOBS);
      expect(new Set(runs.keys())).toEqual(new Set(added.map((job) => job.id)));
      expect([...runs.values()].every((count) => count === 1)).toBe(true);
      const stats = String(await server.command("INFO", "commandstats"));
      expect(stats).toMatch(/cmdstat_emq\.turn:/);
      expect(stats).toMatch(/cmdstat_evalsha:/);
    }, 120_000);

    it("goes on by scripts when the module is unloaded under it", async () => {
      const server = await serverOf(MODULE);
      const engine = engineOf(server, "auto");
      await engine.ready();
      const claim = async () => await engine.act("CLAIM", ["emq:{a}:pending", "emq:{a}:active", "emq:{a}:"], ["1000"]);
      expect(await claim()).toEqual([]);
      await server.command("MODULE", "UNLOAD", "trafikey");
      expect(await claim()).toEqual([]);
      expect(await claim()).toEqual([]);
      const stats = String(await server.command("INFO", "commandstats"));
      expect(stats).toMatch(/cmdstat_evalsha:calls=3,/);
    }, 60_000);

    it("sends what was called before the connection stood as native commands, too", async () => {
      const server = await serverOf(MODULE);
      const engine = engineOf(server, "auto");
      expect(engine.state).toBe("connecting");
      const claims = ["a", "b", "c"].map(
        async (name) =>
          await engine.act("CLAIM", [`emq:{${name}}:pending`, `emq:{${name}}:active`, `emq:{${name}}:`], ["1000"]),
      );
      expect(await Promise.all(claims)).toEqual([[], [], []]);
      const stats = String(await server.command("INFO", "commandstats"));
      expect(stats).toMatch(/cmdstat_emq\.claim:calls=3,/);
      expect(stats).not.toMatch(/cmdstat_evalsha:/);
    }, 60_000);

    it("is refused for good where the module is demanded and missing, or speaks another wire", async () => {
      const bare = await serverOf([]);
      await expect(engineOf(bare, "require").ready()).rejects.toMatchObject({ code: "unsuitable_server" });
      const other = await serverOf([...MODULE, "wire-version", "echomq:9.0.0"]);
      await expect(engineOf(other, "require").ready()).rejects.toMatchObject({ code: "unsuitable_server" });
      const engine = engineOf(other, "auto");
      expect(await engine.act("CLAIM", ["emq:{a}:pending", "emq:{a}:active", "emq:{a}:"], ["1000"])).toEqual([]);
      expect(await other.command("GET", "{emq}:version")).toBe("echomq:4.0.0");
    }, 60_000);

    it("works on a cluster whose nodes have the module", async () => {
      const cluster = await startCluster({ hasReplicas: false, server: { args: MODULE } });
      onTestFinished(() => cluster.stop());
      const names = Array.from({ length: 12 }, (_, at) => `queue-${at}`);
      const connection = { url: cluster.url, native: "require" } as const;
      const done = new Set<string>();
      const queues = names.map((name) => new Queue(name, { connection }));
      const workers = names.map((name) => new Worker(name, async (job) => void done.add(job.id), { connection }));
      onTestFinished(async () => void (await Promise.all([...workers, ...queues].map((each) => each.close()))));
      await Promise.all(queues.flatMap((queue) => Array.from({ length: 20 }, (_, at) => queue.add("each", { at }))));
      await expect.poll(() => done.size, { timeout: 60_000 }).toBe(names.length * 20);
      for (const node of cluster.primaries) {
        const stats = String(await node.command("INFO", "commandstats"));
        expect(stats).toMatch(/cmdstat_emq\.turn:/);
        expect(stats).not.toMatch(/cmdstat_evalsha:/);
      }
    }, 120_000);

    async function serverOf(args: readonly string[]): Promise<TestServer> {
      const server = await startServer({ args, config: { "enable-module-command": "local" } });
      onTestFinished(() => server.stop());
      return server;
    }

    function engineOf(server: TestServer, native: NativeMode): ValkeyEngine {
      const engine = new ValkeyEngine({ connection: { path: server.socketPath }, ports: nodePorts(), native });
      onTestFinished(() => engine.close());
      return engine;
    }
  },
);
