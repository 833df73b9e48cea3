/** A server that is away for a while, in every way in which a server can be away. */

import { describe, it } from "vitest";
import { WAYS } from "../integration/valkey/setup-engine.ts";
import { useServer } from "../server/use-server.ts";
import { freezeAndRestart, pauseServer, stopAndStart } from "./outage-case.ts";

describe.each(WAYS)("a server that is away, by %s", (_name, way) => {
  const server = useServer({ tcp: true, config: { appendonly: "yes" } });

  it("is found again when it starts, and everything added before, meanwhile and after is done (PB-001)", async () => {
    await stopAndStart(server(), { way, outageMs: 300 });
  }, 120_000);

  it("may freeze and be restarted over and over: every job is done on as many sockets (PB-005)", async () => {
    await freezeAndRestart(server(), { way, outageMs: 500, pauseMs: 50 });
  }, 120_000);

  it("may answer nobody for a while: what is pending is done when it answers again (PB-007)", async () => {
    await pauseServer(server(), { way, outageMs: 500 });
  }, 120_000);
});
