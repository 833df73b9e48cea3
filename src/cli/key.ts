/**
 * `echomq key`: builds a key, or checks one, and shows how both halves of the wire judge it.
 *
 * The two halves are not the same rule. The host builds keys and refuses a queue name with a brace or NUL, nothing
 * else; the server takes keys apart and also refuses an empty name and a type that no verb lists. Showing both side by
 * side, with the hashtag that a cluster would hash, answers most questions about a key at once.
 */

import { Command } from "commander";
import { causeText } from "../protocol/cause-text.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { isValidId } from "../protocol/id.ts";
import { assertValidQueue, jobKey, queueKey, splitQueueKey } from "../protocol/key.ts";
import { checkLayout } from "../protocol/layout.ts";
import { KEY_TYPES, KEY_VALKEY_TYPES, RESERVE_TYPES } from "../protocol/registry.generated.ts";
import { hashtag, slot } from "../protocol/slot.ts";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { type Output, paint } from "./host.ts";
import { printable } from "./printable.ts";

/** A yes or no with its reason. */
export interface Verdict {
  readonly isAccepted: boolean;
  /** Why, in words. */
  readonly reason: string;
}

/** All that can be told of a key without a server. */
export interface KeyReport {
  readonly key: string;
  /** `undefined` when no queue name can be read from the key. */
  readonly queue: string | undefined;
  readonly type: string | undefined;
  /** The Valkey type of such a key, `undefined` when the type is none of the wire's. */
  readonly valkeyType: string | undefined;
  readonly hashtag: string;
  readonly slot: number;
  readonly host: Verdict;
  readonly server: Verdict;
}

/** What a placeholder of a key type may stand for. */
const PLACEHOLDERS: Readonly<Record<string, (text: string) => boolean>> = {
  "<id>": isValidId,
  "<which>": (text) => text === "completed" || text === "failed",
  "<n>": (text) => /^\d{1,4}$/.test(text),
};

/** The parts of a row's type, so that the row itself is told from what hangs on it. */
const ROW = /^job:([^:]*)$/;

/** The command; see `echomq key --help`. */
export function keyCommand(context: CommandContext): Command {
  return new Command("key")
    .summary("build or check a key of the wire")
    .description("Build a key from a queue and a type, or check one, and show how host and server judge it.")
    .argument("[queue]", "name of the queue; the empty text is a name")
    .argument("[type]", "type of the key, such as pending, active, schedule, meta or job")
    .argument("[id]", "id of the job, for the type job")
    .option("--check <key>", "take a whole key apart instead")
    .option("--json", "print one JSON document")
    .addHelpText("after", KEY_HELP)
    .action((...received: KeyArguments) => {
      const [queue, type, id, { check, json }] = received;
      const report = check === undefined ? builtKey({ queue, type, id }) : checkedKey(check, queue);
      const { out } = context.host;
      out.write(json === true ? `${JSON.stringify(report)}\n` : reportText(report, out));
      context.setExitCode(report.host.isAccepted && report.server.isAccepted ? EXIT.ok : EXIT.failed);
    });
}

type KeyArguments = [
  queue: string | undefined,
  type: string | undefined,
  id: string | undefined,
  options: { check?: string; json?: boolean },
];

const KEY_HELP = `
Examples:
  echomq key orders pending
  echomq key orders job JOB0Nb1VTbfnu4
  echomq key --check 'emq:{orders}:pending'

The exit code is 1 when either half refuses the key.`;

function builtKey(parts: { queue: string | undefined; type: string | undefined; id: string | undefined }): KeyReport {
  const { queue, type, id } = parts;
  if (queue === undefined || type === undefined) {
    throw new CliError("usage", "give a queue and a type, or a whole key with --check");
  }
  if (type === "job") {
    if (id === undefined) throw new CliError("usage", "the type job needs the id of the job as a third argument");
    return keyReport(rowKey(queue, id), { queue, type: `job:${id}` });
  }
  if (id !== undefined) throw new CliError("usage", `only the type job takes an id, not ${JSON.stringify(type)}`);
  return keyReport(queueKey(queue, type), { queue, type });
}

/** The key of a row. A malformed id is this command's answer, as a refused key is, and no misuse of it. */
function rowKey(queue: string, id: string): string {
  try {
    return jobKey(queue, id);
  } catch (error) {
    if (!isEchoMQError(error, "invalid_id")) throw error;
    throw new CliError("failed", error.message, { code: error.code, cause: error });
  }
}

function checkedKey(key: string, queue: string | undefined): KeyReport {
  if (queue !== undefined) throw new CliError("usage", "--check takes the whole key and no other argument");
  return keyReport(key, partsOf(key));
}

/** Judges a key. `parts` is how the host would have composed it, `undefined` when it could not. */
export function keyReport(key: string, parts: { queue: string; type: string } | undefined): KeyReport {
  return {
    key,
    queue: parts?.queue,
    type: parts?.type,
    valkeyType: parts === undefined ? undefined : valkeyTypeOf(parts.type),
    hashtag: hashtag(key),
    slot: slot(key),
    host: hostVerdict(key, parts?.queue),
    server: serverVerdict(key),
  };
}

