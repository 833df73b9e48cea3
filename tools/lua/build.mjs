/**
 * Builds `lua/` and `src/valkey/scripts.generated.ts` from `src/transition/`.
 *
 * The server's sandbox knows no `require` and refuses global functions, so each transition is linked with the steps
 * that it reaches into one file: top-level definitions in order of dependency, those alone that are reached, then the
 * primitives that they use, then the call on KEYS and ARGV. Every definition costs the server a closure at each call,
 * a tenth of a microsecond and more. So nothing unused is kept, and what only a function marked `@cold` reaches is
 * defined inside it, primitives too: an act pays for it when it calls that function, and else not. A constant stands
 * as its value where it is used.
 *
 * `--check` writes nothing and ends with 1 when a file is stale.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { transpileFiles } from "typescript-to-lua";
import { formatted } from "../../scripts/generate/format.mjs";
import { functionName } from "../../scripts/generate/tables.mjs";
import { tightened } from "./tighten.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const source = join(root, "src");
const preludes = join(root, "tools/lua/prelude");

/** What must not be in the output: each would need a library, or has no order that is the same everywhere. */
const BANNED = ["__TS__", "lualib_bundle", "____try", "__continue", "____switch", "tostring(", "pairs(", "____end"];

/** Primitives that the server offers as they are; the others are files in `prelude/`. */
const NATIVE = { call: "redis.call", num: "tonumber", error: "redis.error_reply" };

function readSpecs() {
  return readdirSync(join(root, "spec"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((plane) =>
      readdirSync(join(root, "spec", plane.name)).map((file) =>
        JSON.parse(readFileSync(join(root, "spec", plane.name, file), "utf8")),
      ),
    )
    .sort((a, b) => (a.plane + a.verb < b.plane + b.verb ? -1 : 1));
}

/** Compiles all transitions; module path (`step/lane`) to Lua text. */
function compile(entries) {
  const modules = new Map();
  const options = {
    luaTarget: "5.1",
    luaLibImport: "require",
    noHeader: true,
    noImplicitSelf: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    rewriteRelativeImportExtensions: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    lib: ["lib.es2023.d.ts"],
    rootDir: source,
    outDir: "/out",
  };
  const { diagnostics } = transpileFiles(entries, options, (path, text) => {
    const match = /^\/out\/transition\/(.*)\.lua$/.exec(path);
    if (match) modules.set(match[1].replace(/_generated$/, ".generated"), tightened(text));
  });
  const own = diagnostics.filter((diagnostic) => diagnostic.file?.fileName.includes("/transition/"));
  if (own.length > 0) throw new Error(own.map(describe).join("\n"));
  return modules;
}

function describe(diagnostic) {
  const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, " ");
  const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
  return `${relative(root, diagnostic.file.fileName)}:${line + 1} ${text}`;
}

/** Splits a module into its imports and its top-level definitions, each with the comment above it. */
function parse(text) {
  const imports = [];
  const definitions = [];
  let lines = [];
  let name = "";
  for (const line of text.split("\n")) {
    const required = /= require\("transition\.(.*)"\)/.exec(line);
    if (required) imports.push(required[1].replaceAll(".", "/").replace(/_generated$/, ".generated"));
    if (required || /^local \w+ = ____\w+\.\w+$/.test(line)) continue;
    if (line === "local ____exports = {}" || line === "return ____exports" || line === "") continue;
    const own = line.replaceAll("____exports.", "");
    const start = /^(?:local )?(?:function (\w+)|(\w+) =)/.exec(own);
    if (start && name === "") name = start[1] ?? start[2];
    lines.push(/^(function \w+|\w+ =)/.test(own) ? `local ${own}` : own);
    if (line === "end" || start?.[2]) {
      definitions.push({ name, text: lines.join("\n") });
      lines = [];
      name = "";
    }
  }
  if (lines.length > 0) throw new Error(`not understood at top level:\n${lines.join("\n")}`);
  return { imports, definitions };
}

/** All definitions that a module can see, callees first. */
function definitionsOf(path, modules, seen = new Set()) {
  if (seen.has(path)) return [];
  seen.add(path);
  const text = modules.get(path);
  if (text === undefined) throw new Error(`no module ${path}`);
  const { imports, definitions } = parse(text);
  return [...imports.flatMap((name) => definitionsOf(name, modules, seen)), ...definitions];
}

/** Words of a piece of Lua, comments and strings left out. */
function wordsOf(text) {
  const code = text.replace(/--.*$/gm, "").replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return new Set(code.match(/[A-Za-z_]\w*/g));
}

/** The definitions that `entry` reaches, in their order. Equal constants are kept once; other twins are refused. */
function reached(definitions, entry) {
  const byName = new Map();
  for (const definition of definitions) {
    const twin = byName.get(definition.name);
    const bare = (text) => text.replace(/^--.*\n/gm, "");
    if (twin && bare(twin.text) !== bare(definition.text)) throw new Error(`two definitions of ${definition.name}`);
    if (!twin) byName.set(definition.name, definition);
  }
  const kept = new Set();
  const visit = (name) => {
    if (kept.has(name) || !byName.has(name)) return;
    kept.add(name);
    for (const word of wordsOf(byName.get(name).text)) visit(word);
  };
  visit(entry);
  const ordered = [...byName.values()].filter((definition) => kept.has(definition.name));
  assertOrder(ordered);
  return ordered;
}

/**
 * Throws for a definition that uses a later one: Lua would look for a global there, and find none when it runs. Modules
 * that import each other come to this.
 */
function assertOrder(definitions) {
  const later = new Set(definitions.map(({ name }) => name));
  for (const { name, text } of definitions) {
    later.delete(name);
    const calls = text.replace(/--.*$/gm, "").matchAll(/(?<![.:\w])([A-Za-z_]\w*)\(/g);
    for (const [, called] of calls) {
      if (later.has(called)) throw new Error(`${name} calls ${called}, defined behind it: untie their modules`);
    }
  }
}

/** The definitions with numbers and texts in the place of their names, which would cost each act a variable. */
function inlined(definitions) {
  const values = new Map();
  for (const { name, text } of definitions) {
    const value = /^local [A-Z][A-Z0-9_]* = (-?\d+|"(?:[^"\\]|\\.)*")$/.exec(text.replace(/^--.*\n/gm, ""))?.[1];
    if (value !== undefined) values.set(name, value);
  }
  const token = /--.*$|"(?:[^"\\]|\\.)*"|(?<![.\w])[A-Z][A-Z0-9_]*(?!\w)/gm;
  return definitions
    .filter(({ name }) => !values.has(name))
    .map(({ name, text }) => ({ name, text: text.replace(token, (found) => values.get(found) ?? found) }));
}

