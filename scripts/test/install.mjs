/**
 * Finds out whether `npm ci` has been done for this very lock file, before a missing package fails somewhere deep.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What to tell the caller, or `undefined` when everything of the lock file is installed. */
export function lackOfInstall(root) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return `Node.js 20.19 or later is needed, this is ${process.version}.`;
  const wanted = packagesOf(join(root, "package-lock.json"));
  const installed = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return "Nothing is installed: run npm ci first.";
  const lacking = Object.entries(wanted)
    .filter(([path, entry]) => path !== "" && path.includes("node_modules/") && !isOptional(entry))
    .filter(([path, entry]) => installed[path]?.version !== entry.version)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
  if (lacking.length === 0) return undefined;
  return `Not installed as package-lock.json says: ${lacking.slice(0, 5).join(", ")}. Run npm ci first.`;
}

/** Binaries of other platforms are in the lock file and stay away. */
function isOptional(entry) {
  return entry.optional === true || entry.devOptional === true || entry.peer === true;
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}
