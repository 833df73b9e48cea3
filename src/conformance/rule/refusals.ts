/**
 * Every refusal of every verb: its exact text, its place in the order, and that nothing was written.
 *
 * Shape, values and layout are derived from the table of verbs, so a verb that joins is covered at once. What comes
 * after them (kind, existence, token, state) is listed by hand below, because each verb has its own.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { type ArgumentShape, VERBS, type Verb, type VerbShape } from "../../protocol/verbs.generated.ts";
import { callKeys } from "../call-keys.ts";
import { same } from "../expectation.ts";
import { badFlowArguments, FLOW_PARENT, type FlowRest, goodFlowArguments } from "../flow-arguments.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** A call that would be accepted up to its layout. */
interface Call {
  readonly verb: Verb;
  readonly shape: VerbShape;
  readonly keys: readonly Bytes[];
  readonly args: readonly Bytes[];
}

/** Texts that are no canonical whole numbers. */
const NO_INTEGERS = [
  "",
  "-1",
  "-0",
  "01",
  "+1",
  "1.0",
  "1e3",
  " 1",
  "1 ",
  "0x1",
  "inf",
  "nan",
  "one",
  "9007199254740992",
];

/** A well-formed id of no job. */
const ROW_ID = "JOB00000000000";

const VERB_NAMES = Object.keys(VERBS) as Verb[];

