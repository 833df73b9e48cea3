/**
 * The package in a browser: queue, worker and the embedded engine, bundled as users bundle, run in a real Chromium.
 *
 * The bundle is looked at as well: it holds nothing of Node.js and no client of a server.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, whyNoChromium } from "./find-chromium.ts";

/** An address that no name server knows: the test answers for it. */
const ORIGIN = "http://echomq.test";

type Chunk = Rolldown.OutputChunk;

/** Bundles the page from the built package, as `vite build` does for a browser. */
async function bundle(): Promise<Chunk[]> {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: { write: false, target: "es2022", rollupOptions: { input: join(folder, "page.ts") } },
  });
  const outputs = (Array.isArray(built) ? built : [built]) as Rolldown.RolldownOutput[];
  return outputs.flatMap(({ output }) => output).filter((part) => part.type === "chunk");
}

const chunks = bundle();

describe("a bundle for browsers", () => {
  it("imports nothing from outside and holds no module of Node.js and no client", { timeout: 180_000 }, async () => {
    const all = await chunks;
    const files = new Set(all.map(({ fileName }) => fileName));
    const imports = all.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
    expect(imports.filter((name) => !files.has(name))).toEqual([]);
    const modules = all.flatMap((chunk) => Object.keys(chunk.modules));
    expect(modules.length).toBeGreaterThan(100);
    // What a bundler puts in the place of a module of Node.js is called so.
    expect(modules.filter((name) => /browser-external|^node:|iovalkey|ioredis|commander/.test(name))).toEqual([]);
    const packages = modules.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(["croner"]);
  });

  it("has a size that is told", { timeout: 180_000 }, async () => {
    const all = await chunks;
    const bytes = all.reduce((sum, { code }) => sum + code.length, 0);
    const packed = all.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
    console.log(`browser bundle: ${(packed / 1024).toFixed(0)} KiB gzipped, ${(bytes / 1024).toFixed(0)} KiB minified`);
    // No target, but a guard: a client or a table of texts that slips in is larger than what there is to spare.
    expect(packed).toBeLessThan(256 * 1024);
  });
});

const why = whyNoChromium();

describe.skipIf(why !== undefined)(`in Chromium${why === undefined ? "" : ` (${why})`}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    const all = await chunks;
    browser = await chromium.launch({
      executablePath: findChromium() ?? "chromium",
      // Chromium refuses to make its sandbox as root, where there is nothing to protect: the page is ours.
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    });
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (line) => faults.push(line.text()));
    await page.route(`${ORIGIN}/**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      const chunk = all.find(({ fileName }) => fileName === name);
      if (chunk !== undefined) return route.fulfill({ contentType: "text/javascript", body: chunk.code });
      const entry = all.find(({ isEntry }) => isEntry)?.fileName;
      return route.fulfill({
        contentType: "text/html; charset=utf-8",
        body: `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/${entry}"></script>`,
      });
    });
    await page.goto(ORIGIN);
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
  });

  const check = (name: string): Promise<unknown> =>
    page.evaluate((asked) => (globalThis as unknown as { check(name: string): unknown }).check(asked), name);

  it("adds and works, and everything is in order", async () => {
    expect(await check("addAndWork")).toEqual({
      sum: 5050,
      counts: { pending: 0, active: 0, completed: 100 },
      isClean: true,
    });
  });

  it("retries", async () => {
    expect(await check("retry")).toEqual({ attempts: [1, 2, 3], result: "at last" });
  });

  it("runs a delayed job at its time", async () => {
    expect(await check("delay")).toEqual({ state: "scheduled", order: ["soon", "late"] });
  });

  it("runs a flow over two queues", async () => {
    expect(await check("flow")).toEqual([1, 2, 3]);
  });

  it("fires schedulers, by period and by pattern in a time zone", async () => {
    expect(await check("repeats")).toEqual({ areSlots: [true, true, true], summer: ["2026-07-01T07:30:00.000Z"] });
  });

  it("tells events", async () => {
    expect(await check("events")).toEqual({ told: ["added", "active", "completed"], isSame: true });
  });

  it("has the testing kit", async () => {
    expect(await check("virtualTime")).toEqual({ completed: 1, failed: [] });
  });

  it("says that it reaches no server and no folder", async () => {
    expect(await check("folder")).toBe("unsupported");
    expect(await check("server")).toMatchObject({ code: "unsupported", message: /A browser opens no socket/ });
  });

  it("has had no error and written nothing", () => {
    expect(faults).toEqual([]);
  });
});
