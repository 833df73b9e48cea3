/**
 * Commands on groups of readers of a stream: what each consumer was given, what it acknowledged, and what another may
 * take over.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import { IdList } from "../store/id-list.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { compareIds, HIGHEST_ID, idAfter, idText, LOWEST_ID, parseId, type StreamId } from "../store/stream-id.ts";
import { type PendingEntry, type StreamConsumer, type StreamGroup, StreamValue } from "../store/stream-value.ts";
import { bytesAt, integerAt, integerOf, refuse, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, ENTRIES, type ReplyForm, STREAMS } from "./reply-form.ts";
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

/** Pending entries that one `XAUTOCLAIM` takes over unless told otherwise. */
const CLAIM_COUNT_DEFAULT = 100;

/** Pending entries that it looks at, for each that it may take over. */
const CLAIM_LOOKS = 10;

/** The largest count that the server takes there. */
const CLAIM_COUNT_MAX = 2 ** 53 - 1;

const PENDING_COUNTS: ReplyForm = { list: "array", of: { list: "tuple", of: ["bulk", "bulk"] } };
const PENDING_SUMMARY: ReplyForm = { list: "tuple", of: ["integer", "bulk", "bulk", PENDING_COUNTS] };
const PENDING_ROWS: ReplyForm = { list: "array", of: { list: "tuple", of: ["bulk", "bulk", "integer", "integer"] } };
const GROUPS: ReplyForm = {
  list: "array",
  of: {
    list: "record",
    of: { consumers: "integer", pending: "integer", "entries-read": "integer", lag: "integer" },
  },
};

/** The commands on groups, by name. */
export const STREAM_GROUP_COMMANDS: CommandShapes = {
  "XGROUP|CREATE": shape("status", createGroup),
  "XGROUP|SETID": shape("status", setGroup),
  "XGROUP|DESTROY": shape("integer", destroyGroup),
  "XGROUP|CREATECONSUMER": shape("integer", createConsumer),
  "XGROUP|DELCONSUMER": shape("integer", deleteConsumer),
  XREADGROUP: shape(STREAMS, xreadgroup),
  XACK: shape("integer", xack),
  XPENDING: shape(pendingReply, xpending),
  XCLAIM: shape(claimReply, xclaim),
  XAUTOCLAIM: shape(autoClaimReply, xautoclaim),
  "XINFO|GROUPS": shape(GROUPS, groups),
};

/** A summary, or one row a pending entry. */
function pendingReply(args: readonly Argument[]): ReplyForm {
  return args.length === 2 ? PENDING_SUMMARY : PENDING_ROWS;
}

function claimReply(args: readonly Argument[]): ReplyForm {
  return hasIdsOnly(args) ? BULKS : ENTRIES;
}

function autoClaimReply(args: readonly Argument[]): ReplyForm {
  return { list: "tuple", of: ["bulk", claimReply(args), BULKS] };
}

function hasIdsOnly(args: readonly Argument[]): boolean {
  for (let at = 5; at < args.length; at++) if (wordAt(args, at) === "JUSTID") return true;
  return false;
}

function createGroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { mustMake, readCount } = groupOptions(args, "CREATE");
  const key = bytesAt(args, 1);
  const stream = keyspace.stream(key);
  if (stream === undefined && !mustMake) throw keyRequired();
  const lastId = groupStart(args, stream);
  const target = stream ?? keyspace.create(key, new StreamValue());
  const name = bytesAt(args, 2);
  if (target.groups.has(name)) throw new CommandError("BUSYGROUP Consumer Group name already exists");
  target.createGroup(name, lastId, readCount);
  return "OK";
}

function setGroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { readCount } = groupOptions(args, "SETID");
  const { stream, group } = groupFor(keyspace, args);
  group.lastId = groupStart(args, stream);
  group.readCount = readCount;
  return "OK";
}

function groupStart(args: readonly Argument[], stream: StreamValue | undefined): StreamId {
  return bytesAt(args, 3) === "$" ? (stream?.lastId ?? LOWEST_ID) : idOrEnd(args, 3);
}

function idOrEnd(args: readonly Argument[], at: number): StreamId {
  const text = bytesAt(args, at);
  if (text === "-") return LOWEST_ID;
  return text === "+" ? HIGHEST_ID : idAt(args, at);
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
    } else {
      throw new CommandError(
        `ERR unknown subcommand or wrong number of arguments for '${bytesAt(args, 0)}'. Try XGROUP HELP.`,
      );
    }
  }
  return { mustMake, readCount };
}

function destroyGroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = keyspace.stream(bytesAt(args, 1)) ?? refuse(keyRequired());
  return stream.groups.delete(bytesAt(args, 2)) ? 1 : 0;
}

