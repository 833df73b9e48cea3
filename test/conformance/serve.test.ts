/** The project's own server under the suite, by its commands; `serve.long.test.ts` has the other ways. */

import { describeSuite } from "./describe-suite.ts";
import { servedTarget } from "./served-target.ts";

describeSuite(
  "the server by iovalkey and commands of its own conforms",
  async () => await servedTarget({ client: "iovalkey", protocol: 2, native: "require" }),
);
