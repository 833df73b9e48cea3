/**
 * The wake lists of one server, in groups with one blocking socket each.
 *
 * Every token ends a park, which begins anew without or with the list that it came from, and a park names its lists one
 * by one: it costs bytes and server time for each. So a park names at most {@link QUEUES_PER_GROUP} lists, and what a
 * job costs does not grow with the queues of its process. A process with few queues has one group.
 *
 * What must hold: all places at one list are in one group, since a token is handed on within a group. A list keeps its
 * group as long as it has a place.
 */

import type { WakeHandle, WakeListener } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { WakeHub } from "./wake-hub.ts";

/** Lists that one park names, as long as there are not too many for {@link GROUPS_MAX}. */
export const QUEUES_PER_GROUP = 32;

/** Blocking sockets to one server, at most. Beyond it groups grow evenly. */
export const GROUPS_MAX = 32;

/** The socket of a group, opened by its first `start`. */
export interface GroupSocket {
  start(): void;
  /** The server takes no writes: it may be the wrong one. */
  renew(): void;
  close(): Promise<void>;
}

/** What {@link WakeGroups} work with. */
export interface WakeGroupsOptions {
  /** Makes what waits in a group. It calls `start` whenever it needs its socket. */
  readonly makeHub: (start: () => void) => WakeHub;
  readonly makeSocket: (hub: WakeHub) => GroupSocket;
}

interface Group {
  readonly hub: WakeHub;
  socket: GroupSocket | undefined;
  /** Its lists, each with the number of places that are not closed. */
  readonly places: Map<Bytes, number>;
}

/** All that wait at the wake lists of one server. */
export class WakeGroups {
  readonly #options: WakeGroupsOptions;
  readonly #groups: Group[] = [];
  readonly #groupOf = new Map<Bytes, Group>();

  constructor(options: WakeGroupsOptions) {
    this.#options = options;
  }

  /** A place at a wake list; see `Engine.listenForWake`. */
  listen(key: Bytes, listener: WakeListener): WakeHandle {
    const group = this.#groupOf.get(key) ?? this.#roomiest() ?? this.#open();
    this.#groupOf.set(key, group);
    group.places.set(key, (group.places.get(key) ?? 0) + 1);
    const place = group.hub.listen(key, listener);
    let closed: Promise<void> | undefined;
    return {
      arm: () => place.arm(),
      disarm: () => place.disarm(),
      close: () => {
        closed ??= place.close().then(() => this.#left(group, key));
        return closed;
      },
    };
  }

  /** All sockets that there are. */
  renew(): void {
    for (const { socket } of this.#groups) socket?.renew();
  }

  /** Ends all waiting; see `WakeHub.close`. */
  async endWaits(): Promise<void> {
    await Promise.all(this.#groups.map(({ hub }) => hub.close()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#groups.map(async ({ socket }) => socket?.close()));
  }

  /** The first group that is not full; when there can be no more of them, the smallest. */
  #roomiest(): Group | undefined {
    const free = this.#groups.find(({ places }) => places.size < QUEUES_PER_GROUP);
    if (free !== undefined || this.#groups.length < GROUPS_MAX) return free;
    return this.#groups.reduce((best, other) => (other.places.size < best.places.size ? other : best));
  }

  #open(): Group {
    const hub = this.#options.makeHub(() => {
      group.socket ??= this.#options.makeSocket(hub);
      group.socket.start();
    });
    const group: Group = { hub, socket: undefined, places: new Map() };
    this.#groups.push(group);
    return group;
  }

  /** A place is closed. A group without any goes with its socket, but for the last, which the next worker will need. */
  #left(group: Group, key: Bytes): Promise<void> | undefined {
    const left = (group.places.get(key) ?? 1) - 1;
    if (left > 0) {
      group.places.set(key, left);
      return undefined;
    }
    group.places.delete(key);
    this.#groupOf.delete(key);
    const at = this.#groups.indexOf(group);
    if (group.places.size > 0 || this.#groups.length === 1 || at < 0) return undefined;
    this.#groups.splice(at, 1);
    return group.socket?.close();
  }
}
