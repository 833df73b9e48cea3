/** Where the native half lies that `npm run build:native` has built, and why there is none. */

import { existsSync } from "node:fs";
import { MODULE_PATH } from "../../scripts/native/module-path.mjs";

/** The path of the module. */
export function nativeModule(): string {
  return MODULE_PATH;
}

/**
 * Why the module cannot be tested, for `describe.skipIf`; `undefined` when it is there, and where it is demanded: then
 * whatever needs it fails.
 */
export function whyNoNative(): string | undefined {
  if (process.env["ECHOMQ_NATIVE"] === "require") return undefined;
  return existsSync(MODULE_PATH) ? undefined : "there is no native module; npm run build:native builds it";
}
