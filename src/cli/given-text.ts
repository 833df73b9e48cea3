/**
 * Texts of the command line that must not be empty, as they are where a variable of the shell is not set.
 */

import { InvalidArgumentError } from "commander";

/** A parser for options that name something: an empty text names nothing. */
export function givenText(what: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== "") return text;
    throw new InvalidArgumentError(`It is empty: give ${what}, or leave the option out.`);
  };
}

/** Reads the path of a folder. Nothing that a shell or a URL would have made another path of passes for one. */
export function folderPath(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It is empty: give the path of a folder, such as ./data.");
  if (/^file:/i.test(text)) {
    throw new InvalidArgumentError("A path is asked for, and no URL: leave the file: out, as in ./data.");
  }
  if (/^~(?:[/\\]|$)/.test(text)) {
    throw new InvalidArgumentError("The shell has left the ~ as it is: write the whole path, or ./~ if that is meant.");
  }
  return text;
}
