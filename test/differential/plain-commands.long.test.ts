/**
 * Plain commands of the embedded engine against a real server, at length; see `plain-commands.test.ts`.
 */

import { describe, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { compareRandomCalls } from "./plain-commands.ts";

const RUNS = 5000;
const TIMEOUT_MS = 600_000;

describe("plain commands", () => {
  const server = useServer({ config: { databases: "1" } });

  for (const resp of [2, 3] as const) {
    it(
      `are answered to the byte as by the server, at length, on RESP${resp}`,
      () => compareRandomCalls(server().socketPath, resp, RUNS),
      TIMEOUT_MS,
    );
  }
});
