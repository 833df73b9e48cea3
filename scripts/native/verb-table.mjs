/** Writes the table of verbs that the module registers. */

import { functionName } from "../generate/tables.mjs";
import { snake } from "./names.mjs";

export function verbTable(verbs) {
  const rows = verbs.map((verb, at) => {
    const name = snake(verb.verb.toLowerCase());
    const keys = verb.keys.length;
    return [
      "    Verb {",
      `        name: c"emq.${verb.verb.toLowerCase()}",`,
      `        verb: "${verb.verb}",`,
      `        summary: c${JSON.stringify(verb.summary)},`,
      `        reads: ${verb.access === "read"},`,
      `        grows: ${verb.grows === true},`,
      `        keys: ${keys},`,
      `        act: crate::act::${snake(verb.plane)}::${name}::${snake(functionName(verb))},`,
      `        handler: crate::verb::handle::<${at}>,`,
      "    },",
    ].join("\n");
  });
  return `// Generated from \`spec/\` by \`npm run generate:native\`. Do not edit: a test fails when this file is stale.

//! Every verb of the wire, with its act.

use crate::verb::Verb;

pub const VERBS: [Verb; ${verbs.length}] = [
${rows.join("\n")}
];
`;
}
