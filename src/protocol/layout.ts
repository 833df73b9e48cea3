/**
 * Judges the keys of a call before it is sent: the same shape and layout rules that the server half applies.
 *
 * All declared keys of a call are rebuilt from one queue name and compared whole, so a value can never become part of
 * another queue's key. The rules are read from the table of verbs, which is generated from `spec/`; the checks inside
 * the transitions come from the same files as code, and a property test holds the two together. Values (ranges, words,
 * groups of arguments) stand between shape and layout on the server and are left to it.
 */

import { isValidId } from "./id.ts";
import { baseKey, splitQueueKey } from "./key.ts";
import { type KeyShape, VERBS, type Verb, type VerbShape } from "./verbs.generated.ts";

const ROW = "job:<id>";
const ID_BYTES = 14;

/**
 * The text with which a server refuses the shape or the layout of a call, `undefined` when both are right.
 *
 * `args` are the arguments after the keys. The rule is the strict one of the native and the embedded form: the queue
 * name is not empty. Where no argument holds the id of a row, the key must end in exactly a branded id; where one does,
 * only their equality counts, since the act itself judges the id.
 */
export function checkLayout(verb: Verb, keys: readonly string[], args: readonly string[]): string | undefined {
  const shape = VERBS[verb];
  if (!hasRightKeyCount(shape, keys.length)) return `ERR EMQ.${verb} takes ${shape.keys.length} keys`;
  if (!hasRightArgumentCount(shape, args.length)) return `ERR wrong number of arguments for 'EMQ.${verb}' command`;
  return isLaidOut(shape, keys, args) ? undefined : `ERR EMQ.${verb} keys do not match the wire-4 layout`;
}

function hasRightKeyCount(shape: VerbShape, count: number): boolean {
  return shape.moreKeys.length > 0 ? count >= shape.keys.length : count === shape.keys.length;
}

function hasRightArgumentCount(shape: VerbShape, count: number): boolean {
  const fixed = shape.args.length;
  return count >= fixed && (shape.rest !== undefined || count <= fixed + shape.optional.length);
}

function isLaidOut(shape: VerbShape, keys: readonly string[], args: readonly string[]): boolean {
  const queue = splitQueueKey(keys[0] ?? "")?.queue;
  if (queue === undefined || queue === "") return false;
  const base = baseKey(queue);
  const rowAt = shape.keys.findIndex((key) => key.type === ROW && key.id === undefined);
  const rowId = rowAt < 0 ? "" : (keys[rowAt] ?? "").slice(-ID_BYTES);
  if (rowAt >= 0 && !isValidId(rowId)) return false;
  const fixed = shape.keys.length;
  const isOther = shape.keys.some((key, at) => key.or !== undefined && keys[at] === base + key.or);
  return (
    shape.keys.every((key, at) => keys[at] === base + typeOf(key, { args, rowId, isOther })) &&
    keys.slice(fixed).every((key) => shape.moreKeys.some((type) => isOfType(key, base, type)))
  );
}

/** Whether a further key is of a type; the star is any key of the queue, but not the base itself. */
function isOfType(key: string, base: string, type: string): boolean {
  if (type === ROW) return key === `${base}job:${key.slice(-ID_BYTES)}` && isValidId(key.slice(-ID_BYTES));
  return type === "*" ? key.startsWith(base) && key !== base : key === base + type;
}

/** What the type of a declared key depends on. */
interface Place {
  readonly args: readonly string[];
  /** The id of the row that no argument holds. */
  readonly rowId: string;
  /** Whether the call is about the second types of its keys. */
  readonly isOther: boolean;
}

/** The type of a declared key in this call, with the id or lane that it names. */
function typeOf(key: KeyShape, { args, rowId, isOther }: Place): string {
  const type = isOther ? (key.or ?? key.type) : key.type;
  // A function as the replacement: a text would read `$&` and its like inside an id as patterns.
  return type.replace(/<\w+>/, () => (key.id === undefined ? rowId : (args[key.id] ?? "")));
}
