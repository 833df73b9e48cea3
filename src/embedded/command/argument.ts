/**
 * Reads the arguments of commands as the server does, and refuses in its words.
 *
 * An argument is a byte string, or a number that a transition hands over as it is; both forms of one argument mean the
 * same. The server's integers have 64 bits. Where one is a limit, a count or an index, the nearest number does as well,
 * since nothing here is near 2^53 long; where it is stored or answered, {@link wideAt} has it whole.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, notAnInteger } from "../store/command-error.ts";
import { exactOf, INTEGER_MAX, INTEGER_MIN, type Whole, wholeOf } from "../store/whole.ts";

/** The bytes of the argument at `index`, which is there. */
export function bytesAt(args: readonly Argument[], index: number): Bytes {
  const argument = args[index] as Argument;
  return typeof argument === "string" ? argument : String(argument);
}

/** The arguments from `index` on, as bytes. */
export function bytesFrom(args: readonly Argument[], index: number): Bytes[] {
  const rest: Bytes[] = [];
  for (let at = index; at < args.length; at++) rest.push(bytesAt(args, at));
  return rest;
}

/** The word at `index` in capitals, as options are compared; empty when there is none. */
export function wordAt(args: readonly Argument[], index: number): string {
  const argument = args[index];
  return typeof argument === "string" ? argument.toUpperCase() : "";
}

/** The integer at `index`, beyond 2^53 the nearest number. @throws CommandError when it is none. */
export function integerAt(args: readonly Argument[], index: number): number {
  const argument = args[index] as Argument;
  return typeof argument === "number" && Number.isSafeInteger(argument) ? argument : Number(wideAt(args, index));
}

/** The integer at `index`, whole. @throws CommandError when it is none. */
export function wideAt(args: readonly Argument[], index: number): Whole {
  return integerOf(args[index] as Argument) ?? refuse(notAnInteger());
}

/** The 64-bit integer that canonical decimal text stands for; `undefined` when it is not such text. */
export function integerOf(argument: Argument): Whole | undefined {
  if (typeof argument === "number") return Number.isSafeInteger(argument) ? argument : undefined;
  return wholeOf(argument);
}

/** The count at `index`, not negative. @throws CommandError when it is none. */
export function countAt(args: readonly Argument[], index: number): number {
  const count = integerOf(args[index] as Argument);
  if (count !== undefined && count >= 0) return Number(count);
  throw new CommandError("ERR value is out of range, must be positive");
}

/** The sum of two integers. @throws CommandError when it has more than 64 bits. */
export function sumOf(number: Whole, by: Whole): Whole {
  if (typeof number === "number" && typeof by === "number") {
    const sum = number + by;
    if (Number.isSafeInteger(sum)) return sum;
  }
  const sum = BigInt(number) + BigInt(by);
  if (sum < INTEGER_MIN || sum > INTEGER_MAX) throw new CommandError("ERR increment or decrement would overflow");
  return exactOf(sum);
}

/** Refuses more arguments than a command takes. */
export function refuseMore(args: readonly Argument[], most: number, name: string): void {
  if (args.length > most) throw wrongNumber(name);
}

/** The refusal of a call with too few or too many arguments; `name` is in small letters. */
export function wrongNumber(name: string): CommandError {
  return new CommandError(`ERR wrong number of arguments for '${name}' command`);
}

/** Throws, where an expression is wanted. */
export function refuse(error: CommandError): never {
  throw error;
}
