/**
 * Writes the expressions of the transition subset as Rust.
 *
 * What differs between the languages: a call of the server may fail, so whatever reaches one answers a `Result`; what
 * makes text, lists or objects is given the server, whose arena they live in; and a value that may be `false` is an
 * `Option`, taken out where TypeScript has narrowed it.
 */

import { modulePath, snake, textLiteral, valueName } from "./names.mjs";
import { ABSENT, BOOL, INT, keyOf, list, NEVER, opt, rustType, same, TEXT, VALUE } from "./types.mjs";
import { ts } from "./typescript.mjs";

const K = ts.SyntaxKind;

/** What functions of the runtime give, by primitive: their type, and whether they can fail. */
const PRIMITIVES = {
  num: { type: INT, fails: true },
  now: { type: INT },
  int: { type: BOOL },
  base: { type: BOOL },
  branded: { type: BOOL },
  char: { type: TEXT },
  name: { type: BOOL },
  text: { type: TEXT },
  holds: { type: TEXT, fails: true },
  json: { type: TEXT },
  error: { type: VALUE },
};

const RELATIONS = {
  [K.LessThanToken]: "<",
  [K.LessThanEqualsToken]: "<=",
  [K.GreaterThanToken]: ">",
  [K.GreaterThanEqualsToken]: ">=",
};
const ARITHMETIC = { [K.PlusToken]: "+", [K.MinusToken]: "-", [K.AsteriskToken]: "*", [K.SlashToken]: "/" };
export const COMPOUND = { [K.PlusEqualsToken]: "+", [K.MinusEqualsToken]: "-" };

/** The function or constant that an identifier stands for, imports followed. */
export function declarationOf(checker, node) {
  let symbol = checker.getSymbolAtLocation(node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.valueDeclaration;
}

/** Whether a call is one of the server's `call`. */
export function isServerCall(node) {
  const callee = node.expression;
  if (ts.isIdentifier(callee)) return callee.text === "call";
  return ts.isPropertyAccessExpression(callee) && callee.name.text === "call" && callee.expression.getText() === "s";
}

/** The primitive that a call is of, undefined for none. */
export function primitiveOf(node) {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee) || callee.expression.getText() !== "s") return undefined;
  return callee.name.text === "call" ? undefined : callee.name.text;
}

const isConstant = (node) => ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);

/** Whether two texts are the same place: an element appended at the length of its own list. */
export const isAppend = (target) =>
  target.argumentExpression.getText().replace(/\s/g, "") === `${target.expression.getText().replace(/\s/g, "")}.length`;

/** Everything of a module but its statements. */
export class ExpressionWriter {
  constructor(facts, source, path) {
    this.facts = facts;
    this.checker = facts.checker;
    this.typeOf = facts.typeOf;
    this.source = source;
    this.path = path;
    this.isCheck = path.startsWith("check/");
    this.uses = new Map();
    this.locals = new Map();
    this.lines = [];
    this.depth = 0;
  }

  fail(node, why) {
    const { line } = this.source.getLineAndCharacterOfPosition(node.getStart());
    throw new Error(`${this.path}:${line + 1} ${why}: ${node.getText().slice(0, 120)}`);
  }

  line(text) {
    this.lines.push(text === "" ? "" : `${"    ".repeat(this.depth)}${text}`);
  }

  /** Notes what must be imported. */
  use(declaration, name) {
    const path = this.facts.pathOf(declaration.getSourceFile());
    if (path === this.path) return;
    const module = modulePath(path);
    if (!this.uses.has(module)) this.uses.set(module, new Set());
    this.uses.get(module).add(name);
  }

  useType(type) {
    if (type.kind === "struct") this.use(type.declaration, type.name);
    if (type.of) this.useType(type.of);
    for (const item of type.items ?? []) this.useType(item);
  }

  /** Fields of an interface, those of what it extends left out. */
  fieldsOf(declaration) {
    return declaration.members.map((member) => ({
      name: member.name.text,
      type: this.typeOf(this.checker.getTypeFromTypeNode(member.type)),
      isReadonly: member.modifiers?.some((modifier) => modifier.kind === K.ReadonlyKeyword) ?? false,
      member,
    }));
  }

  parentOf(declaration) {
    const node = declaration.heritageClauses?.[0]?.types[0];
    return node ? this.typeOf(this.checker.getTypeAtLocation(node)) : undefined;
  }

  isLookup(node) {
    return ts.isElementAccessExpression(node) && this.emit(node.expression).type.kind === "dict";
  }