/** Whether a definition is marked; those inside a function do not count. */
function isCold({ text }) {
  return /^--.*@cold$/m.test(text);
}

/** The definitions with those that only cold functions reach moved into these; a copy for each that needs one. */
function nested(definitions, entry) {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const spread = (seen, name, passes) => {
    if (seen.has(name) || !byName.has(name)) return seen;
    seen.add(name);
    const definition = byName.get(name);
    if (passes(definition)) for (const word of wordsOf(definition.text)) spread(seen, word, passes);
    return seen;
  };
  const hot = spread(new Set(), entry, (definition) => !isCold(definition));
  return definitions
    .filter(({ name }) => hot.has(name))
    .map((definition) => {
      if (!isCold(definition)) return definition;
      const all = spread(new Set(), definition.name, () => true);
      const inner = definitions.filter(({ name }) => all.has(name) && !hot.has(name));
      return { name: definition.name, text: withInner(definition, nestedIn(definition, inner), byName) };
    });
}

/**
 * The definitions inside a cold function, nested in their turn: what only a cold one among them reaches is inside it.
 */
function nestedIn(cold, inner) {
  const opened = { name: cold.name, text: cold.text.replace(/^--.*\n/gm, "") };
  return nested([...inner, opened], cold.name).filter(({ name }) => name !== cold.name);
}

/**
 * The text of a function with the definitions that it alone needs. They are made at its first call in an act, so one
 * that is called for each of many jobs pays for them once.
 */