export const refusalScenarios: readonly ScenarioDraft[] = [
  {
    name: "refuse_shape",
    contract: "A wrong number of keys or arguments is refused before anything else, in the words of every verb.",
    async run(t) {
      await eachVerb(t, async (call) => {
        const { verb, shape, keys, args } = call;
        const takes = `ERR EMQ.${verb} takes ${shape.keys.length} keys`;
        const wrong = `ERR wrong number of arguments for 'EMQ.${verb}' command`;
        const foreign = [...keys.slice(0, -1), "foreign"];
        await refused(t, call, [], args, takes);
        await refused(t, call, keys.slice(0, -1), args, takes);
        if (shape.moreKeys.length === 0) await refused(t, call, [...keys, t.key("dead")], args, takes);
        if (shape.args.length > 0) {
          await refused(t, call, keys, args.slice(0, shape.args.length - 1), wrong);
          await refused(t, call, foreign, [], wrong);
          await refused(t, call, [], [], takes);
        }
        if (shape.rest === undefined) {
          const more = shape.args.length + shape.optional.length + 1 - args.length;
          await refused(t, call, keys, [...args, ...Array<Bytes>(more).fill("1")], wrong);
        }
      });
    },
  },
  {
    name: "refuse_values",
    contract:
      "A value that is not canonical, out of range or not in its list is refused by its name, before the layout.",
    async run(t) {
      await eachVerb(t, async (call) => {
        const { verb, shape, keys } = call;
        const foreign = [...keys.slice(0, -1), "foreign"];
        for (const [bad, name] of badCalls(call)) {
          await refused(t, call, keys, bad, `ERR EMQ.${verb} bad argument ${name}`);
          await refused(t, call, foreign, bad, `ERR EMQ.${verb} bad argument ${name}`);
        }
        for (const args of goodCalls(call)) {
          await refused(t, call, foreign, args, `ERR EMQ.${verb} keys do not match the wire-4 layout`);
        }
        same(shape, VERBS[verb], "the table of verbs");
      });
    },
  },
  {
    name: "refuse_layout",
    contract:
      "All declared keys are of one queue and of the types of the verb, byte for byte, before kind and existence.",
    async run(t) {
      await eachVerb(t, async (call) => {
        const { verb, keys, args } = call;
        const text = `ERR EMQ.${verb} keys do not match the wire-4 layout`;
        const other = `emq:{${t.queue}x}:`;
        for (const [at, key] of keys.entries()) {
          const type = key.slice(t.base.length);
          const swaps = [`${key}x`, key.slice(0, -1), `x${key}`, key.slice(1), `{emq}:${type}`, key.toUpperCase()];
          if (keys.length > 1) swaps.push(other + type);
          for (const swap of swaps) await refused(t, call, keys.with(at, swap), args, text);
        }
        for (const name of [`${t.queue}{`, `a}b`, `a\0b`]) {
          const bad = keys.map((key) => `emq:{${name}}:${key.slice(t.base.length)}`);
          await refused(t, call, bad, args, text);
        }
        const [more] = VERBS[verb].moreKeys;
        if (more === undefined) return;
        if (more === "*") return await refused(t, call, [...keys, `${other}ring`], args, text);
        await refused(t, call, [...keys, t.key("ring")], args, text);
        await refused(t, call, [...keys, t.key(more), t.key("ring")], args, text);
      });
    },
  },
  {
    name: "refuse_row_key",
    contract: "A row key is the one of the id in the arguments, and ends in exactly a branded id where none holds it.",
    async run(t) {
      await eachVerb(t, async (call) => {
        const { verb, shape, keys, args } = call;
        const text = `ERR EMQ.${verb} keys do not match the wire-4 layout`;
        if (shape.keys.some(({ type, id }) => type === "job:<id>" && id === undefined)) {
          for (const id of ["", "JOB", "JOBzzzzzzzzzzz", "job00000000000", "JOB0000000000!"]) {
            await refused(t, call, callKeys(verb, args, { base: t.base, id }), args, text);
          }
        }
        for (const [at, key] of shape.keys.entries()) {
          if (key.type !== "job:<id>") continue;
          // Where an argument holds the id, another id is refused as well; where none does, it is another row.
          const others = key.id === undefined && keys.length === 1 ? [] : [t.id()];
          const ids = [...others, "", "JOB", `${t.id()}x`, "JOBzzzzzzzzzzz", "job00000000000", "JOB0000000000!"];
          for (const id of ids) await refused(t, call, keys.with(at, t.row(id)), args, text);
          if (key.id !== undefined) await refused(t, call, keys, args.with(key.id, t.id()), text);
        }
      });
    },
  },
  {
    name: "refuse_kind",
    contract:
      "An id of another kind is refused by the verbs that admit or delay, after the layout and before existence.",
    expectFindings: ["row-place"],
    async run(t) {
      const id = t.port.mint("ORD");
      await t.command("HSET", t.row(id), "state", "active", "attempts", "1", "payload", "p");
      const before = await t.snapshot();
      const kind = "EMQKIND job id must be JOB-namespaced";
      const calls = {
        ENQUEUE: [id, "p"],
        SCHEDULE: [id, "p", "at", "1"],
        ADMIT: ["", "1", id, "p"],
        HOLD: ["1", "", id, "p"],
        CHILD: [ROW_ID, "", "fp", "", id, "p"],
        DELAY: [id, "9", "in", "1"],
      } as const;
      for (const [verb, args] of Object.entries(calls)) {
        same(await t.refusalOf(verb as Verb, args), kind, `the refusal of ${verb}`);
      }
      same(await t.snapshot(), before, "what they wrote");
    },
  },
  {
    name: "refuse_gone",
    contract: "A job that is gone is told so before its token is looked at: as an outcome or in the verb's words.",
    async run(t) {
      const id = t.id();
      const answers: readonly [Verb, readonly Bytes[], unknown][] = [
        ["COMPLETE", [id, "0"], 0],
        ["EXTEND", [id, "0", "1"], -1],
        ["EXTENDM", ["1", id, "0"], [[id], []]],
        ["CANCEL", [id, ""], -1],
        ["UPDATE", ["p", "0"], -1],
        ["PROGRESS", ["p", id, "0"], -1],
        ["LOG", ["p", "0", "0"], -1],
        ["REMOVE", [id, ""], -1],
        ["REPROCESS", [id], -1],
        ["RELEASE", [id], -1],
        ["STATE", [id], "absent"],
      ];
      for (const [verb, args, answer] of answers)
        same(await t.act(verb, args, { id }), answer, `the answer of ${verb}`);
      for (const [verb, args] of settlementCalls(id, "0")) {
        if (verb !== "COMPLETE") same(await t.refusalOf(verb, args), "EMQSTALE job gone", `the refusal of ${verb}`);
      }
      same((await t.snapshot()).size, 0, "keys that were made");
    },
  },
  {
    name: "refuse_token",
    contract: "A wrong token is refused in the words of each verb, before the state, and changes nothing.",
    async run(t) {
      const { id } = await t.active();
      const dead = await t.dead();
      const before = await t.snapshot();
      for (const job of [id, dead]) {
        const calls: readonly [Verb, readonly Bytes[]][] = [
          ...settlementCalls(job, "7"),
          ...settlementCalls(job, "0"),
          ["UPDATE", ["p", "7"]],
          ["PROGRESS", ["p", job, "7"]],
          ["LOG", ["p", "0", "7"]],
          ["EXTEND", [job, "7", "1"]],
        ];
        for (const [verb, args] of calls) {
          const text = `EMQSTALE ${verb.toLowerCase()} token mismatch`;
          same(await t.refusalOf(verb, args, { id: job }), text, `the refusal of ${verb}`);
        }
      }
      same(await t.act("EXTENDM", ["60000", id, "7", dead, "1"]), [[id, dead], []], "the answer of EXTENDM");
      same(await t.snapshot(), before, "what they changed");
    },
  },
  {
    name: "refuse_token_zero",
    contract: "The token 0 is never current, also not for a job that no claim has touched, whose attempts are 0.",
    async run(t) {
      const id = await t.enqueued();
      const before = await t.snapshot();
      const calls: readonly [Verb, readonly Bytes[]][] = [
        ...settlementCalls(id, "0"),
        ["UPDATE", ["p", "0"]],
        ["PROGRESS", ["p", id, "0"]],
        ["LOG", ["p", "0", "0"]],
      ];
      for (const [verb, args] of calls) {
        const text = `EMQSTALE ${verb.toLowerCase()} token mismatch`;
        same(await t.refusalOf(verb, args, { id }), text, `the refusal of ${verb}`);
      }
      same(await t.snapshot(), before, "what they changed");
    },
  },
  {
    name: "refuse_state",
    contract: "The right token of a job that is not active is refused by its state, in the words of each verb.",
    async run(t) {
      const dead = await t.dead();
      const locked = await t.enqueued();
      await t.command("HSET", t.row(locked), "lock", "w");
      await t.command("HSET", t.key("meta"), "concurrency", "1");
      const { id } = await t.active();
      const before = await t.snapshot();
      const inactive = "EMQSTATE job is not active";
      for (const [verb, args] of settlementCalls(dead, "1")) {
        same(await t.refusalOf(verb, args), inactive, `the refusal of ${verb}`);
      }
      same(
        await t.refusalOf("EXTEND", [dead, "1", "60000"]),
        "EMQSTALE extend token mismatch",
        "the refusal of EXTEND",
      );
      same(await t.refusalOf("REPROCESS", [id]), "EMQSTATE not dead", "the refusal of REPROCESS");
      same(await t.refusalOf("RELEASE", [id]), "EMQSTATE not scheduled", "the refusal of RELEASE");
      same(await t.refusalOf("MAXED", []), "EMQRATE at concurrency ceiling", "the refusal of MAXED");
      const lock = "EMQLOCK job is locked";
      for (const job of [locked, id].filter((one) => one !== undefined)) {
        if (job === id) await t.command("SET", `${t.row(id)}:lock`, "w");
        same(await t.refusalOf("REMOVE", [job, ""]), lock, "the refusal of REMOVE");
      }
      await t.command("DEL", `${t.row(id)}:lock`);
      same(await t.snapshot(), before, "what they changed");
    },
  },
];

