/**
 * Every link of every page leads somewhere: to a file of the repository, and to a heading that it has.
 */

import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { readText, root, trackedFiles } from "./repository.ts";

const pages = trackedFiles().filter((path) => path.endsWith(".md"));
const sources = trackedFiles().filter((path) => /^(?:src|test|scripts|tools|spec)\/.+\.(?:ts|mjs|json)$/.test(path));

/** Text without fenced and inline code, where brackets mean something else. */
function proseOf(page: string): string {
  return readText(page)
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, "")
    .replaceAll(/`[^`\n]*`/g, "");
}

/** The anchors of a page's headings, as code hosts make them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...readText(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map((match) => match[1] ?? "");
  const named = [...readText(page).matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? "");
  const plain = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
  return new Set([...plain, ...named]);
}

function faultOf(page: string, link: string): string | undefined {
  if (/^(?:[a-z]+:|\/\/)/i.test(link)) return undefined;
  const [target = "", anchor] = link.split("#");
  const path = target === "" ? page : posix.join(posix.dirname(page), decodeURI(target));
  if (!existsSync(join(root, path))) return `${page}: ${link} leads to no file`;
  if (anchor === undefined || anchor === "" || !path.endsWith(".md")) return undefined;
  return anchorsOf(path).has(anchor) ? undefined : `${page}: ${link} leads to no heading`;
}

it("links of pages resolve", () => {
  const faults = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].flatMap(
      (match) => faultOf(page, match[1] ?? "") ?? [],
    ),
  );
  expect(faults).toEqual([]);
});

it("pages that sources point to exist", () => {
  const faults = sources.flatMap((path) =>
    [...readText(path).matchAll(/\b(docs\/[\w/-]+\.md)\b/g)]
      .filter((match) => !existsSync(join(root, match[1] ?? "")))
      .map((match) => `${path}: ${match[1]} does not exist`),
  );
  expect(faults).toEqual([]);
});