function withInner({ name, text }, inner, byName) {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`local function ${name}(`));
  const parameters = /\((.*)\)$/.exec(lines[head])?.[1].split(", ") ?? [];
  const shadow = parameters.find((parameter) => byName.has(parameter));
  if (shadow !== undefined) throw new Error(`a parameter of the cold ${name} hides the definition ${shadow}`);
  if (inner.length === 0) return text;
  const deeper = (piece) => piece.replace(/^(?=.)/gm, "    ");
  const given = parameters.join(", ");
  const once = `${name}Once`;
  if (byName.has(once)) throw new Error(`${once} is the name under which the cold ${name} is kept`);
  return [
    ...lines.slice(0, head),
    `local ${once} = nil`,
    lines[head],
    `    if ${once} == nil then`,
    ...inner.map((definition) => deeper(deeper(definition.text))),
    `        ${once} = function(${given})`,
    ...lines.slice(head + 1, -1).map((line) => deeper(deeper(line))),
    "        end",
    "    end",
    `    return ${once}(${given})`,
    "end",
  ].join("\n");
}

/** The names of the primitives that a text uses. */
function primitivesOf(text) {
  const code = text.replace(/--.*$/gm, "");
  return [...new Set([...code.matchAll(/\bs\.(\w+)/g)].map((match) => match[1]))].sort();
}

/** The definitions of primitives, one piece of text. */
function prelude(names) {
  const files = names.filter((name) => !(name in NATIVE));
  return files.map((name) => readFileSync(join(preludes, `${name}.lua`), "utf8")).join("");
}

/** The primitives that every act is given: their definitions and the table `s`. */
function primitives(names) {
  const members = names.map((name) => `${name} = ${NATIVE[name] ?? name}`);
  return `${prelude(names)}local s = {${members.join(", ")}}\n`;
}

/** A cold function that puts the further primitives which it uses into `s`, unless another has done so before. */
function withPrimitives(definition, given) {
  const { name, text } = definition;
  const missing = primitivesOf(text).filter((primitive) => !given.includes(primitive));
  if (missing.length === 0) return definition;
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`local function ${name}(`));
  const pieces = missing.flatMap((primitive) => [
    `if s.${primitive} == nil then`,
    ...`${prelude(primitive in NATIVE ? [] : [primitive])}s.${primitive} = ${NATIVE[primitive] ?? primitive}`
      .split("\n")
      .map((line) => `    ${line}`),
    "end",
  ]);
  const body = pieces.map((line) => `    ${line}`);
  return { name, text: [...lines.slice(0, head + 1), ...body, ...lines.slice(head + 1)].join("\n") };
}

/** Upvalues of one function that the server allows, less those that the compiler adds. */
const UPVALUES_MAX = 55;

/**
 * The definitions of a file as one text, with all cold functions of the outermost level in one that makes them when the
 * first of them is called: an act that calls none pays for one function in place of each of them.
 */
function laidOut(definitions) {
  const cold = definitions.filter(isCold);
  const hot = definitions.filter((definition) => !isCold(definition));
  const words = new Set(cold.flatMap(({ text }) => [...wordsOf(text)]));
  const used = hot.filter(({ name }) => words.has(name));
  const plain = () => definitions.map(({ text }) => text).join("\n");
  if (cold.length < 2 || used.length > UPVALUES_MAX) return plain();
  if (definitions.some(({ text }) => wordsOf(text).has("seldom"))) throw new Error("a definition is named seldom");
  const names = cold.map(({ name }) => name);
  const call = new RegExp(`(?<![.:\\w])(${names.join("|")})\\(`, "g");
  const reached = hot.map(({ text }) => text.replace(call, (_whole, name) => `seldom("${name}")(`));
  const inner = cold.map(({ text }) => text.replace(/^(?=.)/gm, "        "));
  const chest = [
    "--- Any of the functions that most acts do not call; they are made when the first is asked for.",
    "local rare = nil",
    "seldom = function(name)",
    "    if rare == nil then",
    ...inner,
    `        rare = {${names.map((name) => `${name} = ${name}`).join(", ")}}`,
    "    end",
    "    return rare[name]",
    "end",
  ].join("\n");
  return ["local seldom = nil", ...reached.slice(0, -1), chest, reached.at(-1)].join("\n");
}

