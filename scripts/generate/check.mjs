/**
 * Writes the check of one verb: shape, values and layout, in this order, as a function in the transition subset.
 *
 * The same function guards the Lua form and the embedded engine, so the refusals of both are the same bytes.
 */

import { HEADER, pascal } from "./text.mjs";

/** Hand-written checks for what a table cannot say, by kind of rest: module and function. */
const REST = {
  admit: { module: "../../step/admit-rows.ts", name: "badAdmitRow" },
  settle: { module: "../../step/settlements.ts", name: "badSettlement" },
  pairs: { module: "../../step/pairs.ts", name: "badPair" },
  flow: { module: "../../step/flow-args.ts", name: "badFlow" },
  hold: { module: "../../step/flow-args.ts", name: "badHold" },
  child: { module: "../../step/flow-args.ts", name: "badChild" },
  expect: { module: "../../step/flow-args.ts", name: "badExpect" },
  repeat: { module: "../../step/repeat-pairs.ts", name: "badRepeat" },
};

/** The whole module. */
export function checkFile(verb) {
  const rest = REST[verb.rest?.kind];
  const lines = [...shape(verb), ...values(verb), ...(rest ? restCheck(verb, rest) : []), ...layout(verb)];
  const name = `check${pascal(verb.verb)}`;
  return `${HEADER}
import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
${rest ? `import { ${rest.name} } from "${rest.module}";\n` : ""}
/** Shape, values and layout of \`EMQ.${verb.verb}\`: the text of the refusal, empty when all is well. */
export function ${name}(${usesServer(verb) ? "s" : "_s"}: Server, keys: Bytes[], ${usesArgs(verb) ? "args" : "args"}: Bytes[]): Bytes {
${lines.map((line) => `  ${line}`).join("\n")}
  return "";
}
`;
}

const usesServer = () => true;
const usesArgs = () => true;

function shape(verb) {
  const fixed = verb.args.length;
  const optional = verb.optional?.length ?? 0;
  const keys = verb.keys.length;
  const takes = `if (keys.length ${verb.moreKeys ? "<" : "!=="} ${keys}) return "ERR EMQ.${verb.verb} takes ${keys} keys";`;
  const wrong = `return "ERR wrong number of arguments for 'EMQ.${verb.verb}' command";`;
  if (verb.rest) return [takes, ...(fixed > 0 ? [`if (args.length < ${fixed}) ${wrong}`] : [])];
  const count =
    optional > 0 ? `args.length < ${fixed} || args.length > ${fixed + optional}` : `args.length !== ${fixed}`;
  return [takes, `if (${count}) ${wrong}`];
}

function values(verb) {
  const lines = [];
  const check = (arg, at, guard) => {
    const bad = badValue(arg, `args[${at}]`);
    if (bad) lines.push(`if (${guard}${bad}) return "${badArgument(verb, arg.name)}";`);
  };
  verb.args.forEach((arg, at) => check(arg, at, ""));
  (verb.optional ?? []).forEach((arg, index) => {
    const at = verb.args.length + index;
    check(arg, at, `args.length > ${at} && `);
  });
  if (verb.rest?.kind === "words") {
    lines.push(
      `for (let i = ${verb.args.length}; i < args.length; i += 1) {`,
      `  if (${badValue({ kind: "word", words: verb.rest.words }, "args[i]")}) return "${badArgument(verb, verb.rest.name)}";`,
      "}",
    );
  }
  if (verb.rest?.kind === "names") {
    const fixed = verb.args.length;
    const refusal = `return "${badArgument(verb, verb.rest.name)}";`;
    lines.push(
      `if (args.length > ${fixed + NAMES_MAX}) ${refusal}`,
      `for (let i = ${fixed}; i < args.length; i += 1) {`,
      `  if (!s.name(args[i])) ${refusal}`,
      "}",
    );
  }
  if (verb.rest?.max) {
    lines.push(`if (args.length > ${verb.args.length + verb.rest.max}) return "${badArgument(verb, verb.rest.name)}";`);
  }
  return lines;
}

/** Names of one act, at most: the budget of an act in units. */
const NAMES_MAX = 1000;

function badArgument(verb, name) {
  return `ERR EMQ.${verb.verb} bad argument ${name}`;
}

