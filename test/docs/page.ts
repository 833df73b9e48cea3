/**
 * The code of a page, ready to be compiled and run.
 *
 * A fence that begins with `ts` is compiled, one that begins with `ts run` is run as well, and one that begins with
 * `ts run server` is run with a real server, whose address stands in `ECHOMQ_URL`. What readers need not
 * see, such as a function that an example calls, stands in a comment of the page that begins with `<!-- ts`; it is put
 * in front of every block, which may declare the same names for itself. The first block of a page that is run has to do
 * without: who copies it has a whole program. Lines that print and end in `// → text` say what they print.
 */

import { readText } from "../tidy/repository.ts";

/** One fenced block of TypeScript. */
export interface Block {
  readonly page: string;
  /** The line of the page at which the code begins, from 1. */
  readonly line: number;
  readonly isRun: boolean;
  /** It is run with a real server. */
  readonly needsServer: boolean;
  readonly code: string;
  /** The whole module: the page's hidden part, unless it is a whole program, then the block in a scope of its own. */
  readonly module: string;
  /** What the block says that it prints, line by line. */
  readonly output: readonly string[];
}

/** Its blocks need two holders of one job, which takes more lines to set up than the page has to show. */
const STAGED = "docs/guide/fencing.md";

const FENCE = /^```ts( run)?( server)?\n([\s\S]*?)^```$/gm;
const HIDDEN = /^<!-- ts\n([\s\S]*?)^-->$/gm;
const IMPORT = /^import (type )?\{([^}]*)\} from ("[^"]+");.*\n/gm;
const OUTPUT = /\/\/ → (.*)$/gm;

/** The blocks of TypeScript of one page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readText(page);
  const hidden = [...text.matchAll(HIDDEN)].map((match) => match[1] ?? "").join("");
  const fences = [...text.matchAll(FENCE)];
  const whole = page === STAGED ? undefined : fences.find((match) => match[1] !== undefined);
  return fences.map((match) => {
    const code = match[3] ?? "";
    return {
      page,
      line: text.slice(0, match.index).split("\n").length + 1,
      isRun: match[1] !== undefined,
      needsServer: match[2] !== undefined,
      code,
      module: moduleOf(match === whole ? "" : hidden, code),
      output: [...code.matchAll(OUTPUT)].map((line) => line[1] ?? ""),
    };
  });
}

/** Imports of both parts, each name once; the hidden part; the block in braces, so that it may use its names again. */
function moduleOf(hidden: string, code: string): string {
  const names = new Map<string, Map<string, string>>();
  for (const [, type = "", list = "", from = ""] of (hidden + code).matchAll(IMPORT)) {
    const known = names.get(from) ?? new Map<string, string>();
    for (const part of list.split(",").map((name) => name.trim())) {
      if (part === "") continue;
      const bare = part.replace(/^type /, "");
      const isType = type !== "" || part !== bare;
      if (!isType || !known.has(bare)) known.set(bare, isType ? `type ${bare}` : bare);
    }
    names.set(from, known);
  }
  const imports = [...names].map(([from, known]) => `import { ${[...known.values()].join(", ")} } from ${from};\n`);
  const [setup, block] = [hidden, code].map((part) => part.replaceAll(IMPORT, ""));
  const isWhole = /^export /m.test(code);
  return `${imports.join("")}export {};\n${setup}${isWhole ? block : `{\n${block}}\n`}`;
}
