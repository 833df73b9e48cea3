/**
 * Who may know whom: the arrows between the folders of `src/`.
 *
 * The compiler refuses an import that no project reference allows, but a reference is easily added. What must never be
 * is written down here, and what the compiler does not see: packages and Node.js modules, and the package itself.
 */

import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { readJson, trackedFiles } from "./repository.ts";
import { readSource } from "./source.ts";

/** What each folder may import of the others, whatever its tsconfig says. `.` is the root of `src/`. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  transition: ["protocol"],
  engine: ["protocol", "transition"],
  embedded: ["protocol", "transition", "engine"],
  valkey: ["protocol", "transition", "engine"],
  doctor: ["protocol", "engine"],
  queue: ["protocol", "engine", "doctor"],
  worker: ["protocol", "engine", "queue"],
  codec: ["protocol", "queue"],
  conformance: ["protocol", "engine", "doctor", "queue"],
  testing: ["protocol", "transition", "engine", "embedded", "doctor", "queue", "worker", "."],
  server: ["protocol", "transition", "engine", "embedded", "queue"],
  cli: ["protocol", "engine", "embedded", "valkey", "doctor", "queue", "worker", "conformance", "server", "."],
  ".": ["protocol", "engine", "embedded", "valkey", "doctor", "queue", "worker"],
};

/** Packages and Node.js modules, by the folders that may use them. */
const OUTSIDE: Readonly<Record<string, RegExp>> = {
  valkey: /^(?:iovalkey|ioredis|node:.+)$/,
  // Pure: it reads patterns and walks a calendar.
  queue: /^croner$/,
  codec: /^node:zlib$/,
  server: /^node:.+$/,
  cli: /^(?:commander|node:.+)$/,
  ".": /^(?:prom-client|@opentelemetry\/api|node:.+)$/,
};

const sources = trackedFiles().filter((path) => /^src\/.+\.ts$/.test(path));

/** The folder of `src/` that a path of the repository lies in. */
function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.length === 2 ? "." : (parts[1] ?? "");
}

describe("imports of src", () => {
  it.each(sources)("%s", (path) => {
    const folder = folderOf(path);
    const wrong: string[] = [];
    for (const { text, line } of readSource(path).imports) {
      const isRelative = text.startsWith(".");
      const target = isRelative ? folderOf(posix.join(posix.dirname(path), text)) : "";
      if (!isRelative) {
        if (!OUTSIDE[folder]?.test(text)) wrong.push(`line ${line}: ${folder} may not import ${text}`);
      } else if (!text.endsWith(".ts")) {
        wrong.push(`line ${line}: ${text} must end in .ts`);
      } else if (target !== folder && !ARROWS[folder]?.includes(target)) {
        wrong.push(
          `line ${line}: ${folder} may not know ${target}; it knows ${ARROWS[folder]?.join(", ") || "nothing"}`,
        );
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("project references", () => {
  const configs = trackedFiles().filter((path) => /^src\/(?:\w+\/)?tsconfig\.json$/.test(path));

  it.each(configs)("%s refers to nothing that may not be imported", (path) => {
    const { references = [] } = readJson(path) as { references?: { path: string }[] };
    const folder = folderOf(path);
    const targets = references.map((reference) => posix.join(posix.dirname(path), reference.path));
    const folders = targets.map((target) =>
      /^src(?:\/tsconfig\.json)?$/.test(target) ? "." : (target.split("/")[1] ?? ""),
    );
    expect(folders.filter((target) => !ARROWS[folder]?.includes(target))).toEqual([]);
  });

  it("leave types of Node.js to the folders that may use it", () => {
    const withNode = configs.filter((path) => {
      const { compilerOptions = {} } = readJson(path) as { compilerOptions?: { types?: string[] } };
      return compilerOptions.types?.includes("node");
    });
    expect(withNode.map(folderOf).filter((folder) => OUTSIDE[folder] === undefined)).toEqual([]);
  });
});