/** One file of `lua/`. */
function link(spec, modules) {
  const name = functionName(spec);
  const kept = nested(inlined(reached(definitionsOf(`${spec.plane}/${spec.verb.toLowerCase()}`, modules), name)), name);
  const hot = kept.filter((definition) => !isCold(definition)).map((definition) => definition.text);
  const given = primitivesOf(hot.join("\n"));
  const body = laidOut(kept.map((definition) => withPrimitives(definition, given)));
  const code = body.replace(/--.*$/gm, "");
  const banned = BANNED.find((word) => code.replaceAll("ipairs(", "").includes(word));
  if (banned) throw new Error(`${spec.plane}/${name} needs ${banned}, which is outside the subset`);
  const keys = spec.keys.map((key) => key.name).concat(spec.moreKeys ? ["..."] : []);
  const args = [...spec.args, ...(spec.optional ?? [])].map((arg) => arg.name).concat(spec.rest ? ["..."] : []);
  return [
    `-- EMQ.${spec.verb}: ${spec.summary}`,
    `-- KEYS: ${keys.join(", ")}`,
    `-- ARGV: ${args.join(", ") || "none"}`,
    "-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.",
    "",
    `${primitives(given)}${body}`,
    `return ${name}(s, KEYS, ARGV)`,
    "",
  ].join("\n");
}

function scriptsModule(specs, texts) {
  const rows = specs.map((spec) => {
    const text = texts.get(`lua/${spec.plane}/${spec.verb.toLowerCase()}.lua`);
    const sha = createHash("sha1").update(text).digest("hex");
    return `  ${spec.verb}: {\n    sha: "${sha}",\n    readonly: ${spec.access === "read"},\n    text: ${JSON.stringify(text)},\n  },`;
  });
  return `/**
 * Generated from \`lua/\` by \`npm run generate\`. Do not edit: a test fails when this file is stale.
 */

import type { Verb } from "../protocol/verbs.generated.ts";

/** One act as the server's Lua: the text is the file in \`lua/\`, the digest names it to the server. */
export interface Script {
  readonly sha: string;
  readonly readonly: boolean;
  readonly text: string;
}

/** Every act as a script. */
export const SCRIPTS: Readonly<Record<Verb, Script>> = {
${rows.join("\n")}
};
`;
}

/** Which act each published script is, for a server that runs the acts and not their Lua. */
function digestsModule(specs, texts) {
  const rows = specs.map((spec) => {
    const text = texts.get(`lua/${spec.plane}/${spec.verb.toLowerCase()}.lua`);
    return `  ["${createHash("sha1").update(text).digest("hex")}", "${spec.verb}"],`;
  });
  return `/**
 * Generated from \`lua/\` by \`npm run generate\`. Do not edit: a test fails when this file is stale.
 */

import type { Verb } from "../protocol/verbs.generated.ts";

/** The act of each published script, by the digest of its text. */
export const SCRIPT_VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
${rows.join("\n")}
]);
`;
}

function main(check) {
  const specs = readSpecs();
  const modules = compile(specs.map((spec) => join(source, "transition", spec.plane, `${spec.verb.toLowerCase()}.ts`)));
  const texts = new Map(specs.map((spec) => [`lua/${spec.plane}/${spec.verb.toLowerCase()}.lua`, link(spec, modules)]));
  texts.set("src/valkey/scripts.generated.ts", scriptsModule(specs, texts));
  texts.set("src/server/scripts.generated.ts", digestsModule(specs, texts));
  const files = formatted(texts);
  let stale = 0;
  for (const [path, text] of files) {
    if (read(join(root, path)) === text) continue;
    stale += 1;
    if (!check) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    console.log(`${check ? "stale" : "wrote"} ${path}`);
  }
  for (const path of strays(files)) {
    stale += 1;
    if (!check) rmSync(join(root, path));
    console.log(`${check ? "stray" : "removed"} ${path}`);
  }
  process.exitCode = check && stale > 0 ? 1 : 0;
}

/** Files of `lua/` that no verb stands for. */
function strays(files) {
  return readdirSync(join(root, "lua"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !files.has(path));
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

main(process.argv.includes("--check"));
