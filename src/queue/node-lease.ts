/**
 * Leases the node number of a mint, so that no two processes ever mint the same id (docs/protocol/ids.md, Minting).
 *
 * An id is unique when no other mint has the same node number in the same millisecond. Two keys keep that true:
 *
 *     {emq}:node:<n>   holder and its mark, with an expiry of 60 s: who uses number n now
 *     {emq}:nodes      hash, n to the highest millisecond that was ever given away for n
 *
 * The lease alone would not be enough: a process that was stopped for an hour wakes up believing that it still holds
 * it. What makes ids unique is the hash. A holder gets its milliseconds by one `HINCRBY`, which answers the end of a
 * range that is its own and nobody else's, whoever else asks at the same time and whatever the clocks say; it never
 * mints beyond the end of its range, and the next holder's range begins there. So a lapsed lease, a clock that steps
 * back and a write that comes late can cost a number, but never make an id twice. The lease only keeps holders apart,
 * so that their ranges stay close to the clock.
 */

import type { Engine } from "../engine/engine.ts";
import type { Timer } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { createMinter, type Minter, NODE_MAX } from "../protocol/mint.ts";
import type { MintSource } from "./mint-source.ts";
import { bytesReply, listOf, numberReply } from "./verb-call.ts";

/** How many node numbers there are. */
export const NODES = NODE_MAX + 1;

/** How long a lease lasts without renewal, in ms. */
const LEASE_MS = 60_000;

/** How often it is renewed: three times within its life. */
const RENEW_MS = 20_000;

/** How far beyond now a range reaches: longer than the lease, so that one missed renewal stops nobody. */
const AHEAD_MS = 90_000;

/** Numbers that one attempt tries before it waits. */
const TRIES_MAX = 32;

/** Wait between attempts while the server is away or all tried numbers are taken, in ms: doubled up to the maximum. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;

/** How long an add waits for a number before it is refused, in ms. */
const READY_MS_MAX = 10_000;

const SEQUENCES = 4096;

/** A range of milliseconds of one node number, and the minter that works in it. */
interface Holding {
  readonly node: number;
  readonly mint: Minter;
  /** The first and the last millisecond that may stand in an id. */
  readonly firstMs: number;
  markMs: number;
  /** Millisecond × 4096 + sequence of the last id, in step with the minter, which does not tell. */
  cell: number;
}

/** Mints with a node number that is leased at the server. */
export class NodeLease implements MintSource {
  readonly #engine: Engine;
  readonly #holder: Bytes;
  readonly #onError: (error: unknown) => void;
  #holding: Holding | undefined;
  /** The instant that the minter is shown; set before each mint. */
  #nowMs = 0;
  #ready: Promise<void> | undefined;
  #renewal: Timer | undefined;
  #isClosed = false;

  /** @param onError told of renewals that failed; minting goes on up to the mark. */
  constructor(engine: Engine, onError: (error: unknown) => void) {
    const chance = Math.floor(engine.ports.random() * 2 ** 32).toString(36);
    this.#engine = engine;
    this.#holder = `${engine.ports.processName.replaceAll(" ", "_")}:${chance}`;
    this.#onError = onError;
  }

