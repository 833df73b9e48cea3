/** Many flows over three primaries whose workers and pumps are killed; the test of every run has one seed. */

import { expect, test } from "vitest";
import { useCluster } from "../server/use-server.ts";
import { KilledFlows } from "./killed-flows.ts";
import { queueNames } from "./queue-names.ts";

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 103);

const cluster = useCluster();

test.each(SEEDS)("flows come to the ends that their children imply, whatever is killed (seed %i)", async (seed) => {
  const queues = queueNames(`flow-${seed}`);
  const killed = new KilledFlows({ connection: cluster().url, queues, seed, flows: 40, kills: 12 });
  await killed.run();
  expect(killed.kills).toBe(12);
  expect(await killed.clean()).toEqual([]);
});
