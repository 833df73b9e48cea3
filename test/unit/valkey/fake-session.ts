/**
 * A session without a socket: what is sent lies in a list until the test answers it.
 */

import type { Call } from "../../../src/valkey/call.ts";
import type { Session } from "../../../src/valkey/client.ts";

export class FakeSession implements Session {
  readonly loginRefusal = undefined;
  /** Calls without an answer, oldest first, as text. */
  readonly sent: Call[] = [];
  readonly ends: string[] = [];
  /** Whether it takes calls. */
  isOpen = true;

  send(call: Call): boolean {
    if (!this.isOpen) {
      call.abandon();
      return false;
    }
    call.toWritable();
    this.sent.push(call);
    return true;
  }

  end(why: "closing" | "dead"): void {
    this.ends.push(why);
  }

  /** What lies there, each as its parts joined by spaces. */
  get texts(): string[] {
    return this.sent.map((call) => [call.name.toUpperCase(), ...call.keys, ...call.args].join(" "));
  }

  /** Answers the oldest call. */
  answer(raw: unknown): void {
    this.sent.shift()?.resolve(raw);
  }

  /** Refuses the oldest call. */
  refuse(text: string): void {
    this.sent.shift()?.reject(Object.assign(new Error(text), { name: "ReplyError" }));
  }

  /** Dies: everything without an answer is given up. */
  die(): void {
    this.isOpen = false;
    for (const call of this.sent.splice(0)) call.reject(new Error("Connection is closed."));
  }
}