/** The settlements of one job in their raw form. */
function settlementCalls(id: string, token: string): [Verb, readonly Bytes[]][] {
  return [
    ["COMPLETE", [id, token]],
    ["RETRY", [id, token, String(LEASE_MS), "3", "e"]],
    ["DELAY", [id, token, "in", String(LEASE_MS)]],
    ["GIVEBACK", [id, token]],
  ];
}

/** Runs with a call of every verb, and looks that nothing was written by all of them. */
async function eachVerb(t: Trial, run: (call: Call) => Promise<void>): Promise<void> {
  const id = await t.enqueued();
  const before = await t.snapshot();
  for (const verb of VERB_NAMES) {
    const args = goodArgs(VERBS[verb], id);
    await run({ verb, shape: VERBS[verb], keys: callKeys(verb, args, { base: t.base, id }), args });
  }
  same(await t.snapshot(), before, "what refused acts wrote");
}

async function refused(
  t: Trial,
  call: Call,
  keys: readonly Bytes[],
  args: readonly Bytes[],
  text: string,
): Promise<void> {
  const shown = JSON.stringify([keys, args.slice(0, 20)]).slice(0, 300);
  same(await t.refusal(call.verb, keys, args), text, `the refusal of ${call.verb} ${shown}`);
}

/** Arguments of a verb that pass its check of values. */
function goodArgs(shape: VerbShape, id: string): Bytes[] {
  const kind = flowRest(shape);
  if (kind !== undefined) return goodFlowArguments(kind, id);
  const args = shape.args.map((arg) => (arg.name === "id" ? id : goodValue(arg)));
  if (shape.rest?.kind === "admit") args.push("", "1", id, "p");
  return args;
}

