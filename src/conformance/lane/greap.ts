/** What `GREAP` promises: lapsed leases of one lane come back, those of others stay. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS } from "../trial.ts";

const SHORT_MS = 30;

export const greapScenarios: readonly ScenarioDraft[] = [
  {
    row: 46,
    name: "reap_group",
    contract: "Only the named lane's lapsed lease comes back to its lane; the other stays leased.",
    async run(t) {
      const [g, h] = t.ids(2);
      await t.lanes.enqueue(t.queue, "G", { id: g, payload: "g" });
      await t.lanes.enqueue(t.queue, "H", { id: h, payload: "h" });
      const pairs: unknown[] = [];
      for (let at = 0; at < 2; at++) {
        const job = await t.lanes.claim(t.queue, LEASE_MS);
        pairs.push([job?.id, job?.lane]);
      }
      same(new Set(pairs.map(String)), new Set([`${g},G`, `${h},H`]), "the claims");
      same(await t.lanes.reap(t.queue, "G"), 0, "the answer while the leases hold");
      const held = [g, h].map((id) => ({ id, token: 1 }));
      same(await t.jobs.extendLocks(t.queue, held, SHORT_MS), { failed: [], cancelled: [] }, "the shorter leases");
      await t.advance(SHORT_MS + 50);
      same(await t.command("HMGET", t.key("gactive"), "G", "H"), ["1", "1"], "the lanes' counts");
      await t.takeTokens();
      same(await t.lanes.reap(t.queue, "G"), 1, "the answer");
      same(
        [await t.score("g:G:pending", g), await t.score("active", g), await t.score("pending", g)],
        [0, null, null],
        "its places",
      );
      same([await t.list("ring"), await t.tokens()], [["G"], 1], "the ring and tokens");
      same((await t.score("active", h)) !== null, true, "whether the other is leased");
      same(await t.exists(t.key("g:H:pending")), false, "the other lane");
      same(await t.command("HMGET", t.key("gactive"), "G", "H"), [null, "1"], "the lanes' counts after it");
      const job = await t.lanes.claim(t.queue, LEASE_MS);
      same([job?.id, job?.attempts, job?.lane], [g, 2, "G"], "the claim");
      same(await t.command("HGET", t.key("gactive"), "G"), "1", "the count after the claim");
      await t.jobs.complete(t.queue, g, 2);
      same(await t.command("HGET", t.key("gactive"), "G"), null, "the count after the completion");
      same(await t.lanes.reap(t.queue, "unknown"), 0, "the answer for an unknown lane");
    },
  },
  {
    row: 42,
    name: "stalled_group",
    contract: "A swept job of a lane comes back to its lane, not to the flat queue.",
    async run(t) {
      const id = t.id();
      await t.lanes.enqueue(t.queue, "G", { id, payload: "p" });
      await t.lanes.claim(t.queue, SHORT_MS);
      await t.advance(SHORT_MS + 50);
      same(await t.jobs.sweep(t.queue, { maxStalled: 2 }), { recovered: [id], dead: [] }, "the sweep");
      same([await t.score("g:G:pending", id), await t.score("pending", id)], [0, null], "its places");
      const job = await t.lanes.claim(t.queue, LEASE_MS);
      same([job?.id, job?.attempts, job?.lane], [id, 2, "G"], "the claim");
    },
  },
  {
    name: "reap_group_behind",
    contract:
      "Older lapsed leases of other lanes do not hide those of the lane, and the limit counts what is taken back.",
    async run(t) {
      await t.jobs.admit(
        t.queue,
        t.ids(150).map((id) => ({ id, payload: "p", lane: "old" })),
      );
      same((await t.lanes.claimBatch(t.queue, 0, SHORT_MS)).length, 150, "leases of the other lane");
      await t.advance(2);
      await t.jobs.admit(
        t.queue,
        t.ids(3).map((id) => ({ id, payload: "p", lane: "G" })),
      );
      same((await t.lanes.claimBatch(t.queue, 0, SHORT_MS)).length, 3, "leases of the lane");
      await t.advance(SHORT_MS + 50);
      same(await t.lanes.reap(t.queue, "G", 2), 2, "the first answer");
      same(await t.lanes.reap(t.queue, "G"), 1, "the second answer");
      same((await t.members("active")).length, 150, "leases that stay");
    },
  },
];
