/** Where the built module lies: beside what else is built or fetched for this checkout, and never in the tree. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../../..");

/** What cargo builds into. */
export const TARGET_FOLDER = join(root, "node_modules/.cache/echomq/native/target");

/** The module as a server loads it. */
export const MODULE_PATH = join(
  TARGET_FOLDER,
  "release",
  process.platform === "darwin" ? "libtrafikey.dylib" : "libtrafikey.so",
);
