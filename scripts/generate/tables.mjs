/** Writes the tables of the protocol as TypeScript modules. */

import { HEADER, source } from "./text.mjs";

/** `src/protocol/verbs.generated.ts` */
export function verbTable(verbs) {
  const names = verbs.map((verb) => JSON.stringify(verb.verb)).join(" | ");
  const rows = verbs.map((verb) => `  ${verb.verb}: ${source(verbRow(verb))},`).join("\n");
  return `${HEADER}
/** The planes that verbs belong to, which are also the folders of \`spec/\`. */
export type Plane = ${[...new Set(verbs.map((verb) => JSON.stringify(verb.plane)))].join(" | ")};

/** Every verb of the wire. */
export type Verb = ${names};

/** One declared key of a verb. */
export interface KeyShape {
  readonly name: string;
  /** Its key type as in \`spec/keys.json\`; the empty text is the base key \`emq:{q}:\`. */
  readonly type: string;
  /**
   * For a row or a lane: the position of the argument that holds its id or name; absent when a row's own tail is the
   * id.
   */
  readonly id?: number;
  /** The type that it has instead, together with all others of the call that have one. */
  readonly or?: string;
}

/** One argument of a verb. */
export interface ArgumentShape {
  readonly name: string;
  readonly kind: "integer" | "bytes" | "word" | "name";
  readonly min?: number;
  readonly max?: number;
  readonly words?: readonly string[];
  /** For a name or a number: whether the empty text stands for none. */
  readonly empty?: boolean;
}

/** What may follow the fixed arguments of a verb, any number of times. */
export interface RestShape {
  readonly kind: "admit" | "settle" | "ids" | "pairs" | "words" | "names" | "repeat" | "flow" | "hold" | "child" | "expect";
  readonly words?: readonly string[];
}

/** The call form of a verb. */
export interface VerbShape {
  readonly plane: Plane;
  readonly access: "read" | "write";
  /** Whether a server at \`maxmemory\` refuses it. */
  readonly grows: boolean;
  readonly keys: readonly KeyShape[];
  /** Types of further keys of the same queue that a caller may append. */
  readonly moreKeys: readonly string[];
  readonly args: readonly ArgumentShape[];
  readonly optional: readonly ArgumentShape[];
  readonly rest?: RestShape;
  /** Types of further keys that the act may derive from the base. */
  readonly uses: readonly string[];
}

/** The call form of every verb. */
export const VERBS: Readonly<Record<Verb, VerbShape>> = {
${rows}
};
`;
}

function verbRow(verb) {
  const fixed = verb.args.map(argumentRow);
  const row = {
    plane: verb.plane,
    access: verb.access,
    grows: verb.grows,
    keys: verb.keys.map(({ name, type, id, or }) => ({
      name,
      type,
      ...(id === undefined ? {} : { id: verb.args.findIndex((arg) => arg.name === id) }),
      ...(or === undefined ? {} : { or }),
    })),
    moreKeys: verb.moreKeys ?? [],
    args: fixed,
    optional: (verb.optional ?? []).map(argumentRow),
  };
  if (verb.rest) {
    row.rest = verb.rest.words ? { kind: verb.rest.kind, words: verb.rest.words } : { kind: verb.rest.kind };
  }
  // Whoever tells an event may have to keep it too (docs/protocol/events.md).
  const kept = verb.uses.includes("events") ? ["meta", "stream:<name>"] : [];
  row.uses = [...new Set([...verb.uses, ...kept])];
  return row;
}

function argumentRow({ doc: _, ...row }) {
  return row;
}

