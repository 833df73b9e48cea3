/**
 * Options of a command line on their way to the library, which takes what is there and nothing that is `undefined`.
 */

/** The members that have a value. */
export function withoutAbsent<Given extends object>(
  given: Given,
): { [Name in keyof Given]?: NonNullable<Given[Name]> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Given]?: NonNullable<Given[Name]> };
}