function badValue(arg, text) {
  if (arg.kind === "integer") return `${arg.empty ? `${text} !== "" && ` : ""}!s.int(${text}, ${arg.min}, ${arg.max})`;
  if (arg.kind === "word") return arg.words.map((word) => `${text} !== ${JSON.stringify(word)}`).join(" && ");
  if (arg.kind === "name") return `${arg.empty ? `${text} !== "" && ` : ""}!s.name(${text})`;
  return "";
}

function restCheck(verb, rest) {
  return [
    `const bad = ${rest.name}(s, args, ${verb.args.length});`,
    `if (bad !== "") return \`ERR EMQ.${verb.verb} bad argument \${bad}\`;`,
  ];
}

function layout(verb) {
  const refusal = `return "ERR EMQ.${verb.verb} keys do not match the wire-4 layout";`;
  const [anchor, base] = anchorOf(verb);
  const conditions = ["!s.base(base)"];
  verb.keys.forEach((key, at) => {
    if (at === anchor && key.type === "") return;
    if (key.type.startsWith("job:<id>") && key.id === undefined && at === anchor) {
      conditions.push(`!s.branded(keys[${at}].slice(-14))`);
    }
    conditions.push(`keys[${at}] !== ${keyText(verb, key, anchor)}`);
  });
  const lines = [`const base = ${base};`, ...planeOf(verb), `if (${conditions.join(" || ")}) ${refusal}`];
  if (verb.moreKeys) {
    const other = verb.moreKeys.map(otherKey).join(" && ");
    lines.push(`for (let i = ${verb.keys.length}; i < keys.length; i += 1) {`, `  if (${other}) ${refusal}`, "}");
  }
  return lines;
}

/** Which of the two planes of keys a call is about, for a verb whose keys may be of either. */
function planeOf(verb) {
  const at = verb.keys.findIndex((key) => key.or !== undefined);
  if (at < 0) return [];
  const { type, or } = verb.keys[at];
  return [`const plane = keys[${at}] === \`\${base}${or}\` ? ${JSON.stringify(or)} : ${JSON.stringify(type)};`];
}

/** Whether `keys[i]` is not of a type; the star is any key of the queue, but not the base itself. */
function otherKey(type) {
  if (type === "job:<id>")
    return `(keys[i] !== \`\${base}job:\${keys[i].slice(-14)}\` || !s.branded(keys[i].slice(-14)))`;
  if (type !== "*") return `keys[i] !== \`\${base}${type}\``;
  return "(keys[i].indexOf(base) !== 0 || keys[i] === base)";
}

/** The base of a key that has one of two types. */
function eitherBase({ type, or }, key) {
  return `${key}.slice(-${or.length + 1}) === ":${or}" ? ${key}.slice(0, -${or.length}) : ${key}.slice(0, -${type.length})`;
}

/** The key from which the base is taken, and the expression that takes it. */
function anchorOf(verb) {
  const base = verb.keys.findIndex((key) => key.type === "");
  if (base >= 0) return [base, `keys[${base}]`];
  const either = verb.keys.findIndex((key) => key.or !== undefined && !key.type.includes("<"));
  if (either >= 0) return [either, eitherBase(verb.keys[either], `keys[${either}]`)];
  const plain = verb.keys.findIndex((key) => !key.type.includes("<"));
  if (plain >= 0) return [plain, `keys[${plain}].slice(0, -${verb.keys[plain].type.length})`];
  const row = verb.keys.findIndex((key) => key.type === "job:<id>");
  return [row, `keys[${row}].slice(0, -${"job:".length + 14})`];
}

function keyText(verb, key, anchor) {
  if (key.or !== undefined) {
    const [type] = verb.keys.filter((one) => one.or !== undefined).map((one) => one.type);
    return keyText(verb, { ...key, or: undefined, type: key.type.replace(type, `\${plane}`) }, anchor);
  }
  if (!key.type.includes("<")) return `\`\${base}${key.type}\``;
  const id =
    key.id === undefined ? `keys[${anchor}].slice(-14)` : `args[${verb.args.findIndex((arg) => arg.name === key.id)}]`;
  return `\`\${base}${key.type.replace(/<\w+>/, `\${${id}}`)}\``;
}
