/**
 * Valkey by Lua under the suite, over each client library and each version of the protocol; `valkey.long.test.ts` has
 * the way that is left.
 */

import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

describeSuite("Valkey by iovalkey conforms", async () => await serverTarget({ client: "iovalkey", protocol: 2 }));
describeSuite(
  "Valkey by ioredis on RESP3 conforms",
  async () => await serverTarget({ client: "ioredis", protocol: 3 }),
);
