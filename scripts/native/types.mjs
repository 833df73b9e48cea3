/**
 * The types of the transition subset as the generated Rust knows them.
 *
 * Everything that an act makes lives in the arena of that act and is handed on as a reference, so each Rust type is
 * `Copy`, and an object or a list that two places hold is one object, as it is in TypeScript.
 */

import { ts } from "./typescript.mjs";

export const TEXT = { kind: "text" };
export const INT = { kind: "int" };
export const BOOL = { kind: "bool" };
/** What may be text, a number, a list or nothing: an argument or a reply. */
export const VALUE = { kind: "value" };
export const UNIT = { kind: "unit" };
/** The literal `false`, and `undefined`: nothing is there. */
export const ABSENT = { kind: "absent" };
export const NEVER = { kind: "never" };
export const SERVER = { kind: "server" };

export const opt = (of) => ({ kind: "opt", of });
export const list = (of) => ({ kind: "list", of });
export const dict = (of) => ({ kind: "dict", of });
export const tuple = (items) => ({ kind: "tuple", items });
export const struct = (name, declaration) => ({ kind: "struct", name, declaration });

/** A text that is the same for equal types. */
export function keyOf(type) {
  if (type.of) return `${type.kind}<${keyOf(type.of)}>`;
  if (type.items) return `(${type.items.map(keyOf).join(",")})`;
  return type.kind === "struct" ? type.name : type.kind;
}

export const same = (a, b) => keyOf(a) === keyOf(b);

/** The Rust text of a type. */
export function rustType(type) {
  switch (type.kind) {
    case "text":
      return "Text<'a>";
    case "int":
      return "i64";
    case "bool":
      return "bool";
    case "value":
      return "Value<'a>";
    case "unit":
      return "()";
    case "opt":
      return `Option<${rustType(type.of)}>`;
    case "list":
      return `List<'a, ${rustType(type.of)}>`;
    case "dict":
      return `Dict<'a, ${rustType(type.of)}>`;
    case "struct":
      return `&'a ${type.name}<'a>`;
    case "tuple":
      return `(${type.items.map(rustType).join(", ")})`;
    default:
      throw new Error(`no Rust type for ${keyOf(type)}`);
  }
}

/** The type of a union, from the types of its parts. */
function unionOf(parts) {
  const kinds = new Map(parts.map((part) => [keyOf(part), part]));
  const isAbsent = kinds.delete("absent");
  if (kinds.size === 0) return ABSENT;
  if (kinds.size > 1) return VALUE;
  const [only] = kinds.values();
  // `true | false` is a boolean, and `true` alone is one as well.
  if (only.kind === "bool" || only.kind === "value") return only;
  return isAbsent ? opt(only) : only;
}

/** Reads the types of a program. */
export function typeReader(checker) {
  function typeOf(type) {
    const flags = type.flags;
    if (flags & ts.TypeFlags.StringLike) return TEXT;
    if (flags & ts.TypeFlags.NumberLike) return INT;
    if (flags & ts.TypeFlags.BooleanLiteral) return type.intrinsicName === "false" ? ABSENT : BOOL;
    if (flags & ts.TypeFlags.Boolean) return BOOL;
    if (flags & ts.TypeFlags.Undefined) return ABSENT;
    if (flags & (ts.TypeFlags.Void | ts.TypeFlags.Unknown)) return UNIT;
    if (flags & ts.TypeFlags.Never) return NEVER;
    if (type.isUnion()) {
      // A reply may hold replies: its type has no end.
      if (type.types.some((part) => part.symbol?.name === "ErrorReply")) return VALUE;
      return unionOf(type.types.map(typeOf));
    }
    return objectOf(type);
  }

  function objectOf(type) {
    if (checker.isTupleType(type)) return tuple(checker.getTypeArguments(type).map(typeOf));
    if (checker.isArrayType(type)) return list(typeOf(checker.getTypeArguments(type)[0]));
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (index) return dict(typeOf(index));
    const name = type.symbol?.name;
    if (name === "ErrorReply") return VALUE;
    if (name === "Server") return SERVER;
    const declaration = type.symbol?.declarations?.find(ts.isInterfaceDeclaration);
    if (declaration) return struct(name, declaration);
    throw new Error(`no type for ${checker.typeToString(type)}`);
  }

  return typeOf;
}
