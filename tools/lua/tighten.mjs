/**
 * Rewrites what the compiler to Lua writes longer than the server has to run it.
 *
 * - `(a .. b) .. c` as `a .. b .. c`: the brackets would have the server make, hash and intern the text of the first
 *   two alone. Keys are put together so, many of them for each job.
 * - `[at + 1 + 1]` as `[at + 2]`: positions count from 1 there, and the server folds only what it knows.
 * - A counting `while` as a `for`, which counts in one instruction, where neither the counter nor its end is written to
 *   within.
 */

/** Pieces of Lua: comments, texts, names and numbers, the longer operators, single signs. Spaces are pieces too. */
const PIECE = /--.*|"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|\.\.\.?|[=~<>]=|\s+|[^\s]/g;

/** What binds less than `..` does, or begins something else: brackets around it must stay. */
const LOOSE = new Set(["and", "or", "not", "==", "~=", "<", ">", "<=", ">=", ",", "function", "="]);

const isSpace = (piece) => /^\s/.test(piece);

/** The place of the next piece that is no space. */
function after(pieces, at) {
  let next = at + 1;
  while (next < pieces.length && isSpace(pieces[next])) next += 1;
  return next;
}

/** Behind what a bracket opens neither the arguments of a call nor a list of parameters. */
const OPENERS = new Set([
  "and",
  "or",
  "return",
  "if",
  "elseif",
  "while",
  "in",
  "(",
  "[",
  "{",
  ",",
  "=",
  "..",
  "==",
  "~=",
]);

/** Whether the bracket at a place holds a value and is not bound to a sign or a name before it. */
function holdsValue(pieces, at) {
  let before = at - 1;
  while (before >= 0 && (isSpace(pieces[before]) || pieces[before] === "")) before -= 1;
  return OPENERS.has(pieces[before]);
}

/** Where the bracket at a place closes, and whether all between is texts put together. */
function closing(pieces, at) {
  let depth = 0;
  let joins = false;
  let isLoose = false;
  for (let next = at; next < pieces.length; next += 1) {
    const piece = pieces[next];
    if ("([{".includes(piece)) depth += 1;
    else if (")]}".includes(piece)) depth -= 1;
    else if (depth === 1) {
      joins ||= piece === "..";
      isLoose ||= LOOSE.has(piece) || piece.startsWith("--");
    }
    if (depth === 0) return { end: next, joins: joins && !isLoose };
  }
  throw new Error("a bracket is not closed");
}

/** Without the brackets around texts that are put together with more behind them. */
function joined(text) {
  const pieces = text.match(PIECE) ?? [];
  for (let at = 0; at < pieces.length; at += 1) {
    if (pieces[at] !== "(" || !holdsValue(pieces, at)) continue;
    const { end, joins } = closing(pieces, at);
    if (!joins || pieces[after(pieces, end)] !== "..") continue;
    pieces[at] = "";
    pieces[end] = "";
  }
  return pieces.join("");
}

/** With the numbers at the end of a position added up. */
function folded(text) {
  return text.replace(/ \+ (\d+) \+ 1\]/g, (_, number) => ` + ${Number(number) + 1}]`);
}

/** Whether a piece of Lua gives a variable another value. */
function writes(body, word) {
  return new RegExp(`^ *(?:local )?(?:\\w+, )*${word}(?:, \\w+)* = `, "m").test(body);
}

const LOOP =
  /^( *)do\n\1 {4}local (\w+) = (.+)\n\1 {4}while \2 < (\w+) do\n((?:\1 {8}.*\n|\n)*?)\1 {8}\2 = \2 \+ (\w+)\n\1 {4}end\n\1end$/gm;

/** With counting loops as Lua has them. */
function counted(text) {
  return text.replace(LOOP, (whole, indent, name, first, past, body, step) => {
    const inner = counted(body);
    const isFixed = ![name, past, step].some((word) => writes(body, word)) && !/\bfunction\b/.test(body);
    if (!isFixed) return whole.replace(body, () => inner);
    const by = step === "1" ? "" : `, ${step}`;
    return `${indent}for ${name} = ${first}, ${past} - 1${by} do\n${inner.replace(/^ {4}/gm, "")}${indent}end`;
  });
}

/** A piece of Lua as the compiler writes it, in fewer steps. Strings and comments stay as they are. */
export function tightened(text) {
  return counted(folded(joined(text)));
}
