/** Where a Chromium lies on this machine, and why there is none. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of a Chromium: `ECHOMQ_CHROMIUM`, else the first on the `PATH`; `undefined` when there is none. */
export function findChromium(): string | undefined {
  const named = process.env["ECHOMQ_CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => isProgram(path));
}

/**
 * Why nothing can be tested in a browser, for `describe.skipIf`; `undefined` when there is one, and where it is
 * demanded: then whatever needs it fails.
 */
export function whyNoChromium(): string | undefined {
  if (process.env["ECHOMQ_BROWSER"] === "require") return undefined;
  return findChromium() === undefined ? "there is no Chromium; apt-get install chromium brings one" : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
