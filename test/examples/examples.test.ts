/**
 * Every example runs as it is printed, on the built package, and says what it should.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../examples", import.meta.url));

const OUTPUT: Readonly<Record<string, readonly string[]>> = {
  "first-job.mjs": ["welcome: sent to ada@example.com"],
  "retries.mjs": [
    "broken: dead, the order does not exist",
    "early: done when it was time",
    "flaky: attempt 1 failed, runs again",
    "flaky: attempt 2 failed, runs again",
    "flaky: done at last",
    "kept: broken, ok",
  ],
  "flow.mjs": ["stored: 3 children", "page of 3 rows", "page of 4 rows", "without Error: july.csv is not there"],
  "encrypted-payloads.mjs": [
    "stored: unreadable by others",
    "with one key, paid to DE",
    "with one key, unknown_key: 2026-spring",
    "with both keys, paid to FR",
  ],
  "virtual-time.mjs": [
    "hour 8: attempt 1",
    "hour 10: attempt 2",
    "hour 14: attempt 3",
    "hour 22: attempt 4",
    "after a day: 0 left, 1 completed",
    "keys that do not fit together: 0",
  ],
  "bulk-and-shutdown.mjs": ["added 200 jobs", "again: duplicate, pending", "closed: nothing is lost", "together: 200"],
};

const files = readdirSync(folder).filter((file) => file.endsWith(".mjs"));

describe("examples", () => {
  it.each(files)("%s says what it should and ends", { timeout: 120_000 }, (file) => {
    const out = execFileSync(process.execPath, [join(folder, file)], { encoding: "utf8", timeout: 60_000 });
    // Lines of jobs that run at the same time come in any order.
    expect(out.trimEnd().split("\n").sort()).toEqual([...(OUTPUT[file] ?? [])].sort());
  });

  it("are all on their page", () => {
    const page = readFileSync(join(folder, "README.md"), "utf8");
    const tested = readdirSync(join(folder, "testing")).filter((file) => file.startsWith("signup."));
    for (const file of [...files, ...tested.map((name) => `testing/${name}`)]) expect(page).toContain(`(${file})`);
  });
});

describe("the examples of tests", () => {
  const testing = join(folder, "testing");
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

  /** Runs a program as a user does, without what this run has set for itself. */
  const run = (args: readonly string[]): string => {
    const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_TEST_CONTEXT: undefined };
    return execFileSync(process.execPath, args, { encoding: "utf8", timeout: 120_000, env });
  };

  it("pass with Node's own runner", { timeout: 180_000 }, () => {
    const out = run(["--test", "--test-reporter=tap", join(testing, "signup.node.test.mjs")]);
    expect(out).toMatch(/^# pass 4$/m);
    expect(out).toMatch(/^# fail 0$/m);
  });

  it("pass with Vitest", { timeout: 180_000 }, () => {
    expect(run([vitest, "run", "--root", testing])).toMatch(/Tests\s+3 passed \(3\)/);
  });
});
