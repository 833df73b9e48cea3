/**
 * The native half in a run of the tests: the module is built, and its crate is checked, beside the other steps.
 *
 * Cargo takes more than a minute where nothing is built yet, and works with a lower priority, so that what runs beside
 * it is not held up. A machine without cargo or libclang skips the steps and says why; with `ECHOMQ_NATIVE=require` in
 * the environment, as `.ci/run` has it, each is a failure.
 */

/** How a step ends when the machine lacks what it needs; see `scripts/native/cargo.mjs`. */
const LACKING = 3;

/** Longest time of one step, in ms: a first build on a machine with much else to do. */
const STEP_MS = 900_000;

const BUILD = ["native", "the native module builds", "scripts/native/build.mjs", "--as-committed"];

const CHECKS = [
  ["native-form", "the native half is in form", "scripts/native/check.mjs", "form"],
  ["native-lint", "clippy finds nothing", "scripts/native/check.mjs", "lint"],
  ["native-units", "the unit tests of the native half pass", "scripts/native/check.mjs", "units"],
];

/**
 * Begins with the steps that `isWanted` takes, one after the other. `runStep` runs one; `built` resolves when the
 * module is there or will not be, and `done` to what all steps count.
 */
export function startNative({ isWanted, isLong, runStep }) {
  const run = (step) => runStep(step, { priority: 5, limitMs: STEP_MS, lacking });
  const isBuilt = isWanted("native") ? run(BUILD) : undefined;
  const rest = async () => {
    const results = isBuilt === undefined ? [] : [await isBuilt];
    // A long run relies on `npm test` for the checks, and needs the module.
    for (const step of CHECKS) if (!isLong && isWanted(step[0])) results.push(await run(step));
    return results;
  };
  return { built: isBuilt ?? Promise.resolve(), done: rest() };
}

/** What a step counts as that ended with `code`, where it lacks something: `undefined` when it does not. */
function lacking({ code, output, name, claim }) {
  if (code !== LACKING) return undefined;
  const why = output.trim().split("\n").at(-1) ?? "";
  const line = `${name}: ${claim} (${why})`;
  const isDemanded = process.env.ECHOMQ_NATIVE === "require";
  return isDemanded
    ? { passed: 0, failed: 1, skipped: 0, failures: [line], skips: [] }
    : { passed: 0, failed: 0, skipped: 1, failures: [], skips: [line] };
}
