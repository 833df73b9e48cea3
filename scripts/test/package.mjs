/**
 * Packs the package as it would be published and looks at the result: by publint, and for what publint does not know,
 * that nothing but the promised folders is in it and that every entry point is.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * What the archive may hold besides package.json. No source maps: the sources that they point at stay here, and what
 * the compiler writes reads like them, comments and all.
 */
const ALLOWED = [/^dist\/.+\.(?:js|d\.ts)$/, /^(?:lua|spec)\/.+/, /^(?:README|LICENSE|CHANGELOG)/];

/**
 * Advice that is not taken: in place of `browser` as a table, `imports` with a condition. The sources would name their
 * own parts by it, and their tests, which load the sources, would load the built files beside them.
 */
const NOT_TAKEN = ["USE_EXPORTS_OR_IMPORTS_BROWSER"];

/** Packs into `folder` without running scripts: the build was a step of its own. */
function pack(folder) {
  const args = ["pack", "--ignore-scripts", "--json", `--pack-destination=${folder}`];
  const output = execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const [{ filename, files }] = JSON.parse(output);
  return { tarball: join(folder, filename), paths: files.map((file) => file.path) };
}

function problemsOf(paths, manifest) {
  const strange = paths.filter((path) => path !== "package.json" && !ALLOWED.some((pattern) => pattern.test(path)));
  const promised = [...Object.values(manifest.exports), ...Object.values(manifest.bin)].map((path) => path.slice(2));
  const missing = promised.filter((path) => !paths.includes(path));
  const entries = Object.values(manifest.exports).filter((path) => path.endsWith(".js"));
  const untyped = entries.filter((path) => !paths.includes(path.slice(2).replace(/js$/, "d.ts")));
  return [
    ...strange.map((path) => `${path} has no place in the package`),
    ...missing.map((path) => `${path} is promised by package.json and not in the package`),
    ...untyped.map((path) => `${path} has no types beside it`),
  ];
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "echomq-pack-"));
  try {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { tarball, paths } = pack(folder);
    const archive = readFileSync(tarball);
    const content = archive.buffer.slice(archive.byteOffset, archive.byteOffset + archive.byteLength);
    const { messages } = await publint({ pack: { tarball: content }, strict: true });
    const taken = messages.filter(({ code }) => !NOT_TAKEN.includes(code));
    const problems = [...problemsOf(paths, manifest), ...taken.map((message) => formatMessage(message, manifest))];
    for (const problem of problems) console.log(problem);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