/**
 * The parts of a key as its builder had them. A key that splits has one reading; of one that does not, the last `}:` is
 * taken as the end of the name, so that `emq:{a}b}:pending` shows the name that broke it.
 */
function partsOf(key: string): { queue: string; type: string } | undefined {
  const parts = splitQueueKey(key);
  if (parts !== undefined) return parts;
  const close = key.lastIndexOf("}:");
  if (!key.startsWith("emq:{") || close < "emq:{".length) return undefined;
  return { queue: key.slice("emq:{".length, close), type: key.slice(close + "}:".length) };
}

function hostVerdict(key: string, queue: string | undefined): Verdict {
  if (queue === undefined) {
    if (isReserve(key)) return { isAccepted: true, reason: "a key of the reserve; it belongs to no queue" };
    return { isAccepted: false, reason: "no key of the wire: it is not of the form emq:{queue}:type" };
  }
  try {
    assertValidQueue(queue);
    return { isAccepted: true, reason: `the name ${JSON.stringify(queue)} holds no brace and no NUL` };
  } catch (error) {
    return { isAccepted: false, reason: causeText(error) };
  }
}

function serverVerdict(key: string): Verdict {
  if (isReserve(key)) return { isAccepted: true, reason: "a key of the reserve; the fence reads it, no verb takes it" };
  const parts = splitQueueKey(key);
  if (parts === undefined) return { isAccepted: false, reason: "it does not split into emq:{, a name, }: and a type" };
  const { queue, type } = parts;
  if (queue === "") {
    return { isAccepted: false, reason: "the name is empty, so its keys would carry no hashtag (Lua form: accepted)" };
  }
  const rowId = ROW.exec(type)?.[1];
  if (rowId !== undefined) return rowVerdict(key, queue, rowId);
  if (type !== "" && valkeyTypeOf(type) === undefined) {
    return { isAccepted: false, reason: `no verb lists the type ${JSON.stringify(type)}` };
  }
  return {
    isAccepted: true,
    reason: `queue ${JSON.stringify(queue)}, type ${JSON.stringify(type)}; the fence is next`,
  };
}

/** A row is judged as `ENQUEUE` judges it: with its id and the pending key of the same queue. */
function rowVerdict(key: string, queue: string, id: string): Verdict {
  if (!isValidId(id)) return { isAccepted: false, reason: `${JSON.stringify(id)} is no branded id` };
  const refusal = checkLayout("ENQUEUE", [key, queueKey(queue, "pending")], [id, ""]);
  if (refusal !== undefined) return { isAccepted: false, reason: refusal };
  const kind = id.startsWith("JOB") ? "" : "; the act will refuse it, because a job's id begins with JOB";
  return { isAccepted: true, reason: `the row of ${id} beside its queue's pending key${kind}` };
}

/** The Valkey type of a key type, with names in place of its placeholders; the base key has none. */
function valkeyTypeOf(type: string): string | undefined {
  const known = KEY_TYPES.find((pattern) => matches(pattern, type));
  return known === undefined ? undefined : KEY_VALKEY_TYPES[known];
}

function isReserve(key: string): boolean {
  const open = "{emq}:";
  return key.startsWith(open) && RESERVE_TYPES.some((pattern) => matches(pattern, key.slice(open.length)));
}

/** Whether a text is a key type: equal to it, or with a fitting text where the type has a placeholder. */
function matches(pattern: string, text: string): boolean {
  const open = pattern.indexOf("<");
  if (open < 0) return pattern === text;
  const close = pattern.indexOf(">") + 1;
  const [before, after] = [pattern.slice(0, open), pattern.slice(close)];
  if (!text.startsWith(before) || !text.endsWith(after) || text.length <= before.length + after.length) return false;
  const name = text.slice(before.length, text.length - after.length);
  const fits = PLACEHOLDERS[pattern.slice(open, close)];
  return fits === undefined ? !/[{}\0]/.test(name) : fits(name);
}

function reportText(report: KeyReport, out: Output): string {
  const shared = report.hashtag === report.queue ? "every key of this queue shares it" : "not the name of the queue";
  const lines = [
    paint(out, "strong", out.isTerminal ? printable(report.key) : report.key),
    `  type     ${report.type === undefined ? "none" : printable(report.type)} (${report.valkeyType ?? "none of the wire's"})`,
    `  hashtag  ${printable(report.hashtag)}, ${shared}`,
    `  slot     ${report.slot}`,
    `  host     ${verdictText(report.host, out)}`,
    `  server   ${verdictText(report.server, out)}`,
  ];
  return `${lines.join("\n")}\n`;
}

function verdictText(verdict: Verdict, out: Output): string {
  const word = verdict.isAccepted ? paint(out, "good", "accepts") : paint(out, "bad", "refuses");
  return `${word}: ${verdict.reason}`;
}
