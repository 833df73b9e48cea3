/**
 * One client: what it sent, what it is told, and everything that a connection remembers.
 *
 * Commands run in the order in which they came, each at once and whole. A session stops between two commands, and goes
 * on later, when the client does not take its replies, when it waits at a key, or when it has kept the others waiting
 * for some milliseconds. Meanwhile it reads no more than {@link INPUT_BYTES_MAX}.
 *
 * Bounds: input as above (one command may be larger, see `command-decoder.ts`); output in {@link OUTPUT_BYTES_MAX} for
 * what comes unasked, and a single reply beyond {@link OUTPUT_BYTES_PAUSE} for what was asked for.
 */

import type { Socket } from "node:net";
import { encodeError } from "../embedded/command/encode-reply.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Watch } from "../embedded/watches.ts";
import type { Timer } from "../engine/ports.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { CommandDecoder, ProtocolError } from "./command-decoder.ts";
import type { Resp } from "./frames.ts";
import type { Hub } from "./hub.ts";
import { Outbox } from "./outbox.ts";
import { runCommand } from "./run-command.ts";
import type { Queued } from "./transaction-commands.ts";

/** Input that is kept for a client whose commands have to wait; no more is read then. */
const INPUT_BYTES_MAX = 1024 * 1024;
/** Output that waits for a client beyond which its next command waits, too. */
const OUTPUT_BYTES_PAUSE = 1024 * 1024;
/** Output that waits for a client beyond which a message to it ends the connection. */
export const OUTPUT_BYTES_MAX = 32 * 1024 * 1024;

/** How long one client may run commands before the others have their turn, in ms. */
const TURN_MS = 5;

/** A wait at keys that goes on. */
export interface BlockedWait {
  /** Takes the client away from the keys. */
  readonly end: () => void;
  /** What it is answered when its time is over. */
  readonly emptyFrame: Bytes;
  timer: Timer | undefined;
}

/** Who connected, and from where. */
export interface Peer {
  /** `host:port`, or the path of a unix socket and `:0`, as `CLIENT LIST` shows it. */
  readonly address: string;
  readonly localAddress: string;
  readonly isUnix: boolean;
}

export class Session {
  readonly hub: Hub;
  readonly id: number;
  readonly peer: Peer;
  readonly socket: Socket;
  readonly startedAt: number;

  /** What the client said of itself. */
  name: Bytes = "";
  libraryName: Bytes = "";
  libraryVersion: Bytes = "";
  resp: Resp = 2;
  isTrusted: boolean;
  /** Whether it wants replies. */
  replies: "on" | "off" = "on";
  isNoEvict = false;
  isNoTouch = false;

  readonly channels: Set<Bytes> = new Set();
  readonly patterns: Set<Bytes> = new Set();
  /** Commands since `MULTI`; `undefined` outside. */
  queued: Queued | undefined;
  watch: Watch | undefined;
  /** Whether its transaction runs: what would wait does not. */
  isExecuting = false;
  blocked: BlockedWait | undefined;

  /** Of the command that came last: its name in small letters and when it came. */
  lastCommand = "NULL";
  lastAt: number;
  commandCount = 0;

  readonly #decoder: CommandDecoder;
  readonly #outbox: Outbox;
  /** Messages that came while its own command ran; they follow that command's reply. */
  #pushed: Bytes = "";
  #isRunning = false;
  #isPlanned = false;
  /** Commands to which no reply is sent, the one included that says so. */
  #skips = 0;
  /** Takes no further commands; the connection ends when all was written. */
  #isEnding = false;
  #hasEnded = false;
  /** The client has sent all that it will; the connection ends when that was answered. */
  #isLast = false;
  /** What was written and taken when it was last looked at, and since when it is the same. */
  #taken = 0;
  #takenAt: number;

