/** A cluster that a client loses as a whole; a primary that dies and slots that move are tested in `test/cluster/`. */

import { describe, it } from "vitest";
import { useCluster } from "../server/use-server.ts";
import { cutFromAll } from "./cluster-case.ts";

describe("a client of a cluster", () => {
  const cluster = useCluster();

  it("may be cut from all six nodes: it finds them again from its seeds, and every queue is served (PB-004)", async () => {
    await cutFromAll(cluster(), 1500);
  }, 240_000);
});
