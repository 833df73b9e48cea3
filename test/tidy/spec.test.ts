/**
 * The specification is data, and this is its compiler: form by the schema, names by each other.
 *
 * Everything in `src/protocol/*.generated.ts`, the server's checks and the reference pages comes from these files, so a
 * slip here would become a slip on every engine alike and no comparison of engines could find it.
 */

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { readJson, trackedFiles } from "./repository.ts";

interface VerbSpec {
  readonly verb: string;
  readonly plane: string;
  readonly keys: readonly { readonly name: string; readonly type: string; readonly id?: string }[];
  readonly moreKeys?: readonly string[];
  readonly args: readonly { readonly name: string }[];
  readonly optional?: readonly { readonly name: string }[];
  readonly uses: readonly string[];
  readonly refusals: readonly string[];
  readonly reply: object | boolean;
  readonly access: string;
  readonly grows: boolean;
  readonly wakes: boolean;
}

const specFiles = trackedFiles().filter((path) => /^spec\/.*\.json$/.test(path) && path !== "spec/_schema.json");
const verbFiles = specFiles.filter((path) => path.split("/").length === 3);
const keyTypes = (readJson("spec/keys.json") as { types: { type: string }[] }).types.map((entry) => entry.type);
const wireWords = Object.keys((readJson("spec/errors.json") as { wire: object }).wire);

describe("every file of spec/", () => {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  const validate = ajv.compile(readJson("spec/_schema.json") as object);

  it.each(specFiles)("%s has the form that the schema gives", (path) => {
    const isValid = validate(readJson(path));
    expect(isValid ? [] : validate.errors?.map((error) => `${error.instancePath} ${error.message}`)).toEqual([]);
  });
});

describe("every verb", () => {
  it.each(verbFiles)("%s lies under its own plane and name", (path) => {
    const { verb, plane } = readJson(path) as VerbSpec;
    expect(path).toBe(`spec/${plane}/${verb.toLowerCase()}.json`);
  });

  it.each(verbFiles)("%s names only key types of spec/keys.json", (path) => {
    const { keys, moreKeys = [], uses } = readJson(path) as VerbSpec;
    const named = [...keys.map((key) => key.type), ...moreKeys, ...uses].filter((type) => type !== "" && type !== "*");
    expect(named.filter((type) => !keyTypes.includes(type))).toEqual([]);
  });

  it.each(verbFiles)("%s declares one more key than the base when it derives keys", (path) => {
    const { keys, uses } = readJson(path) as VerbSpec;
    const derived = uses.filter((type) => !keys.some((key) => key.type === type));
    if (derived.length > 0) expect(keys.some((key) => key.type === "")).toBe(true);
    if (keys.some((key) => key.type === "")) expect(keys.length).toBeGreaterThan(1);
  });

  it.each(verbFiles)("%s names each argument once, and ids of rows by an argument of its own", (path) => {
    const { keys, args, optional = [] } = readJson(path) as VerbSpec;
    const names = [...args, ...optional].map((arg) => arg.name);
    expect(new Set(names).size).toBe(names.length);
    const ids = keys.flatMap((key) => (key.id === undefined ? [] : [key.id]));
    expect(ids.filter((id) => !args.some((arg) => arg.name === id))).toEqual([]);
  });

  it.each(verbFiles)("%s refuses by words of spec/errors.json", (path) => {
    const { refusals } = readJson(path) as VerbSpec;
    const words = refusals.map((text) => text.split(" ")[0] ?? "");
    expect(words.filter((word) => word !== "ERR" && !wireWords.includes(word))).toEqual([]);
  });

  it.each(verbFiles)("%s has a reply that is a schema", (path) => {
    const { reply } = readJson(path) as VerbSpec;
    expect(() => new Ajv2020({ strict: false }).compile(reply)).not.toThrow();
  });

  it.each(verbFiles)("%s neither grows nor wakes when it only reads", (path) => {
    const { access, grows, wakes } = readJson(path) as VerbSpec;
    if (access === "read") expect([grows, wakes]).toEqual([false, false]);
  });
});
