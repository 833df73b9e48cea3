/** What all generated TypeScript files share. */

export const HEADER = `/**
 * Generated from \`spec/\` by \`npm run generate\`. Do not edit: a test fails when this file is stale.
 */
`;

/** \`EXTENDM\` to \`Extendm\`, for names of functions. */
export function pascal(verb) {
  return verb[0] + verb.slice(1).toLowerCase();
}

/** A value as TypeScript source on one line. */
export function source(value) {
  if (Array.isArray(value)) return `[${value.map(source).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${key}: ${source(member)}`);
    return `{ ${members.join(", ")} }`;
  }
  return JSON.stringify(value);
}
