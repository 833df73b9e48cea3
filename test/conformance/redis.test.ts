/** Redis 7.0 under the suite: a supported server, although what counts is proved on Valkey. */

import { whyNoRedis } from "../server/use-server.ts";
import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

describeSuite(
  "Redis conforms",
  async () => await serverTarget({ kind: "redis", client: "iovalkey", protocol: 2 }),
  whyNoRedis(),
);
