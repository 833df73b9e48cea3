/**
 * A way to a server on which everything goes wrong that a network and a server can do, one thing at a time.
 *
 * A client connects to the proxy's port. The proxy knows of each connection what it is for (commands, blocking,
 * channels), by its commands, and holds command and reply together, so that it can lose the reply of one act after the
 * server has acted, answer in the server's place, or swallow wake tokens and nothing else. All of it in the order of
 * the wire, however much is pipelined.
 *
 * Bounds: what a side does not take is not read from the other (so nothing piles up here beyond what the sockets hold);
 * a frame may have {@link FRAME_BYTES_MAX} bytes and a delayed direction {@link DELAYED_BYTES_MAX}; more ends the
 * connection.
 */

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Verb } from "../../src/protocol/verbs.generated.ts";
import { SCRIPTS } from "../../src/valkey/scripts.generated.ts";
import { frameEnd, isCommand, isMessage, isPair, isRefusal, partsOf, redirected, renumbered } from "./wire-frame.ts";

/** Bytes of one command or reply, at most. */
export const FRAME_BYTES_MAX = 64 * 2 ** 20;

/** Bytes on their way in one direction of a delayed connection, at most. */
export const DELAYED_BYTES_MAX = 2 ** 20;

/** What a connection is used for, as far as its commands have shown. */
export type LinkKind = "command" | "blocking" | "subscriber";

/** From the client to the server, or back. */
export type Direction = "up" | "down";

/** One command that came by. */
export interface SeenCommand {
  /** In capitals: `EVALSHA`, `BLPOP`. */
  readonly name: string;
  readonly parts: readonly string[];
  /** The act that a script is; `undefined` for plain commands. */
  readonly verb: Verb | undefined;
}

/** Which commands a fault strikes: every condition that is given must hold. */
export interface Match {
  readonly verb?: Verb | readonly Verb[];
  readonly name?: string;
  readonly kind?: LinkKind;
  readonly when?: (command: SeenCommand) => boolean;
}

/** What goes wrong. */
export type Fault =
  /** The server is not asked, and the client is told this: `BUSY …`, `READONLY …`. */
  | { readonly does: "answer"; readonly error: string; readonly to: Match; readonly times?: number }
  /** The server acts and its reply is lost; the connection is cut behind it, or stays open and is silent for ever. */
  | { readonly does: "lose-reply"; readonly to: Match; readonly leaves: "cut" | "silence"; readonly times?: number }
  /** Tokens of wake lists, or messages of channels, vanish; everything else passes. */
  | { readonly does: "mute"; readonly what: "wakes" | "messages" }
  /** Every byte comes later. */
  | { readonly does: "delay"; readonly ms: number; readonly direction?: Direction }
  /** Bytes wait until the fault is lifted, and then go on. */
  | { readonly does: "stall"; readonly direction?: Direction; readonly kind?: LinkKind }
  /**
   * Bytes vanish in silence and neither side learns anything, also of the end of the other: a half-open connection. It
   * never recovers; connections made while the fault is on are silent from the beginning.
   */
  | { readonly does: "silence"; readonly kind?: LinkKind }
  /** New connections are ended at once. */
  | { readonly does: "refuse" };

/** A fault that is on. */
export interface ActiveFault {
  /** How often it struck; counted for what strikes single commands and replies. */
  readonly struck: number;
  /** Ends it. Doing so twice is harmless. */
  lift(): void;
}

/** Where a server listens. */
export type Target = { readonly port: number } | { readonly path: string };

interface Counted {
  readonly fault: Fault;
  /** Commands that it was meant for, and how often it has struck: a reply is lost only when it comes. */
  aimed: number;
  struck: number;
}

/** Verbs by the digest of their script. */
const VERBS: ReadonlyMap<string, Verb> = new Map(
  Object.entries(SCRIPTS).map(([verb, { sha }]) => [sha, verb as Verb] as const),
);

/** Starts a proxy in front of a server; the caller closes it. */
export async function startFaultProxy(target: Target): Promise<FaultProxy> {
  const server = createServer({ allowHalfOpen: false });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return new FaultProxy(server, target);
}

/** The proxy, and the faults that are on. */
export class FaultProxy {
  readonly port: number;
  /** Where new connections lead. Another server takes over the address when this is set. */
  target: Target;
  /** Ports of a cluster's nodes by their own number, as its clients must see them. */
  ports: ReadonlyMap<number, number> = new Map();
  /** Connections that were accepted, those included that are over or were refused. */
  acceptedCount = 0;
  readonly #server: Server;
  readonly #faults = new Set<Counted>();
  readonly #links = new Set<ProxyLink>();

