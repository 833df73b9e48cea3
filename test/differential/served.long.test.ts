/**
 * The project's own server against a real one, over the wire and at length; see `served.test.ts`.
 */

import { describe, it } from "vitest";
import { useServer } from "../server/use-server.ts";
import { compareRandomSequences } from "./served-calls.ts";
import { compareRandomConnections } from "./served-connections.ts";
import { compareRandomSessions } from "./served-sessions.ts";
import { useServed } from "./use-served.ts";

const SESSIONS = 800;
const SEQUENCES = 2000;
const CONNECTIONS = 2000;
const TIMEOUT_MS = 600_000;

describe("the project's own server", () => {
  const server = useServer({ config: { databases: "1" } });
  const served = useServed();

  for (const resp of [2, 3] as const) {
    it(
      `sends to the byte what the server sends, in sessions of several clients, at length, on RESP${resp}`,
      () => compareRandomSessions([server().socketPath, served().socketPath], resp, SESSIONS),
      TIMEOUT_MS,
    );

    it(
      `answers plain commands to the byte as the server, in transactions and pipelines, at length, on RESP${resp}`,
      () => compareRandomSequences({ path: server().socketPath, served: served(), resp }, SEQUENCES),
      TIMEOUT_MS,
    );

    it(
      `tells clients of themselves and of one another to the byte as the server, at length, on RESP${resp}`,
      () => compareRandomConnections([server().socketPath, served().socketPath], resp, CONNECTIONS),
      TIMEOUT_MS,
    );
  }
});
