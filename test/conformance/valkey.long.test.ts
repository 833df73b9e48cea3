/** Valkey by Lua under the suite, the ways that `valkey.test.ts` leaves out. */

import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

describeSuite("Valkey by ioredis conforms", async () => await serverTarget({ client: "ioredis", protocol: 2 }));
describeSuite(
  "Valkey by ioredis on RESP3 conforms",
  async () => await serverTarget({ client: "ioredis", protocol: 3 }),
);
