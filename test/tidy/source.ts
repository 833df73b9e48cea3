/**
 * TypeScript sources as tidy tests see them: names, texts, imports and comments, each with its line.
 *
 * A parser tells code from prose, so a rule about words looks at what the program says and leaves comments free.
 */

import { parseSync, Visitor } from "vite";
import { lineAt, readText } from "./repository.ts";

/** Something in a source, and where. */
export interface Found {
  readonly text: string;
  readonly line: number;
}

export interface Source {
  readonly path: string;
  /** Names of variables, functions, parameters, types and members, wherever they are written. */
  readonly names: readonly Found[];
  /** String literals and the fixed parts of templates. */
  readonly strings: readonly Found[];
  /** Modules that it imports or exports from, types included. */
  readonly imports: readonly Found[];
  /** Uses of free names and of `object.member`, such as `Date.now`; `new Date()` without arguments is `new Date`. */
  readonly uses: readonly Found[];
}

/** What a node of the syntax tree may have; the parser's own types are unions of a hundred forms. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly source?: Node | null;
  readonly object?: Node;
  readonly property?: Node;
  readonly key?: Node;
  readonly computed?: boolean;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
}

export function readSource(path: string): Source {
  const text = readText(path);
  const result = parseSync(path, text);
  if (result.errors.length > 0) throw new Error(`${path}: ${result.errors[0]?.message}`);
  const names: Found[] = [];
  const strings: Found[] = [];
  const imports: Found[] = [];
  const uses: Found[] = [];
  const add = (list: Found[], node: { readonly start: number }, found: unknown): void => {
    if (typeof found === "string") list.push({ text: found, line: lineAt(text, node.start) });
  };
  const onImport = (node: unknown): void => {
    const { source } = node as Node;
    if (source) add(imports, source, source.value);
  };
  // A member's own name is no use of the global that is called the same.
  const memberNames = new Set<unknown>();
  const onMember = (node: unknown): void => {
    const { key, property, computed } = node as Node;
    if (computed !== true) memberNames.add(key ?? property);
  };
  const onName = (node: unknown): void => {
    add(names, node as Node, (node as Node).name);
    if (!memberNames.has(node)) add(uses, node as Node, (node as Node).name);
  };
  new Visitor({
    Identifier: onName,
    PrivateIdentifier: (node) => add(names, node, node.name),
    Literal: (node) => add(strings, node, node.value),
    TemplateElement: (node) => add(strings, node, node.value.raw),
    ImportDeclaration: onImport,
    ImportExpression: onImport,
    ExportAllDeclaration: onImport,
    ExportNamedDeclaration: onImport,
    MethodDefinition: onMember,
    Property: onMember,
    PropertyDefinition: onMember,
    TSMethodSignature: onMember,
    TSPropertySignature: onMember,
    MemberExpression: (node) => {
      onMember(node);
      const { object, property } = node as unknown as Node;
      if (object?.name !== undefined && property?.name !== undefined) {
        add(uses, node, `${object.name}.${property.name}`);
      }
    },
    NewExpression: (node) => {
      const { callee, arguments: args } = node as unknown as Node;
      if (callee?.name !== undefined && args?.length === 0) add(uses, node, `new ${callee.name}`);
    },
  }).visit(result.program);
  return { path, names, strings, imports, uses };
}
