/**
 * Reads the arguments of commands as the server does, and refuses in its words.
 *
 * An argument is a byte string, or a number that a transition hands over as it is; both forms of one argument mean the
 * same. Integers are exact up to 2^53 - 1, which is all that the wire uses; the server's own bound is 2^63 - 1.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, notAnInteger } from "../store/command-error.ts";

const CANONICAL_INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;

/** The bytes of the argument at `index`, which is there. */
export function bytesAt(args: readonly Argument[], index: number): Bytes {
  const argument = args[index] as Argument;
  return typeof argument === "string" ? argument : String(argument);
}

/** The word at `index` in capitals, as options are compared; empty when there is none. */
export function wordAt(args: readonly Argument[], index: number): string {
  const argument = args[index];
  return typeof argument === "string" ? argument.toUpperCase() : "";
}

/** The integer at `index`. @throws CommandError when it is none. */
export function integerAt(args: readonly Argument[], index: number): number {
  return integerOf(args[index] as Argument) ?? refuse(notAnInteger());
}

/** The number that canonical decimal text stands for; `undefined` when it is not such text. */
export function integerOf(argument: Argument): number | undefined {
  if (typeof argument === "number") return Number.isSafeInteger(argument) ? argument : undefined;
  if (!CANONICAL_INTEGER.test(argument)) return undefined;
  const number = Number(argument);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The count at `index`, not negative. @throws CommandError when it is none. */
export function countAt(args: readonly Argument[], index: number): number {
  const count = integerOf(args[index] as Argument);
  if (count !== undefined && count >= 0) return count;
  throw new CommandError("ERR value is out of range, must be positive");
}

/** Throws, where an expression is wanted. */
export function refuse(error: CommandError): never {
  throw error;
}
