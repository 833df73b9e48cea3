/** Writes the reference pages from `spec/`. */

const NOTE =
  "<!-- Generated from spec/ by `npm run generate`. Do not edit: a test fails when this page is stale. -->\n";

/** A Markdown table. Bars inside a cell are escaped. */
function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const code = (text) => `\`${text}\``;

/** `docs/reference/verbs.md` */
export function verbsPage(verbs) {
  const planes = [...new Set(verbs.map((verb) => verb.plane))];
  const sections = planes.map((plane) => {
    const own = verbs.filter((verb) => verb.plane === plane);
    return `## ${plane[0].toUpperCase()}${plane.slice(1)} plane\n\n${own.map(verbSection).join("\n\n")}`;
  });
  return `${NOTE}
# Verbs

The call form is \`EMQ.<VERB> <numkeys> <key>… <arg>…\`; on a plain server the same keys and arguments go to \`EVALSHA\`.
Keys are named by their type; \`base\` is \`emq:{q}:\`. See [the protocol](../protocol/README.md) for the order of refusals.

${sections.join("\n\n")}
`;
}

function verbSection(verb) {
  const keys = verb.keys.map((key) => code(key.name)).concat(verb.moreKeys ? ["…"] : []);
  const args = verb.args.map((arg) => code(arg.name)).concat((verb.optional ?? []).map((arg) => `[${code(arg.name)}]`));
  if (verb.rest) args.push("…");
  const rows = [...verb.args, ...(verb.optional ?? [])].map((arg) => [code(arg.name), domain(arg), arg.doc]);
  if (verb.rest) rows.push(["…", "repeated", verb.rest.doc]);
  const parts = [
    `### ${verb.verb}`,
    [verb.summary, verb.doc].filter(Boolean).join(" "),
    `${keys.join(", ")} · ${args.join(", ") || "no arguments"}`,
  ];
  if (rows.length > 0) parts.push(table(["Argument", "Domain", "Meaning"], rows));
  if (verb.outcomes)
    parts.push(
      table(
        ["Reply", "Meaning"],
        Object.entries(verb.outcomes).map(([k, v]) => [code(k), v]),
      ),
    );
  if (verb.refusals.length > 0) parts.push(`Refusals, in order: ${verb.refusals.map(code).join(", ")}.`);
  const facts = [
    verb.access === "read" ? "reads" : "writes",
    verb.grows ? "refused at maxmemory" : "",
    verb.wakes ? "may wake" : "",
    verb.blocks ? "may [block](../protocol/calls.md#claims-that-block) on the native half" : "",
    `cost ${verb.cost}`,
    `since ${verb.since}`,
  ];
  parts.push(`*${facts.filter(Boolean).join(" · ")}*`);
  return parts.join("\n\n");
}

function domain(arg) {
  if (arg.kind === "integer") return `${arg.min} … ${arg.max}${arg.empty ? " or empty" : ""}`;
  if (arg.kind === "word") return arg.words.map(code).join(", ");
  if (arg.kind === "name") return arg.empty ? "a name or empty" : "a name";
  return "bytes";
}

/** `docs/reference/errors.md` */
export function errorsPage(errors) {
  const codes = Object.entries(errors.codes).map(([name, { retryable, meaning, action }]) => [
    code(name),
    retryable ? "yes" : "no",
    meaning,
    action,
  ]);
  const wire = Object.entries(errors.wire).map(([word, entry]) => [code(word), code(entry.code), entry.meaning]);
  return `${NOTE}
# Errors

Every error that EchoMQ throws is an \`EchoMQError\` with one of these codes. Outcomes such as a duplicate are return values.

${table(["Code", "Retryable", "Meaning", "What to do"], codes)}

## Error words of the wire

${table(["Word", "Code", "Meaning"], wire)}
`;
}

/** `docs/reference/keys.md` */
export function keysPage(keys) {
  const rows = (list, prefix) =>
    list.map((key) => [code(prefix + key.type), key.valkey, key.origin === "own" ? "ours" : "wire 3", key.doc]);
  return `${NOTE}
# Keys

Every key of a queue is \`${keys.base}<type>\`; the reserve is \`${keys.reserve}<suffix>\`. The lists are closed.
"wire 3" marks a key that \`echomq:3.0.0\` had already and that keeps its name and type; "ours" marks one that came with
\`echomq:4.0.0\`, the version that this package speaks.

${table(["Key", "Type", "Origin", "Content"], [...rows(keys.types, keys.base), ...rows(keys.reserved, keys.reserve)])}
`;
}

/** `docs/reference/record.md` */
export function recordPage(record) {
  const when = { birth: "at birth, always", admission: "at admission, when it applies", life: "later" };
  return `${NOTE}
# The record

A job is one hash, born with exactly \`state\`, \`attempts\` and \`payload\`. A further field is present only when it applies.

${table(
  ["Field", "Written", "Content"],
  record.fields.map((field) => [code(field.name), when[field.when], field.doc]),
)}

## States

${table(
  ["Word", "Meaning"],
  [...record.states, ...record.answers].map((state) => [code(state.word), state.doc]),
)}
`;
}
