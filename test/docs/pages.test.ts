/**
 * What the pages show compiles, and what they say runs does run, on the embedded engine of the built package.
 */

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transformWithOxc } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { readJson, readText, root, trackedFiles } from "../tidy/repository.ts";
import { type Block, blocksOf } from "./page.ts";

const pages = trackedFiles().filter((path) => path.endsWith(".md"));
const blocks = pages.flatMap(blocksOf);
const run = promisify(execFile);

/** Packages lie above it, and nothing there is tracked. */
const CACHE = join(root, "node_modules", ".cache", "echomq");

const { exports } = readJson("package.json") as { exports: Record<string, string> };
const entries = Object.entries(exports).filter(([, path]) => path.endsWith(".js"));

/** Longest time of one block; a database in process takes seconds to begin, and more where all cores are taken. */
const BLOCK_MS_MAX = 120_000;

let folder = "";

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true });
  folder = mkdtempSync(join(CACHE, "docs-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf({ page, line }: Block): string {
  return `${page.replaceAll(/[/.]/g, "-")}-${line}`;
}

/** The compiler's settings: those of the tests, with the package's names leading to what was built. */
function config(): object {
  const declarations = (path: string) => join(root, path.replace(/\.js$/, ".d.ts"));
  return {
    extends: join(root, "test", "tsconfig.json"),
    compilerOptions: {
      rootDir: root,
      // An example declares what a reader's program would use.
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(root, "node_modules", "@types")],
      paths: Object.fromEntries(entries.map(([name, path]) => [name.replace(".", "echomq"), [declarations(path)]])),
    },
    include: ["*.mts"],
    references: [],
  };
}

/** The block as plain JavaScript whose imports of the package lead to the built files. */
async function program(block: Block): Promise<string> {
  const { code } = await transformWithOxc(block.module, "block.ts", { sourcemap: false });
  const built = new Map(entries.map(([name, path]) => [name.replace(".", "echomq"), join(root, path)]));
  return code.replaceAll(/ from "(echomq[^"]*)"/g, (whole, name: string) => {
    const path = built.get(name);
    return path === undefined ? whole : ` from "${pathToFileURL(path).href}"`;
  });
}

it("blocks of TypeScript compile", { timeout: 120_000 }, () => {
  for (const block of blocks) writeFileSync(join(folder, `${fileOf(block)}.mts`), block.module);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config()));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  let output = "";
  try {
    output = execFileSync(process.execPath, [tsc, "--noEmit", "-p", folder, "--pretty", "false"], { encoding: "utf8" });
  } catch (error) {
    output = String((error as { stdout?: string }).stdout ?? error);
  }
  expect(output).toBe("");
});

describe("a block that is said to run", () => {
  const marked = blocks.filter(({ isRun }) => isRun);
  const named = marked.map((block) => [`${block.page}:${block.line}`, block] as const);
  const server = useServer({ tcp: true });
  /** A database of its own for each, since they run at the same time and the queues of a page have the same names. */
  const urlOf = (block: Block) => `${server().url}/${marked.filter((each) => each.needsServer).indexOf(block)}`;

  it.concurrent.each(named)("%s prints what it says, and ends", { timeout: 2 * BLOCK_MS_MAX }, async (_, block) => {
    const file = join(folder, `${fileOf(block)}.mjs`);
    writeFileSync(file, await program(block));
    const url = block.needsServer ? urlOf(block) : "";
    const env = { ...process.env, ECHOMQ_URL: url, NODE_OPTIONS: "", NODE_ENV: "test" };
    const { stdout, stderr } = await run(process.execPath, [file], { timeout: BLOCK_MS_MAX, env, cwd: folder });
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual(block.output.length === 0 ? [""] : block.output);
  });

  it("is on every page of the guide", () => {
    const withRun = new Set(marked.map(({ page }) => page));
    const guide = pages.filter((page) => /^docs\/guide\/(?!README)/.test(page));
    expect(guide.filter((page) => !withRun.has(page))).toEqual([]);
  });
});

describe("pages", () => {
  const written = pages.filter((page) => /^docs\/(?:start|guide|operate)\//.test(page));

  it("have lines of at most 120 columns, but for tables and commands, which cannot be broken", () => {
    const long = written.flatMap((page) => {
      const text = readText(page).replaceAll(/^```(?!ts\b).*\n[\s\S]*?^```$/gm, (fence) => fence.replaceAll(/./g, ""));
      const lines = text.split("\n");
      return lines.flatMap((line, at) => (line.length > 120 && !line.startsWith("|") ? [`${page}:${at + 1}`] : []));
    });
    expect(long).toEqual([]);
  });

  it("of the guide and of operation are on their lists", () => {
    for (const part of ["guide", "operate"]) {
      const list = readText(`docs/${part}/README.md`);
      const others = written.filter((page) => page.startsWith(`docs/${part}/`) && !page.endsWith("README.md"));
      for (const page of others) expect(list).toContain(`(${page.split("/").at(-1)})`);
    }
  });
});
