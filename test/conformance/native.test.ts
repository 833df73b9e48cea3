/** The native half under the suite, over both versions of the protocol. */

import { nativeModule, whyNoNative } from "../server/native-module.ts";
import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

const module = nativeModule();
const args = ["--loadmodule", module];

describeSuite(
  "the native half by iovalkey conforms",
  async () => await serverTarget({ client: "iovalkey", protocol: 2, native: "require", args }),
  whyNoNative(),
);
describeSuite(
  "the native half by ioredis on RESP3 conforms",
  async () => await serverTarget({ client: "ioredis", protocol: 3, native: "require", args }),
  whyNoNative(),
);
