/**
 * Writes one module of the transition subset as Rust.
 *
 * The subset has no closures, classes or exceptions, and all that an act makes is handed on by reference, so a function
 * becomes a function and a statement a statement.
 */

import { COMPOUND, ExpressionWriter, isAppend } from "./expressions.mjs";
import { snake } from "./names.mjs";
import { BOOL, INT, opt, rustType, TEXT } from "./types.mjs";
import { ts } from "./typescript.mjs";

const K = ts.SyntaxKind;

/** One module, from its first line to its last. */
export class ModuleWriter extends ExpressionWriter {
  /** The whole file. */
  module() {
    for (const statement of this.source.statements) this.topLevel(statement);
    const head = this.fileComment();
    const uses = [...this.uses]
      .sort()
      .map(([module, names]) => `use crate::act::${module}::{${[...names].sort().join(", ")}};`);
    return [
      "// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.",
      "",
      ...head,
      "",
      "use crate::runtime::*;",
      ...uses,
      "",
      ...this.lines,
    ]
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .replace(/\n+$/, "\n");
  }

  fileComment() {
    const text = this.source.text;
    if (!text.startsWith("/**")) return [];
    return commentLines(text.slice(0, text.indexOf("*/") + 2)).map((line) => `//! ${line}`.trimEnd());
  }

