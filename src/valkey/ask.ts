/**
 * One question on one session, for the engine's own needs: the fence, heartbeats, names and subscriptions.
 *
 * Unlike an act it is never kept, repaired or repeated: when the session ends or the time is over, so is the question.
 */

import type { Reply } from "../engine/engine.ts";
import type { Clock } from "../engine/ports.ts";
import { refusalError } from "../engine/refusal.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { Call, commandHead } from "./call.ts";
import type { Session } from "./client.ts";

/**
 * Sends one plain command and resolves to its reply.
 *
 * @throws EchoMQError by the refusal's class, `disconnected` when the session ends first, `timeout` after `timeoutMs`,
 *   `invalid_connection` by {@link misuseError}.
 */
export function ask(
  session: Session,
  parts: readonly Bytes[],
  options: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<Reply> {
  const name = parts[0] ?? "";
  return new Promise((resolve, reject) => {
    const expire = (): void => {
      call.abandon();
      reject(new EchoMQError("timeout", `The server did not answer ${name} within ${options.timeoutMs} ms.`));
    };
    // The socket keeps the process alive for as long as an answer can come.
    const timer = options.clock.after(options.timeoutMs, expire, { background: true });
    const lost = (cause: unknown): void => {
      timer.cancel();
      const text = `The connection was lost before the answer to ${name}.`;
      reject(misuseError(cause) ?? new EchoMQError("disconnected", text, { cause }));
    };
    const owner = {
      onReply(_call: Call, reply: Reply): void {
        timer.cancel();
        resolve(reply);
      },
      onRefusal(_call: Call, text: Bytes): void {
        timer.cancel();
        reject(refusalError(text));
      },
      onLost(_call: Call, cause: unknown): void {
        lost(cause);
      },
    };
    const call = new Call(owner, { head: commandHead(name), args: parts.slice(1) });
    if (!session.send(call)) lost(undefined);
  });
}

/** The error for a client of the caller's that takes no commands, which no waiting can mend; else `undefined`. */
export function misuseError(cause: unknown): EchoMQError | undefined {
  if (!(cause instanceof Error) || !cause.message.includes("subscriber mode")) return undefined;
  const text = "The client is subscribed to channels and takes no commands; give a client for commands.";
  return new EchoMQError("invalid_connection", text, { cause });
}