function createConsumer(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { group } = groupFor(keyspace, args);
  if (group.consumers.has(bytesAt(args, 3))) return 0;
  consumerOf(group, bytesAt(args, 3));
  return 1;
}

function deleteConsumer(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { group } = groupFor(keyspace, args);
  const consumer = group.consumers.get(bytesAt(args, 3));
  if (consumer === undefined) return 0;
  for (const entry of consumer.pending.slice(0, consumer.pending.length)) group.pending.remove(entry.id);
  group.consumers.delete(consumer.name);
  return consumer.pending.length;
}

function groupFor(keyspace: Keyspace, args: readonly Argument[]): { stream: StreamValue; group: StreamGroup } {
  const stream = keyspace.stream(bytesAt(args, 1)) ?? refuse(keyRequired());
  const name = bytesAt(args, 2);
  const group = stream.groups.get(name);
  if (group !== undefined) return { stream, group };
  throw new CommandError(`NOGROUP No such consumer group '${name}' for key name '${bytesAt(args, 1)}'`);
}

function keyRequired(): CommandError {
  return new CommandError(
    "ERR The XGROUP subcommand requires the key to exist. " +
      "Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  );
}

function consumerOf(group: StreamGroup, name: Bytes): StreamConsumer {
  const present = group.consumers.get(name);
  if (present !== undefined) return present;
  const consumer: StreamConsumer = { name, pending: new IdList() };
  group.consumers.set(name, consumer);
  return consumer;
}

// Reading.

function xreadgroup(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const form = groupReadForm(args);
  const parts = form.keys.map((key, index) => readPart(keyspace, form, key, form.froms[index] ?? ""));
  const found: Answer[] = [];
  for (const part of parts) {
    const isNew = part.after === undefined;
    const entries = isNew ? giveNew(keyspace, part, form) : giveAgain(keyspace, part, part.after, form);
    if (entries.length > 0 || !isNew) found.push([part.key, entries]);
  }
  return found.length === 0 ? false : found;
}

/** One stream of a read. */
interface ReadPart {
  readonly key: Bytes;
  readonly stream: StreamValue;
  readonly group: StreamGroup;
  /** The id behind which the consumer's own backlog is wanted; `undefined` for new entries. */
  readonly after: StreamId | undefined;
}

function readPart(keyspace: Keyspace, form: GroupReadForm, key: Bytes, from: Bytes): ReadPart {
  const stream = keyspace.stream(key);
  const group = stream?.groups.get(form.group);
  if (stream === undefined || group === undefined) {
    throw new CommandError(
      `NOGROUP No such key '${key}' or consumer group '${form.group}' in XREADGROUP with GROUP option`,
    );
  }
  if (from === ">") return { key, stream, group, after: undefined };
  if (from === "$") {
    throw new CommandError(
      "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by " +
        "specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.",
    );
  }
  return { key, stream, group, after: parseId(from, 0) ?? refuse(invalidId()) };
}

interface GroupReadForm extends StreamsForm {
  readonly group: Bytes;
  readonly consumer: Bytes;
  readonly count: number;
  readonly isAcknowledged: boolean;
}

const UNBALANCED = "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.";

function groupReadForm(args: readonly Argument[]): GroupReadForm {
  let group: Bytes | undefined;
  let consumer = "";
  let count = Number.MAX_SAFE_INTEGER;
  let isAcknowledged = false;
  for (let at = 0; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "BLOCK" && hasMore) checkTimeout(args, ++at);
    else if (word === "COUNT" && hasMore) count = integerAt(args, ++at);
    else if (word === "GROUP" && at + 2 < args.length) {
      group = bytesAt(args, at + 1);
      consumer = bytesAt(args, at + 2);
      at += 2;
    } else if (word === "NOACK") isAcknowledged = true;
    else if (word === "STREAMS" && hasMore) {
      const streams = streamsFrom(args, at + 1, UNBALANCED);
      if (group === undefined) throw new CommandError("ERR Missing GROUP option for XREADGROUP");
      return { group, consumer, count: count > 0 ? count : Number.MAX_SAFE_INTEGER, isAcknowledged, ...streams };
    } else throw syntaxError();
  }
  throw syntaxError();
}

function giveNew(keyspace: Keyspace, { stream, group }: ReadPart, form: GroupReadForm): Answer[] {
  const consumer = consumerOf(group, form.consumer);
  const start = idAfter(group.lastId);
  if (start === undefined) return [];
  const entries = entriesBetween(stream, start, HIGHEST_ID, form.count);
  for (const { id } of entries) {
    const isCounted = group.readCount !== undefined && !stream.hasDeletedAbove(id);
    group.readCount = isCounted ? (group.readCount as number) + 1 : stream.countThrough(id);
    group.lastId = id;
    if (!form.isAcknowledged) give(group, consumer, id, keyspace.now);
  }
  return entries.map(entryAnswer);
}

