/**
 * Commands by which a consumer of a stream's group takes over what another was given and did not acknowledge.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError, syntaxError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { compareIds, idText, LOWEST_ID, parseId, type StreamId } from "../store/stream-id.ts";
import type { PendingEntry, StreamConsumer } from "../store/stream-value.ts";
import { bytesAt, integerOf, refuse, wordAt } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, ENTRIES, type ReplyForm } from "./reply-form.ts";
import { entryAnswer, idAt, startAt } from "./stream-arguments.ts";
import {
  activate,
  addPending,
  advance,
  changePending,
  consumerOf,
  type FoundGroup,
  groupAt,
  removePending,
  shown,
} from "./stream-groups.ts";

/** Pending entries that one `XAUTOCLAIM` takes over unless told otherwise. */
const CLAIM_COUNT_DEFAULT = 100;

/** Pending entries that it looks at, for each that it may take over. */
const CLAIM_LOOKS = 10;

/** The largest count that the server takes there: that of 16 bytes each in its memory. */
const CLAIM_COUNT_MAX = (2n ** 63n - 1n) / 16n;

/** The commands that claim, by name. */
export const STREAM_CLAIM_COMMANDS: CommandShapes = {
  XCLAIM: shape((args) => claimReply(args), xclaim),
  XAUTOCLAIM: shape((args) => ({ list: "tuple", of: ["bulk", claimReply(args), BULKS] }), xautoclaim),
};

function claimReply(args: readonly Argument[]): ReplyForm {
  for (let at = 5; at < args.length; at++) if (wordAt(args, at) === "JUSTID") return BULKS;
  return ENTRIES;
}

function xautoclaim(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const idleMs = idleAt(args, "XAUTOCLAIM");
  const start = startAt(args, 4);
  const { count, idsOnly } = autoClaimOptions(args);
  const found = groupAt(keyspace, args, 0);
  const { stream, group } = found;
  const consumer = consumerOf(keyspace, found, bytesAt(args, 2));
  const taken: Answer[] = [];
  const deleted: Answer[] = [];
  let index = group.pending.seek(start);
  for (let looks = count * CLAIM_LOOKS; looks > 0 && taken.length + deleted.length < count; looks--) {
    const pending = group.pending.at(index);
    if (pending === undefined) break;
    const entry = stream.entries.get(pending.id);
    if (entry === undefined) {
      removePending(keyspace, found, pending);
      deleted.push(idText(pending.id));
      continue;
    }
    index++;
    if (idleMs > 0 && keyspace.now - pending.deliveredAt < idleMs) continue;
    take(keyspace, found, pending, {
      consumer,
      deliveredAt: keyspace.now,
      deliveries: pending.deliveries + (idsOnly ? 0 : 1),
    });
    taken.push(idsOnly ? idText(entry.id) : entryAnswer(entry));
  }
  return [idText(group.pending.at(index)?.id ?? LOWEST_ID), taken, deleted];
}

function autoClaimOptions(args: readonly Argument[]): { count: number; idsOnly: boolean } {
  let count = CLAIM_COUNT_DEFAULT;
  let idsOnly = false;
  for (let at = 5; at < args.length; at++) {
    const word = wordAt(args, at);
    if (word === "COUNT" && at + 1 < args.length) {
      const number = integerOf(args[++at] as Argument);
      if (number === undefined || number < 1 || number > CLAIM_COUNT_MAX) {
        throw new CommandError("ERR COUNT must be > 0");
      }
      count = Number(number);
    } else if (word === "JUSTID") idsOnly = true;
    else throw syntaxError();
  }
  return { count, idsOnly };
}

