/**
 * Commands that concern the server and no key, and those that reach beyond the keyspace.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { bytesAt, integerAt, refuseMore } from "./argument.ts";
import { type Answer, type CommandShapes, shape } from "./command.ts";
import { BULKS, type ReplyForm } from "./reply-form.ts";
import { checkTimeout } from "./stream-arguments.ts";

const MS_A_SECOND = 1000;

/** Sends a message to a channel; answers how many subscriptions will get it. */
export type Publish = (channel: Bytes, payload: Bytes) => number;

/** The commands on the server, by name. */
export function serverCommands(publish: Publish): CommandShapes {
  return {
    PING: shape(pingReply, ping),
    ECHO: shape("bulk", (_, args) => bytesAt(args, 0)),
    TIME: shape(BULKS, time),
    WAIT: shape("integer", wait),
    PUBLISH: shape("integer", (_, args: readonly Argument[]) => publish(bytesAt(args, 0), bytesAt(args, 1))),
  };
}

function pingReply(args: readonly Argument[]): ReplyForm {
  return args.length === 0 ? "status" : "bulk";
}

function ping(_: Keyspace, args: readonly Argument[]): Answer {
  refuseMore(args, 1, "ping");
  return args.length === 0 ? "PONG" : bytesAt(args, 0);
}

/** How many replicas have what was written. There are none, and nothing to wait for. */
function wait(keyspace: Keyspace, args: readonly Argument[]): Answer {
  integerAt(args, 0);
  checkTimeout(keyspace, args, 1);
  return 0;
}

/** Seconds and the microseconds in them; the clock of the ports has no finer step than a millisecond. */
function time(keyspace: Keyspace): Answer {
  const seconds = Math.floor(keyspace.now / MS_A_SECOND);
  return [String(seconds), String((keyspace.now - seconds * MS_A_SECOND) * MS_A_SECOND)];
}