/** Notes that a consumer was given an entry for the first time, or from the start again. */
function give(group: StreamGroup, consumer: StreamConsumer, id: StreamId, now: number): void {
  const known = group.pending.remove(id);
  known?.consumer.pending.remove(id);
  const entry: PendingEntry = { id, consumer, deliveredAt: now, deliveries: 1 };
  group.pending.add(entry);
  consumer.pending.add(entry);
}

/** The consumer's own backlog. An entry that is no longer in the stream comes without fields. */
function giveAgain(keyspace: Keyspace, part: ReadPart, after: StreamId, form: GroupReadForm): Answer[] {
  const consumer = consumerOf(part.group, form.consumer);
  const start = idAfter(after);
  if (start === undefined) return [];
  return consumer.pending.slice(consumer.pending.seek(start), form.count).map((pending): Answer => {
    const entry = part.stream.entries.get(pending.id);
    if (entry === undefined) return [idText(pending.id), false];
    pending.deliveredAt = keyspace.now;
    pending.deliveries += 1;
    return entryAnswer(entry);
  });
}

// Pending entries.

function xack(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const group = keyspace.stream(bytesAt(args, 0))?.groups.get(bytesAt(args, 1));
  if (group === undefined) return 0;
  const ids = args.slice(2).map((_, index) => idAt(args, index + 2));
  let acknowledged = 0;
  for (const id of ids) {
    const entry = group.pending.remove(id);
    if (entry === undefined) continue;
    entry.consumer.pending.remove(id);
    acknowledged++;
  }
  return acknowledged;
}

function pendingGroup(keyspace: Keyspace, args: readonly Argument[]): StreamGroup {
  const group = keyspace.stream(bytesAt(args, 0))?.groups.get(bytesAt(args, 1));
  return (
    group ??
    refuse(new CommandError(`NOGROUP No such key '${bytesAt(args, 0)}' or consumer group '${bytesAt(args, 1)}'`))
  );
}

