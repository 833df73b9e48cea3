/**
 * Numbers of the command line.
 */

import { InvalidArgumentError } from "commander";

/**
 * A parser for options that are whole numbers: plain decimal digits within the range, nothing that a number might also
 * look like (`1e3`, `0x10`, a sign, a space).
 */
export function wholeNumber(range: { readonly min: number; readonly max: number }): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= range.min && value <= range.max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${range.min} to ${range.max}.`);
  };
}
