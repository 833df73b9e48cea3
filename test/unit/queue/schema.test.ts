import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isStandardSchema, type StandardSchema, validated } from "../../../src/queue/schema.ts";
import { errorOf } from "./scripted-engine.ts";

interface Mail {
  to: { address: string }[];
}

/** A validator without a library, that says `path` in both forms that the Standard Schema allows. */
function byHand(options: { readonly isAsync: boolean }): StandardSchema<Mail> {
  const validate = (value: unknown) => {
    const to: unknown = (value as { to?: { address?: unknown }[] }).to?.[0]?.address;
    if (typeof to === "string") return { value: value as Mail };
    return { issues: [{ message: "no text", path: ["to", { key: 0 }, "address"] }] };
  };
  return {
    "~standard": {
      version: 1,
      vendor: "by hand",
      validate: (value) => (options.isAsync ? Promise.resolve(validate(value)) : validate(value)),
    },
  };
}

describe.each([
  ["zod", z.object({ to: z.array(z.object({ address: z.string() })) })],
  ["valibot", v.object({ to: v.array(v.object({ address: v.string() })) })],
  ["a validator written by hand", byHand({ isAsync: false })],
  ["a validator that takes its time", byHand({ isAsync: true })],
] as readonly (readonly [string, StandardSchema])[])("with %s", (_, schema) => {
  it("good data come back", async () => {
    const mail = { to: [{ address: "ada" }] };
    expect(await validated(schema, mail)).toEqual(mail);
  });

  it("a refusal names the place", async () => {
    const error = await errorOf(() => validated(schema, { to: [{ address: 5 }] }));
    expect(error).toMatchObject({ code: "invalid_payload", retryable: false, details: { path: "to.0.address" } });
    expect(error.message).toContain("to.0.address: ");
    expect(error.details["issues"]).toHaveLength(1);
  });
});

describe("a refusal", () => {
  it("of the payload itself has no place", async () => {
    const error = await errorOf(() => validated(z.string() as StandardSchema, 5));
    expect(error.details["path"]).toBe("");
    expect(error.message).toMatch(/schema: \S/);
  });

  it("names three places and keeps the others in its details", async () => {
    const text = z.string();
    const error = await errorOf(() => validated(z.object({ a: text, b: text, c: text, d: text }), {}));
    expect(error.message).toMatch(/a: .*; b: .*; c: [^;]*$/);
    expect(error.details["issues"]).toHaveLength(4);
  });

  it("lets what a validator throws pass", async () => {
    const broken: StandardSchema = {
      "~standard": {
        version: 1,
        vendor: "broken",
        validate: () => {
          throw new TypeError("a fault of the validator");
        },
      },
    };
    await expect(validated(broken, 1)).rejects.toThrow("a fault of the validator");
  });
});

it("what a validator makes of the data is what comes back", async () => {
  const schema = z.object({ day: z.string().transform(Number) });
  expect(await validated(schema, { day: "3" })).toEqual({ day: 3 });
});

it("a schema is known by its one member, object or function", () => {
  const standard = byHand({ isAsync: false })["~standard"];
  expect(isStandardSchema(z.string())).toBe(true);
  expect(isStandardSchema(Object.assign(() => true, { "~standard": standard }))).toBe(true);
  for (const other of [undefined, null, 5, {}, () => true, { "~standard": {} }, { validate: () => true }]) {
    expect(isStandardSchema(other)).toBe(false);
  }
});
