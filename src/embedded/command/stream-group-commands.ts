/**
 * Commands on groups of readers of a stream: making them, reading through them, and what was not acknowledged.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { compareIds, HIGHEST_ID, idAfter, idText, LOWEST_ID, parseId, type StreamId } from "../store/stream-id.ts";
import { type StreamConsumer, type StreamGroup, StreamValue } from "../store/stream-value.ts";
import { bytesAt, integerAt, refuse, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, type ReplyForm, STREAMS } from "./reply-form.ts";
import {
  checkTimeout,
  endAt,
  entriesBetween,
  entryAnswer,
  entryCountAt,
  idAt,
  invalidId,
  type StreamsForm,
  startAt,
  streamsFrom,
} from "./stream-arguments.ts";
import {
  activate,
  addPending,
  advance,
  changePending,
  consumerOf,
  type FoundGroup,
  groupAt,
  groupOf,
  removePending,
  shown,
} from "./stream-groups.ts";

/** The most arguments of `XGROUP CREATE` and `XGROUP SETID`, their own names counted. */
const CREATE_ARGS_MAX = 7;
const SETID_ARGS_MAX = 6;

const PENDING_COUNTS: ReplyForm = { list: "array", of: BULKS };
const PENDING_SUMMARY: ReplyForm = { list: "tuple", of: ["integer", "bulk", "bulk", PENDING_COUNTS] };
const PENDING_ROWS: ReplyForm = { list: "array", of: { list: "tuple", of: ["bulk", "bulk", "integer", "integer"] } };

/** The commands on groups, by name. */
export const STREAM_GROUP_COMMANDS: CommandShapes = {
  "XGROUP|CREATE": shape("status", createGroup),
  "XGROUP|SETID": shape("status", setGroup),
  "XGROUP|DESTROY": shape("integer", destroyGroup),
  "XGROUP|CREATECONSUMER": shape("integer", createConsumer),
  "XGROUP|DELCONSUMER": shape("integer", deleteConsumer),
  XREADGROUP: shape(STREAMS, xreadgroup),
  XACK: shape("integer", xack),
  XPENDING: shape((args) => (args.length === 2 ? PENDING_SUMMARY : PENDING_ROWS), xpending),
};

// Groups.

function createGroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { mustMake, readCount } = groupOptions(args, "CREATE");
  const key = bytesAt(args, 1);
  const stream = keyspace.stream(key);
  if (stream === undefined && !mustMake) throw keyRequired();
  if (args.length > CREATE_ARGS_MAX) throw badSubcommand(args);
  const lastId = groupStart(args, stream);
  const target = stream ?? keyspace.create(key, new StreamValue());
  // Who waits looks again at a stream that was made, empty as it is: it may wait at other keys as well.
  if (stream === undefined) keyspace.appended(key);
  const name = bytesAt(args, 2);
  if (target.groups.has(name)) throw new CommandError("BUSYGROUP Consumer Group name already exists");
  keyspace.undo.change(target, () => target.groups.delete(name));
  target.createGroup(name, lastId, readCount);
  return "OK";
}

function setGroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { readCount } = groupOptions(args, "SETID");
  const found = requiredGroup(keyspace, args);
  if (args.length > SETID_ARGS_MAX) throw badSubcommand(args);
  advance(keyspace, found, { lastId: newStart(args, found.stream), readCount });
  return "OK";
}

function groupStart(args: readonly Argument[], stream: StreamValue | undefined): StreamId {
  return bytesAt(args, 3) === "$" ? (stream?.lastId ?? LOWEST_ID) : idAt(args, 3);
}

/** The same for a group that is there, which may be set to the ends as well. */
function newStart(args: readonly Argument[], stream: StreamValue): StreamId {
  const text = bytesAt(args, 3);
  if (text === "-") return LOWEST_ID;
  return text === "+" ? HIGHEST_ID : groupStart(args, stream);
}

function groupOptions(args: readonly Argument[], word: string): { mustMake: boolean; readCount: number | undefined } {
  let mustMake = false;
  let readCount: number | undefined;
  for (let at = 4; at < args.length; at++) {
    const option = wordAt(args, at);
    if (option === "MKSTREAM" && word === "CREATE") mustMake = true;
    else if (option === "ENTRIESREAD" && at + 1 < args.length) {
      const count = integerAt(args, ++at);
      if (count < -1) throw new CommandError("ERR value for ENTRIESREAD must be positive or -1");
      readCount = count < 0 ? undefined : count;
    } else throw badSubcommand(args);
  }
  return { mustMake, readCount };
}

function badSubcommand(args: readonly Argument[]): CommandError {
  return new CommandError(
    `ERR unknown subcommand or wrong number of arguments for '${shown(bytesAt(args, 0))}'. Try XGROUP HELP.`,
  );
}

function destroyGroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = requiredStream(keyspace, args);
  const name = bytesAt(args, 2);
  const group = stream.groups.get(name);
  if (group === undefined) return 0;
  keyspace.undo.change(stream, () => stream.groups.set(name, group));
  stream.groups.delete(name);
  keyspace.lostGroup(bytesAt(args, 1));
  return 1;
}

function createConsumer(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const found = requiredGroup(keyspace, args);
  if (found.group.consumers.has(bytesAt(args, 3))) return 0;
  consumerOf(keyspace, found, bytesAt(args, 3));
  return 1;
}

function deleteConsumer(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { stream, group } = requiredGroup(keyspace, args);
  const consumer = group.consumers.get(bytesAt(args, 3));
  if (consumer === undefined) return 0;
  const entries = consumer.pending.slice(0, consumer.pending.length);
  keyspace.undo.change(stream, () => {
    for (const entry of entries) group.pending.add(entry);
    group.consumers.set(consumer.name, consumer);
  });
  for (const entry of entries) group.pending.remove(entry.id);
  group.consumers.delete(consumer.name);
  return entries.length;
}

function requiredStream(keyspace: Keyspace, args: readonly Argument[]): StreamValue {
  return keyspace.stream(bytesAt(args, 1)) ?? refuse(keyRequired());
}

function requiredGroup(keyspace: Keyspace, args: readonly Argument[]): FoundGroup {
  return groupOf(requiredStream(keyspace, args), args, 1);
}

function keyRequired(): CommandError {
  return new CommandError(
    "ERR The XGROUP subcommand requires the key to exist. " +
      "Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  );
}

// Reading.

function xreadgroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const form = groupReadForm(keyspace, args);
  const parts = form.keys.map((key, index) => readPart(keyspace, form, key, form.froms[index] ?? ""));
  const found: Answer[] = [];
  for (const part of parts) {
    const consumer = consumerOf(keyspace, part, form.consumer);
    const isNew = part.after === undefined;
    const entries = isNew
      ? giveNew(keyspace, part, { ...form, consumer })
      : giveAgain(keyspace, part, part.after, { ...form, consumer });
    if (entries.length > 0 || !isNew) found.push([part.key, entries]);
  }
  return found.length === 0 ? false : found;
}

/** One stream of a read. */
interface ReadPart extends FoundGroup {
  readonly key: Bytes;
  /** The id behind which the consumer's own backlog is wanted; `undefined` for new entries. */
  readonly after: StreamId | undefined;
}

function readPart(keyspace: Keyspace, form: GroupReadForm, key: Bytes, from: Bytes): ReadPart {
  const stream = keyspace.stream(key);
  const group = stream?.groups.get(form.group);
  if (stream === undefined || group === undefined) {
    throw new CommandError(
      `NOGROUP No such key '${shown(key)}' or consumer group '${shown(form.group)}' in XREADGROUP with GROUP option`,
    );
  }
  if (from === ">") return { key, stream, group, after: undefined };
  if (from === "$") {
    throw new CommandError(
      "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by " +
        "specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.",
    );
  }
  if (from === "+") {
    throw new CommandError(
      "ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by " +
        "specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.",
    );
  }
  const after = parseId(from, 0) ?? refuse(invalidId());
  // To the server the highest id and `>` are the same.
  return { key, stream, group, after: compareIds(after, HIGHEST_ID) === 0 ? undefined : after };
}

interface GroupReadForm extends StreamsForm {
  readonly group: Bytes;
  readonly consumer: Bytes;
  readonly count: number;
  readonly isAcknowledged: boolean;
}

/** What a consumer reads, and how much of it. */
interface Giving {
  readonly consumer: StreamConsumer;
  readonly count: number;
  readonly isAcknowledged: boolean;
}

const UNBALANCED = "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.";

function groupReadForm(keyspace: Keyspace, args: readonly Argument[]): GroupReadForm {
  let group: Bytes | undefined;
  let consumer = "";
  let count = Number.MAX_SAFE_INTEGER;
  let isAcknowledged = false;
  for (let at = 0; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "BLOCK" && hasMore) checkTimeout(keyspace, args, ++at);
    else if (word === "COUNT" && hasMore) count = integerAt(args, ++at);
    else if (word === "NOACK") isAcknowledged = true;
    else if (word === "GROUP" && at + 2 < args.length) {
      group = bytesAt(args, ++at);
      consumer = bytesAt(args, ++at);
    } else if (word === "STREAMS" && hasMore) {
      const streams = streamsFrom(args, at + 1, UNBALANCED);
      if (group === undefined) throw new CommandError("ERR Missing GROUP option for XREADGROUP");
      return { group, consumer, count: count > 0 ? count : Number.MAX_SAFE_INTEGER, isAcknowledged, ...streams };
    } else throw syntaxError();
  }
  throw syntaxError();
}