/** `src/protocol/error-codes.generated.ts` */
export function errorTable(errors) {
  const codes = Object.entries(errors.codes);
  const rows = codes.map(([code, { retryable }]) => `  ${code}: { retryable: ${retryable} },`).join("\n");
  const wire = Object.entries(errors.wire).map(([word, { code }]) => `  ${word}: ${JSON.stringify(code)},`);
  return `${HEADER}
/** Stable codes of \`EchoMQError\`; docs/reference/errors.md says what each means. */
export type ErrorCode = ${codes.map(([code]) => JSON.stringify(code)).join(" | ")};

/** Facts of each code. */
export const ERROR_CODES: Readonly<Record<ErrorCode, { readonly retryable: boolean }>> = {
${rows}
};

/** The error words of the wire, each with the code that a host gives it. */
export const WIRE_ERRORS = {
${wire.join("\n")}
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** The first word of a refusal of our own. */
export type WireErrorWord = keyof typeof WIRE_ERRORS;
`;
}

/** `src/protocol/registry.generated.ts` */
export function registryTable({ keys, record }) {
  const list = (name, doc, values) =>
    `/** ${doc} */\nexport const ${name} = [${values.map((value) => JSON.stringify(value)).join(", ")}] as const;\n`;
  return `${HEADER}
${list(
  "KEY_TYPES",
  "The closed list of key types of a queue; parts in angle brackets stand for a name.",
  keys.types.map((key) => key.type),
)}
/** The Valkey type that each key type has. */
export const KEY_VALKEY_TYPES: Readonly<Record<(typeof KEY_TYPES)[number], string>> = {
${keys.types.map((key) => `  ${JSON.stringify(key.type)}: ${JSON.stringify(key.valkey)},`).join("\n")}
};

${list(
  "RESERVE_TYPES",
  "The closed list of suffixes of the reserve `{emq}:`.",
  keys.reserved.map((key) => key.type),
)}
${list(
  "BIRTH_FIELDS",
  "The fields that every row is born with, in their order.",
  record.fields.filter((field) => field.when === "birth").map((field) => field.name),
)}
${list(
  "RECORD_FIELDS",
  "Every field that a row may have.",
  record.fields.map((field) => field.name),
)}
${list(
  "JOB_STATES",
  "The words that a row's `state` may hold.",
  record.states.map((state) => state.word),
)}
${list(
  "STATE_ANSWERS",
  "The words that `STATE` may answer.",
  [...record.states, ...record.answers].map((state) => state.word),
)}
export type JobState = (typeof JOB_STATES)[number];
export type StateAnswer = (typeof STATE_ANSWERS)[number];
`;
}

/** `src/transition/transitions.generated.ts` */
export function transitionTable(verbs) {
  const name = (verb) => verb.verb.toLowerCase();
  const imports = verbs.map((verb) => `import { ${functionName(verb)} } from "./${verb.plane}/${name(verb)}.ts";`);
  const rows = verbs.map((verb) => `  ${verb.verb}: ${functionName(verb)},`);
  return `${HEADER}
import type { Verb } from "../protocol/verbs.generated.ts";
${imports.join("\n")}
import type { Transition } from "./server.ts";

/** Every act, by its verb. */
export const TRANSITIONS: Readonly<Record<Verb, Transition>> = {
${rows.join("\n")}
};
`;
}

/** `src/conformance/replies.generated.ts` */
export function replyTable(verbs) {
  const replies = verbs.map((verb) => `  ${verb.verb}: ${source(verb.reply)},`);
  const refusals = verbs.map((verb) => `  ${verb.verb}: ${source(verb.refusals)},`);
  return `${HEADER}
import type { Verb } from "../protocol/verbs.generated.ts";
import type { ReplySchema } from "./reply-schema.ts";

/** What each verb may answer. */
export const REPLIES: Readonly<Record<Verb, ReplySchema>> = {
${replies.join("\n")}
};

/** The refusals of each verb that come after shape, values and layout, in their order. */
export const REFUSALS: Readonly<Record<Verb, readonly string[]>> = {
${refusals.join("\n")}
};
`;
}

/** The exported function of a transition: the verb in lower case, unless Lua keeps that word for itself. */
export function functionName(verb) {
  const name = verb.verb.toLowerCase();
  return name === "repeat" ? "repeatAct" : name;
}
