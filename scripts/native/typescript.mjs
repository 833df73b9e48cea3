/** The TypeScript whose API the generator reads the transitions with: the one that the Lua build is pinned to. */

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const lua = join(fileURLToPath(import.meta.url), "../../../tools/lua/package.json");

export const ts = createRequire(lua)("typescript");
