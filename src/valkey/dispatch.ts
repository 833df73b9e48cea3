/**
 * Sends acts and commands and decides what the end of each means.
 *
 * Promises: every call ends, at the latest at its deadline. Nothing runs twice behind the caller's back: a call is sent
 * again only where the server said that nothing happened (its script is missing, or it is busy in one of the ways that
 * `refusal.ts` lists), and a call whose connection died is rejected, since nobody can know. Calls leave in the order in
 * which they were made; only those that the server put off come later.
 *
 * A missing script is repaired inside the pipeline: `SCRIPT LOAD` and the call once more, one behind the other. Of many
 * calls that meet the same gap only the first loads; the others know by the order of sending that the script is ahead
 * of them on the wire.
 */

import type { Reply } from "../engine/engine.ts";
import type { Ports, Timer } from "../engine/ports.ts";
import { isBusyWord, refusalError, refusalWord } from "../engine/refusal.ts";
import { type Bytes, textOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { misuseError } from "./ask.ts";
import { Call, type CallHead, type CallOwner, commandHead } from "./call.ts";
import type { Session } from "./client.ts";
import { isUnknownCommand } from "./native-form.ts";
import { type CallEnd, type LoadableScript, PendingCall, type PendingContent, PendingList } from "./pending-call.ts";

/**
 * How often a call's script may be missing before the call is refused; once is the rule, more is a storm of flushes.
 */
const REPAIRS_MAX = 5;

/** First and longest pause before a call goes once more to a busy server, in ms; each is twice the one before. */
const REST_MS_MIN = 10;
const REST_MS_MAX = 500;

/**
 * A call that was put off goes no more in the last share of its time: an answer that comes too late would make its end
 * uncertain, and as it stands nothing has happened.
 */
const LAST_SHARE = 0.05;

/** Redirects of one call that are followed at once; a cluster that sends it round in circles gets pauses. */
const REDIRECTS_MAX = 5;

const SCRIPT_HEAD = commandHead("SCRIPT");
const ASKING_HEAD = commandHead("ASKING");

/** For commands that go ahead of a call and whose answer matters to nobody: the call behind them fails by itself. */
const NOBODY: CallOwner = { onReply() {}, onRefusal() {}, onLost() {} };

/** Which of several servers a call goes to. */
export interface Route {
  /** The session of the server that answers for a call now; `undefined` while there is none. */
  sessionFor(call: PendingCall): Session | undefined;
  /**
   * A server refused because another answers for the keys, or nobody does. `moved` has been taken note of and `ask` has
   * been written to the call, so that both go on at once; `wait` means to come back after a pause.
   */
  follow(call: PendingCall, text: Bytes): "moved" | "ask" | "wait";
}

/** What a {@link Dispatcher} works with. */
export interface DispatcherOptions {
  readonly ports: Ports;
  /** For messages: where the connection leads. */
  readonly name: string;
  /** What becomes of a call while there is no connection: it waits for its deadline at most, or fails at once. */
  readonly offline: "wait" | "fail";
  /** Time of every call, in ms. */
  readonly timeoutMs: number;
  /** Calls that may be pending at a time; one more is refused with `overloaded`. */
  readonly pendingMax: number;
  /** Why there is no connection, for messages. */
  readonly whyDown: () => unknown;
  /** The server refuses writes because it follows another: the connection may lead to the wrong one. */
  readonly onReadonly: () => void;
  /** A server does not know a native command; absent where none is sent. */
  readonly onNoNative?: () => void;
  /** Whether a script that waits since before the first connection goes as a native command; absent for never. */
  readonly isNative?: () => boolean;
  /** Which server a call goes to; without it all go to the session that is up. */
  readonly route?: Route;
}

/** Sends calls over the session that is up. */
export class Dispatcher implements CallOwner {
  readonly #options: DispatcherOptions;
  readonly #pending = new PendingList();
  readonly #loader: CallOwner;
  /** The session that is up, or the last of several. */
  #session: Session | undefined;
  readonly #sessions = new Set<Session>();
  /** Why no call is taken any more. */
  #refusal: EchoMQError | undefined;
  #timer: Timer | undefined;
  #isTimerBackground = true;
  /** Calls sent so far, loads of scripts included. */
  #sequence = 0;
  /** For each session and script the position at which it was loaded last. */
  readonly #loadedAt = new WeakMap<Session, Map<string, number>>();
  /** Why the server would not load a script, by its digest. */
  readonly #loadRefusals = new Map<string, Bytes>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const refusals = this.#loadRefusals;
    this.#loader = {
      onReply: (call) => void refusals.delete(call.keys[0] ?? ""),
      onRefusal: (call, text) => void refusals.set(call.keys[0] ?? "", text),
      // The calls behind it are lost with it and are told themselves.
      onLost() {},
    };
  }

  /** Calls that somebody waits for. */
  get pendingCount(): number {
    return this.#pending.count;
  }

  /** Sends a call, or keeps it until it can be sent. `end` is told once, perhaps before this returns. */
  start(content: PendingContent, end: CallEnd): void {
    const { ports, timeoutMs, pendingMax, offline } = this.#options;
    if (this.#refusal !== undefined) return end.onFailed(this.#refusal);
    if (this.#pending.count >= pendingMax) {
      return end.onFailed(new EchoMQError("overloaded", `${pendingMax} calls are already waiting; see maxPending.`));
    }
    const call = new PendingCall(this, end, content);
    const session = this.#sessionFor(call);
    if (session === undefined && offline === "fail") return end.onFailed(this.#away(undefined));
    call.deadlineAt = ports.clock.now() + timeoutMs;
    this.#pending.append(call);
    this.#watch();
    if (session !== undefined) this.#send(call, session);
  }

  /** Runs one plain command; see {@link start} for what it may reject with. */
  run(parts: readonly Bytes[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.start({ head: commandHead(parts[0] ?? ""), args: parts.slice(1) }, { onDone: resolve, onFailed: reject });
    });
  }

  /** A session is up: what waits for it is sent. */
  onUp(session: Session): void {
    this.#session = session;
    this.#sessions.add(session);
    this.resume();
  }

  /** What waits is sent, as far as there is a session for it: another server may answer for it by now. */
  resume(): void {
    this.#watchAnew();
    for (const call of this.#all()) {
      if (call.place !== "waiting") continue;
      // A session that dies meanwhile leaves the rest waiting for the next.
      const session = this.#sessionFor(call);
      if (session !== undefined) this.#send(this.#inFormNow(call), session);
    }
  }

  /**
   * A session is over: what was sent on it is rejected, because nobody can know whether it happened. Without `over` it
   * is the one that is up.
   */
  onDown(cause: unknown, over: Session | undefined = this.#session): void {
    if (over !== undefined) this.#sessions.delete(over);
    if (this.#session === over) this.#session = undefined;
    for (const call of this.#all()) {
      if (call.place === "sent" && call.session === over) this.#fail(call, lost(cause));
      else if (call.place === "waiting" && this.#options.offline === "fail" && this.#sessionFor(call) === undefined) {
        this.#fail(call, this.#away(cause));
      }
    }
    this.#watchAnew();
  }

  /** Rejects all calls, and every later one at once. The first reason stays. */
  refuse(reason: EchoMQError): void {
    this.#refusal ??= reason;
    for (const call of this.#all()) this.#fail(call, this.#refusal);
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  onReply(call: Call, reply: Reply): void {
    const pending = call as PendingCall;
    this.#pending.remove(pending);
    pending.end.onDone(reply);
  }

  onRefusal(call: Call, text: Bytes): void {
    const pending = call as PendingCall;
    const word = refusalWord(text);
    if (pending.scriptHead !== undefined && isUnknownCommand(text))
      return this.#turnToScript(pending, pending.scriptHead);
    if (word === "NOSCRIPT" && pending.script !== undefined) return this.#repair(pending, pending.script, text);
    if (!isBusyWord(word)) return this.#fail(pending, refusalError(text));
    if (this.#options.route !== undefined && this.#follow(pending, text, this.#options.route)) return;
    this.#rest(pending, text);
    if (word === "READONLY") this.#options.onReadonly();
  }

  onLost(call: Call, cause: unknown): void {
    const pending = call as PendingCall;
    if (pending.isWritten) this.#fail(pending, lost(cause));
    else this.#unsent(pending, cause);
  }

  #sessionFor(call: PendingCall): Session | undefined {
    const { route } = this.#options;
    return route === undefined ? this.#session : route.sessionFor(call);
  }

  /** Sends a call on to where the refusal points. False when it has to wait instead. */
  #follow(call: PendingCall, text: Bytes, route: Route): boolean {
    const next = route.follow(call, text);
    if (next === "wait" || call.redirectCount >= REDIRECTS_MAX) return false;
    const fresh = this.#renewed(call);
    fresh.redirectCount += 1;
    fresh.busyText = text;
    if (next === "moved") fresh.askAddress = undefined;
    const session = this.#sessionFor(fresh);
    if (session !== undefined) this.#send(fresh, session);
    return true;
  }

  #send(call: PendingCall, session: Session): void {
    call.place = "sent";
    call.session = session;
    if (call.askAddress !== undefined) session.send(new Call(NOBODY, { head: ASKING_HEAD, args: [] }));
    call.sequence = ++this.#sequence;
    if (!session.send(call) && call.place === "sent") this.#unsent(call, undefined);
  }

  /** The session took nothing, so the call may wait for the next one. */
  #unsent(call: PendingCall, cause: unknown): void {
    const misuse = misuseError(cause);
    if (misuse !== undefined) return this.#fail(call, misuse);
    if (this.#options.offline === "fail") return this.#fail(call, this.#away(cause));
    this.#pending.replace(call, call.again());
    this.#watchAnew();
  }

  /** A call that was made before anybody knew what the server has is sent in the form that has turned out. */
  #inFormNow(call: PendingCall): PendingCall {
    if (call.nativeHead === undefined || this.#options.isNative?.() !== true) return call;
    const fresh = call.againAsNative(call.nativeHead);
    this.#pending.replace(call, fresh);
    return fresh;
  }

  /** The server has no native half: the act goes once more, as a script. */
  #turnToScript(call: PendingCall, head: CallHead): void {
    const fresh = call.againAsScript(head);
    this.#pending.replace(call, fresh);
    this.#options.onNoNative?.();
    const session = this.#sessionFor(fresh);
    if (session !== undefined) this.#send(fresh, session);
  }

  #repair(call: PendingCall, script: LoadableScript, text: Bytes): void {
    if (call.repairCount >= REPAIRS_MAX) {
      return this.#fail(call, refusalError(this.#loadRefusals.get(script.sha) ?? text));
    }
    const sequence = call.sequence;
    const fresh = this.#renewed(call);
    fresh.repairCount += 1;
    const session = this.#sessionFor(fresh);
    if (session === undefined) return;
    // Loaded behind this call's first sending: then the script is on the server, or ahead of what is sent now.
    if ((this.#loadedAt.get(session)?.get(script.sha) ?? 0) < sequence) this.#load(script, session);
    this.#send(fresh, session);
  }

  #load(script: LoadableScript, session: Session): void {
    const loaded = this.#loadedAt.get(session) ?? new Map<string, number>();
    this.#loadedAt.set(session, loaded.set(script.sha, ++this.#sequence));
    // The digest rides along as a key that a plain command does not write.
    session.send(new Call(this.#loader, { head: SCRIPT_HEAD, keys: [script.sha], args: ["LOAD", script.text] }));
  }

  /** Puts a call off: nothing happened, and the server may take it a little later. */
  #rest(call: PendingCall, text: Bytes): void {
    const { ports, timeoutMs } = this.#options;
    const fresh = this.#renewed(call);
    const step = Math.min(REST_MS_MIN * 2 ** fresh.restCount, REST_MS_MAX);
    fresh.restCount += 1;
    fresh.busyText = text;
    fresh.redirectCount = 0;
    fresh.askAddress = undefined;
    fresh.place = "resting";
    const wake = (): void => {
      fresh.restTimer = undefined;
      if (fresh.place !== "resting") return;
      fresh.place = "waiting";
      const session = this.#sessionFor(fresh);
      if (session !== undefined) this.#send(fresh, session);
    };
    const pauseMs = Math.ceil(step * (0.5 + 0.5 * ports.random()));
    const lastAt = fresh.deadlineAt - timeoutMs * LAST_SHARE;
    if (ports.clock.now() + pauseMs < lastAt) fresh.restTimer = ports.clock.after(pauseMs, wake, { background: true });
  }

  #renewed(call: PendingCall): PendingCall {
    const fresh = call.again();
    this.#pending.replace(call, fresh);
    return fresh;
  }

  #fail(call: PendingCall, error: EchoMQError): void {
    if (call.place === "over") return;
    call.abandon();
    this.#pending.remove(call);
    call.end.onFailed(error);
  }

  /** Sees to it that the head of the list is given up in time. */
  #watch(): void {
    const first = this.#pending.first;
    if (this.#timer !== undefined || first === undefined) return;
    const { clock } = this.#options.ports;
    // A socket keeps the process alive; without one, the calls that wait must.
    this.#isTimerBackground = this.#sessions.size > 0;
    // A clock that was set back makes more of it than there ever was.
    const leftMs = Math.min(Math.max(0, first.deadlineAt - clock.now()), this.#options.timeoutMs);
    this.#timer = clock.after(leftMs, () => this.#expire(), { background: this.#isTimerBackground });
  }

  #watchAnew(): void {
    if (this.#timer !== undefined && this.#isTimerBackground === this.#sessions.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#watch();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#options.ports.clock.now();
    let call = this.#pending.first;
    const latest = now + this.#options.timeoutMs;
    while (call !== undefined && (call.deadlineAt <= now || call.deadlineAt > latest)) {
      this.#fail(call, this.#expired(call));
      call = this.#pending.first;
    }
    this.#watch();
  }

  #expired(call: PendingCall): EchoMQError {
    const { timeoutMs, name } = this.#options;
    if (call.place === "waiting" && call.busyText === "") return this.#away(undefined);
    if (call.place === "sent") {
      const before = call.busyText === "" ? "" : ` Before, it said: ${textOf(call.busyText)}`;
      const text = `${name} did not answer within ${timeoutMs} ms.${before}`;
      return new EchoMQError("timeout", text, { details: { sent: true } });
    }
    return refusalError(call.busyText);
  }

  /** The error of a call that was never sent. */
  #away(cause: unknown): EchoMQError {
    const reason = cause ?? this.#options.whyDown();
    const why = reason instanceof Error ? ` (${reason.message})` : "";
    return new EchoMQError("disconnected", `There is no connection to ${this.#options.name}${why}; nothing was sent.`, {
      details: { sent: false },
      ...(reason === undefined ? {} : { cause: reason }),
    });
  }

  /** The calls of this moment, so that what is told about one may start others. */
  #all(): PendingCall[] {
    const calls: PendingCall[] = [];
    for (let call = this.#pending.first; call !== undefined; call = call.next) calls.push(call);
    return calls;
  }
}

function lost(cause: unknown): EchoMQError {
  if (isEchoMQError(cause, "closed")) return cause;
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  const text = `The connection was lost before the answer came${why}; the act may or may not have happened.`;
  return new EchoMQError("disconnected", text, { cause, details: { sent: true } });
}