  /** An expression as a value of a type. */
  want(node, type, isRaw = false) {
    const given = this.emit(node, type, isRaw);
    return this.coerce(given, type, node);
  }

  /** The code of a value as one of another type. */
  coerce(given, wanted, node) {
    const { code, type } = given;
    if (same(type, wanted) || type.kind === "never" || wanted.kind === "unit") return code;
    if (wanted.kind === "value") return asValue(given);
    if (wanted.kind === "opt") return this.asOption(given, wanted, node);
    if (wanted.kind === "bool" && type.kind === "absent") return "false";
    if (wanted.kind === "list" && type.kind === "list") return this.asList(given, wanted, node);
    if (wanted.kind === "struct" && type.kind === "struct") {
      const parent = this.parentOf(type.declaration);
      if (parent && same(parent, wanted)) return `${code}.parent`;
    }
    if (type.kind === "opt" && same(type.of, wanted)) return `${code}.unwrap()`;
    return this.fail(node, `${keyOf(type)} for ${keyOf(wanted)}`);
  }

  asOption(given, wanted, node) {
    if (given.type.kind === "absent") return "None";
    if (given.type.kind === "opt") this.fail(node, `${keyOf(given.type)} for ${keyOf(wanted)}`);
    return `Some(${this.coerce(given, wanted.of, node)})`;
  }

  asList({ code, type }, wanted, node) {
    if (type.of.kind === "never") return "s.list(&[])";
    if (wanted.of.kind === "value") return `${code}.values(s)`;
    if (wanted.of.kind === "opt" && same(wanted.of.of, type.of)) return `${code}.options(s)`;
    return this.fail(node, `${keyOf(type)} for ${keyOf(wanted)}`);
  }

  /** An expression: its code and its type. `wanted` is the type that the place asks for, where there is one. */
  emit(node, wanted, isRaw = false) {
    switch (node.kind) {
      case K.ParenthesizedExpression: {
        const inner = this.emit(node.expression, wanted, isRaw);
        return { code: `(${inner.code})`, type: inner.type };
      }
      case K.StringLiteral:
      case K.NoSubstitutionTemplateLiteral:
        return { code: textLiteral(node.text), type: TEXT };
      case K.NumericLiteral:
        return { code: node.text, type: INT };
      case K.TrueKeyword:
        return { code: "true", type: BOOL };
      case K.FalseKeyword:
        return { code: "false", type: ABSENT };
      case K.TemplateExpression:
        return { code: this.template(node), type: TEXT };
      case K.Identifier:
        return this.identifier(node, isRaw);
      case K.PropertyAccessExpression:
        return this.property(node, isRaw);
      case K.ElementAccessExpression:
        return this.element(node, isRaw);
      case K.CallExpression:
        return this.call(node);
      case K.BinaryExpression:
        return this.binary(node);
      case K.PrefixUnaryExpression:
        return this.prefix(node);
      case K.ConditionalExpression:
        return this.choice(node, wanted);
      case K.ArrayLiteralExpression:
        return this.array(node, wanted);
      case K.ObjectLiteralExpression:
        return this.object(node, wanted);
      case K.AsExpression:
        return this.cast(node);
      default:
        return this.fail(node, "no such expression in the subset");
    }
  }

  /** What an expression that may be narrowed gives: taken out of its option where the checker knows more. */
  narrowed(node, code, type, isRaw) {
    if (isRaw) return { code, type };
    if (type.kind === "opt") {
      const known = this.typeOf(this.checker.getTypeAtLocation(node));
      if (same(known, type.of)) return { code: `${code}.unwrap()`, type: type.of };
    }
    return { code, type };
  }

  identifier(node, isRaw) {
    if (node.text === "undefined") return { code: "None", type: ABSENT };
    const declaration = declarationOf(this.checker, node);
    if (declaration && isConstant(declaration)) return this.constant(declaration);
    const type = this.locals.get(this.symbolOf(node));
    if (!type) this.fail(node, "of no known type");
    return this.narrowed(node, snake(node.text), type, isRaw);
  }

  symbolOf(node) {
    if (ts.isShorthandPropertyAssignment(node.parent))
      return this.checker.getShorthandAssignmentValueSymbol(node.parent);
    return this.checker.getSymbolAtLocation(node);
  }

