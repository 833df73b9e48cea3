/**
 * Runs the test files and counts what they say.
 *
 * Vitest prints to the terminal as it goes; the numbers come from its JSON report. A file that could not even be loaded
 * has no tests in the report, so it counts as one failure, and so does a run that ends badly for any other reason.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/**
 * Longest time of one run. `npm test` is to end within ten minutes, the long run within half an hour; both have more on
 * a machine with much else to do, and less than `.ci/run` gives the whole of them.
 */
const RUN_MS = 1_500_000;
const LONG_RUN_MS = 2_280_000;

/** Longest text of one reason, in characters. */
const REASON_MAX = 500;

/**
 * Resolves to how many tests passed, failed and were skipped, and which did the last two. `files` are the only ones
 * that run, and `env` is added to the environment.
 */
export async function runVitest({ root, isLong, files = [], env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), "echomq-report-"));
  const report = join(folder, "report.json");
  try {
    const code = await run({ root, isLong, report, files, env });
    return count(read(report), { root, code });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run({ root, isLong, report, files, env }) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, isLong ? [...args, "--passWithNoTests"] : args, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ECHOMQ_LONG: isLong ? "1" : "", ...env },
    });
    const limit = isLong ? LONG_RUN_MS : RUN_MS;
    const timer = setTimeout(() => {
      console.log(`FAIL vitest: ended after ${limit / 1000} s without a result`);
      child.kill("SIGKILL");
    }, limit);
    child.once("error", () => resolve(1));
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}

function read(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return undefined;
  }
}

function count(report, { root, code }) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0, failures: ["vitest: no report"], skips: [] };
  const named = (status) =>
    report.testResults.flatMap((file) =>
      file.assertionResults
        .filter((test) => status.includes(test.status))
        .map((test) => [relative(root, file.name), ...test.ancestorTitles, test.title].join(" > ") + reason(test)),
    );
  const failures = named(["failed"]);
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  for (const file of broken) failures.push(`${relative(root, file.name)}: ${file.message || "could not be run"}`);
  if (failures.length === 0 && code !== 0) failures.push(`vitest: exit code ${code} without a failed test`);
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
    skips: named(["skipped", "pending", "todo"]),
  };
}

/** What a failed test said, in one line: a log that is cut keeps its end. */
function reason({ failureMessages = [] }) {
  const text = failureMessages.join(" ").replaceAll(/\s+/g, " ").trim();
  return text === "" ? "" : `: ${text.slice(0, REASON_MAX)}`;
}
