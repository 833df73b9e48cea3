/**
 * Where a command's keys are, in the form of `COMMAND INFO`: from where to search for them, and how to go on from
 * there.
 *
 * Of what a command does with a key, only whether it may write is told: `RO` for a command that never writes, and `RW`
 * with all that goes with it for any other.
 */

import type { CommandFacts } from "../embedded/command/command-facts.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bulk, integer, map, type Resp, set, status } from "./frames.ts";

interface Specification {
  readonly begin: readonly [type: string, spec: Readonly<Record<string, number | string>>];
  readonly find: readonly [type: string, spec: Readonly<Record<string, number>>];
}

/** Commands with keys at a place that the other facts cannot tell, by name in small letters. */
const BY_NAME: Readonly<Record<string, Specification>> = {
  xread: behindStreams(1),
  xreadgroup: behindStreams(4),
  eval: counted(2),
  evalsha: counted(2),
  eval_ro: counted(2),
  evalsha_ro: counted(2),
};

/** The frame of all specifications of a command. */
export function keySpecificationsFrame(name: string, facts: CommandFacts, resp: Resp): Bytes {
  return set(
    specifications(name, facts).map((each) => frameOf(each, facts, resp)),
    resp,
  );
}

function specifications(name: string, facts: CommandFacts): readonly Specification[] {
  const named = BY_NAME[name];
  if (named !== undefined) return [named];
  if (name.startsWith("emq.") && facts.flags.includes("movablekeys")) return [counted(1)];
  const { firstKey, lastKey, keyStep } = facts;
  if (firstKey === 0) return [];
  if (lastKey < 0) return [ranged(firstKey, lastKey, keyStep)];
  // Keys of a fixed number may be of different kinds, so each stands alone.
  return Array.from({ length: lastKey - firstKey + 1 }, (_, at) => ranged(firstKey + at, 0, keyStep));
}

function ranged(index: number, lastkey: number, keystep: number): Specification {
  return { begin: ["index", { index }], find: ["range", { lastkey, keystep, limit: 0 }] };
}

/** Half of what stands behind the word are keys. */
function behindStreams(startfrom: number): Specification {
  return {
    begin: ["keyword", { keyword: "STREAMS", startfrom }],
    find: ["range", { lastkey: -1, keystep: 1, limit: 2 }],
  };
}

/** Keys behind their number. */
function counted(index: number): Specification {
  return { begin: ["index", { index }], find: ["keynum", { keynumidx: 0, firstkey: 1, keystep: 1 }] };
}

function frameOf({ begin, find }: Specification, { flags }: CommandFacts, resp: Resp): Bytes {
  const doings = flags.includes("readonly") ? ["RO", "access"] : ["RW", "access", "update"];
  const parts = [
    bulk("flags"),
    set(doings.map(status), resp),
    bulk("begin_search"),
    typed(begin, resp),
    bulk("find_keys"),
    typed(find, resp),
  ];
  return map(parts, resp);
}

function typed([type, spec]: Specification["begin"], resp: Resp): Bytes {
  const fields = Object.entries(spec).flatMap(([name, value]) => [
    bulk(name),
    typeof value === "number" ? integer(value) : bulk(value),
  ]);
  return map([bulk("type"), bulk(type), bulk("spec"), map(fields, resp)], resp);
}