function xclaim(keyspace: Keyspace, args: readonly Argument[]): Answer {
  const found = groupAt(keyspace, args, 0);
  const { stream, group } = found;
  const idleMs = idleAt(args, "XCLAIM");
  const form = claimForm(keyspace, args);
  if (compareIds(form.lastId, group.lastId) > 0) {
    advance(keyspace, found, { lastId: form.lastId, readCount: group.readCount });
  }
  const consumer = consumerOf(keyspace, found, bytesAt(args, 2));
  const taken: Answer[] = [];
  for (const id of form.ids) {
    const known = group.pending.get(id);
    const entry = stream.entries.get(id);
    if (entry === undefined) {
      if (known !== undefined) removePending(keyspace, found, known);
      continue;
    }
    if (known === undefined && !form.isForced) continue;
    if (known !== undefined && idleMs > 0 && keyspace.now - known.deliveredAt < idleMs) continue;
    claim(keyspace, found, { form, consumer, id, known });
    taken.push(form.idsOnly ? idText(id) : entryAnswer(entry));
  }
  return taken;
}

interface Claim {
  readonly form: ClaimForm;
  readonly consumer: StreamConsumer;
  readonly id: StreamId;
  /** The entry as it is pending; `undefined` where a forced claim makes it so. */
  readonly known: PendingEntry | undefined;
}

function claim(keyspace: Keyspace, found: FoundGroup, { form, consumer, id, known }: Claim): void {
  const deliveries = form.deliveries ?? (known?.deliveries ?? 1) + (form.idsOnly ? 0 : 1);
  const state = { consumer, deliveredAt: form.deliveredAt, deliveries };
  if (known !== undefined) take(keyspace, found, known, state);
  else {
    addPending(keyspace, found, { id, ...state });
    activate(keyspace, found.stream, consumer);
  }
}

function take(
  keyspace: Keyspace,
  { stream }: FoundGroup,
  pending: PendingEntry,
  state: Omit<PendingEntry, "id">,
): void {
  changePending(keyspace, stream, pending, state);
  activate(keyspace, stream, state.consumer);
}

interface ClaimForm {
  readonly ids: readonly StreamId[];
  readonly idsOnly: boolean;
  /** Whether entries are taken that were given to nobody. */
  readonly isForced: boolean;
  /** When the entries are to count as given. */
  readonly deliveredAt: number;
  /** How often they are to count as given; `undefined` for once more than they were. */
  readonly deliveries: number | undefined;
  /** How far the group is to count as given. */
  readonly lastId: StreamId;
}

function claimForm(keyspace: Keyspace, args: readonly Argument[]): ClaimForm {
  const ids: StreamId[] = [];
  let at = 4;
  for (; at < args.length; at++) {
    const id = parseId(bytesAt(args, at), 0);
    if (id === undefined) break;
    ids.push(id);
  }
  const { now } = keyspace;
  let idsOnly = false;
  let isForced = false;
  let deliveredAt = now;
  let deliveries: number | undefined;
  let lastId = LOWEST_ID;
  for (; at < args.length; at++) {
    const word = wordAt(args, at);
    const hasMore = at + 1 < args.length;
    if (word === "FORCE") isForced = true;
    else if (word === "JUSTID") idsOnly = true;
    else if (word === "IDLE" && hasMore) deliveredAt = now - claimNumber(args, ++at, word);
    else if (word === "TIME" && hasMore) deliveredAt = claimNumber(args, ++at, word);
    else if (word === "RETRYCOUNT" && hasMore) deliveries = claimNumber(args, ++at, word);
    else if (word === "LASTID" && hasMore) lastId = idAt(args, ++at);
    else throw new CommandError(`ERR Unrecognized XCLAIM option '${shown(bytesAt(args, at))}'`);
  }
  // An instant that cannot be is taken for now.
  if (deliveredAt < 0 || deliveredAt > now) deliveredAt = now;
  return { ids, idsOnly, isForced, deliveredAt, deliveries: undefinedIfNegative(deliveries), lastId };
}

function undefinedIfNegative(number: number | undefined): number | undefined {
  return number !== undefined && number < 0 ? undefined : number;
}

function idleAt(args: readonly Argument[], command: string): number {
  const idleMs = integerOf(args[3] as Argument);
  return Number(idleMs ?? refuse(new CommandError(`ERR Invalid min-idle-time argument for ${command}`)));
}

function claimNumber(args: readonly Argument[], at: number, word: Bytes): number {
  const number = integerOf(args[at] as Argument);
  return Number(number ?? refuse(new CommandError(`ERR Invalid ${word} option argument for XCLAIM`)));
}
