/** The types of `tighten.mjs`, for its test. */

/** A piece of Lua as the compiler writes it, in fewer steps. Strings and comments stay as they are. */
export declare function tightened(text: string): string;
