/** Valkey by Lua under the suite; `valkey.long.test.ts` has the other client library and version of the protocol. */

import { describeSuite } from "./describe-suite.ts";
import { serverTarget } from "./server-target.ts";

describeSuite("Valkey by iovalkey conforms", async () => await serverTarget({ client: "iovalkey", protocol: 2 }));