  constant(declaration) {
    const name = declaration.name.text;
    const type = this.typeOf(this.checker.getTypeAtLocation(declaration.name));
    if (ts.isArrayLiteralExpression(declaration.initializer)) {
      this.use(declaration, snake(name));
      return { code: `${snake(name)}(s)`, type };
    }
    this.use(declaration, name);
    return { code: valueName(name), type };
  }

  /** The struct and the field of a property access. */
  field(node) {
    const holder = this.emit(node.expression);
    if (holder.type.kind !== "struct") this.fail(node, `${keyOf(holder.type)} has no fields`);
    let declaration = holder.type.declaration;
    while (declaration) {
      const field = this.fieldsOf(declaration).find(({ name }) => name === node.name.text);
      if (field) return { holder: holder.code, field };
      declaration = this.parentOf(declaration)?.declaration;
    }
    return this.fail(node, "no such field");
  }

  property(node, isRaw) {
    if (node.name.text === "length") {
      const holder = this.emit(node.expression);
      if (holder.type.kind !== "text" && holder.type.kind !== "list")
        this.fail(node, `${keyOf(holder.type)} has no length`);
      return { code: `${holder.code}.len()`, type: INT };
    }
    const { holder, field } = this.field(node);
    const code = `${holder}.${snake(node.name.text)}${field.isReadonly ? "" : ".get()"}`;
    return this.narrowed(node, code, field.type, isRaw);
  }

  element(node, isRaw) {
    const holder = this.emit(node.expression);
    const { kind, of, items } = holder.type;
    if (kind === "tuple") {
      const at = Number(node.argumentExpression.getText());
      return { code: `${holder.code}.${at}`, type: items[at] };
    }
    if (kind === "dict") {
      const code = `${holder.code}.get(${this.want(node.argumentExpression, TEXT)})`;
      return isRaw ? { code, type: opt(of) } : { code: `${code}.unwrap()`, type: of };
    }
    if (kind !== "list") this.fail(node, `${keyOf(holder.type)} has no elements`);
    const read = of.kind === "opt" ? "pick" : "get";
    return this.narrowed(node, `${holder.code}.${read}(${this.want(node.argumentExpression, INT)})`, of, isRaw);
  }

  template(node) {
    const parts = [node.head.text === "" ? [] : [textLiteral(node.head.text)]];
    for (const span of node.templateSpans) {
      parts.push([this.want(span.expression, TEXT)]);
      if (span.literal.text !== "") parts.push([textLiteral(span.literal.text)]);
    }
    return `s.concat(&[${parts.flat().join(", ")}])`;
  }

  concat(nodes) {
    return `s.concat(&[${nodes.flatMap((node) => this.pieces(node)).join(", ")}])`;
  }