  topLevel(statement) {
    if (ts.isImportDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return;
    this.line("");
    if (ts.isFunctionDeclaration(statement)) this.functionItem(statement);
    else if (ts.isInterfaceDeclaration(statement)) this.structItem(statement);
    else if (ts.isVariableStatement(statement)) this.constantItem(statement);
    else this.fail(statement, "not understood at top level");
  }

  /** The doc comment of a declaration; answers whether it marks it as seldom reached. */
  docComment(node) {
    const doc = node.jsDoc?.at(-1);
    // The first comment of a file is the file's.
    if (!doc || doc.pos === 0) return false;
    const lines = commentLines(doc.getText());
    const isCold = lines.includes("@cold");
    const kept = lines.filter((line) => line !== "@cold");
    while (kept.at(-1) === "") kept.pop();
    for (const line of kept) this.line(`/// ${line}`.trimEnd());
    return isCold;
  }

  constantItem(statement) {
    for (const declaration of statement.declarationList.declarations) {
      const name = declaration.name.text;
      const initializer = declaration.initializer;
      this.docComment(statement);
      if (ts.isArrayLiteralExpression(initializer)) {
        const type = this.typeOf(this.checker.getTypeAtLocation(declaration.name));
        const items = initializer.elements.map((item) => this.want(item, type.of));
        this.line(`pub fn ${snake(name)}<'a>(s: &Server<'a>) -> ${rustType(type)} {`);
        this.line(`    s.list(&[${items.join(", ")}])`);
        this.line("}");
      } else {
        const type = this.typeOf(this.checker.getTypeAtLocation(initializer));
        const rust = type.kind === "text" ? "Text<'static>" : rustType(type);
        this.line(`pub const ${name}: ${rust} = ${this.want(initializer, type)};`);
      }
    }
  }

  structItem(declaration) {
    this.docComment(declaration);
    const name = declaration.name.text;
    const parent = this.parentOf(declaration);
    this.line(`pub struct ${name}<'a> {`);
    this.depth += 1;
    if (parent) {
      this.use(parent.declaration, parent.name);
      this.line(`pub parent: ${rustType(parent)},`);
    }
    for (const { name: field, type, isReadonly, member } of this.fieldsOf(declaration)) {
      this.docComment(member);
      this.useType(type);
      this.line(`pub ${snake(field)}: ${isReadonly ? rustType(type) : `Cell<${rustType(type)}>`},`);
    }
    this.line("pub here: Here<'a>,");
    this.depth -= 1;
    this.line("}");
    if (!parent) return;
    this.line("");
    this.line(`impl<'a> std::ops::Deref for ${name}<'a> {`);
    this.line(`    type Target = ${parent.name}<'a>;`);
    this.line("");
    this.line("    fn deref(&self) -> &Self::Target {");
    this.line("        self.parent");
    this.line("    }");
    this.line("}");
  }

  functionItem(node) {
    const isCold = this.docComment(node);
    const fact = this.facts.functions.get(node);
    this.fact = fact;
    this.body = node.body;
    const parameters = fact.parameters.map(({ name, type, declaration }) => {
      this.useType(type);
      this.locals.set(this.checker.getSymbolAtLocation(declaration.name), type);
      const mutable = isReassigned(this.checker, node.body, declaration.name) ? "mut " : "";
      return `${mutable}${snake(name)}: ${rustType(type)}`;
    });
    if (fact.needsServer) parameters.unshift("s: &Server<'a>");
    this.useType(fact.type);
    const type = rustType(fact.type);
    const answer = fact.fails ? `Act<${type}>` : type;
    if (isCold) this.line("#[cold]");
    this.line(
      `pub fn ${snake(node.name.text)}<'a>(${parameters.join(", ")})${answer === "()" ? "" : ` -> ${answer}`} {`,
    );
    this.depth += 1;
    for (const statement of node.body.statements) this.statement(statement);
    if (fact.type.kind === "unit" && fact.fails) this.line("Ok(())");
    this.depth -= 1;
    this.line("}");
  }

  comments(node) {
    const ranges = ts.getLeadingCommentRanges(this.source.text, node.getFullStart()) ?? [];
    for (const { pos, end } of ranges) this.line(this.source.text.slice(pos, end));
  }

  block(node) {
    this.depth += 1;
    if (ts.isBlock(node)) {
      for (const statement of node.statements) this.statement(statement);
      if (node.statements.length === 0) {
        for (const line of node.getText().split("\n")) if (line.trim().startsWith("//")) this.line(line.trim());
      }
    } else this.statement(node);
    this.depth -= 1;
  }

  statement(node) {
    this.comments(node);
    switch (node.kind) {
      case K.VariableStatement:
        for (const declaration of node.declarationList.declarations) this.variable(declaration);
        return;
      case K.ExpressionStatement:
        return this.effect(node.expression);
      case K.ReturnStatement:
        return this.returns(node);
      case K.IfStatement:
        return this.branch(node, "");
      case K.ForStatement:
        return this.countingLoop(node);
      case K.ForOfStatement:
        return this.memberLoop(node);
      case K.WhileStatement:
        this.line(`while ${this.want(node.expression, BOOL)} {`);
        this.block(node.statement);
        return this.line("}");
      case K.BreakStatement:
        return this.line("break;");
      case K.Block:
        this.line("{");
        this.block(node);
        return this.line("}");
      default:
        this.fail(node, "no such statement in the subset");
    }
  }

  returns(node) {
    const { type, fails } = this.fact;
    // The last question of a check is the fence's: after shape, values and layout, and before all that an act asks.
    if (this.isCheck && node.parent === this.body)
      return this.line(fails ? "return Ok(s.fence());" : "return s.fence();");
    if (!node.expression) return this.line(fails ? "return Ok(());" : "return;");
    const value = this.want(node.expression, type);
    this.line(fails ? `return Ok(${value});` : `return ${value};`);
  }

  branch(node, prefix) {
    this.line(`${prefix}if ${this.want(node.expression, BOOL)} {`);
    this.block(node.thenStatement);
    const other = node.elseStatement;
    if (other && ts.isIfStatement(other)) return this.branch(other, "} else ");
    if (other) {
      this.line("} else {");
      this.block(other);
    }
    this.line("}");
  }

  countingLoop(node) {
    this.line("{");
    this.depth += 1;
    for (const declaration of node.initializer?.declarations ?? []) this.variable(declaration);
    this.line(`while ${node.condition ? this.want(node.condition, BOOL) : "true"} {`);
    this.block(node.statement);
    this.depth += 1;
    if (node.incrementor) this.effect(node.incrementor);
    this.depth -= 1;
    this.line("}");
    this.depth -= 1;
    this.line("}");
  }

  memberLoop(node) {
    const name = node.initializer.declarations[0].name;
    const members = this.emit(node.expression);
    if (members.type.kind !== "list") this.fail(node, "not a list");
    this.locals.set(this.checker.getSymbolAtLocation(name), members.type.of);
    this.line(`for ${snake(name.text)} in ${members.code}.iter() {`);
    this.block(node.statement);
    this.line("}");
  }

  variable(declaration) {
    const { name, initializer } = declaration;
    if (initializer?.getText() === "s.call") return;
    const symbol = this.checker.getSymbolAtLocation(name);
    const node = declaration.type;
    let type = this.typeOf(node ? this.checker.getTypeFromTypeNode(node) : this.checker.getTypeAtLocation(name));
    if (!declaration.type && initializer && this.isLookup(initializer)) {
      // A dictionary answers nothing for what it does not hold, which the checker does not say.
      type = opt(this.emit(initializer.expression).type.of);
    }
    this.locals.set(symbol, type);
    // An empty list of no type is made anew wherever it is used.
    if (type.kind === "list" && type.of.kind === "never") return;
    this.useType(type);
    const scope = enclosingFunction(declaration);
    const mutable = isReassigned(this.checker, scope.body, name) ? "mut " : "";
    const value = initializer ? ` = ${this.want(initializer, type, true)}` : "";
    this.line(`let ${mutable}${snake(name.text)}: ${rustType(type)}${value};`);
  }

  /** An expression for the sake of what it does. */
  effect(node) {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken)
      return this.assign(node.left, node.right);
    if (ts.isBinaryExpression(node) && COMPOUND[node.operatorToken.kind]) {
      return this.compound(node.left, COMPOUND[node.operatorToken.kind], node.right);
    }
    if (ts.isCallExpression(node)) return this.line(`${this.emit(node).code};`);
    this.fail(node, "no effect");
  }

