/**
 * The frames of replies that are not those of plain commands: what a connection is told about itself, pushes, acts.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { TransitionReply } from "../transition/server.ts";

/** The protocol of a connection. */
export type Resp = 2 | 3;

export const OK = "+OK\r\n";
export const NULL_ARRAY: Readonly<Record<Resp, Bytes>> = { 2: "*-1\r\n", 3: "_\r\n" };
export const NULL_BULK: Readonly<Record<Resp, Bytes>> = { 2: "$-1\r\n", 3: "_\r\n" };

export function status(text: Bytes): Bytes {
  return `+${text}\r\n`;
}

export function integer(number: number): Bytes {
  return `:${number}\r\n`;
}

export function bulk(text: Bytes): Bytes {
  return `$${text.length}\r\n${text}\r\n`;
}

/** A bulk string, or a null. */
export function bulkOrNull(text: Bytes | undefined, resp: Resp): Bytes {
  return text === undefined ? NULL_BULK[resp] : bulk(text);
}

/** Text for people, which RESP3 marks as such. */
export function verbatim(text: Bytes, resp: Resp): Bytes {
  return resp === 3 ? `=${text.length + 4}\r\ntxt:${text}\r\n` : bulk(text);
}

/** An array of frames. */
export function array(frames: readonly Bytes[]): Bytes {
  return `*${frames.length}\r\n${frames.join("")}`;
}

/** A set of frames, which RESP2 does not tell from an array. */
export function set(frames: readonly Bytes[], resp: Resp): Bytes {
  return `${resp === 3 ? "~" : "*"}${frames.length}\r\n${frames.join("")}`;
}

/** Frames of keys and values in turn, as a map; flat in RESP2. */
export function map(frames: readonly Bytes[], resp: Resp): Bytes {
  return resp === 3 ? `%${frames.length / 2}\r\n${frames.join("")}` : array(frames);
}

/** What comes without being asked for; an array in RESP2. */
export function push(frames: readonly Bytes[], resp: Resp): Bytes {
  return `${resp === 3 ? ">" : "*"}${frames.length}\r\n${frames.join("")}`;
}

/** The answer of an act, which has no types beyond those of RESP2. */
export function actFrame(reply: TransitionReply, resp: Resp): Bytes {
  if (reply === false) return NULL_BULK[resp];
  if (typeof reply === "number") return integer(reply);
  if (typeof reply === "string") return bulk(reply);
  if (!Array.isArray(reply)) return `-${reply.err}\r\n`;
  let frames = `*${reply.length}\r\n`;
  for (const item of reply) frames += actFrame(item, resp);
  return frames;
}
