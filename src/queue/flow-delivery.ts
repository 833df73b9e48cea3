/**
 * Delivers the signals of children to parents in other queues: from the outbox of the children's queue, act by act, to
 * the queues of the parents.
 *
 * Any number of processes may deliver one outbox at once. An entry leaves the list by its value and only after its
 * delivery, and a delivery that is repeated changes nothing, so neither a crash in between nor another pump loses a
 * signal or counts it twice. What cannot be read is set aside and blocks nothing; what cannot be delivered now stays,
 * and what lies behind it for other queues is delivered all the same.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, textOf } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { isOutage } from "./admission.ts";
import { Flows } from "./flows.ts";
import { type OutboxEntry, outboxEntry } from "./outbox-entry.ts";
import { bytesReply, listOf, numberReply, QueueKeys } from "./verb-call.ts";

/** What one pass over an outbox did. */
export interface DeliveryPass {
  /** Signals that were delivered, those included that had been before. */
  readonly delivered: number;
  /** Entries that nobody can read, or whose parent's keys are damaged: they are in `flow:outbox:bad` now. */
  readonly bad: number;
  /** How many signals the outbox holds after the pass: new ones, and those that could not be delivered. */
  readonly left: number;
  /** The first reason why signals stayed; `undefined` when none did. */
  readonly error: Error | undefined;
  /** Queues whose outboxes this pass has filled: of parents that died and have parents themselves. */
  readonly further: readonly string[];
}

/** What came of one entry. */
interface Delivery {
  readonly entry: Bytes;
  readonly outcome: "done" | "bad" | "stays";
}

/**
 * One pass: delivers up to `limit` signals of those that lay in the outbox when it began. What the deliveries
 * themselves put there waits for the next pass.
 *
 * @throws EchoMQError when the outbox itself cannot be read.
 */
export async function deliverSignals(engine: Engine, queue: string, limit: number): Promise<DeliveryPass> {
  const outbox = `${new QueueKeys(queue).base}flow:outbox`;
  const length = numberReply(await engine.command(["LLEN", outbox]));
  if (length === 0) return NOTHING;
  const pass = new Pass(engine, queue);
  for (let seen = 0; seen < length && pass.delivered + pass.bad < limit; ) {
    // What stays stands before what is still to be looked at.
    const from = pass.stays;
    const size = Math.min(limit - pass.delivered - pass.bad, length - seen, ENTRIES_AT_ONCE);
    const entries = listOf(await engine.command(["LRANGE", outbox, String(from), String(from + size - 1)]));
    if (entries.length === 0) break;
    seen += entries.length;
    await pass.deliver(entries.map((entry) => bytesReply(entry)));
  }
  const left = numberReply(await engine.command(["LLEN", outbox]));
  const { delivered, bad, error } = pass;
  return { delivered, bad, left, error, further: [...pass.further].map((name) => textOf(name)) };
}

/** A pass over an empty outbox. */
const NOTHING: DeliveryPass = Object.freeze({ delivered: 0, bad: 0, left: 0, error: undefined, further: [] });

/** Entries that are read and delivered together. */
const ENTRIES_AT_ONCE = 100;

class Pass {
  delivered = 0;
  bad = 0;
  stays = 0;
  error: Error | undefined;
  readonly further = new Set<Bytes>();
  readonly #flows: Flows;
  readonly #queue: string;
  /** Queues that could not be asked in this pass: nothing more is sent to them. */
  readonly #away = new Set<Bytes>();

  constructor(engine: Engine, queue: string) {
    this.#flows = new Flows(engine);
    this.#queue = queue;
  }

  async deliver(entries: readonly Bytes[]): Promise<void> {
    const deliveries = await Promise.all(entries.map((entry) => this.#deliverOne(entry)));
    await this.#clear("done", deliveries);
    await this.#clear("bad", deliveries);
  }

  async #clear(outcome: "done" | "bad", deliveries: readonly Delivery[]): Promise<void> {
    const entries = deliveries.filter((delivery) => delivery.outcome === outcome).map(({ entry }) => entry);
    if (entries.length > 0) await this.#flows.clear(this.#queue, outcome, entries);
  }

  async #deliverOne(entry: Bytes): Promise<Delivery> {
    const signal = outboxEntry(entry);
    if (signal === undefined) return this.#setAside(entry);
    if (this.#away.has(signal.queue)) return this.#leave(entry);
    try {
      if ((await this.#send(signal)) === "further") this.further.add(signal.queue);
      this.delivered += 1;
      return { entry, outcome: "done" };
    } catch (error) {
      // A server that refuses the act for good, because the parent's keys are damaged, would do so for ever.
      if (isEchoMQError(error, "refused") || isEchoMQError(error, "kind")) return this.#setAside(entry);
      this.error ??= error instanceof Error ? error : new EchoMQError("internal", causeText(error));
      if (isOutage(error)) this.#away.add(signal.queue);
      return this.#leave(entry);
    }
  }

  async #send(signal: OutboxEntry): Promise<"counted" | "idle" | "further"> {
    const { queue, parent, child } = signal;
    return signal.kind === "done"
      ? await this.#flows.deliver(textOf(queue), { parent, child, result: signal.result })
      : await this.#flows.fail(textOf(queue), { parent, child, policy: signal.policy, error: signal.error });
  }

  #setAside(entry: Bytes): Delivery {
    this.bad += 1;
    return { entry, outcome: "bad" };
  }

  #leave(entry: Bytes): Delivery {
    this.stays += 1;
    return { entry, outcome: "stays" };
  }
}