  assign(target, value) {
    if (ts.isIdentifier(target)) {
      const type = this.locals.get(this.checker.getSymbolAtLocation(target));
      return this.line(`${snake(target.text)} = ${this.want(value, type)};`);
    }
    if (ts.isPropertyAccessExpression(target)) {
      const { holder, field } = this.field(target);
      return this.line(`${holder}.${snake(target.name.text)}.set(${this.want(value, field.type)});`);
    }
    const holder = this.emit(target.expression);
    const { kind, of } = holder.type;
    if (kind === "dict") {
      return this.line(`${holder.code}.set(${this.want(target.argumentExpression, TEXT)}, ${this.want(value, of)});`);
    }
    if (kind !== "list") this.fail(target, "cannot be written");
    if (isAppend(target)) return this.line(`${holder.code}.push(${this.want(value, of)});`);
    this.line(`${holder.code}.set(${this.want(target.argumentExpression, INT)}, ${this.want(value, of)});`);
  }

  compound(target, operator, value) {
    if (ts.isIdentifier(target)) {
      const type = this.locals.get(this.checker.getSymbolAtLocation(target));
      if (type.kind === "text") {
        return this.line(`${snake(target.text)} = ${this.concat([target, value])};`);
      }
      return this.line(`${snake(target.text)} ${operator}= ${this.want(value, INT)};`);
    }
    if (ts.isPropertyAccessExpression(target)) {
      const { holder } = this.field(target);
      const place = `${holder}.${snake(target.name.text)}`;
      return this.line(`${place}.set(${place}.get() ${operator} ${this.want(value, INT)});`);
    }
    const holder = this.emit(target.expression).code;
    const at = this.want(target.argumentExpression, INT);
    this.line(`${holder}.set(${at}, ${holder}.get(${at}) ${operator} ${this.want(value, INT)});`);
  }
}

/** The lines of a comment without its marks. */
function commentLines(text) {
  return text
    .replace(/^\/\*\*/, "")
    .replace(/\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .map((line) => line.replace(/\{@link (\w+)\}/g, "`$1`"))
    .filter((line, at, all) => line !== "" || (at > 0 && at < all.length - 1));
}

function enclosingFunction(node) {
  let at = node;
  while (!ts.isFunctionDeclaration(at)) at = at.parent;
  return at;
}

/** Whether a variable is written after it was made. */
function isReassigned(checker, body, name) {
  const symbol = checker.getSymbolAtLocation(name);
  let found = false;
  const visit = (node) => {
    if (
      ts.isBinaryExpression(node) &&
      (node.operatorToken.kind === K.EqualsToken || COMPOUND[node.operatorToken.kind]) &&
      ts.isIdentifier(node.left) &&
      checker.getSymbolAtLocation(node.left) === symbol
    ) {
      found = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}
