/**
 * Sources the script in a real bash and asks it what it would complete.
 */

import { execFileSync } from "node:child_process";

/** Sets the words as bash does, calls the function, prints the replies. */
const ASK = `
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_echomq
printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** What bash offers for the last word, which may be empty, of a line that begins with `echomq`. */
export function completeInBash(scriptPath: string, words: readonly string[], folder?: string): string[] {
  const args = ["--norc", "--noprofile", "-u", "-c", ASK, "ask", scriptPath, "echomq", ...words];
  const out = execFileSync("bash", args, { encoding: "utf8", ...(folder === undefined ? {} : { cwd: folder }) });
  return out.split("\n").filter((line) => line !== "");
}