function xpending(keyspace: Keyspace, args: readonly Argument[]): Answer {
  if (args.length === 2) return pendingSummary(pendingGroup(keyspace, args));
  if (args.length < 5 || args.length > 8) throw syntaxError();
  const hasIdle = wordAt(args, 2) === "IDLE";
  const idleMs = hasIdle ? integerAt(args, 3) : 0;
  const at = hasIdle ? 4 : 2;
  if (hasIdle && args.length < 7) throw syntaxError();
  const count = entryCountAt(args, at + 2);
  const start = startAt(args, at);
  const end = endAt(args, at + 1);
  const group = pendingGroup(keyspace, args);
  const consumer = args.length > at + 3 ? group.consumers.get(bytesAt(args, at + 3)) : undefined;
  if (args.length > at + 3 && consumer === undefined) return [];
  const found: Answer[] = [];
  const pending = consumer?.pending ?? group.pending;
  for (let index = pending.seek(start); found.length < count; index++) {
    const entry = pending.at(index);
    if (entry === undefined || compareIds(entry.id, end) > 0) break;
    const idle = Math.max(0, keyspace.now - entry.deliveredAt);
    if (idle < idleMs) continue;
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

function byName(one: StreamConsumer, other: StreamConsumer): number {
  return one.name < other.name ? -1 : 1;
}

function xautoclaim(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const idleMs = integerOf(args[3] as Argument);
  if (idleMs === undefined) throw new CommandError("ERR Invalid min-idle-time argument for XAUTOCLAIM");
  const start = startAt(args, 4);
  const { count, idsOnly } = claimOptions(args);
  const stream = keyspace.stream(bytesAt(args, 0));
  const group = pendingGroup(keyspace, args);
  const consumer = consumerOf(group, bytesAt(args, 2));
  const taken: Answer[] = [];
  const deleted: Answer[] = [];
  let looks = count * CLAIM_LOOKS;
  let index = group.pending.seek(start);
  for (; looks > 0 && taken.length + deleted.length < count; looks--) {
    const pending = group.pending.at(index);
    if (pending === undefined) break;
    const entry = stream?.entries.get(pending.id);
    if (entry === undefined) {
      group.pending.remove(pending.id);
      pending.consumer.pending.remove(pending.id);
      deleted.push(idText(pending.id));
      continue;
    }
    index++;
    if (keyspace.now - pending.deliveredAt < idleMs) continue;
    pass(pending, consumer);
    pending.deliveredAt = keyspace.now;
    if (!idsOnly) pending.deliveries += 1;
    taken.push(idsOnly ? idText(entry.id) : entryAnswer(entry));
  }
  return [idText(group.pending.at(index)?.id ?? LOWEST_ID), taken, deleted];
}

function xclaim(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = keyspace.stream(bytesAt(args, 0));
  const group = pendingGroup(keyspace, args);
  const idleMs = integerOf(args[3] as Argument);
  if (idleMs === undefined) throw new CommandError("ERR Invalid min-idle-time argument for XCLAIM");
  const { ids, idsOnly, setIdleMs, deliveries } = claimForm(args);
  const consumer = consumerOf(group, bytesAt(args, 2));
  const taken: Answer[] = [];
  for (const id of ids) {
    const pending = group.pending.get(id);
    const entry = stream?.entries.get(id);
    if (pending === undefined) continue;
    if (entry === undefined) {
      group.pending.remove(id);
      pending.consumer.pending.remove(id);
      continue;
    }
    if (keyspace.now - pending.deliveredAt < idleMs) continue;
    pass(pending, consumer);
    pending.deliveredAt = keyspace.now - setIdleMs;
    pending.deliveries = deliveries ?? pending.deliveries + (idsOnly ? 0 : 1);
    taken.push(idsOnly ? idText(id) : entryAnswer(entry));
  }
  return taken;
}

interface ClaimForm {
  readonly ids: readonly StreamId[];
  readonly idsOnly: boolean;
  /** For how long the entries are to count as given. */
  readonly setIdleMs: number;
  /** How often they are to count as given; `undefined` for as often as they were. */
  readonly deliveries: number | undefined;
}

/** Of the options `TIME`, `FORCE` and `LASTID` are not known: they are for what copies a group. */
function claimForm(args: readonly Argument[]): ClaimForm {
  const ids: StreamId[] = [];
  let at = 4;
  for (; at < args.length; at++) {
    const id = parseId(bytesAt(args, at), 0);
    if (id === undefined) break;
    ids.push(id);
  }
  let idsOnly = false;
  let setIdleMs = 0;
  let deliveries: number | undefined;
  for (; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "JUSTID") idsOnly = true;
    else if (word === "IDLE" && hasMore) setIdleMs = Math.max(0, claimNumber(args, ++at, word));
    else if (word === "RETRYCOUNT" && hasMore) deliveries = claimNumber(args, ++at, word);
    else throw new CommandError(`ERR Unrecognized XCLAIM option '${bytesAt(args, at)}'`);
  }
  return { ids, idsOnly, setIdleMs, deliveries };
}

function claimNumber(args: readonly Argument[], at: number, word: string): number {
  const number = integerOf(args[at] as Argument);
  return number ?? refuse(new CommandError(`ERR Invalid ${word} option argument for XCLAIM`));
}

function pass(pending: PendingEntry, consumer: StreamConsumer): void {
  if (pending.consumer === consumer) return;
  pending.consumer.pending.remove(pending.id);
  pending.consumer = consumer;
  consumer.pending.add(pending);
}

function claimOptions(args: readonly Argument[]): { count: number; idsOnly: boolean } {
  let count = CLAIM_COUNT_DEFAULT;
  let idsOnly = false;
  for (let at = 5; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word === "COUNT" && at + 1 < args.length) {
      count = integerOf(args[++at] as Argument) ?? 0;
      if (count < 1 || count > CLAIM_COUNT_MAX / CLAIM_LOOKS) throw new CommandError("ERR COUNT must be > 0");
    } else if (word === "JUSTID") idsOnly = true;
    else throw syntaxError();
  }
  return { count, idsOnly };
}

// What there is to know.

function groups(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = keyspace.stream(bytesAt(args, 1));
  if (stream === undefined) throw new CommandError("ERR no such key");
  const inOrder = [...stream.groups.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return inOrder.map((group): Answer => {
    const { name, consumers, pending, lastId, readCount } = group;
    const state: Answer[] = ["name", name, "consumers", consumers.size, "pending", pending.length];
    state.push("last-delivered-id", idText(lastId), "entries-read", readCount ?? false, "lag", lagOf(stream, group));
    return state;
  });
}

/** How many entries the group has not been given; nil where deletions have made that unknowable. */
function lagOf(stream: StreamValue, group: StreamGroup): Answer {
  if (stream.addedCount === 0) return 0;
  const isExact = group.readCount !== undefined && !stream.hasDeletedAbove(group.lastId);
  const count = isExact ? group.readCount : stream.countThrough(group.lastId);
  return count === undefined ? false : stream.addedCount - count;
}
