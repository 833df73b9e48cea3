/**
 * The layout check of the host against the checks inside the transitions, which are generated as code from the same
 * specification: for any call, right or damaged, both must say the same.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goodFlowArguments } from "../../../src/conformance/flow-arguments.ts";
import { encodeId, isValidId } from "../../../src/protocol/id.ts";
import { checkLayout } from "../../../src/protocol/layout.ts";
import {
  type ArgumentShape,
  type KeyShape,
  VERBS,
  type Verb,
  type VerbShape,
} from "../../../src/protocol/verbs.generated.ts";
import type { Server } from "../../../src/transition/server.ts";

type Check = (server: Server, keys: string[], args: string[]) => string;

interface Call {
  readonly keys: string[];
  readonly args: string[];
}

/** What the checks ask of a server, in the strict form that refuses an empty name; anything else would be a fault. */
const strictServer = {
  num: Number,
  int: (text: string, min: number, max: number) => /^(0|-?[1-9]\d*)$/.test(text) && +text >= min && +text <= max,
  base: (text: string) => /^emq:\{[^{}\0]+\}:$/.test(text),
  branded: (text: string) => isValidId(text),
  name: (text: string) => /^[^{}\0]{1,256}$/.test(text),
  char: (text: string, at: number) => text.charAt(at),
} as unknown as Server;

async function setup(verb: Verb): Promise<{ shape: VerbShape; check: Check }> {
  const shape = VERBS[verb];
  const path = `../../../src/transition/check/${shape.plane}/${verb.toLowerCase()}.generated.ts`;
  const module = (await import(/* @vite-ignore */ path)) as Record<string, Check>;
  const check = module[`check${verb[0]}${verb.slice(1).toLowerCase()}`];
  if (check === undefined) throw new Error(`${path} exports no check of ${verb}`);
  return { shape, check };
}

const anyId = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map((value) => encodeId("JOB", value));
const anyQueue = fc.oneof(
  fc.constantFrom("orders", "q", "a:b", "*", "\u00c3\u00bc", "}:", "", "a}b", "a{b", "a\u0000"),
  fc.string({ maxLength: 8 }),
);

/** Settlements of a good call at most; with `want` they share one budget of 1000. */
const SETTLEMENTS_MAX = 2;

function argument(shape: ArgumentShape): fc.Arbitrary<string> {
  if (shape.kind === "word") return fc.constantFrom(...(shape.words ?? []));
  if (shape.kind === "bytes") return fc.string({ unit: "binary-ascii", maxLength: 8 });
  if (shape.kind === "name") return fc.constantFrom(...(shape.empty === true ? [""] : []), "a", "x".repeat(256));
  const spare = shape.name === "want" ? SETTLEMENTS_MAX : 0;
  return fc.integer({ min: shape.min ?? 0, max: Math.min(shape.max ?? 0, 2 ** 31) - spare }).map(String);
}

/** Good groups of what may follow the fixed arguments. */
function rest(shape: VerbShape): fc.Arbitrary<string[]> {
  switch (shape.rest?.kind) {
    case "admit":
      return fc.tuple(anyId, fc.string({ maxLength: 4 })).map(([id, payload]) => ["", "1", id, payload]);
    case "settle":
      return fc.array(anyId, { maxLength: SETTLEMENTS_MAX }).map((ids) => ids.flatMap((id) => ["c", "1", id, "1"]));
    case "pairs":
      return fc.array(anyId, { maxLength: 3 }).map((ids) => ids.flatMap((id) => [id, "1"]));
    case "ids":
      return fc.array(anyId, { maxLength: 3 });
    case "names":
      return fc.array(fc.constantFrom("a", "x".repeat(256)), { maxLength: 3 });
    case "repeat":
      return fc.constantFrom([], ["name", "a"], ["priority", "1", "limit", "2", "rule", "r"]);
    case "words":
      return fc.subarray([...(shape.rest.words ?? [])]);
    default:
      return fc.constant([]);
  }
}

