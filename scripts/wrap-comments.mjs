/**
 * Wraps block comments that have grown beyond the line: the formatter leaves prose alone, and a test counts columns.
 *
 * Only paragraphs with a line that is too long are touched, and within them only from that line on, so a change shows
 * what it changed. Tables and fences stay as they are.
 *
 * `node scripts/wrap-comments.mjs [path…]`; without paths all tracked sources.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const COLUMNS_MAX = 120;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** A line in a block comment: its margin, the mark of a list item if it has one, and its words. */
const PROSE = /^(\s*\* +)(- |\d+\. )?(?![-|`]{1,3}(?:\s|$|`))(\S.*)$/;

/** A comment of one line. */
const SINGLE = /^(\s*)\/\*\* (\S.*) \*\/$/;

/** The text with every too long line of prose wrapped into the lines that follow it. */
export function wrapped(text) {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    if (lines[at].length <= COLUMNS_MAX) continue;
    const single = SINGLE.exec(lines[at]);
    if (single !== null) lines.splice(at, 1, `${single[1]}/**`, `${single[1]} * ${single[2]}`, `${single[1]} */`);
    const match = PROSE.exec(lines[at]);
    if (match !== null && lines[at].length > COLUMNS_MAX) wrapLine(lines, at, match);
  }
  return lines.join("\n");
}

/** Moves the words that are too much to the next line, if it goes on in the same paragraph, or to one of their own. */
function wrapLine(lines, at, [, margin, mark = "", words]) {
  const cut = words.lastIndexOf(" ", COLUMNS_MAX - margin.length - mark.length);
  if (cut <= 0) return;
  lines[at] = margin + mark + words.slice(0, cut);
  const rest = words.slice(cut + 1);
  // What follows an item of a list, or a tag, is indented by the mark or by two.
  const inner = margin + " ".repeat(words.startsWith("@") ? 2 : mark.length);
  const next = PROSE.exec(lines[at + 1] ?? "");
  const goesOn = next !== null && next[1] === inner && next[2] === undefined && !next[3].startsWith("@");
  if (goesOn) lines[at + 1] = `${inner}${rest} ${next[3]}`;
  else lines.splice(at + 1, 0, inner + rest);
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
