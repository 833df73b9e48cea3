/**
 * Calls of acts as the server reads them, for the benches that measure acts by themselves: on a queue of their own,
 * with jobs whose ids are known by their number.
 */

import { JOB_NAME, PAYLOAD } from "./rows.mjs";

export const BASE = "emq:{bench}:";
export const SETS = [`${BASE}pending`, `${BASE}active`];
export const LEASE_MS = "600000";
export const PAYLOAD_TEXT = JSON.stringify(PAYLOAD);

const TURN_KEYS = [...SETS, `${BASE}schedule`, `${BASE}wake`, BASE];
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const rowOf = (id) => `${BASE}job:${id}`;

/** The id of a number; ids are in the order of numbers. */
export function idOf(number) {
  let text = "";
  for (let rest = number; text.length < 6; rest = Math.floor(rest / 62)) text = DIGITS[rest % 62] + text;
  return `JOB0Nb1V${text}`;
}

export const idsOf = (from, count) => Array.from({ length: count }, (_, at) => idOf(from + at));

/** Keys and arguments of the `ADMIT` of that many jobs from a number on. */
export function admitOf(from, size) {
  const rows = idsOf(from, size).flatMap((id) => [id, PAYLOAD_TEXT, JOB_NAME]);
  return [
    [BASE, SETS[0]],
    ["n", String(size), ...rows],
  ];
}

/**
 * Keys and arguments of a `TURN` that claims so many jobs and settles as many from a number on, but none below 0. Jobs
 * are settled with a result where one is given.
 */
export function turnOf(from, size, result = undefined) {
  const [op, rest] = result === undefined ? ["c", []] : ["r", [result]];
  const settled = from < 0 ? [] : [op, String(size), ...idsOf(from, size).flatMap((id) => [id, "1", ...rest])];
  return [TURN_KEYS, ["worker", LEASE_MS, String(size), ...settled]];
}

/**
 * The words of a call: its head, as `EVALSHA` and a hash or the name of a native command, and its keys and arguments.
 */
export function wordsOf(head, [keys, args]) {
  return [...head, String(keys.length), ...keys, ...args];
}
