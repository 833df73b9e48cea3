/**
 * Time, chance and the process come in through ports only.
 *
 * Whoever reads a clock or sets a timer past the ports cannot be tested without waiting, and whoever touches the
 * process does not run in a browser. Each rule names what to use instead.
 */

import { describe, expect, it } from "vitest";
import { trackedFiles } from "./repository.ts";
import { readSource } from "./source.ts";

interface Rule {
  readonly uses: readonly string[];
  readonly instead: string;
  readonly allowed: RegExp;
}

/** Files that are ports, and the program at the edge, which is one itself. */
const PORT = /(?:^|\/)(?:[a-z]+-)*(?:ports|clock)\.ts$|^src\/cli\//;

const RULES: readonly Rule[] = [
  { uses: ["Date.now", "new Date", "performance"], instead: "ports.clock.now()", allowed: PORT },
  { uses: ["Math.random"], instead: "ports.random()", allowed: PORT },
  // A nonce needs the platform's own source of chance, which no test may replace.
  { uses: ["crypto"], instead: "ports.random()", allowed: /ports\.ts$|^src\/codec\/encryption\.ts$/ },
  { uses: ["setTimeout", "setInterval"], instead: "ports.clock.after()", allowed: PORT },
  { uses: ["setImmediate"], instead: "ports.later()", allowed: PORT },
  { uses: ["process.nextTick", "queueMicrotask"], instead: "ports.soon()", allowed: PORT },
  { uses: ["console"], instead: "ports.logger", allowed: /ports\.ts$|^src\/cli\// },
  {
    uses: ["process"],
    instead: "a port or an option",
    allowed: /ports\.ts$|^src\/cli\/|^src\/valkey\/|^src\/[a-z-]+\.ts$/,
  },
  {
    uses: ["Buffer"],
    instead: "Bytes and Uint8Array",
    allowed: /^src\/(?:(?:valkey|server|cli)\/|node-file-layer\.ts$)/,
  },
  { uses: ["fetch", "WebSocket"], instead: "an engine", allowed: /^$/ },
];

const sources = trackedFiles().filter((path) => /^src\/.+\.ts$/.test(path));

describe("the outside world in src", () => {
  it.each(sources)("%s", (path) => {
    const { uses } = readSource(path);
    const found = RULES.filter((rule) => !rule.allowed.test(path)).flatMap((rule) =>
      uses
        .filter(({ text }) => rule.uses.includes(text))
        .map(({ text, line }) => `line ${line}: ${text} is for ports; use ${rule.instead}`),
    );
    expect(found).toEqual([]);
  });
});
