/** Reads the users of docs/operate/access.md, so that the page and the test can never differ. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../../docs/operate/access.md", import.meta.url));

/** The password in place of the one that the page leaves open. */
export const PASSWORD = "open-sesame";

/** The commands of the page in its order, each as its parts, for the queue given in place of `mail`. */
export function accessCommands(queue: string): string[][] {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith("ACL SETUSER "))
    .map((line) => line.replaceAll("{mail}", `{${queue}}`).replaceAll("PASSWORD", PASSWORD))
    .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? ""));
}
