/**
 * The package as its users meet it: every entry point by its name, by `import` and by `require`, from the built files.
 *
 * Only here does the project import itself by name. A process of its own looks at each entry point, because this one
 * has loaded the sources already.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Record<string, string>;
  bin: Record<string, string>;
};

/** Specifier, and some of what it must export. */
const ENTRY_POINTS: readonly (readonly [string, readonly string[]])[] = [
  ["echomq", ["Queue", "Worker"]],
  ["echomq/codec", ["json", "bytes", "withCompression", "withEncryption"]],
  ["echomq/protocol", ["queueKey", "createMinter", "parseId", "checkLayout", "WIRE_VERSION"]],
  ["echomq/server", ["createServer"]],
  ["echomq/testing", ["VirtualClock", "createTestPorts", "checkInvariants", "dumpQueue", "Signal"]],
];

function namesBy(kind: "import" | "require", specifier: string): string[] {
  const load = kind === "import" ? `await import("${specifier}")` : `require("${specifier}")`;
  const program = `process.stdout.write(JSON.stringify(Object.keys(${load})))`;
  const type = kind === "import" ? "module" : "commonjs";
  const args = [`--input-type=${type}`, "--no-warnings", "--eval", program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" })) as string[];
}

/** All modules that an entry point loads by static import, with what they import from outside. */
function graphOf(entry: string): { files: string[]; outside: string[] } {
  const files = new Set<string>();
  const outside = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    const { module } = parseSync(path, readFileSync(path, "utf8"));
    const exported = module.staticExports.flatMap((statement) =>
      statement.entries.flatMap((item) => item.moduleRequest ?? []),
    );
    for (const { value } of [...module.staticImports.map((statement) => statement.moduleRequest), ...exported]) {
      if (value.startsWith(".")) visit(join(dirname(path), value));
      else outside.add(value);
    }
  };
  visit(join(root, entry));
  return { files: [...files], outside: [...outside] };
}

describe.each(ENTRY_POINTS)("%s", (specifier, wanted) => {
  it.each(["import", "require"] as const)("gives its exports by %s", (kind) => {
    expect(namesBy(kind, specifier)).toEqual(expect.arrayContaining([...wanted]));
  });

  it("gives the same names by both", () => {
    const named = (kind: "import" | "require") =>
      namesBy(kind, specifier)
        .filter((name) => name !== "__esModule")
        .sort();
    expect(named("require")).toEqual(named("import"));
  });

  it("has its types beside it", () => {
    const path = manifest.exports[specifier.replace("echomq", ".")]!;
    expect(existsSync(join(root, path.replace(/\.js$/, ".d.ts")))).toBe(true);
  });
});

describe("the built files", () => {
  it("hold nothing of Node.js and no package behind echomq/protocol", () => {
    expect(graphOf(manifest.exports["./protocol"]!).outside).toEqual([]);
  });

  it("load no client of a server before one is asked for", () => {
    const { outside } = graphOf(manifest.exports["."]!);
    expect(outside.filter((name) => /valkey|redis/.test(name))).toEqual([]);
  });

  it("keep zlib, all that codecs need of Node.js, behind echomq/codec", () => {
    expect(graphOf(manifest.exports["./codec"]!).outside).toEqual(["node:zlib"]);
    expect(graphOf(manifest.exports["."]!).outside).not.toContain("node:zlib");
  });

  it("hold nothing of Node.js behind echomq/testing, and of packages what its queues need", () => {
    // It reads patterns of time, and is pure.
    expect(graphOf(manifest.exports["./testing"]!).outside).toEqual(["croner"]);
  });

  it("have no await at the top, so that require works", () => {
    const entries = Object.values(manifest.exports).filter((path) => path.endsWith(".js"));
    const files = new Set(entries.flatMap((entry) => graphOf(entry).files));
    const waiting = [...files].filter((path) => hasTopLevelAwait(readFileSync(path, "utf8"), path));
    expect(waiting).toEqual([]);
  });

  it("have a program that starts", () => {
    const output = execFileSync(process.execPath, [join(root, manifest.bin["echomq"]!), "--help"], {
      encoding: "utf8",
    });
    expect(output).toMatch(/echomq/);
  });
});

/** Whether a module awaits outside every function. As a script, such a module has a syntax error and no other has. */
function hasTopLevelAwait(text: string, path: string): boolean {
  const { program } = parseSync(path, text);
  return program.body.some((statement) => awaits(statement));
}

function awaits(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(awaits);
  if (typeof node !== "object" || node === null) return false;
  const { type, ...parts } = node as { type?: string };
  if (type === undefined || /Function|^MethodDefinition|^PropertyDefinition|^StaticBlock/.test(type)) return false;
  if (type === "AwaitExpression" || (type === "ForOfStatement" && (node as { await?: boolean }).await === true))
    return true;
  return Object.values(parts).some(awaits);
}