  tryMint(namespace: string): string | undefined {
    const holding = this.#holding;
    if (holding === undefined) return undefined;
    this.#nowMs = Math.max(this.#engine.ports.clock.now(), holding.firstMs);
    const cell = Math.max(Math.floor(this.#nowMs) * SEQUENCES, holding.cell + 1);
    if (Math.floor(cell / SEQUENCES) > holding.markMs) return undefined;
    holding.cell = cell;
    return holding.mint(namespace);
  }

  whenReady(): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    this.#ready ??= this.#becomeReady().finally(() => {
      this.#ready = undefined;
    });
    return this.#ready;
  }

  async release(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#renewal?.cancel();
    const holding = this.#holding;
    this.#holding = undefined;
    if (holding === undefined || this.#engine.state !== "ready") return;
    try {
      if (await this.#isHolder(holding.node)) await this.#engine.command(["DEL", nodeKey(holding.node)]);
    } catch (error) {
      // The lease lapses by itself.
      this.#onError(error);
    }
  }

  /** Tries until there is a range to mint in, for a bounded time. */
  #becomeReady(): Promise<void> {
    const { clock } = this.#engine.ports;
    return new Promise((resolve, reject) => {
      let lastError: unknown;
      let timer: Timer | undefined;
      let isOver = false;
      const end = (settle: () => void) => {
        isOver = true;
        timer?.cancel();
        deadline.cancel();
        settle();
      };
      const deadline = clock.after(READY_MS_MAX, () => end(() => reject(notLeased(lastError))));
      const attempt = (waitMs: number) => {
        this.#obtain().then(
          () => {
            if (!isOver) end(resolve);
          },
          (error: Error) => {
            if (isOver) return;
            lastError = error;
            if (this.#isClosed) end(() => reject(closed()));
            else if (!isWorthWaiting(error)) end(() => reject(error));
            else timer = clock.after(waitMs, () => attempt(Math.min(waitMs * 2, RETRY_MS_MAX)));
          },
        );
      };
      attempt(RETRY_MS_MIN);
    });
  }

  /** Extends the range that is held, else takes a number. */
  async #obtain(): Promise<void> {
    const holding = this.#holding;
    if (holding !== undefined && (await this.#extend(holding))) return this.#planRenewal(RENEW_MS);
    this.#hold(await this.#acquire());
  }

  #hold(holding: Holding): void {
    if (this.#isClosed) throw closed();
    // The ids of this process rise also across a change of numbers.
    this.#holding = { ...holding, firstMs: Math.max(holding.firstMs, this.#lastMintedMs() + 1) };
    this.#planRenewal(RENEW_MS);
  }

  /** The millisecond of the last id; 0 before the first. */
  #lastMintedMs(): number {
    return Math.floor((this.#holding?.cell ?? 0) / SEQUENCES);
  }

  /** The instant from which a range must reach ahead: now, or the last id when the clock has stepped back behind it. */
  #reachedMs(): number {
    return Math.max(Math.floor(this.#engine.ports.clock.now()), this.#lastMintedMs());
  }

  /** Takes a free number, one whose mark lies behind first, and a range of its milliseconds. */
  async #acquire(): Promise<Holding> {
    const marks = await this.#marks();
    const nowMs = this.#reachedMs();
    for (const node of this.#candidates(marks, nowMs)) {
      const markMs = marks.get(node) ?? 0;
      const lengthMs = Math.max(nowMs, markMs) + AHEAD_MS - markMs;
      const value = this.#leaseValue(markMs + lengthMs);
      const taken = await this.#engine.command(["SET", nodeKey(node), value, "NX", "PX", String(LEASE_MS)]);
      if (taken === null) continue;
      const endMs = await this.#takeRange(node, lengthMs);
      const mint = createMinter({ node, clock: () => this.#nowMs });
      return { node, mint, firstMs: endMs - lengthMs + 1, markMs: endMs, cell: 0 };
    }
    throw new EchoMQError("overloaded", `None of ${TRIES_MAX} node numbers is free: wait until other processes end`);
  }

  /** Up to {@link TRIES_MAX} numbers from a random one on; those whose mark lies ahead of the clock come last. */
  #candidates(marks: ReadonlyMap<number, number>, nowMs: number): number[] {
    const start = Math.floor(this.#engine.ports.random() * NODES);
    const order = Array.from({ length: NODES }, (_, at) => (start + at) % NODES);
    const isBehind = (node: number) => (marks.get(node) ?? 0) < nowMs;
    const behind = order.filter(isBehind);
    const ahead = order.filter((node) => !isBehind(node));
    ahead.sort((a, b) => (marks.get(a) ?? 0) - (marks.get(b) ?? 0));
    return [...behind.slice(0, TRIES_MAX / 2), ...ahead, ...behind.slice(TRIES_MAX / 2)].slice(0, TRIES_MAX);
  }

  /** Renews lease and range; `false` when the number has another holder by now. */
  async #extend(holding: Holding): Promise<boolean> {
    if (!(await this.#isHolder(holding.node))) return false;
    const lengthMs = this.#reachedMs() + AHEAD_MS - holding.markMs;
    if (lengthMs > 0) {
      const endMs = await this.#takeRange(holding.node, lengthMs);
      // Somebody took a range in between: this one is ours as well, but it does not join on to the last.
      if (endMs - lengthMs !== holding.markMs) return false;
      holding.markMs = endMs;
    }
    const value = this.#leaseValue(holding.markMs);
    const renewed = await this.#engine.command(["SET", nodeKey(holding.node), value, "XX", "PX", String(LEASE_MS)]);
    return renewed !== null;
  }

  #planRenewal(ms: number): void {
    this.#renewal?.cancel();
    if (this.#isClosed) return;
    this.#renewal = this.#engine.ports.clock.after(ms, () => void this.#renew(), { background: true });
  }

  async #renew(): Promise<void> {
    // While adds wait for a range, they renew; what comes after them is this timer's again.
    if (this.#ready !== undefined) return;
    try {
      await this.#obtain();
      this.#planRenewal(RENEW_MS);
    } catch (error) {
      if (this.#isClosed) return;
      this.#onError(error);
      this.#planRenewal(RETRY_MS_MAX);
    }
  }

  async #marks(): Promise<Map<number, number>> {
    const parts = listOf(await this.#engine.command(["HGETALL", NODES_KEY]));
    const marks = new Map<number, number>();
    for (let at = 0; at + 1 < parts.length; at += 2) marks.set(numberReply(parts[at]), numberReply(parts[at + 1]));
    return marks;
  }

  /** Takes the next `lengthMs` milliseconds of a number; answers the last of them. */
  async #takeRange(node: number, lengthMs: number): Promise<number> {
    return numberReply(await this.#engine.command(["HINCRBY", NODES_KEY, String(node), String(lengthMs)]));
  }

  async #isHolder(node: number): Promise<boolean> {
    const value = await this.#engine.command(["GET", nodeKey(node)]);
    return value !== null && bytesReply(value).startsWith(`${this.#holder} `);
  }

  #leaseValue(markMs: number): Bytes {
    return `${this.#holder} ${markMs}`;
  }
}

const NODES_KEY = "{emq}:nodes";

function nodeKey(node: number): Bytes {
  return `{emq}:node:${node}`;
}

function closed(): EchoMQError {
  return new EchoMQError("closed", "The queue was closed while it waited for a node number: create a new one");
}

/**
 * Whether a later attempt may do better. A command that was never sent has waited already, for as long as the engine
 * was told to let calls wait without a connection.
 */
function isWorthWaiting(error: unknown): boolean {
  if (!isEchoMQError(error)) return true;
  return error.retryable && !(error.code === "disconnected" && error.details["sent"] === false);
}

function notLeased(cause: unknown): EchoMQError {
  const code = isEchoMQError(cause) && cause.retryable ? cause.code : "timeout";
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  const message = `No node number was leased in ${READY_MS_MAX} ms${why}, so no id was minted: try again or give id`;
  return new EchoMQError(code, message, { cause });
}
