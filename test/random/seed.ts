/**
 * The seed from which all random tests draw, so that a run can be repeated: the same one each time, unless
 * `ECHOMQ_SEED` in the environment gives another.
 *
 * `setup.ts` hands it to fast-check, which prints it with a property that fails. Tests that draw by themselves take it
 * from here.
 */

/** The seed of a run that was given none. */
const DEFAULT_SEED = 1_729;

const SEED_MIN = -(2 ** 31);
const SEED_MAX = 2 ** 31 - 1;

/** The seed that a text gives, or the fixed one. @throws TypeError when the text is none. */
export function seedOf(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SEED;
  const seed = Number(text);
  if (/^-?\d+$/.test(text) && seed >= SEED_MIN && seed <= SEED_MAX) return seed;
  throw new TypeError(`ECHOMQ_SEED is ${JSON.stringify(text)} and must be an integer from ${SEED_MIN} to ${SEED_MAX}`);
}

/** The seed of this run. */
export const SEED: number = seedOf(process.env["ECHOMQ_SEED"]);