  pieces(node) {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.PlusToken) {
      return [...this.pieces(node.left), ...this.pieces(node.right)];
    }
    return [this.want(node, TEXT)];
  }

  prefix(node) {
    if (node.operator === K.ExclamationToken) return { code: `!${this.operand(node.operand)}`, type: BOOL };
    if (node.operator === K.MinusToken) return { code: `-${this.want(node.operand, INT)}`, type: INT };
    return this.fail(node, "no such operator in the subset");
  }

  operand(node) {
    const code = this.want(node, BOOL);
    return /^[\w.:()'"&, ]*$/.test(code) && !/ (==|!=|<|>|<=|>=|&&|\|\|) /.test(code) ? code : `(${code})`;
  }

  binary(node) {
    const kind = node.operatorToken.kind;
    if (kind === K.AmpersandAmpersandToken || kind === K.BarBarToken) return this.logical(node);
    if (kind === K.EqualsEqualsEqualsToken || kind === K.ExclamationEqualsEqualsToken) {
      return { code: this.equality(node, kind === K.EqualsEqualsEqualsToken), type: BOOL };
    }
    if (RELATIONS[kind]) {
      const type = this.typeOf(this.checker.getTypeAtLocation(node.left)).kind === "text" ? TEXT : INT;
      return { code: `${this.want(node.left, type)} ${RELATIONS[kind]} ${this.want(node.right, type)}`, type: BOOL };
    }
    if (!ARITHMETIC[kind]) return this.fail(node, "no such operator in the subset");
    if (kind === K.PlusToken && this.typeOf(this.checker.getTypeAtLocation(node)).kind === "text") {
      return { code: this.concat([node]), type: TEXT };
    }
    return { code: `${this.want(node.left, INT)} ${ARITHMETIC[kind]} ${this.want(node.right, INT)}`, type: INT };
  }

  logical(node) {
    const operator = node.operatorToken.kind === K.AmpersandAmpersandToken ? "&&" : "||";
    return { code: `${this.want(node.left, BOOL)} ${operator} ${this.want(node.right, BOOL)}`, type: BOOL };
  }

  equality(node, isEqual) {
    const left = this.emit(node.left, undefined, true);
    const right = this.emit(node.right, undefined, true);
    if (right.type.kind === "absent") return this.absence(node, left, isEqual);
    if (left.type.kind === "absent") return this.absence(node, right, isEqual);
    const operator = isEqual ? "==" : "!=";
    if (same(left.type, right.type)) {
      if (left.type.kind === "struct") return `${isEqual ? "" : "!"}std::ptr::eq(${left.code}, ${right.code})`;
      return `${left.code} ${operator} ${right.code}`;
    }
    // The wider of both types is that of the comparison.
    const wider = ["value", "opt"].find((kind) => left.type.kind === kind || right.type.kind === kind);
    if (wider === undefined) this.fail(node, `${keyOf(left.type)} compared with ${keyOf(right.type)}`);
    const type = left.type.kind === wider ? left.type : right.type;
    return `${this.coerce(left, type, node)} ${operator} ${this.coerce(right, type, node)}`;
  }

  /** A comparison with `false` or `undefined`. */
  absence(node, { code, type }, isEqual) {
    switch (type.kind) {
      case "opt":
        return `${code}.${isEqual ? "is_none" : "is_some"}()`;
      case "bool":
        return isEqual ? `!(${code})` : `(${code})`;
      case "value":
        return `${isEqual ? "" : "!"}${code}.is_nil()`;
      case "text":
      case "int":
        return isEqual ? "false" : "true";
      default:
        return this.fail(node, `${keyOf(type)} compared with nothing`);
    }
  }

  choice(node, wanted) {
    const own = this.typeOf(this.checker.getTypeAtLocation(node));
    const type = wanted && wanted.kind !== "unit" && (own.kind === "absent" || wanted.kind !== "value") ? wanted : own;
    const whenTrue = this.want(node.whenTrue, type);
    const whenFalse = this.want(node.whenFalse, type);
    return {
      code: `if ${this.want(node.condition, BOOL)} { ${whenTrue} } else { ${whenFalse} }`,
      type,
      isChoice: true,
    };
  }

  array(node, wanted) {
    const asked = wanted?.kind === "opt" ? wanted.of : wanted;
    let of = asked?.kind === "list" ? asked.of : undefined;
    if (asked?.kind === "value") of = VALUE;
    if (!of) of = this.typeOf(this.checker.getTypeAtLocation(node)).of;
    if (!of) this.fail(node, "a list of what");
    if (of.kind === "never") return { code: "s.list(&[])", type: list(NEVER) };
    const items = node.elements.map((item) => this.want(item, of));
    const kind = items.length === 0 ? `::<${rustType(of)}>` : "";
    return { code: `s.list${kind}(&[${items.join(", ")}])`, type: list(of) };
  }

  object(node, wanted) {
    const asked = wanted?.kind === "opt" ? wanted.of : wanted;
    const type = asked ?? this.typeOf(this.checker.getContextualType(node));
    if (type.kind === "dict") return { code: "s.dict()", type };
    if (type.kind !== "struct") this.fail(node, `an object for ${keyOf(type)}`);
    const given = new Map(
      node.properties.map((property) => [property.name.text, property.initializer ?? property.name]),
    );
    return { code: this.make(type.declaration, type.name, given), type };
  }

  make(declaration, name, given) {
    this.use(declaration, name);
    const parent = this.parentOf(declaration);
    const fields = parent ? [`parent: ${this.make(parent.declaration, parent.name, given)}`] : [];
    for (const { name: field, type, isReadonly } of this.fieldsOf(declaration)) {
      const value = this.want(given.get(field), type);
      fields.push(`${snake(field)}: ${isReadonly ? value : `Cell::new(${value})`}`);
    }
    fields.push("here: Here::new()");
    return `s.make(${name} { ${fields.join(", ")} })`;
  }

  cast(node) {
    const inner = this.emit(node.expression);
    const type = this.typeOf(this.checker.getTypeFromTypeNode(node.type));
    if (inner.type.kind !== "value") return inner;
    const taken = { int: "int", text: "text", list: "members" }[type.kind];
    if (!taken) this.fail(node, `a value as ${keyOf(type)}`);
    return { code: `${inner.code}.${taken}()`, type };
  }

  call(node) {
    if (isServerCall(node)) return this.serverCall(node);
    const primitive = primitiveOf(node);
    if (primitive) return this.primitive(node, primitive);
    const callee = node.expression;
    if (ts.isPropertyAccessExpression(callee)) {
      return callee.expression.getText() === "Math" ? this.math(node, callee.name.text) : this.method(node, callee);
    }
    return this.functionCall(node, declarationOf(this.checker, callee));
  }

  functionCall(node, declaration) {
    const fact = this.facts.functions.get(declaration);
    if (!fact) this.fail(node, "unknown function");
    const name = snake(declaration.name.text);
    this.use(declaration, name);
    const rest = node.arguments
      .map((argument, at) => ({ argument, parameter: fact.given[at] }))
      .filter(({ parameter }) => parameter.type.kind !== "server")
      .map(({ argument, parameter }) => this.want(argument, parameter.type));
    const args = fact.needsServer ? ["s", ...rest] : rest;
    return { code: `${name}(${args.join(", ")})${fact.fails ? "?" : ""}`, type: fact.type };
  }

  serverCall(node) {
    const [command, ...args] = node.arguments;
    const fixed = args.filter((argument) => !ts.isSpreadElement(argument)).map((argument) => this.argument(argument));
    const spread = args.find(ts.isSpreadElement);
    const given = spread
      ? `s.spread(&[${fixed.join(", ")}], ${this.emit(spread.expression).code})`
      : `&[${fixed.join(", ")}]`;
    if (ts.isStringLiteral(command)) {
      if (command.text === "HMGET") this.assertDistinct(node, args.slice(1));
      return { code: `s.${snake(command.text)}(${given})?`, type: this.facts.replyOf(command.text) };
    }
    // One of several commands that answer a number.
    return { code: `s.number(${this.want(command, TEXT)}, ${given})?`, type: INT };
  }

  /** The host counts the fields that it finds: one that is asked for twice would count twice. */
  assertDistinct(node, fields) {
    const words = fields.filter(ts.isStringLiteral).map((field) => field.text);
    if (new Set(words).size < words.length) this.fail(node, "one field asked for twice");
  }

  /** An argument of a command: text or a number. */
  argument(node) {
    // A word of the program is kept by the server, by where it stands.
    if (ts.isStringLiteral(node)) return `Arg::Word(${textLiteral(node.text)})`;
    const { code, type } = this.emit(node);
    if (type.kind === "text") return `Arg::Text(${code})`;
    if (type.kind === "int") return `Arg::Int(${code})`;
    if (type.kind === "value") return `${code}.arg()`;
    return this.fail(node, `${keyOf(type)} as an argument`);
  }

  primitive(node, name) {
    const known = PRIMITIVES[name];
    if (!known) this.fail(node, "no such primitive");
    const args = node.arguments.map((argument) => {
      const given = this.emit(argument);
      return given.code;
    });
    if (name === "error") return { code: `Value::Error(${args[0]})`, type: VALUE };
    return { code: `s.${snake(name)}(${args.join(", ")})${known.fails ? "?" : ""}`, type: known.type };
  }

  math(node, name) {
    const args = node.arguments;
    if (name === "min" || name === "max") {
      const [first, ...more] = args.map((argument) => this.want(argument, INT));
      return { code: more.reduce((code, other) => `i64::${name}(${code}, ${other})`, first), type: INT };
    }
    let inner = args[0];
    while (ts.isParenthesizedExpression(inner)) inner = inner.expression;
    if (!ts.isBinaryExpression(inner) || inner.operatorToken.kind !== K.SlashToken)
      this.fail(node, "not of a quotient");
    return { code: `${name}_div(${this.want(inner.left, INT)}, ${this.want(inner.right, INT)})`, type: INT };
  }

  method(node, callee) {
    const holder = this.want(callee.expression, TEXT);
    const args = node.arguments;
    if (callee.name.text === "indexOf") return { code: `${holder}.index_of(${this.want(args[0], TEXT)})`, type: INT };
    if (callee.name.text !== "slice") return this.fail(node, "no such method in the subset");
    const [from, to] = args.map((argument) => this.want(argument, INT));
    return { code: to === undefined ? `${holder}.from(${from})` : `${holder}.slice(${from}, ${to})`, type: TEXT };
  }
}

function asValue({ code, type }) {
  if (type.kind === "list" && type.of.kind === "never") return `Value::List(${code})`;
  return type.kind === "absent" ? "Value::Nil" : `Value::from(${code})`;
}
