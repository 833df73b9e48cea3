/**
 * Validation by any validator of the Standard Schema, which is recognised by the shape of its one member.
 *
 * On the producer's side a validator only judges: the data is stored as the caller gave it. The handler's side
 * validates again and works with what the validator makes of it; were the result stored, a transformation would be
 * applied twice.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";

/** The part of the Standard Schema interface (version 1) that is used. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a validator answers. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that a validator found wrong. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Issues that the message names; the others stand in `details`. */
const ISSUES_SHOWN = 3;

/**
 * What a schema makes of a value.
 *
 * @throws EchoMQError `invalid_payload` when the schema refuses it: the message names the first places, `details.path`
 *   the first of them (empty for the payload itself), `details.issues` is what the validator said.
 */
export async function validated<Output>(schema: StandardSchema<unknown, Output>, value: unknown): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const shown = result.issues.slice(0, ISSUES_SHOWN).map(issueText).join("; ");
  throw new EchoMQError("invalid_payload", `The payload does not fit its schema: ${shown}`, {
    details: { path: pathText(result.issues[0]), issues: result.issues },
  });
}

/** Validators by name of job. It has no prototype, so that a job named `constructor` has no validator by accident. */
export type CheckedSchemas = Readonly<Record<string, StandardSchema | undefined>>;

/**
 * The validators of a queue or worker; `undefined` for none.
 *
 * @throws EchoMQError `invalid_option` for what is no object of validators.
 */
export function checkedSchemas(schemas: unknown): CheckedSchemas | undefined {
  if (schemas === undefined) return undefined;
  if (typeof schemas !== "object" || schemas === null || Array.isArray(schemas)) {
    throw invalid("schemas", "an object of validators by name of job", schemas);
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema !== undefined && !isStandardSchema(schema)) {
      throw invalid(`schemas.${name}`, "a validator that speaks the Standard Schema", schema);
    }
  }
  return Object.assign(Object.create(null) as Record<string, StandardSchema | undefined>, schemas);
}

/** Whether a value has the shape of a Standard Schema. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = (value as Record<string, unknown>)["~standard"];
  return typeof standard === "object" && standard !== null && "validate" in standard;
}

function invalid(option: string, what: string, value: unknown): EchoMQError {
  return new EchoMQError("invalid_option", `${option} must be ${what}, not ${quote(value)}`, {
    details: { option, value },
  });
}

function issueText(issue: SchemaIssue): string {
  const path = pathText(issue);
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

/** The place of an issue, its parts joined by dots: `to.0.address`. */
function pathText(issue: SchemaIssue | undefined): string {
  return (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
}