/** The kind of rest of a flow verb; `undefined` for all others. */
function flowRest({ rest }: VerbShape): FlowRest | undefined {
  const kind = rest?.kind;
  return kind === "flow" || kind === "hold" || kind === "child" || kind === "expect" ? kind : undefined;
}

function goodValue({ kind, min, words }: ArgumentShape): Bytes {
  if (kind === "integer") return String(min ?? 0);
  return kind === "word" ? (words?.[0] ?? "") : "p";
}

/** Argument lists of which exactly one value is bad, and the name of that argument. */
function badCalls({ shape, args }: Call): [Bytes[], string][] {
  const calls: [Bytes[], string][] = [];
  for (const [at, arg] of shape.args.entries()) {
    for (const bad of badValues(arg)) calls.push([args.with(at, bad), arg.name]);
  }
  const filled = [...args, ...shape.optional.map(goodValue)];
  for (const [index, arg] of shape.optional.entries()) {
    const at = shape.args.length + index;
    for (const bad of badValues(arg)) calls.push([filled.slice(0, at + 1).with(at, bad), arg.name]);
  }
  return calls.concat(badRests(shape, args));
}

/** Argument lists that are good at the edges of their ranges. */
function goodCalls({ shape, args }: Call): Bytes[][] {
  const calls = [[...args]];
  for (const [at, { kind, max, words }] of shape.args.entries()) {
    if (kind === "integer" && shape.rest?.kind !== "settle") calls.push(args.with(at, String(max)));
    for (const word of words ?? []) calls.push(args.with(at, word));
  }
  return calls;
}

function badValues(shape: ArgumentShape): string[] {
  const bad = anyBadValues(shape);
  return shape.empty === true ? bad.filter((value) => value !== "") : bad;
}

function anyBadValues({ kind, min, max, words, empty }: ArgumentShape): string[] {
  if (kind === "name") return [...(empty === true ? [] : [""]), "a{b", "a}b", "a\0b", "x".repeat(257)];
  if (kind === "word") {
    const [first = ""] = words ?? [];
    return ["", "nope", `${first} `, first.toUpperCase()].filter((bad) => words?.includes(bad) !== true);
  }
  if (kind !== "integer") return [];
  const bad = [...NO_INTEGERS];
  if (min !== undefined && min > 0) bad.push(String(min - 1));
  if (max !== undefined && max < Number.MAX_SAFE_INTEGER) bad.push(String(max + 1));
  return bad;
}

/** Bad rests by kind. */
function badRests({ rest }: VerbShape, args: readonly Bytes[]): [Bytes[], string][] {
  const many = (count: number, ...row: Bytes[]) => Array.from({ length: count }, () => row).flat();
  switch (rest?.kind) {
    case "admit":
      return badAdmitRows();
    case "settle":
      return badSettlements(args);
    case "pairs":
      return [
        [[...args, ROW_ID], "token"],
        ...NO_INTEGERS.map((token): [Bytes[], string] => [[...args, ROW_ID, token], "token"]),
        [[...args, ROW_ID, "1", ROW_ID], "token"],
        [[...args, ...many(1001, ROW_ID, "1")], "id"],
      ];
    case "words":
      return [[[...args, "nope"], "counter"]];
    case "names":
      return [
        ...["", "a{b", "a}b", "a\0b", "x".repeat(257)].map((name): [Bytes[], string] => [
          [...args, "g", name],
          "group",
        ]),
        [[...args, ...many(1001, "g")], "group"],
      ];
    case "repeat":
      return badRepeatPairs(args);
    case "flow":
    case "hold":
    case "child":
    case "expect":
      return badFlowArguments(rest.kind, args.find((arg) => arg.startsWith("JOB") && arg !== FLOW_PARENT) ?? ROW_ID);
    case "ids":
    case undefined:
      return [];
  }
}

