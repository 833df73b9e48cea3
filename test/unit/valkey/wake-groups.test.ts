/** Waiting at many lists: how many sockets, how many lists a park names, and what a token costs, all counted. */

import { describe, expect, it } from "vitest";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { Seldom } from "../../../src/valkey/seldom.ts";
import { GROUPS_MAX, QUEUES_PER_GROUP, WakeGroups } from "../../../src/valkey/wake-groups.ts";
import { WakeHub } from "../../../src/valkey/wake-hub.ts";
import { FakeSession } from "./fake-session.ts";

class FakeSocket {
  readonly session = new FakeSession();
  readonly hub: WakeHub;
  starts = 0;
  renewals = 0;
  closes = 0;

  constructor(hub: WakeHub) {
    this.hub = hub;
  }

  start(): void {
    this.starts += 1;
    if (this.starts === 1) this.hub.onUp(this.session);
  }

  renew(): void {
    this.renewals += 1;
  }

  async close(): Promise<void> {
    this.closes += 1;
  }

  /** The lists that each park names which has not come back. */
  get parks(): string[][] {
    return this.session.texts.map((text) => text.split(" ").slice(1, -1));
  }
}

function setup() {
  const ports = createTestPorts();
  const sockets: FakeSocket[] = [];
  const told: string[] = [];
  const run = () => Promise.resolve(1);
  const seldom = new Seldom(ports.clock);
  const groups = new WakeGroups({
    makeHub: (start) => new WakeHub({ ports, beatMs: 1000, start, run, seldom }),
    makeSocket(hub) {
      const socket = new FakeSocket(hub);
      sockets.push(socket);
      return socket;
    },
  });
  const listen = (key: string, name = key) =>
    groups.listen(key, { onToken: () => void told.push(name), onLost: () => void told.push(`${name} lost`) });
  /** Listens and waits at so many lists. */
  const fill = async (count: number, from = 0) => {
    const handles = Array.from({ length: count }, (_, at) => listen(`list-${from + at}`));
    for (const handle of handles) handle.arm();
    await ports.clock.settle();
    return handles;
  };
  /** Lists of all parks, the sockets in order. */
  const sizes = () => sockets.map(({ parks }) => parks.flat().length);
  return { ports, groups, sockets, told, listen, fill, sizes };
}

const token = (key: string): Buffer[] => [Buffer.from(key), Buffer.from("1")];

describe("the groups of wake lists", () => {
  it("open no socket before somebody waits, and one for as many lists as a group holds", async () => {
    const { fill, sockets, sizes, listen } = setup();
    listen("unused");
    expect(sockets).toEqual([]);
    await fill(QUEUES_PER_GROUP - 1);
    expect(sizes()).toEqual([QUEUES_PER_GROUP - 1]);
    listen("unused").arm();
    await fill(1, 100);
    expect(sockets).toHaveLength(2);
  });

  it("name as many lists for a job among a thousand as among a group's", async () => {
    const { ports, fill, sockets, told, sizes } = setup();
    const handles = await fill(1000);
    expect(sockets).toHaveLength(Math.ceil(1000 / QUEUES_PER_GROUP));
    expect(Math.max(...sizes())).toBe(QUEUES_PER_GROUP);
    const owner = sockets[3];
    const number = 3 * QUEUES_PER_GROUP + 5;
    const others = sockets.filter((socket) => socket !== owner).map(({ parks }) => parks);
    owner?.session.answer(token(`list-${number}`));
    await ports.clock.settle();
    expect(told).toEqual([`list-${number}`]);
    expect(owner?.parks.map((park) => park.length)).toEqual([QUEUES_PER_GROUP - 1]);
    // Its worker is idle again: the park is ended, and the list comes back into it.
    handles[number]?.arm();
    await ports.clock.settle();
    owner?.session.answer(null);
    await ports.clock.settle();
    expect(owner?.parks.map((park) => park.length)).toEqual([QUEUES_PER_GROUP]);
    expect(sockets.filter((socket) => socket !== owner).map(({ parks }) => parks)).toEqual(others);
  });

  it("grow evenly when there can be no more of them", async () => {
    const { fill, sockets, sizes } = setup();
    await fill(3 * GROUPS_MAX * QUEUES_PER_GROUP + 1);
    expect(sockets).toHaveLength(GROUPS_MAX);
    expect(sizes().reduce((sum, size) => sum + size)).toBe(3 * GROUPS_MAX * QUEUES_PER_GROUP + 1);
    expect(Math.max(...sizes())).toBe(3 * QUEUES_PER_GROUP + 1);
    expect(Math.min(...sizes())).toBe(3 * QUEUES_PER_GROUP);
  });

  it("keep all places at one list together, so that a token reaches whoever is left", async () => {
    const { ports, fill, sockets, told, listen } = setup();
    const [first] = await fill(QUEUES_PER_GROUP);
    await fill(1, 100);
    const second = listen("list-0", "second");
    second.arm();
    await ports.clock.settle();
    expect(sockets).toHaveLength(2);
    await first?.close();
    sockets[0]?.session.answer(token("list-0"));
    expect(told).toEqual(["second"]);
  });

  it("close the socket of an empty group, but for the last, and fill gaps before they open another", async () => {
    const { ports, fill, sockets } = setup();
    const handles = await fill(2 * QUEUES_PER_GROUP);
    const closeAll = async (some: typeof handles) => {
      const closed = Promise.all(some.map((handle) => handle.close()));
      await ports.clock.settle();
      for (const { session } of sockets) session.answer(null);
      await closed;
    };
    await closeAll(handles.slice(0, 1));
    await fill(1, 100);
    expect(sockets).toHaveLength(2);
    await closeAll(handles.slice(QUEUES_PER_GROUP));
    expect(sockets.map(({ closes }) => closes)).toEqual([0, 1]);
    // Closing a handle again counts for nothing.
    await handles.at(-1)?.close();
    await fill(QUEUES_PER_GROUP, 200);
    expect(sockets).toHaveLength(3);
    expect(sockets.map(({ closes }) => closes)).toEqual([0, 1, 0]);
    const { fill: fillOther, sockets: only } = setup();
    const [lone] = await fillOther(1);
    const closed = lone?.close();
    only[0]?.session.answer(null);
    await closed;
    await fillOther(1, 100);
    expect(only.map(({ closes }) => closes)).toEqual([0]);
  });

  it("tell once what all of them are refused", async () => {
    const { ports, fill, sockets } = setup();
    await fill(5 * QUEUES_PER_GROUP);
    for (const { session } of sockets) session.refuse("NOREPLICAS not enough good replicas.");
    await ports.clock.settle();
    expect(ports.logger.messages("warn")).toEqual([
      "The server refused to wait for work: NOREPLICAS not enough good replicas.",
    ]);
  });

  it("renew, end and close them all", async () => {
    const { fill, sockets, groups, told } = setup();
    await fill(3 * QUEUES_PER_GROUP);
    groups.renew();
    const ended = groups.endWaits();
    for (const { session } of sockets) session.answer(null);
    await ended;
    await groups.close();
    expect(sockets.map(({ renewals, closes, parks }) => [renewals, closes, parks])).toEqual(
      Array.from({ length: 3 }, () => [1, 1, []]),
    );
    expect(told).toEqual([]);
  });
});
