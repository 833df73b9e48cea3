/**
 * Generates the acts of the native module from `src/transition/`: one Rust file for each file of the subset.
 *
 * `node scripts/native/generate.mjs` writes what changed; `--check` writes nothing and ends with 1 when a file is
 * stale. Cargo is not needed: what is written here is not formatted by it.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { factsOf } from "./facts.mjs";
import { ModuleWriter } from "./module.mjs";
import { moduleFile } from "./names.mjs";
import { moduleTree } from "./tree.mjs";
import { verbTable } from "./verb-table.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const crate = join(root, "native/trafikey/src/act");

/** Every verb of `spec/`, in order of plane and name. */
function readVerbs() {
  return readdirSync(join(root, "spec"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((plane) =>
      readdirSync(join(root, "spec", plane.name)).map((file) =>
        JSON.parse(readFileSync(join(root, "spec", plane.name, file), "utf8")),
      ),
    )
    .sort((a, b) => (a.plane + a.verb < b.plane + b.verb ? -1 : 1));
}

/** Every generated file, by its path below `native/trafikey/src/act`. */
export function generated() {
  const verbs = readVerbs();
  const facts = factsOf(root, verbs);
  const files = new Map();
  for (const [path, source] of facts.sources) {
    files.set(moduleFile(path), new ModuleWriter(facts, source, path).module());
  }
  for (const [path, text] of moduleTree([...files.keys()])) files.set(path, text);
  files.set("verbs.rs", verbTable(verbs));
  return files;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Files below the generated folder that nothing stands for. */
function strays(files) {
  try {
    return readdirSync(crate, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(crate, join(entry.parentPath, entry.name)))
      .filter((path) => !files.has(path));
  } catch {
    return [];
  }
}

function main(check) {
  const files = generated();
  const stale = [...files].filter(([path, text]) => read(join(crate, path)) !== text).map(([path]) => path);
  const stray = strays(files);
  for (const path of stale) {
    if (!check) {
      mkdirSync(dirname(join(crate, path)), { recursive: true });
      writeFileSync(join(crate, path), files.get(path));
    }
    console.log(`${check ? "stale" : "wrote"} native/trafikey/src/act/${path}`);
  }
  for (const path of stray) {
    if (!check) rmSync(join(crate, path));
    console.log(`${check ? "stray" : "removed"} native/trafikey/src/act/${path}`);
  }
  process.exitCode = check && stale.length + stray.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"));