  /** Use {@link startFaultProxy}. */
  constructor(server: Server, target: Target) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.target = target;
    server.on("connection", (near) => this.#accept(near));
  }

  get url(): string {
    return `valkey://127.0.0.1:${this.port}`;
  }

  /** Connections that are open, silent ones included. */
  links(kind?: LinkKind): ProxyLink[] {
    return [...this.#links].filter((link) => kind === undefined || link.kind === kind);
  }

  /** Turns a fault on. */
  inject(fault: Fault): ActiveFault {
    const counted: Counted = { fault, aimed: 0, struck: 0 };
    this.#faults.add(counted);
    if (fault.does === "silence") for (const link of this.links(fault.kind)) link.fallSilent();
    for (const link of this.#links) link.flow();
    return {
      get struck() {
        return counted.struck;
      },
      lift: () => {
        this.#faults.delete(counted);
        for (const link of this.#links) link.flow();
      },
    };
  }

  /** Ends connections as a reset does; those of one kind, or all. */
  cut(kind?: LinkKind): void {
    for (const link of this.links(kind)) link.cut();
  }

  /** Ends what silent connections still hold at the server, as its own keep-alive does in the end. */
  endSilent(): void {
    for (const link of this.#links) if (link.isSilent) link.cut();
  }

  /** Ends all connections and listens no more. */
  async close(): Promise<void> {
    this.#faults.clear();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const link of this.#links) link.cut();
    await closed;
  }

  /** Part of a link: the faults of one kind that are on. */
  faults<Does extends Fault["does"]>(does: Does): (Counted & { readonly fault: Extract<Fault, { does: Does }> })[] {
    return [...this.#faults].filter(({ fault }) => fault.does === does) as never;
  }

  /** Part of a link: it is over. */
  forget(link: ProxyLink): void {
    this.#links.delete(link);
  }

  #accept(near: Socket): void {
    this.acceptedCount += 1;
    near.on("error", () => {});
    if (this.faults("refuse").length > 0) {
      near.resetAndDestroy();
      return;
    }
    const { target } = this;
    const far = "port" in target ? connect(target.port, "127.0.0.1") : connect(target.path);
    const link = new ProxyLink(this, near, far);
    this.#links.add(link);
    if (this.faults("silence").some(({ fault }) => fault.kind === undefined)) link.fallSilent();
  }
}

/** What waits for its place in the order of replies. */
interface Expected {
  readonly command: SeenCommand;
  /** Replies that the server gives to it; more than one for a subscription to several channels. */
  left: number;
  /** Given in the server's place, which is not asked. */
  readonly answer?: string;
  readonly loss?: Counted & { readonly fault: { readonly leaves: "cut" | "silence" } };
}

/** One connection through the proxy. */
export class ProxyLink {
  kind: LinkKind = "command";
  /** Commands that came by. */
  commandCount = 0;
  readonly #proxy: FaultProxy;
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #expected: Expected[] = [];
  #upInput: Buffer = Buffer.alloc(0);
  #downInput: Buffer = Buffer.alloc(0);
  #isSilent = false;
  #isOver = false;
  /** The bytes are no commands any more (a replica's stream): they pass as they are. */
  #isRaw = false;
  readonly #delayed = { up: 0, down: 0 };

  constructor(proxy: FaultProxy, near: Socket, far: Socket) {
    this.#proxy = proxy;
    this.#near = near;
    this.#far = far;
    near.setNoDelay(true);
    far.setNoDelay(true);
    far.on("error", () => {});
    near.on("data", (bytes: Buffer) => this.#guarded(() => this.#fromClient(bytes)));
    far.on("data", (bytes: Buffer) => this.#guarded(() => this.#fromServer(bytes)));
    near.on("drain", () => this.flow());
    far.on("drain", () => this.flow());
    near.on("close", () => this.#ended(far));
    far.on("close", () => this.#ended(near));
    this.flow();
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Reads from each side what the other takes and no stall forbids. */
  flow(): void {
    this.#let(this.#near, this.#far, "up");
    this.#let(this.#far, this.#near, "down");
  }

  /** Lets bytes vanish in both directions from now on, and hides the end of one side from the other. */
  fallSilent(): void {
    this.#isSilent = true;
    this.flow();
  }

  /** Ends both sides as a reset does. */
  cut(): void {
    this.#proxy.forget(this);
    this.#isOver = true;
    // Only the sockets of TCP know a reset.
    if (this.#near.destroyed) this.#near.destroy();
    else this.#near.resetAndDestroy();
    this.#far.destroy();
  }

  #let(from: Socket, to: Socket, direction: Direction): void {
    const stalls = this.#proxy.faults("stall").some(({ fault }) => {
      const isHere = fault.kind === undefined || fault.kind === this.kind;
      return isHere && (fault.direction === undefined || fault.direction === direction);
    });
    if (!this.#isSilent && (stalls || to.writableNeedDrain)) from.pause();
    else from.resume();
  }

  #ended(other: Socket): void {
    if (!this.#isSilent) other.destroy();
    if (this.#near.destroyed && this.#far.destroyed) this.#proxy.forget(this);
  }

  /** A frame that cannot be read is a fault of the test, and must not pass for one of the network. */
  #guarded(read: () => void): void {
    if (this.#isSilent || this.#isOver) return;
    read();
    if (Math.max(this.#upInput.length, this.#downInput.length) > FRAME_BYTES_MAX) this.cut();
  }

  #write(to: Socket, bytes: Buffer, direction: Direction): void {
    const delays = this.#proxy.faults("delay").filter(({ fault }) => (fault.direction ?? direction) === direction);
    const ms = delays.reduce((sum, { fault }) => sum + fault.ms, 0);
    // Bytes must not overtake those that are delayed, so they wait as well while any do.
    if (ms === 0 && this.#delayed[direction] === 0) {
      if (!to.destroyed) to.write(bytes);
      this.flow();
      return;
    }
    this.#delayed[direction] += bytes.length;
    if (this.#delayed[direction] > DELAYED_BYTES_MAX) return this.cut();
    setTimeout(() => {
      this.#delayed[direction] -= bytes.length;
      if (!to.destroyed && !this.#isSilent) to.write(bytes);
      this.flow();
    }, ms);
  }

  // Commands.

  #fromClient(bytes: Buffer): void {
    this.#upInput = this.#upInput.length === 0 ? bytes : Buffer.concat([this.#upInput, bytes]);
    if (this.#isRaw || !isCommand(this.#upInput[0] ?? 0)) return this.#passRaw();
    let at = 0;
    let passed = 0;
    const passing: Buffer[] = [];
    for (let end = frameEnd(this.#upInput, at); end !== undefined; end = frameEnd(this.#upInput, at)) {
      const frame = this.#upInput.subarray(at, end);
      at = end;
      if (this.#meet(frame)) passing.push(frame);
      passed = at;
      if (this.#isSilent || at === this.#upInput.length) break;
    }
    this.#upInput = this.#upInput.subarray(passed);
    if (passing.length > 0) this.#write(this.#far, Buffer.concat(passing), "up");
    this.#answerFirst();
  }

  #passRaw(): void {
    this.#isRaw = true;
    this.#write(this.#far, this.#upInput, "up");
    this.#upInput = Buffer.alloc(0);
  }

  /** Notes a command; answers whether the server gets it. */
  #meet(frame: Buffer): boolean {
    const parts = partsOf(frame);
    const name = (parts[0] ?? "").toUpperCase();
    const command = { name, parts, verb: name.startsWith("EVALSHA") ? VERBS.get(parts[1] ?? "") : undefined };
    this.commandCount += 1;
    this.#classify(name, parts);
    if (name === "PSYNC") this.#isRaw = true;
    const left = /^[PS]?(?:UN)?SUBSCRIBE$/.test(name) ? Math.max(1, parts.length - 1) : 1;
    for (const counted of this.#proxy.faults("answer")) {
      if (!this.#aims(counted, command)) continue;
      counted.struck += 1;
      this.#expected.push({ command, left: 1, answer: `-${counted.fault.error}\r\n` });
      return false;
    }
    for (const counted of this.#proxy.faults("lose-reply")) {
      if (!this.#aims(counted, command)) continue;
      this.#expected.push({ command, left, loss: counted });
      return true;
    }
    this.#expected.push({ command, left });
    return true;
  }

  /** A blocking connection gives its name before it blocks. */
  #classify(name: string, parts: readonly string[]): void {
    if (this.kind !== "command") return;
    if (/^[PS]?SUBSCRIBE$/.test(name)) this.kind = "subscriber";
    else if (/^B[LRZ].*POP/.test(name) || (name === "CLIENT" && parts[2]?.endsWith(":blocking") === true)) {
      this.kind = "blocking";
    } else return;
    if (this.#proxy.faults("silence").some(({ fault }) => fault.kind === this.kind)) this.fallSilent();
  }

  #aims(counted: Counted & { readonly fault: { to: Match; times?: number } }, command: SeenCommand): boolean {
    const { to, times = Number.POSITIVE_INFINITY } = counted.fault;
    if (counted.aimed >= times) return false;
    if (to.kind !== undefined && to.kind !== this.kind) return false;
    if (to.name !== undefined && to.name !== command.name) return false;
    if (to.verb !== undefined && (command.verb === undefined || ![to.verb].flat().includes(command.verb))) return false;
    if (to.when !== undefined && !to.when(command)) return false;
    counted.aimed += 1;
    return true;
  }

  // Replies.

  #fromServer(bytes: Buffer): void {
    if (this.#isRaw) return this.#write(this.#near, bytes, "down");
    this.#downInput = this.#downInput.length === 0 ? bytes : Buffer.concat([this.#downInput, bytes]);
    let at = 0;
    const passing: Buffer[] = [];
    for (let end = frameEnd(this.#downInput, at); end !== undefined; end = frameEnd(this.#downInput, at)) {
      const frame = this.#downInput.subarray(at, end);
      at = end;
      const shown = this.#reply(frame, passing);
      if (shown === "over") return;
      if (shown !== undefined) passing.push(shown);
      passing.push(...this.#answersNow());
      if (at === this.#downInput.length) break;
    }
    this.#downInput = this.#downInput.subarray(at);
    if (passing.length > 0) this.#write(this.#near, Buffer.concat(passing), "down");
  }

  /** What the client gets of a reply; `undefined` for nothing, `over` when the connection ended by it. */
  #reply(frame: Buffer, before: readonly Buffer[]): Buffer | "over" | undefined {
    const mutes = this.#proxy.faults("mute");
    if (this.kind === "subscriber" && isMessage(frame)) {
      const mute = mutes.find(({ fault }) => fault.what === "messages");
      if (mute !== undefined) mute.struck += 1;
      return mute === undefined ? frame : undefined;
    }
    const expected = this.#expected[0];
    if (expected === undefined) return frame;
    expected.left -= 1;
    if (expected.left <= 0) this.#expected.shift();
    if (expected.loss !== undefined) return this.#lose(expected.loss, before);
    const mute = mutes.find(({ fault }) => fault.what === "wakes");
    if (mute !== undefined && expected.command.name === "BLPOP" && isPair(frame)) {
      mute.struck += 1;
      // As if its time had passed without a token.
      return Buffer.from("*-1\r\n", "latin1");
    }
    return this.#translated(frame, expected.command);
  }

  #lose(loss: NonNullable<Expected["loss"]>, before: readonly Buffer[]): "over" {
    loss.struck += 1;
    // What the server said earlier did arrive, which a reset might undo.
    if (before.length > 0) this.#near.write(Buffer.concat(before));
    if (loss.fault.leaves === "silence") {
      this.fallSilent();
      return "over";
    }
    this.#isOver = true;
    this.#near.destroySoon();
    this.#far.destroy();
    return "over";
  }

  #translated(frame: Buffer, command: SeenCommand): Buffer {
    const { ports } = this.#proxy;
    if (ports.size === 0) return frame;
    if (isRefusal(frame) && /^-(?:MOVED|ASK) /.test(frame.toString("latin1", 0, 7))) {
      return Buffer.from(redirected(frame.toString("latin1"), ports), "latin1");
    }
    return command.name === "CLUSTER" ? renumbered(frame, ports) : frame;
  }

  /** Answers in the server's place that have come to the head of the order. */
  #answersNow(): Buffer[] {
    const answers: Buffer[] = [];
    for (let first = this.#expected[0]; first?.answer !== undefined; first = this.#expected[0]) {
      this.#expected.shift();
      answers.push(Buffer.from(first.answer, "utf8"));
    }
    return answers;
  }

  #answerFirst(): void {
    const answers = this.#answersNow();
    if (answers.length > 0) this.#write(this.#near, Buffer.concat(answers), "down");
  }
}
