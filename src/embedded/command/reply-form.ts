/**
 * How a reply travels: what the plain values of an {@link Answer} are on a connection.
 *
 * Commands answer acts as well, to which a score is text and a map a flat list, as in a script of the server. The form
 * says what that answer is on the wire, where RESP3 has types of its own; `encode-reply.ts` writes both protocols from
 * it. `false` is a null of the form: a null array where the form is a list, a null bulk string otherwise.
 */

import type { Argument } from "../../transition/server.ts";

/** What one reply is on the wire. */
export type ReplyForm =
  /** Text without a length, as `OK`. */
  | "status"
  | "bulk"
  | "integer"
  /** The text of a double; a bulk string in RESP2. */
  | "double"
  | ListForm;

export type ListForm =
  | { readonly list: "array"; readonly of: ReplyForm }
  /** A list without order or repetition; an array in RESP2. */
  | { readonly list: "set"; readonly of: ReplyForm }
  /** Items of different forms, each at its place. `isBulkNull`: a null of it is one of a bulk string, to RESP2. */
  | { readonly list: "tuple"; readonly of: readonly ReplyForm[]; readonly isBulkNull?: true }
  /** Keys and values in turn, as a map; a flat array in RESP2. */
  | { readonly list: "map"; readonly key: ReplyForm; readonly value: ReplyForm }
  /** Names and values in turn, as a map whose values have their form by name; a flat array in RESP2. */
  | { readonly list: "record"; readonly of: Readonly<Record<string, ReplyForm>> }
  /** Pairs, as a map; an array of arrays of two in RESP2. */
  | { readonly list: "entries"; readonly key: ReplyForm; readonly value: ReplyForm }
  /** Two values in turn; an array of arrays of two in RESP3, a flat array in RESP2. */
  | { readonly list: "pairs"; readonly first: ReplyForm; readonly second: ReplyForm };

/** The form of a command's reply, where its arguments decide it. */
export type ReplyFormOf = (args: readonly Argument[]) => ReplyForm;

export const BULKS: ReplyForm = { list: "array", of: "bulk" };
export const INTEGERS: ReplyForm = { list: "array", of: "integer" };
export const BULK_SET: ReplyForm = { list: "set", of: "bulk" };
export const BULK_MAP: ReplyForm = { list: "map", key: "bulk", value: "bulk" };
export const SCORED: ReplyForm = { list: "pairs", first: "bulk", second: "double" };
/** A cursor and what was found. */
export const SCAN_STEP: ReplyForm = { list: "tuple", of: ["bulk", BULKS] };
/** Entries of a stream: the id of each, and its fields and values in turn. */
export const ENTRIES: ReplyForm = { list: "array", of: { list: "tuple", of: ["bulk", BULKS] } };
/** Streams with their entries. */
export const STREAMS: ReplyForm = { list: "entries", key: "bulk", value: ENTRIES };
