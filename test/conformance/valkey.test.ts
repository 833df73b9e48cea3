/** Valkey by Lua under the suite, over each client library and both versions of the protocol. */

import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

describeSuite("Valkey by iovalkey conforms", async () => await serverTarget({ client: "iovalkey", protocol: 2 }));
describeSuite("Valkey by ioredis conforms", async () => await serverTarget({ client: "ioredis", protocol: 2 }));
describeSuite(
  "Valkey by ioredis on RESP3 conforms",
  async () => await serverTarget({ client: "ioredis", protocol: 3 }),
);
