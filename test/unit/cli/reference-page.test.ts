/** The reference page says what the program understands, today. */

import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { referencePage } from "./reference-page.ts";

it("docs/reference/cli.md is fresh", async () => {
  const path = fileURLToPath(new URL("../../../docs/reference/cli.md", import.meta.url));
  await expect(referencePage()).toMatchFileSnapshot(path);
});
