/** The native half under the suite, over RESP3; `native.long.test.ts` has RESP2. */

import { nativeModule, whyNoNative } from "../server/native-module.ts";
import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

const args = ["--loadmodule", nativeModule()];

describeSuite(
  "the native half by ioredis on RESP3 conforms",
  async () => await serverTarget({ client: "ioredis", protocol: 3, native: "require", args }),
  whyNoNative(),
);