  constructor(hub: Hub, socket: Socket, peer: Peer) {
    this.hub = hub;
    this.id = hub.nextId();
    this.peer = peer;
    this.socket = socket;
    this.startedAt = hub.now();
    this.lastAt = this.startedAt;
    this.#takenAt = this.startedAt;
    this.isTrusted = hub.password === undefined;
    this.#decoder = new CommandDecoder(hub.limits);
    this.#decoder.isTrusted = this.isTrusted;
    this.#outbox = new Outbox(socket, () => (this.#isEnding ? this.#leave() : this.#goOn()));
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("drain", () => this.#goOn());
    socket.on("end", () => this.#onEnd());
    socket.on("finish", () => socket.destroy());
    // The reason of a broken connection is the client's; `close` follows and is where it is forgotten.
    socket.on("error", () => {});
    socket.on("close", () => this.#forget());
  }

  /** Bytes that wait for the client. */
  get outputBytes(): number {
    return this.#outbox.pending;
  }

  /** Bytes that it sent and that were not looked at. */
  get inputBytes(): number {
    return this.#decoder.buffered;
  }

  /** Whether it listens to anything. */
  get isSubscribed(): boolean {
    return this.channels.size + this.patterns.size > 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** No reply is sent to the command that comes next. */
  skipReply(): void {
    this.#skips = 2;
  }

  /** The client has given the right password. */
  trust(): void {
    this.isTrusted = true;
    this.#decoder.isTrusted = true;
  }

  /** The client is as it was when it came: it has to give its password, if there is one. */
  mistrust(): void {
    this.isTrusted = this.hub.password === undefined;
    this.#decoder.isTrusted = this.isTrusted;
  }

  /** Tells the client something it did not ask for. One that does not take its messages is disconnected. */
  push(text: Bytes): void {
    if (this.#hasEnded) return;
    if (this.#isRunning) {
      if (this.#pushed.length > OUTPUT_BYTES_MAX) this.#dropSlow(this.#pushed.length);
      else this.#pushed += text;
      return;
    }
    this.#send(text);
    this.#outbox.flush();
  }

  /** Begins to wait; `frame` of {@link answerWait} is the reply that the command at hand did not give. */
  block(wait: BlockedWait): void {
    this.blocked = wait;
  }

  /**
   * Ends a wait with its reply, and goes on with what came meanwhile. The reply leaves once what it tells of is stored;
   * where that was taken back, a refusal leaves in its place.
   */
  answerWait(frame: Bytes): void {
    const wait = this.blocked;
    if (wait === undefined) return;
    this.blocked = undefined;
    wait.timer?.cancel();
    wait.end();
    this.#reply(frame, this.hub.door.held());
    this.#outbox.flush();
    this.#plan();
  }

  /** Ends the connection when everything was written. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#stopWaiting();
    this.#decoder.clear();
    if (!this.#isRunning) this.#leave();
  }

  /** Ends the connection now. */
  destroy(): void {
    this.#isEnding = true;
    this.socket.destroy();
    this.#forget();
  }

  /**
   * Looked at from time to time: since when the client has taken nothing although something waits for it, in ms; 0 when
   * it keeps up.
   */
  stalledMs(now: number): number {
    const taken = this.socket.bytesWritten - this.socket.writableLength;
    if (this.#outbox.pending === 0 || taken !== this.#taken) {
      this.#taken = taken;
      this.#takenAt = now;
    }
    return now - this.#takenAt;
  }

  #onData(chunk: Buffer): void {
    this.hub.stats.inputBytes += chunk.length;
    if (this.#isEnding) return;
    this.#decoder.push(chunk);
    if (!this.#isPlanned) this.#run();
  }

  /** The client sends no more: what it sent is answered, and then the connection ends. */
  #onEnd(): void {
    this.#stopWaiting();
    if (!this.#isPlanned && !this.#mustWait()) this.end();
    else this.#isLast = true;
  }

  #mustWait(): boolean {
    return this.blocked !== undefined || this.#outbox.pending > OUTPUT_BYTES_PAUSE;
  }

  /** Runs what has come, as far as it may. */
  #run(): void {
    const startAt = this.hub.now();
    this.#isRunning = true;
    try {
      while (!this.#isEnding && !this.#mustWait()) {
        const words = this.#decoder.next();
        if (words === undefined) break;
        this.#runOne(words);
        if (this.hub.now() - startAt >= TURN_MS) {
          this.#plan();
          break;
        }
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) return this.#giveUp(error);
      this.#send(encodeError(bytesOf(error.message)));
      this.#isEnding = true;
      this.#decoder.clear();
    } finally {
      this.#isRunning = false;
    }
    this.#outbox.flush();
    if (this.#isEnding) this.#leave();
    else if (this.#isLast && !this.#isPlanned && !this.#mustWait()) this.end();
    else this.#setReading();
  }

  /** What no refusal could be made of ends this connection, and not the server with all others. */
  #giveUp(error: unknown): void {
    this.hub.logger.error(`A client was disconnected by a fault of the server: ${causeText(error)}`, {
      client: this.peer.address,
      command: this.lastCommand,
      error,
    });
    this.destroy();
  }

  #runOne(words: readonly Bytes[]): void {
    this.lastAt = this.hub.now();
    this.commandCount++;
    this.hub.stats.commands++;
    const frame = this.#frameOf(words);
    if (frame !== undefined) this.#reply(frame, this.hub.door.held());
    if (this.#skips > 0) this.#skips--;
    if (this.#pushed === "") return;
    this.#send(this.#pushed);
    this.#pushed = "";
  }

  #frameOf(words: readonly Bytes[]): Bytes | undefined {
    try {
      return runCommand(this, words);
    } catch (error) {
      return this.refusalFrame(error);
    }
  }

  /** The reply to a command that could not be run. What is a fault of the server is told to the log as well. */
  refusalFrame(error: unknown): Bytes {
    if (error instanceof CommandError) return encodeError(error.text);
    const text = causeText(error);
    // The server's own word for a device that takes no writes: nothing happened, and the call may be sent again.
    if (isEchoMQError(error, "not_stored")) return encodeError(bytesOf(`MISCONF ${text}`));
    if (isEchoMQError(error, "closed")) return encodeError(bytesOf(`ERR ${text}`));
    this.hub.logger.error(`A command failed: ${text}`, { command: this.lastCommand, error });
    return encodeError(bytesOf(`ERR the command failed by a fault of the server: ${text}`));
  }

  #reply(frame: Bytes, held?: Promise<void>): void {
    if (this.#skips > 0 || this.replies === "off") {
      held?.catch(() => {});
      return;
    }
    if (held === undefined) this.#send(frame);
    else this.#outbox.addHeld(frame, held, (reason) => this.refusalFrame(reason));
  }

  #send(text: Bytes): void {
    if (this.#outbox.pending > OUTPUT_BYTES_MAX) return this.#dropSlow(this.#outbox.pending);
    this.hub.stats.outputBytes += text.length;
    this.#outbox.add(text);
  }

  #dropSlow(waitingBytes: number): void {
    this.hub.logger.warn("A client that does not take what it is sent was disconnected", {
      code: "slow_reader",
      client: this.peer.address,
      waitingBytes,
    });
    this.destroy();
  }

  /** Goes on a little later. */
  #plan(): void {
    if (this.#isPlanned || this.#hasEnded) return;
    this.#isPlanned = true;
    this.hub.ports.later(() => {
      this.#isPlanned = false;
      if (!this.#hasEnded) this.#run();
    });
  }

  #goOn(): void {
    if (!this.#isPlanned && !this.#isRunning) this.#run();
  }

  /** Reads on, unless what has come must wait and is much already. */
  #setReading(): void {
    const mustWait = this.#isPlanned || this.#mustWait();
    const isFull = mustWait && this.#decoder.buffered > INPUT_BYTES_MAX;
    if (isFull === this.socket.isPaused()) return;
    if (isFull) this.socket.pause();
    else this.socket.resume();
  }

  #stopWaiting(): void {
    this.blocked?.timer?.cancel();
    this.blocked?.end();
    this.blocked = undefined;
  }

  #leave(): void {
    this.#outbox.flush();
    if (this.#outbox.isEmpty) this.socket.end();
  }

  #forget(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isEnding = true;
    this.#stopWaiting();
    this.#decoder.clear();
    this.watch?.close();
    this.hub.forget(this);
  }
}
