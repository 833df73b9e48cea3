/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Delivers the signals of children by itself, for queues whose jobs no worker of this package runs.
 *
 * Every worker delivers those of its own queue, so a fleet of workers needs no pump. One is needed where children are
 * settled by others: by low-level verbs, or by speakers in other languages.
 *
 * This class sees an engine only. `FlowPump` of the package is this class with a connection in front of it.
 */

import type { Logger } from "../engine/ports.ts";
import { BEAT_MS_DEFAULT, FLOW_PUMP_QUEUES_MAX } from "../queue/defaults.ts";
import type { Duration } from "../queue/duration.ts";
import type { EngineLease } from "../queue/engine-lease.ts";
import { OutboxPump } from "./outbox-pump.ts";
import { type QueueServiceKind, QueueServices } from "./queue-services.ts";

/** Options of a flow pump. */
export interface FlowPumpOptions {
  /** How often it looks at each outbox without being told: 10 ms to 60 s. Default 1 s. */
  readonly beat?: Duration;
  /** Where warnings go. Default: one line each on stderr. */
  readonly logger?: Logger;
}

const KIND: QueueServiceKind<OutboxPump> = {
  owner: "FlowPump",
  example: 'new FlowPump(["files"], { connection })',
  queuesMax: FLOW_PUMP_QUEUES_MAX,
  beatMsDefault: BEAT_MS_DEFAULT,
  make: (options) => new OutboxPump(options),
  cue: "f",
  deafText: "Signals cannot be heard at once, so they are looked for at each beat",
  failureText: "signals of children cannot be delivered",
  beforeStop: (pump) => pump.drained(),
};

/** A delivering service of some queues on an engine. */
export class FlowPumpCore implements AsyncDisposable {
  readonly queueNames: readonly string[];
  readonly #pumps: QueueServices<OutboxPump>;

  /**
   * Delivers from now on.
   *
   * @param queueNames the queues of the children, 1 to 1000.
   * @param lease the share in an engine, which {@link FlowPumpCore.close} releases.
   * @throws EchoMQError `invalid_queue`, `unknown_option`, `invalid_option`; the lease is then the caller's to release.
   */
  constructor(queueNames: readonly string[], lease: EngineLease, options: FlowPumpOptions = {}) {
    this.#pumps = new QueueServices(queueNames, lease, options, KIND);
    this.queueNames = this.#pumps.queueNames;
  }

  /** Resolves when the server can be asked; rejects when it never will. */
  waitUntilReady(): Promise<void> {
    return this.#pumps.waitUntilReady();
  }

  /** Delivers what lies there, as far as that is possible, and ends. Calling it twice is harmless. */
  close(): Promise<void> {
    return this.#pumps.close();
  }

  /** {@link FlowPumpCore.close} at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
