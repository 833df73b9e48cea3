/**
 * Generates everything that comes from `spec/`: types, tables, checks and reference pages.
 *
 * `node scripts/generate.mjs` writes what changed; `--check` writes nothing and ends with 1 when a file is stale, which
 * is what the test does. The Lua files come from `tools/lua/build.mjs`, the acts of the native half from
 * `scripts/native/generate.mjs`, and the list of cases from `cases.mjs`, which this script runs as its last steps.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeCases } from "./cases.mjs";
import { checkFile } from "./generate/check.mjs";
import { formatted } from "./generate/format.mjs";
import { errorsPage, keysPage, recordPage, verbsPage } from "./generate/pages.mjs";
import { errorTable, registryTable, replyTable, transitionTable, verbTable } from "./generate/tables.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Reads the whole of `spec/`, verbs in order of plane and name. */
function readSpec() {
  const json = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
  const planes = readdirSync(join(root, "spec"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const verbs = planes.flatMap((plane) =>
    readdirSync(join(root, "spec", plane))
      .filter((file) => file.endsWith(".json"))
      .sort()
      .map((file) => json(`spec/${plane}/${file}`)),
  );
  return { verbs, errors: json("spec/errors.json"), keys: json("spec/keys.json"), record: json("spec/record.json") };
}

/** Every generated file: path to text. */
export function generated(spec = readSpec()) {
  const files = new Map();
  files.set("src/protocol/verbs.generated.ts", verbTable(spec.verbs));
  files.set("src/protocol/error-codes.generated.ts", errorTable(spec.errors));
  files.set("src/protocol/registry.generated.ts", registryTable(spec));
  files.set("src/transition/transitions.generated.ts", transitionTable(spec.verbs));
  files.set("src/conformance/replies.generated.ts", replyTable(spec.verbs));
  for (const verb of spec.verbs) {
    files.set(`src/transition/check/${verb.plane}/${verb.verb.toLowerCase()}.generated.ts`, checkFile(verb));
  }
  files.set("docs/reference/verbs.md", verbsPage(spec.verbs));
  files.set("docs/reference/errors.md", errorsPage(spec.errors));
  files.set("docs/reference/keys.md", keysPage(spec.keys));
  files.set("docs/reference/record.md", recordPage(spec.record));
  return formatted(files);
}

/** The paths whose file on disk differs from what `files` says. */
export function staleFiles(files, base = root) {
  return [...files].filter(([path, text]) => readOrEmpty(join(base, path)) !== text).map(([path]) => path);
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Runs a generator of its own; whether it is content. */
function runScript(script, check) {
  const { status } = spawnSync(process.execPath, [script, ...(check ? ["--check"] : [])], {
    cwd: root,
    stdio: "inherit",
  });
  return status === 0;
}

function main(check) {
  const files = generated();
  const stale = staleFiles(files);
  for (const path of stale) {
    if (!check) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), files.get(path));
    }
    console.log(`${check ? "stale" : "wrote"} ${path}`);
  }
  const areActsDone = ["tools/lua/build.mjs", "scripts/native/generate.mjs"].map((script) => runScript(script, check));
  const areCasesFresh = writeCases(check);
  process.exitCode = areActsDone.includes(false) || (check && (stale.length > 0 || !areCasesFresh)) ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"));
