/**
 * Wraps block comments that have grown beyond the line: the formatter leaves prose alone, and a test counts columns.
 *
 * Only paragraphs with a line that is too long are touched, and within them only from that line on, so a change shows
 * what it changed. Lists, examples, tables and one-line comments stay as they are. `node scripts/wrap-comments.mjs
 * [path…]`; without paths all tracked sources.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const COLUMNS_MAX = 120;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** A line of prose in a block comment: its margin, and its words. */
const PROSE = /^(\s*\* )(?![-@|`]{1}\s|```|@example)(\S.*)$/;

/** The text with every too long line of prose wrapped into the lines that follow it. */
export function wrapped(text) {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const match = PROSE.exec(lines[at]);
    if (match === null || lines[at].length <= COLUMNS_MAX) continue;
    const [, margin, words] = match;
    const cut = words.lastIndexOf(" ", COLUMNS_MAX - margin.length);
    if (cut <= 0) continue;
    lines[at] = margin + words.slice(0, cut);
    const rest = words.slice(cut + 1);
    const next = PROSE.exec(lines[at + 1] ?? "");
    // A line that goes on in the same paragraph takes the rest in front; otherwise the rest is a line of its own.
    if (next !== null && next[1] === margin && !next[2].startsWith("@")) lines[at + 1] = `${margin}${rest} ${next[2]}`;
    else lines.splice(at + 1, 0, margin + rest);
  }
  return lines.join("\n");
}

function main(paths) {
  const args = ["ls-files", "-z", "src", "test", "scripts", "tools", "bench"];
  const tracked = () => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  const sources = (paths.length > 0 ? paths : tracked()).filter((path) => /\.(?:ts|mts|mjs)$/.test(path));
  for (const path of sources.filter((source) => !source.endsWith(".generated.ts"))) {
    const text = readFileSync(join(root, path), "utf8");
    const result = wrapped(text);
    if (result === text) continue;
    writeFileSync(join(root, path), result);
    console.log(`wrapped ${path}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
