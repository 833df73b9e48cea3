/** What `OWNED` promises: a worker finds again what a `TURN` claimed whose reply it never saw. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS } from "../trial.ts";

export const ownedScenarios: readonly ScenarioDraft[] = [
  {
    name: "owned",
    contract:
      "A worker's unknown leases come back with token and record and are extended; known ones and others' are not.",
    async run(t) {
      const ids = t.ids(4);
      await t.jobs.admit(
        t.queue,
        ids.map((id) => ({ id, payload: `p-${id}`, name: "mail", opts: '{"a":1}' })),
      );
      await t.jobs.turn(t.queue, { worker: "me", leaseMs: LEASE_MS, want: 3 });
      await t.jobs.turn(t.queue, { worker: "you", leaseMs: LEASE_MS, want: 1 });
      const [known, ...lost] = ids.slice(0, 3) as [string, string, string];
      const before = await t.port.serverNow();
      const found = await t.jobs.owned(t.queue, { worker: "me", leaseMs: 90_000, known: [known] });
      same(found.map(({ id }) => id).sort(), lost, "the ids");
      for (const { id, token, payload, name, opts, lane } of found) {
        same([token, bytesIn(payload), name, opts, lane], [1, `p-${id}`, "mail", '{"a":1}', ""], "the job");
        holds(((await t.score("active", id)) ?? 0) >= before + 90_000, "its lease is extended");
      }
      holds(((await t.score("active", known)) ?? 0) < before + 90_000, "the known lease is not");
      same(await t.jobs.owned(t.queue, { worker: "them", leaseMs: LEASE_MS, known: [] }), [], "leases of a stranger");
    },
  },
  {
    name: "owned_lapsed",
    contract: "A job that has been taken back, or is claimed by another, is not owned any more.",
    async run(t) {
      const id = await t.enqueued();
      await t.jobs.turn(t.queue, { worker: "me", leaseMs: 10, want: 1 });
      await t.advance(20);
      same(await t.jobs.reap(t.queue), 1, "reaped");
      const ask = async () => await t.jobs.owned(t.queue, { worker: "me", leaseMs: LEASE_MS, known: [] });
      same(await ask(), [], "after the reap");
      await t.jobs.turn(t.queue, { worker: "you", leaseMs: LEASE_MS, want: 1 });
      same(await ask(), [], "after another's claim");
      same(await t.field(id, "owner"), "you", "the owner");
    },
  },
  {
    name: "owned_oldest",
    contract: "A lost lease is found behind a thousand newer ones, as after an outage when all others were renewed.",
    async run(t) {
      const [lost = "", ...others] = t.ids(1001);
      await t.jobs.admit(t.queue, [{ id: lost, payload: "p" }]);
      await t.jobs.turn(t.queue, { worker: "me", leaseMs: LEASE_MS, want: 1 });
      await t.jobs.admit(
        t.queue,
        others.map((id) => ({ id, payload: "p" })),
      );
      await t.jobs.turn(t.queue, { worker: "you", leaseMs: 2 * LEASE_MS, want: 1000 });
      const found = await t.jobs.owned(t.queue, { worker: "me", leaseMs: LEASE_MS, known: [] });
      same(
        found.map(({ id }) => id),
        [lost],
        "the ids",
      );
    },
  },
  {
    name: "owned_bounded",
    contract: "One act hands over at most 1 MiB of payload; the next, told what is known by then, goes on (C22).",
    async run(t) {
      const half = "x".repeat(2 ** 19);
      const ids = t.ids(3);
      for (const id of ids) await t.jobs.admit(t.queue, [{ id, payload: half }]);
      for (let at = 0; at < 3; at++) await t.jobs.turn(t.queue, { worker: "me", leaseMs: LEASE_MS, want: 1 });
      const ask = async (known: string[]) => {
        const found = await t.jobs.owned(t.queue, { worker: "me", leaseMs: LEASE_MS, known });
        return found.map(({ id }) => id);
      };
      const first = await ask([]);
      same(first.length, 2, "the first act");
      same([...first, ...(await ask(first))].sort(), ids, "both acts");
    },
  },
];
