/** Writes the table of verbs that the module registers. */

import { functionName } from "../generate/tables.mjs";
import { snake } from "./names.mjs";

/** What a verb that blocks waits for, as the module calls it. */
const BLOCKS = { flat: "Flat", whole: "Whole" };

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
      `        args: ${verb.args.length},`,
      `        has_more: ${verb.rest !== undefined || verb.optional !== undefined},`,
      `        blocks: ${verb.blocks ? `Some(Kind::${BLOCKS[verb.blocks]})` : "None"},`,
      `        act: crate::act::${snake(verb.plane)}::${name}::${snake(functionName(verb))},`,
      `        handler: crate::verb::handle::<${at}>,`,
      "    },",
    ].join("\n");
  });
  return `// Generated from \`spec/\` by \`npm run generate:native\`. Do not edit: a test fails when this file is stale.

//! Every verb of the wire, with its act.

use crate::block::Kind;
use crate::verb::Verb;

pub static VERBS: [Verb; ${verbs.length}] = [
${rows.join("\n")}
];
`;
}