/** Bad pairs of a repeat after good arguments. */
function badRepeatPairs(args: readonly Bytes[]): [Bytes[], string][] {
  const pair = (word: Bytes, ...values: Bytes[]) =>
    values.map((value): [Bytes[], string] => [[...args, word, value], word === "group" ? "lane" : word]);
  return [
    ...["", "nope", "name priority", "Name"].map((word): [Bytes[], string] => [[...args, word, "1"], "word"]),
    [[...args, "priority", "1", "name", "x"], "word"],
    [[...args, "name", "x", "name", "x"], "word"],
    [[...args, "name"], "value"],
    ...pair("name", "x".repeat(257)),
    ...pair("priority", ...NO_INTEGERS, "2097153"),
    ...pair("group", "", "a{b", "x".repeat(257)),
    ...pair("opts", "", "[]", "{", "x"),
    ...pair("limit", ...NO_INTEGERS, "0"),
    ...pair("until", ...NO_INTEGERS),
    ...pair("overlap", "", "nope", "skip queue"),
    ...pair("rule", "x".repeat(4097)),
    ...pair("policy", "x".repeat(4097)),
    [[...args, "overlap", "queue"], "group"],
    [[...args, "mode", "keep"], "shape"],
  ];
}

function badAdmitRows(): [Bytes[], string][] {
  return [
    [[], "shape"],
    ...["z", "gn", "nn", "ai", "N", "nq"].map((shape): [Bytes[], string] => [
      [shape, "1", ROW_ID, "p", "x", "x"],
      "shape",
    ]),
    [[""], "count"],
    ...[...NO_INTEGERS, "0", "1001"].map((count): [Bytes[], string] => [["", count, ROW_ID, "p"], "count"]),
    [["", "1", ROW_ID], "row"],
    [["", "2", ROW_ID, "p", ROW_ID], "row"],
    [["n", "1", ROW_ID, "p"], "row"],
    [["", "1", ROW_ID, "p", ""], "count"],
    ...[...NO_INTEGERS, "2097153"].map((value): [Bytes[], string] => [["p", "1", ROW_ID, "p", value], "priority"]),
    ...["", "a{b", "a}b", "a\0b", "x".repeat(257)].map((value): [Bytes[], string] => [
      ["g", "1", ROW_ID, "p", value],
      "lane",
    ]),
    [["n", "1", ROW_ID, "p", "x".repeat(257)], "name"],
    ...NO_INTEGERS.flatMap((value): [Bytes[], string][] => [
      [["a", "1", ROW_ID, "p", value], "due"],
      [["i", "1", ROW_ID, "p", value], "due"],
    ]),
  ];
}

/** Bad settlements after good arguments. */
function badSettlements(args: readonly Bytes[]): [Bytes[], string][] {
  return [
    ...["", "z", "C", "cc"].map((op): [Bytes[], string] => [[...args, op, "1", ROW_ID, "1"], "op"]),
    [[...args, "c"], "count"],
    ...[...NO_INTEGERS, "0", "1001"].map((count): [Bytes[], string] => [[...args, "c", count, ROW_ID, "1"], "count"]),
    [[...args, "c", "1", ROW_ID], "row"],
    [[...args, "c", "2", ROW_ID, "1", ROW_ID], "row"],
    [[...args, "c", "1", ROW_ID, "1", "c"], "count"],
    ...["c", "b"].flatMap((op) =>
      NO_INTEGERS.map((token): [Bytes[], string] => [[...args, op, "1", ROW_ID, token], "token"]),
    ),
    ...["r", "k"].map((op): [Bytes[], string] => [[...args, op, "1", ROW_ID, "-1", "e"], "token"]),
    ...["d", "a"].flatMap((op) =>
      NO_INTEGERS.map((ms): [Bytes[], string] => [[...args, op, "1", ROW_ID, "1", ms], "ms"]),
    ),
    ...NO_INTEGERS.map((ms): [Bytes[], string] => [[...args, "f", "1", ROW_ID, "1", ms, "1", "e"], "delay_ms"]),
    ...[...NO_INTEGERS, "2147483649"].map((max): [Bytes[], string] => [
      [...args, "f", "1", ROW_ID, "1", "1", max, "e"],
      "max_attempts",
    ]),
  ];
}
