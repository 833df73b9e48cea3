/**
 * Commands that tell about a stream, its groups and their consumers.
 *
 * The server also tells of the tree in which it keeps a stream. There is none here; the figures are those of the
 * server's for a stream that came in small entries and was not thinned out.
 */

import type { Argument } from "../../transition/server.ts";
import { CommandError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { idText, LOWEST_ID } from "../store/stream-id.ts";
import type { StreamConsumer, StreamGroup, StreamValue } from "../store/stream-value.ts";
import { bytesAt, integerAt, refuse, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, ENTRIES, type ReplyForm } from "./reply-form.ts";
import { entryAnswer, NODE_ENTRIES } from "./stream-arguments.ts";
import { byName } from "./stream-group-commands.ts";
import { groupOf, shown } from "./stream-groups.ts";

/** How many entries, and pending entries of each group, a full account has unless told otherwise. */
const FULL_COUNT = 10;

const GROUP_FIELDS = { consumers: "integer", pending: "integer", "entries-read": "integer", lag: "integer" } as const;
const GROUPS: ReplyForm = { list: "array", of: { list: "record", of: GROUP_FIELDS } };

const CONSUMER_FIELDS = { pending: "integer", idle: "integer", inactive: "integer" } as const;
const CONSUMERS: ReplyForm = { list: "array", of: { list: "record", of: CONSUMER_FIELDS } };

const COUNTS = {
  length: "integer",
  "radix-tree-keys": "integer",
  "radix-tree-nodes": "integer",
  "entries-added": "integer",
  groups: "integer",
} as const;
const ENTRY: ReplyForm = { list: "tuple", of: ["bulk", BULKS], isBulkNull: true };
const SUMMARY: ReplyForm = { list: "record", of: { ...COUNTS, "first-entry": ENTRY, "last-entry": ENTRY } };

const OWN_PENDING: ReplyForm = { list: "array", of: { list: "tuple", of: ["bulk", "integer", "integer"] } };
const FULL_CONSUMER: ReplyForm = {
  list: "record",
  of: { "seen-time": "integer", "active-time": "integer", "pel-count": "integer", pending: OWN_PENDING },
};
const PENDING: ReplyForm = { list: "array", of: { list: "tuple", of: ["bulk", "bulk", "integer", "integer"] } };
const FULL_GROUP: ReplyForm = {
  list: "record",
  of: {
    "entries-read": "integer",
    lag: "integer",
    "pel-count": "integer",
    pending: PENDING,
    consumers: { list: "array", of: FULL_CONSUMER },
  },
};
const FULL: ReplyForm = {
  list: "record",
  of: { ...COUNTS, entries: ENTRIES, groups: { list: "array", of: FULL_GROUP } },
};

/** The commands that tell about streams, by name. */
export const STREAM_INFO_COMMANDS: CommandShapes = {
  "XINFO|STREAM": shape((args) => (args.length > 2 ? FULL : SUMMARY), streamInfo),
  "XINFO|GROUPS": shape(GROUPS, groupsInfo),
  "XINFO|CONSUMERS": shape(CONSUMERS, consumersInfo),
};

function streamInfo(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = streamOf(keyspace, args);
  if (args.length > 2) return fullInfo(stream, fullCount(args));
  const first = stream.entries.at(0);
  const last = stream.entries.last;
  return [
    ...treeInfo(stream),
    "groups",
    stream.groups.size,
    "first-entry",
    first === undefined ? false : entryAnswer(first),
    "last-entry",
    last === undefined ? false : entryAnswer(last),
  ];
}

/** What both accounts begin with. */
function treeInfo(stream: StreamValue): Answer[] {
  const { entries, lastId, highestDeleted, addedCount } = stream;
  const nodes = Math.ceil(entries.length / NODE_ENTRIES);
  return [
    "length",
    entries.length,
    "radix-tree-keys",
    nodes,
    "radix-tree-nodes",
    nodes + 1,
    "last-generated-id",
    idText(lastId),
    "max-deleted-entry-id",
    idText(highestDeleted),
    "entries-added",
    addedCount,
    "recorded-first-entry-id",
    idText(entries.at(0)?.id ?? LOWEST_ID),
  ];
}

/** How many rows a full account has of each; 0 is all. */
function fullCount(args: readonly Argument[]): number {
  const isRight = args.length === 3 || (args.length === 5 && wordAt(args, 3) === "COUNT");
  if (!isRight || wordAt(args, 2) !== "FULL") {
    throw new CommandError(
      `ERR unknown subcommand or wrong number of arguments for '${shown(bytesAt(args, 0))}'. Try XINFO HELP.`,
    );
  }
  const count = args.length === 5 ? integerAt(args, 4) : FULL_COUNT;
  return count < 0 ? FULL_COUNT : count;
}

function fullInfo(stream: StreamValue, count: number): Answer {
  const most = count === 0 ? Number.MAX_SAFE_INTEGER : count;
  const groups = [...stream.groups.values()].sort(byName);
  return [
    ...treeInfo(stream),
    "entries",
    stream.entries.slice(0, most).map(entryAnswer),
    "groups",
    groups.map((group) => fullGroup(stream, group, most)),
  ];
}

function fullGroup(stream: StreamValue, group: StreamGroup, most: number): Answer {
  const pending = group.pending
    .slice(0, most)
    .map(({ id, consumer, deliveredAt, deliveries }): Answer => [idText(id), consumer.name, deliveredAt, deliveries]);
  return [
    "name",
    group.name,
    "last-delivered-id",
    idText(group.lastId),
    "entries-read",
    group.readCount ?? false,
    "lag",
    lagOf(stream, group),
    "pel-count",
    group.pending.length,
    "pending",
    pending,
    "consumers",
    [...group.consumers.values()].sort(byName).map((consumer) => fullConsumer(consumer, most)),
  ];
}

function fullConsumer({ name, seenAt, activeAt, pending }: StreamConsumer, most: number): Answer {
  const own = pending
    .slice(0, most)
    .map(({ id, deliveredAt, deliveries }): Answer => [idText(id), deliveredAt, deliveries]);
  const times = ["seen-time", seenAt, "active-time", activeAt ?? -1];
  return ["name", name, ...times, "pel-count", pending.length, "pending", own];
}

function groupsInfo(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const stream = streamOf(keyspace, args);
  const groups = [...stream.groups.values()].sort(byName);
  return groups.map((group): Answer => {
    const { name, consumers, pending, lastId, readCount } = group;
    const state: Answer[] = ["name", name, "consumers", consumers.size, "pending", pending.length];
    state.push("last-delivered-id", idText(lastId), "entries-read", readCount ?? false, "lag", lagOf(stream, group));
    return state;
  });
}

function consumersInfo(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const { group } = groupOf(streamOf(keyspace, args), args, 1);
  return [...group.consumers.values()].sort(byName).map(({ name, pending, seenAt, activeAt }): Answer => {
    const idleMs = Math.max(0, keyspace.now - seenAt);
    const inactiveMs = activeAt === undefined ? -1 : Math.max(0, keyspace.now - activeAt);
    return ["name", name, "pending", pending.length, "idle", idleMs, "inactive", inactiveMs];
  });
}

function streamOf(keyspace: Keyspace, args: readonly Argument[]): StreamValue {
  return keyspace.stream(bytesAt(args, 1)) ?? refuse(new CommandError("ERR no such key"));
}

/** How many entries the group has not been given; nil where deletions have made that unknowable. */
function lagOf(stream: StreamValue, group: StreamGroup): Answer {
  if (stream.addedCount === 0) return 0;
  const isExact = group.readCount !== undefined && !stream.hasDeletedAbove(group.lastId);
  const count = isExact ? group.readCount : stream.countThrough(group.lastId);
  return count === undefined ? false : stream.addedCount - count;
}
