/** The project's own server under the suite: by its commands in RESP2, and by scripts in RESP3. */

import { describeSuite } from "./describe-suite.ts";
import { servedTarget } from "./served-target.ts";

describeSuite(
  "the server by iovalkey and commands of its own conforms",
  async () => await servedTarget({ client: "iovalkey", protocol: 2, native: "require" }),
);
describeSuite(
  "the server by ioredis on RESP3 and scripts conforms",
  async () => await servedTarget({ client: "ioredis", protocol: 3, native: "off" }),
);
