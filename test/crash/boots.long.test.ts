/**
 * Processes that come and go by the hundred while others work: a boot must take nothing that has a live owner.
 */

import { describe, expect, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { CrashSetup } from "./setup-crash.ts";

const server = useServer();

const BOOTS = 100;
const BOOTS_AT_ONCE = 4;

describe("a hundred boots of processes", () => {
  it("run none of the jobs twice whose leases others renew (PB-037)", async () => {
    const test = new CrashSetup(server().url, "boots", { lease: 15_000, beat: 100 });
    const held = await test.add(20, { ms: 10 * 60_000 });
    const busy = [test.start({ concurrency: 10 }), test.start({ concurrency: 10 })];
    await test.heard("start", held.length);
    await Promise.all(busy.map((worker) => worker.ready));
    const boot = async (): Promise<void> => {
      const worker = test.start();
      await worker.ready;
      await test.add(1);
      worker.signal("SIGTERM");
      await worker.ended;
    };
    for (let booted = 0; booted < BOOTS; booted += BOOTS_AT_ONCE) {
      await Promise.all(Array.from({ length: BOOTS_AT_ONCE }, boot));
    }
    // Whatever the last boots left is done by one that stays.
    test.start();
    await test.heard("settled", BOOTS);
    const started = test.idsOf("start");
    expect(started).toHaveLength(new Set(started).size);
    expect(started).toHaveLength(held.length + BOOTS);
    expect(test.idsOf("lost")).toEqual([]);
  });
});
