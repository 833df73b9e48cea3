/**
 * Packs the module for this platform as a package of its own: `npm run pack:native [-- --out <folder>]`.
 *
 * The tarball `echomq-trafikey-<platform>-<arch>[-<libc>]-<version>.tgz` holds the module and nothing that runs, and
 * its manifest names the platform, so that npm refuses it elsewhere. With `--out` it goes to that folder, else to the
 * one that the command was called in. The module is built first unless `--as-built` says that it is there.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MODULE_PATH } from "./module-path.mjs";

const root = join(fileURLToPath(import.meta.url), "../../..");

function main() {
  const { values } = parseArgs({ options: { out: { type: "string", default: "." }, "as-built": { type: "boolean" } } });
  const isBuilt =
    values["as-built"] === true ||
    spawnSync(process.execPath, [join(root, "scripts/native/build.mjs")], { stdio: ["ignore", 2, 2] }).status === 0;
  if (!isBuilt || !existsSync(MODULE_PATH))
    throw new Error("there is no module to pack; npm run build:native builds it");
  const folder = mkdtempSync(join(tmpdir(), "echomq-native-"));
  try {
    const manifest = manifestOf();
    cpSync(MODULE_PATH, join(folder, manifest.main));
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    writeFileSync(join(folder, "README.md"), readmeOf(manifest));
    const out = resolve(values.out);
    const output = execFileSync("npm", ["pack", "--json", `--pack-destination=${out}`], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    console.log(join(out, JSON.parse(output)[0].filename));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function manifestOf() {
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { platform, arch } = process;
  // The module is linked against the C library of the machine that builds it.
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "gnu";
  const file = basename(MODULE_PATH);
  return {
    name: `echomq-trafikey-${platform}-${arch}${platform === "linux" ? `-${libc}` : ""}`,
    version,
    description: `The native half of EchoMQ as a module of Valkey, built for ${platform} on ${arch}.`,
    license,
    os: [platform],
    cpu: [arch],
    ...(platform === "linux" ? { libc: [libc === "gnu" ? "glibc" : "musl"] } : {}),
    main: file,
    files: [file],
  };
}

function readmeOf({ name, version, main }) {
  return [
    `# ${name}`,
    "",
    `The native half of EchoMQ ${version}, ready-made: the module \`${main}\`, which Valkey 8.0 or later loads.`,
    "",
    "```sh",
    'valkey-server --loadmodule "$(npx echomq native)"',
    "```",
    "",
    "Use the release of your package `echomq`. The page docs/operate/native.md of its repository says the rest.",
    "",
  ].join("\n");
}

try {
  main();
} catch (error) {
  console.error(`pack:native: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
