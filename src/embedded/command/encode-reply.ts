/**
 * Writes replies as the bytes of RESP2 or RESP3.
 *
 * @see ReplyForm for what a reply's values are.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Answer } from "./command.ts";
import type { ListForm, ReplyForm } from "./reply-form.ts";

/** The protocol of a connection. */
export type Resp = 2 | 3;

/** The frame of a reply. */
export function encodeReply(answer: Answer, form: ReplyForm, resp: Resp): Bytes {
  if (answer === false) return nullFrame(form, resp);
  if (Array.isArray(answer)) return listFrame(answer, form as ListForm, resp);
  if (form === "integer") return `:${answer}\r\n`;
  if (form === "status") return `+${answer}\r\n`;
  if (form === "double" && resp === 3) return `,${answer}\r\n`;
  const text = String(answer);
  return `$${text.length}\r\n${text}\r\n`;
}

/** The frame of a refusal. A line break would end it early, so it becomes a space, as in the server. */
export function encodeError(text: Bytes): Bytes {
  return `-${text.replace(/^[\r\n]+|[\r\n]+$/g, "").replace(/[\r\n]/g, " ")}\r\n`;
}

function nullFrame(form: ReplyForm, resp: Resp): Bytes {
  if (resp === 3) return "_\r\n";
  const isBulk = typeof form === "string" || (form.list === "tuple" && form.isBulkNull === true);
  return isBulk ? "$-1\r\n" : "*-1\r\n";
}

function listFrame(items: readonly Answer[], form: ListForm, resp: Resp): Bytes {
  const isTyped = resp === 3;
  let frames = "";
  switch (form.list) {
    case "array":
    case "set":
      for (const item of items) frames += encodeReply(item, form.of, resp);
      return head(isTyped && form.list === "set" ? "~" : "*", items.length) + frames;
    case "tuple":
      for (let at = 0; at < items.length; at++) frames += encodeReply(items[at] as Answer, form.of[at] ?? "bulk", resp);
      return head("*", items.length) + frames;
    case "map":
      frames = turns(items, { first: form.key, second: form.value, resp, isNested: false });
      return isTyped ? head("%", items.length / 2) + frames : head("*", items.length) + frames;
    case "record":
      for (let at = 0; at < items.length; at += 2) {
        frames += encodeReply(items[at] as Answer, "bulk", resp);
        frames += encodeReply(items[at + 1] as Answer, form.of[items[at] as string] ?? "bulk", resp);
      }
      return isTyped ? head("%", items.length / 2) + frames : head("*", items.length) + frames;
    case "entries":
      for (const pair of items as [Answer, Answer][]) {
        if (!isTyped) frames += head("*", 2);
        frames += encodeReply(pair[0], form.key, resp) + encodeReply(pair[1], form.value, resp);
      }
      return head(isTyped ? "%" : "*", items.length) + frames;
    case "pairs":
      frames = turns(items, { first: form.first, second: form.second, resp, isNested: isTyped });
      return head("*", isTyped ? items.length / 2 : items.length) + frames;
  }
}

interface Turns {
  readonly first: ReplyForm;
  readonly second: ReplyForm;
  readonly resp: Resp;
  readonly isNested: boolean;
}

function turns(items: readonly Answer[], { first, second, resp, isNested }: Turns): Bytes {
  let frames = "";
  for (let at = 0; at < items.length; at += 2) {
    if (isNested) frames += head("*", 2);
    frames += encodeReply(items[at] as Answer, first, resp) + encodeReply(items[at + 1] as Answer, second, resp);
  }
  return frames;
}

function head(sign: string, count: number): Bytes {
  return `${sign}${count}\r\n`;
}
