/**
 * What the writer must know of all functions before it writes the first: their types, whether they can fail, and
 * whether they make something, for which they are given the server.
 */

import { join, relative } from "node:path";
import { declarationOf, isServerCall, primitiveOf } from "./expressions.mjs";
import { typeReader } from "./types.mjs";
import { ts } from "./typescript.mjs";

const FAILING = new Set(["num", "holds"]);

/** Reads the program of all transitions. */
export function factsOf(root, verbs) {
  const folder = join(root, "src/transition");
  const entries = verbs.map((verb) => join(folder, verb.plane, `${verb.verb.toLowerCase()}.ts`));
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    lib: ["lib.es2023.d.ts"],
  });
  const checker = program.getTypeChecker();
  const pathOf = (source) => relative(folder, source.fileName);
  const sources = new Map(
    program
      .getSourceFiles()
      .map((source) => [pathOf(source), source])
      .filter(([path]) => !path.startsWith("..") && path !== "server.ts")
      .sort(),
  );
  const typeOf = typeReader(checker);
  const facts = {
    checker,
    typeOf,
    sources,
    pathOf,
    functions: new Map(),
    replyOf: replyReader(program, folder, checker, typeOf),
  };
  for (const source of sources.values()) collect(facts, source);
  spread(facts);
  return facts;
}

/** The type of what a command answers. */
function replyReader(program, folder, checker, typeOf) {
  const source = program.getSourceFile(join(folder, "server.ts"));
  const replies = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === "CommandReply",
  );
  const types = new Map(
    replies.members.map((member) => [member.name.text, typeOf(checker.getTypeFromTypeNode(member.type))]),
  );
  return (command) => {
    const type = types.get(command);
    if (!type) throw new Error(`no reply of ${command}`);
    return type;
  };
}

/** Notes the functions of a file. */
function collect(facts, source) {
  for (const node of source.statements.filter(ts.isFunctionDeclaration)) {
    const given = node.parameters.map((declaration) => ({
      name: declaration.name.text,
      type: facts.typeOf(facts.checker.getTypeAtLocation(declaration)),
      declaration,
    }));
    const signature = facts.checker.getSignatureFromDeclaration(node);
    const found = look(facts, node.body);
    // The fence asks the server.
    if (facts.pathOf(source).startsWith("check/")) found.needsServer = true;
    facts.functions.set(node, {
      ...found,
      given,
      parameters: given.filter(({ type }) => type.kind !== "server"),
      type: facts.typeOf(facts.checker.getReturnTypeOfSignature(signature)),
    });
  }
}

/** What a body does by itself, and whom it calls. */
function look(facts, body) {
  const found = { fails: false, needsServer: false, calls: new Set() };
  const visit = (node) => {
    if (ts.isCallExpression(node)) {
      const primitive = primitiveOf(node);
      const isCall = isServerCall(node);
      if (isCall || FAILING.has(primitive)) found.fails = true;
      if (isCall || (primitive && primitive !== "error")) found.needsServer = true;
      if (!isCall && !primitive && ts.isIdentifier(node.expression)) {
        found.calls.add(declarationOf(facts.checker, node.expression));
      }
    }
    if (makes(facts, node)) found.needsServer = true;
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

/** Whether an expression makes something that lives in the arena. */
function makes(facts, node) {
  if (ts.isTemplateExpression(node) || ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node))
    return true;
  if (ts.isIdentifier(node)) {
    const declaration = declarationOf(facts.checker, node);
    return (
      declaration !== undefined &&
      ts.isVariableDeclaration(declaration) &&
      declaration.initializer !== undefined &&
      ts.isArrayLiteralExpression(declaration.initializer)
    );
  }
  if (!ts.isBinaryExpression(node)) return false;
  const kind = node.operatorToken.kind;
  const isPlus = kind === ts.SyntaxKind.PlusToken || kind === ts.SyntaxKind.PlusEqualsToken;
  return isPlus && facts.typeOf(facts.checker.getTypeAtLocation(node)).kind === "text";
}

/** Carries both properties from callees to callers until nothing changes. */
function spread(facts) {
  let isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (const fact of facts.functions.values()) {
      for (const callee of fact.calls) {
        const other = facts.functions.get(callee);
        if (!other) continue;
        if (other.fails && !fact.fails) isChanged = fact.fails = true;
        if (other.needsServer && !fact.needsServer) isChanged = fact.needsServer = true;
      }
    }
  }
}
