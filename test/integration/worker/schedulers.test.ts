/** Schedulers on a real server: the zone of the host, other processes, and bytes of every kind. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { Queue, Scheduler, Worker } from "../../../src/index.ts";
import { useServer } from "../../server/use-server.ts";

const child = fileURLToPath(new URL("zone-child.mjs", import.meta.url));
const PATIENCE = { timeout: 60_000, interval: 20 };

const server = useServer();

it("a pattern without a zone is of UTC, whatever the zone of the host that registers it (PB-089)", () => {
  const told = ["Asia/Tokyo", "America/New_York", "UTC"].map((zone) => {
    const env = { ...process.env, TZ: zone };
    const text = execFileSync(process.execPath, [child, server().url, "zoned"], { env, encoding: "utf8" });
    return JSON.parse(text) as { readonly zone: string; readonly nextAt: string };
  });
  expect(told.map(({ zone }) => zone)).toEqual(["Asia/Tokyo", "America/New_York", "UTC"]);
  for (const { nextAt } of told) expect(nextAt).toMatch(/^\d{4}-01-01T06:00:00\.000Z$/);
});

it("a scheduler alone fires, also one that is made after it began, and a worker runs the jobs", async () => {
  const connection = server().url;
  const scheduler = new Scheduler(["alone"], { connection, beat: "60s" });
  const queue = new Queue("alone", { connection });
  const slots: (number | undefined)[] = [];
  const handler = (job: { readonly slotAt: Date | undefined }) => void slots.push(job.slotAt?.getTime());
  const worker = new Worker("alone", handler, { connection, schedulers: false });
  onTestFinished(async () => {
    await Promise.all([worker.close({ timeout: 0 }), scheduler.close(), queue.close()]);
  });
  await scheduler.waitUntilReady();
  await queue.upsertJobScheduler("ä 日", { every: 100, limit: 5 }, { data: { text: "é\u0000日" } });
  await expect.poll(() => slots.length, PATIENCE).toBe(5);
  const first = slots[0] ?? 0;
  expect(first % 100).toBe(0);
  expect(slots.every((slot, at) => at === 0 || (slot ?? 0) > (slots[at - 1] ?? 0))).toBe(true);
  const [facts] = (await queue.getJobSchedulers()).schedulers.map((one) => one.facts);
  expect(facts).toMatchObject({ id: "ä 日", data: { text: "é\u0000日" }, fired: 5, nextAt: undefined });
  await queue.obliterate({ force: true });
  expect((await queue.getJobSchedulers()).schedulers).toEqual([]);
});
