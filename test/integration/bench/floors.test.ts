/** The floors of the bench do the whole work that they are measured for: each job once, and nothing is left. */

import { expect, it } from "vitest";
import * as client from "../../../bench/driver/floor-client.mjs";
import * as script from "../../../bench/driver/floor-script.mjs";
import { useServer } from "../../server/use-server.ts";

const server = useServer({ tcp: true });

const FLOORS = [
  ["by plain commands", client.open],
  ["by the shortest script", script.open],
] as const;

const JOBS = 500;
const DATA = { to: "ada@example.com", locale: "en", campaign: 18 };

it.each(FLOORS.flatMap(([name, open]) => [1, 10, 1000].map((concurrency) => [name, concurrency, open] as const)))(
  "%s each job runs once, %d at most at once, and no key is left",
  async (_, concurrency, open) => {
    const driver = await open(server().url);
    await driver.addMany(Array.from({ length: JOBS - 2 }, () => ({ name: "welcome", data: DATA })));
    await Promise.all([driver.add(), driver.add()]);
    expect(await server().command("DBSIZE")).toBe(JOBS + 1);
    let running = 0;
    let most = 0;
    let count = 0;
    await new Promise<void>((resolve) => {
      void driver.work(async (data) => {
        expect(data).toEqual(DATA);
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        count += 1;
        if (count === JOBS) resolve();
        return { isSent: true };
      }, concurrency);
    });
    await driver.close();
    expect([count, running]).toEqual([JOBS, 0]);
    expect(most).toBeLessThanOrEqual(concurrency);
    expect(await server().command("DBSIZE")).toBe(0);
  },
);

it.each(FLOORS)("%s a key that is left is no success", async (_, open) => {
  const driver = await open(server().url);
  await driver.addMany(Array.from({ length: 3 }, () => ({ name: "welcome", data: DATA })));
  await new Promise<void>((resolve) => {
    void driver.work(async () => resolve(), 1);
  });
  await server().command("SET", "stray", "1");
  await expect(driver.close()).rejects.toThrow(/keys are left/);
  await server().command("FLUSHALL");
});
