/**
 * How the tests run: one process, no isolation between files, which is sound because no module keeps mutable state and
 * every test builds its own bundle. Files named `*.long.test.ts` are left out unless `ECHOMQ_LONG` is set, which is
 * what `npm run test:long` does. `npm run test:explore` sets `ECHOMQ_EXPLORE`, and runs files of both kinds.
 */

import { defineConfig } from "vitest/config";

const all = process.env["ECHOMQ_EXPLORE"] === "1";
const long = all || process.env["ECHOMQ_LONG"] === "1";

export default defineConfig({
  test: {
    include: long && !all ? ["test/**/*.long.test.ts"] : ["test/**/*.test.ts", "test/**/*.prop.test.ts"],
    exclude: long ? [] : ["test/**/*.long.test.ts"],
    pool: "threads",
    isolate: false,
    // The machine that counts has two cores, and servers run beside the tests.
    maxWorkers: 2,
    // They end what hangs, and nothing else: on a machine with much else to do a test may take ten times its time.
    testTimeout: long ? 600_000 : 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    globalSetup: ["test/server/global-setup.ts"],
    setupFiles: ["test/random/setup.ts"],
    typecheck: {
      enabled: !long,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "test/tsconfig.json",
      checker: "tsc",
      // The whole of the tests is compiled by a step of its own, which counts these errors once.
      ignoreSourceErrors: true,
    },
  },
});
