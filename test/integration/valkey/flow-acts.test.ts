/**
 * The acts of flows on a real server: what a full server lets pass, and a parent with as many children as one act
 * lands.
 */

import { describe, expect, it } from "vitest";
import { createMinter } from "../../../src/protocol/mint.ts";
import { deliverSignals } from "../../../src/queue/flow-delivery.ts";
import { Flows } from "../../../src/queue/flows.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { checkInvariants, violationText } from "../../../src/testing/invariants.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openOnEmpty } from "./setup-engine.ts";

const QUEUE = "flows";
const FAR = "far";
const LEASE_MS = 60_000;
const FAILURE = { delayMs: 0, maxAttempts: 1, error: "boom" };

describe("flows on a server", () => {
  const server = useServer();

  async function setup() {
    const engine = await openOnEmpty(server());
    const mint = createMinter({ node: 1, clock: () => engine.ports.clock.now() });
    const jobs = new Jobs(engine);
    const flows = new Flows(engine);
    const row = (id: string) => ({ id, payload: "p", shape: "", values: [] });
    /** A parent with children of its own queue, all of which are claimed. */
    const flow = async (count: number, policy = "fp") => {
      const parent = mint("JOB");
      const children = Array.from({ length: count }, () => mint("JOB"));
      const jobsOf = children.map((id) => ({ policy, row: row(id) }));
      expect(await flows.flow(QUEUE, row(parent), jobsOf)).toBe(count);
      expect(await jobs.claimBatch(QUEUE, count, LEASE_MS)).toHaveLength(count);
      return { parent, children };
    };
    const state = async (id: string, queue = QUEUE) => await jobs.getState(queue, id);
    return { engine, mint, jobs, flows, row, flow, state };
  }

  it("a server at maxmemory refuses what makes flows, and lets all that ends them pass", async () => {
    const { engine, mint, jobs, flows, row, flow, state } = await setup();
    const near = await flow(1);
    const fallen = await flow(1);
    const [parent, child, running, own] = [mint("JOB"), mint("JOB"), mint("JOB"), mint("JOB")];
    const link = { id: parent, queue: QUEUE, policy: "id" };
    await flows.hold(QUEUE, row(parent), { children: [{ id: child, queue: FAR, policy: "id", key: "" }], parents: [] });
    await flows.child(FAR, row(child), [link]);
    expect((await jobs.claim(FAR, LEASE_MS))?.id).toBe(child);
    await jobs.admit(QUEUE, [{ id: running, payload: "p" }]);
    expect((await jobs.claim(QUEUE, LEASE_MS))?.id).toBe(running);
    await flows.child(QUEUE, row(own), [{ id: running, queue: "", policy: "fp" }]);
    await flows.expect(QUEUE, running, [{ id: own, queue: "", policy: "fp", key: "" }], 1);
    await server().command("CONFIG", "SET", "maxmemory", "1");

    const fresh = mint("JOB");
    const refused = [
      flows.flow(QUEUE, row(fresh), [{ policy: "fp", row: row(mint("JOB")) }]),
      flows.hold(QUEUE, row(fresh), { children: [{ id: own, queue: "", policy: "fp", key: "" }], parents: [] }),
      flows.child(QUEUE, row(fresh), [link]),
      flows.expect(QUEUE, running, [{ id: fresh, queue: "", policy: "fp", key: "" }], 1),
    ];
    for (const act of refused) expect(await errorOf(act)).toMatchObject({ code: "out_of_memory" });

    expect(await jobs.complete(QUEUE, near.children[0] ?? "", 1, "r")).toBe("ok");
    expect(await state(near.parent)).toBe("pending");
    expect(await jobs.retry(QUEUE, fallen.children[0] ?? "", 1, FAILURE)).toBe("dead");
    expect(await state(fallen.parent)).toBe("dead");
    expect(await jobs.reprocessJob(QUEUE, fallen.parent)).toBe("ok");
    expect(await jobs.retry(FAR, child, 1, FAILURE)).toBe("dead");
    expect(await deliverSignals(engine, FAR, 10)).toMatchObject({ delivered: 1, left: 0 });
    expect(await state(parent)).toBe("pending");
    expect(await flows.park(QUEUE, running, 1, LEASE_MS)).toBe("parked");
    expect(await flows.deliver(QUEUE, { parent: running, child: own, result: "r" })).toBe("counted");
    expect(await state(running)).toBe("pending");
    expect(await jobs.removeJob(QUEUE, own)).toBe("ok");
    await server().command("CONFIG", "SET", "maxmemory", "0");
    for (const queue of [QUEUE, FAR]) expect(violationText(await checkInvariants(engine, queue))).toBe("");
  });

  it("a parent of 999 children is released by the last, whether they end one by one or by turns", async () => {
    const { engine, jobs, flow, state } = await setup();
    const { parent, children } = await flow(999);
    const [last = "", ...others] = children.toReversed();
    for (let from = 0; from < others.length; from += 128) {
      const settlements = others.slice(from, from + 128).map((id) => ({ op: "r", id, token: 1, result: "r" }) as const);
      const { exceptions } = await jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: 128, settlements });
      expect(exceptions.size).toBe(0);
    }
    expect(await state(parent)).toBe("awaiting_children");
    const settlements = [{ op: "c", id: last, token: 1 }] as const;
    const turn = await jobs.turn(QUEUE, { worker: "w", leaseMs: LEASE_MS, want: 9, settlements });
    expect(turn.jobs.map(({ id }) => id)).toEqual([parent]);
    expect(await engine.command(["HLEN", `emq:{${QUEUE}}:job:${parent}:processed`])).toBe(999);
    expect(violationText(await checkInvariants(engine, QUEUE))).toBe("");
    expect(await jobs.complete(QUEUE, parent, 1)).toBe("ok");
    expect(await engine.command(["KEYS", "*:job:*"])).toEqual([]);
  });
});
