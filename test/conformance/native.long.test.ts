/** The native half under the suite, the way that `native.test.ts` leaves out. */

import { nativeModule, whyNoNative } from "../server/native-module.ts";
import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

const args = ["--loadmodule", nativeModule()];

describeSuite(
  "the native half by iovalkey conforms",
  async () => await serverTarget({ client: "iovalkey", protocol: 2, native: "require", args }),
  whyNoNative(),
);
