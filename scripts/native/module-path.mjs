/** Where the built module lies: beside what else is built or fetched for this checkout, and never in the tree. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "../../..");

/** What cargo builds into. */
export const TARGET_FOLDER = join(root, "node_modules/.cache/echomq/native/target");

const SUFFIX = process.platform === "darwin" ? "dylib" : "so";

/** The module as a server loads it. */
export const MODULE_PATH = join(TARGET_FOLDER, "release", `libtrafikey.${SUFFIX}`);

/** The floor of a native act, which only the benches build. */
export const FLOOR_PATH = join(TARGET_FOLDER, "release/examples", `libfloor.${SUFFIX}`);
