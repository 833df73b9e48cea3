/** The project's own server under the suite, the ways that `serve.test.ts` leaves out. */

import { describeSuite } from "./describe-suite.ts";
import { servedTarget } from "./served-target.ts";

describeSuite(
  "the server by ioredis on RESP3 and commands of its own conforms",
  async () => await servedTarget({ client: "ioredis", protocol: 3, native: "require" }),
);
describeSuite(
  "the server by iovalkey and scripts conforms",
  async () => await servedTarget({ client: "iovalkey", protocol: 2, native: "off" }),
);
describeSuite(
  "the server by ioredis on RESP3 and scripts conforms",
  async () => await servedTarget({ client: "ioredis", protocol: 3, native: "off" }),
);
