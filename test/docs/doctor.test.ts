/** The page of the doctor has a row for each finding, with the words of the report, and names each that deletes. */

import { expect, it } from "vitest";
import { FINDINGS } from "../../src/doctor/finding.ts";
import { readText } from "../tidy/repository.ts";

it("docs/operate/doctor.md says of every code what the doctor says", () => {
  const rows = [...readText("docs/operate/doctor.md").matchAll(/^\| `([a-z]+-[a-z]+)` \| (.+) \| (.+) \|$/gm)];
  const told = Object.fromEntries(rows.map(([, code, rule, mend]) => [code, { rule, mend }]));
  expect(told).toEqual(FINDINGS);
});
