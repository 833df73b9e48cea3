/**
 * The acts as commands `EMQ.<VERB> <numkeys> <key>… <arg>…`, as the native half serves them, and `EMQ.FENCE`.
 *
 * The engine judges everything behind the number of keys, in the order of docs/protocol/calls.md.
 */

import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { VERBS, type Verb, type VerbShape } from "../protocol/verbs.generated.ts";
import { actFrame, OK } from "./frames.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

export const actCommands: ServedRows = {
  "EMQ.FENCE": ["-1 readonly,fast 0 0 0 read,fast", fence],
  ...Object.fromEntries(
    (Object.entries(VERBS) as [Verb, VerbShape][]).map(([verb, shape]) => [
      `EMQ.${verb}`,
      [`-1 ${shape.access === "read" ? "readonly" : "write"},movablekeys 0 0 0 slow`, actOf(verb)],
    ]),
  ),
};

function actOf(verb: Verb) {
  return (session: Session, words: readonly Bytes[]): Bytes => {
    const [count, ...rest] = words;
    if (count === undefined) throw new CommandError(`ERR wrong number of arguments for 'EMQ.${verb}' command`);
    const keys = keyCount(count, rest.length);
    if (keys === undefined) throw new CommandError(`ERR EMQ.${verb} takes ${VERBS[verb].keys.length} keys`);
    return actFrame(session.hub.door.act(verb, rest.slice(0, keys), rest.slice(keys)), session.resp);
  };
}

/** The number of keys among `most` words; `undefined` when it is none. */
function keyCount(text: Bytes, most: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(text)) return undefined;
  const count = Number(text);
  return count <= most ? count : undefined;
}

/** Whether the client speaks the version of this server. */
function fence({ hub }: Session, words: readonly Bytes[]): Bytes {
  const [count, version] = words;
  if (words.length !== 2 || version === undefined) {
    throw new CommandError("ERR wrong number of arguments for 'EMQ.FENCE' command");
  }
  if (count !== "0") throw new CommandError("ERR EMQ.FENCE takes 0 keys");
  const refusal = hub.door.fenceRefusal();
  if (refusal !== undefined) throw refusal;
  const own = hub.door.wireVersion;
  if (version === own) return OK;
  throw new CommandError(`EMQFENCE wire version is ${version}, this server speaks ${own}`);
}