function giveNew(keyspace: Keyspace, part: ReadPart, { consumer, count, isAcknowledged }: Giving): Answer[] {
  const { stream, group } = part;
  const start = idAfter(group.lastId);
  if (start === undefined) return [];
  const entries = entriesBetween(stream, start, HIGHEST_ID, count);
  for (const { id } of entries) {
    const isCounted = group.readCount !== undefined && !stream.hasDeletedAbove(id);
    const readCount = isCounted ? (group.readCount as number) + 1 : stream.countThrough(id);
    advance(keyspace, part, { lastId: id, readCount });
    if (!isAcknowledged) give(keyspace, part, consumer, id);
  }
  // As in the server: who acknowledges at once counts as one who only looked.
  if (entries.length > 0 && !isAcknowledged) activate(keyspace, stream, consumer);
  return entries.map(entryAnswer);
}

/** Notes that a consumer was given an entry for the first time, or from the start again. */
function give(keyspace: Keyspace, found: FoundGroup, consumer: StreamConsumer, id: StreamId): void {
  const known = found.group.pending.get(id);
  const state = { consumer, deliveredAt: keyspace.now, deliveries: 1 };
  if (known === undefined) addPending(keyspace, found, { id, ...state });
  else changePending(keyspace, found.stream, known, state);
}

/** The consumer's own backlog. An entry that is no longer in the stream comes without fields. */
function giveAgain(keyspace: Keyspace, part: ReadPart, after: StreamId, { consumer, count }: Giving): Answer[] {
  const start = idAfter(after);
  if (start === undefined) return [];
  return consumer.pending.slice(consumer.pending.seek(start), count).map((pending): Answer => {
    const entry = part.stream.entries.get(pending.id);
    if (entry === undefined) return [idText(pending.id), false];
    changePending(keyspace, part.stream, pending, {
      consumer,
      deliveredAt: keyspace.now,
      deliveries: pending.deliveries + 1,
    });
    return entryAnswer(entry);
  });
}

// Pending entries.

function xack(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = keyspace.stream(bytesAt(args, 0));
  const group = stream?.groups.get(bytesAt(args, 1));
  if (stream === undefined || group === undefined) return 0;
  const ids: StreamId[] = [];
  for (let at = 2; at < args.length; at++) ids.push(idAt(args, at));
  let acknowledged = 0;
  for (const id of ids) {
    const entry = group.pending.get(id);
    if (entry === undefined) continue;
    removePending(keyspace, { stream, group }, entry);
    acknowledged++;
  }
  return acknowledged;
}

function xpending(keyspace: Keyspace, args: readonly Argument[]): Answer {
  if (args.length === 2) return pendingSummary(groupAt(keyspace, args, 0).group);
  if (args.length < 5 || args.length > 8) throw syntaxError();
  const hasIdle = wordAt(args, 2) === "IDLE";
  const idleMs = hasIdle ? integerAt(args, 3) : 0;
  const at = hasIdle ? 4 : 2;
  if (hasIdle && args.length < 7) throw syntaxError();
  const count = entryCountAt(args, at + 2);
  const start = startAt(args, at);
  const end = endAt(args, at + 1);
  const { group } = groupAt(keyspace, args, 0);
  const consumer = args.length > at + 3 ? group.consumers.get(bytesAt(args, at + 3)) : undefined;
  if (args.length > at + 3 && consumer === undefined) return [];
  const found: Answer[] = [];
  const pending = consumer?.pending ?? group.pending;
  for (let index = pending.seek(start); found.length < count; index++) {
    const entry = pending.at(index);
    if (entry === undefined || compareIds(entry.id, end) > 0) break;
    const idle = Math.max(0, keyspace.now - entry.deliveredAt);
    if (idleMs > 0 && keyspace.now - entry.deliveredAt < idleMs) continue;
    found.push([idText(entry.id), entry.consumer.name, idle, entry.deliveries]);
  }
  return found;
}

function pendingSummary(group: StreamGroup): Answer {
  const first = group.pending.at(0);
  const last = group.pending.last;
  if (first === undefined || last === undefined) return [0, false, false, false];
  const consumers = [...group.consumers.values()].filter(({ pending }) => pending.length > 0).sort(byName);
  const counts = consumers.map(({ name, pending }): Answer => [name, String(pending.length)]);
  return [group.pending.length, idText(first.id), idText(last.id), counts];
}

/** The order of groups and of consumers in replies. */
export function byName(one: { readonly name: Bytes }, other: { readonly name: Bytes }): number {
  return one.name < other.name ? -1 : 1;
}
