/** A cluster that a client loses as a whole; a primary that dies and slots that move are tested in `test/cluster/`. */

import { afterAll, beforeAll, describe, it } from "vitest";
import { startCluster, type TestCluster } from "../server/start-cluster.ts";
import { cutFromAll } from "./cluster-case.ts";

describe("a client of a cluster", () => {
  let cluster: TestCluster | undefined;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 420_000);
  afterAll(async () => cluster?.stop());

  it("may be cut from all six nodes: it finds them again from its seeds, and every queue is served (PB-004)", async () => {
    await cutFromAll(cluster as TestCluster, 1500);
  }, 240_000);
});