/** A call that is right in everything but, at times, the queue's name. */
function call(shape: VerbShape): fc.Arbitrary<Call> {
  const optional = fc
    .nat(shape.optional.length)
    .chain((count) => fc.tuple(...shape.optional.slice(0, count).map(argument)));
  const more = fc.subarray([...shape.moreKeys]);
  return fc
    .tuple(anyQueue, anyId, fc.tuple(...shape.args.map(argument)), optional, rest(shape), more, fc.boolean())
    .map(([queue, id, fixed, extra, tail, types, isOther]) => {
      const idAts = shape.keys.filter((key) => key.type.startsWith("job:")).map((key) => key.id);
      const plain = [...fixed, ...extra, ...tail].map((text, at) => (idAts.includes(at) ? id : text));
      const kind = shape.rest?.kind;
      const isFlow = kind === "flow" || kind === "hold" || kind === "child" || kind === "expect";
      const args = isFlow ? goodFlowArguments(kind, id) : plain;
      const nameOf = ({ type, id: at }: KeyShape) => (type.startsWith("job:") ? id : (args[at ?? -1] ?? ""));
      const typeOf = ({ type, or }: KeyShape) => (isOther ? (or ?? type) : type);
      const own = shape.keys.map((key) => typeOf(key).replace(/<\w+>/, () => nameOf(key)));
      const keys = own.concat(types.map((type) => type.replace("<id>", id)));
      return { keys: keys.map((type) => `emq:{${queue}}:${type}`), args };
    });
}

type Damage = (call: Call, at: number, text: string, other: string) => Call;

const put = <T>(list: readonly T[], at: number, ...items: T[]) => [
  ...list.slice(0, at),
  ...items,
  ...list.slice(at + 1),
];

/** What can be wrong with one key or with the number of parts. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  nothing: (call) => call,
  "a key is missing": ({ keys, args }, at) => ({ keys: put(keys, at), args }),
  "a key stands twice": ({ keys, args }, at) => ({ keys: put(keys, at, keys[at] ?? "", keys[at] ?? ""), args }),
  "a key is another text": ({ keys, args }, at, text) => ({ keys: put(keys, at, text), args }),
  "a key has more behind it": ({ keys, args }, at, text) => ({ keys: put(keys, at, (keys[at] ?? "") + text), args }),
  "a key is cut short": ({ keys, args }, at, text) => ({
    keys: put(keys, at, (keys[at] ?? "").slice(0, -1 - text.length)),
    args,
  }),
  "a key is of another queue": ({ keys, args }, at, text) => ({
    keys: put(
      keys,
      at,
      (keys[at] ?? "").replace(/^emq:\{.*?\}/, () => `emq:{${text}}`),
    ),
    args,
  }),
  "a key names another id": ({ keys, args }, at, _, other) => ({
    keys: put(keys, at, (keys[at] ?? "").replace(/JOB[0-9A-Za-z]{11}/, other)),
    args,
  }),
  "all keys name what is no id": ({ keys, args }, _at, text) => ({
    keys: keys.map((key) => key.replace(/JOB[0-9A-Za-z]{11}/, () => `JOB${text}`)),
    args,
  }),
  "two keys have changed places": ({ keys, args }, at) => {
    const to = (at + 1) % keys.length;
    return { keys: put(put(keys, at, keys[to] ?? ""), to, keys[at] ?? ""), args };
  },
  "an argument is missing": ({ keys, args }) => ({ keys, args: args.slice(0, -1) }),
  "an argument is too many": ({ keys, args }, _at, text) => ({ keys, args: [...args, text] }),
};

describe("the host's layout check", () => {
  it.each(Object.keys(VERBS) as Verb[])("agrees with the check inside %s", async (verb) => {
    const { shape, check } = await setup(verb);
    const damage = fc.constantFrom(...Object.keys(DAMAGES));
    const index = fc.nat(shape.keys.length - 1);
    const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("orders", "{", "}", "}:", "emq:{q}:", ":logs"));
    fc.assert(
      fc.property(call(shape), damage, index, text, anyId, (good, name, at, other, id) => {
        const { keys, args } = DAMAGES[name]?.(good, at, other, id) ?? good;
        const server = check(strictServer, keys, args);
        const host = checkLayout(verb, keys, args);
        // Values stand between shape and layout; where one of them is bad, the shape at least was right.
        if (server.includes(" bad argument ")) expect(host ?? "layout").toContain("layout");
        else expect(host ?? "").toBe(server);
      }),
      { numRuns: 300 },
    );
  });

  it.each(Object.keys(VERBS) as Verb[])("accepts the good calls of %s", async (verb) => {
    const { shape, check } = await setup(verb);
    fc.assert(
      fc.property(call(shape), (good) => {
        fc.pre(strictServer.base(`emq:{${/^emq:\{(.*)\}:/s.exec(good.keys[0] ?? "")?.[1] ?? ""}}:`));
        expect(check(strictServer, good.keys, good.args)).toBe("");
        expect(checkLayout(verb, good.keys, good.args)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });
});
