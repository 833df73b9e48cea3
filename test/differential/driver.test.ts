/** Ten thousand random steps on the embedded engine and on Valkey by Lua, every reply and every key compared. */

import { describe, expect, it } from "vitest";
import { refusalError } from "../../src/engine/refusal.ts";
import { play, type RunOptions, type ServerSide } from "./driver.ts";
import { useServerSide } from "./use-server-side.ts";

const RUNS: readonly RunOptions[] = [0, 1, 42, 312_540, 999_999].flatMap((seed): RunOptions[] => [
  { seed, steps: 1000, mode: "clean" },
  { seed, steps: 1000, mode: "foreign" },
]);

describe("the embedded engine and Valkey by Lua", () => {
  const side = useServerSide();
  for (const run of RUNS) {
    it(`do the same in ${run.steps} ${run.mode} steps of seed ${run.seed}`, async () => {
      expect(await play(side(), run)).toBeUndefined();
    });
  }
});

/** The parts of an engine that the driver leaves alone. */
const unused = {
  ready: async () => {},
  close: async () => {},
  onState: () => () => {},
  listenForWake: () => expect.fail("the driver waits for nothing"),
  listenForEntries: () => expect.fail("the driver waits for nothing"),
  subscribe: () => expect.fail("the driver listens by an engine of its own"),
};

describe("the driver", () => {
  const side = useServerSide();

  /** The server side with one verb that does something else. */
  function broken(verb: string, instead: (server: ServerSide["server"]) => Promise<unknown>): ServerSide {
    const { server, listener } = side();
    const act: ServerSide["server"]["act"] = async (name, keys, args) => {
      const reply = await server.act(name, keys, args);
      if (name === verb) await instead(server);
      return reply;
    };
    const command: ServerSide["server"]["command"] = async (parts) => await server.command(parts);
    const setClock = async (now: number) => await server.setClock(now);
    return {
      server: {
        ...unused,
        kind: server.kind,
        wireVersion: server.wireVersion,
        state: server.state,
        ports: server.ports,
        act,
        command,
        setClock,
      },
      listener,
    };
  }

  it("sees a key that only one engine wrote, and names the step that wrote it", async () => {
    const write = async (server: ServerSide["server"]) => await server.command(["SADD", "emq:{twin}:paused", "odd"]);
    const report = await play(broken("CANCEL", write), { seed: 7, steps: 500, mode: "clean" });
    expect(report).toMatch(/^seed 7 \(clean\), step \d+: keys differ\npaused\n/);
    expect(report?.split("\n").at(-1)).toContain('"verb":"CANCEL"');
  });

  it("sees an answer and a message that differ", async () => {
    const lie = async () => await Promise.reject(refusalError("EMQLOCK job is locked"));
    const answer = await play(broken("STATE", lie), { seed: 7, steps: 500, mode: "clean" });
    expect(answer).toMatch(/step \d+: answers differ\n.*\n {2}server {3}\{"refused":"EMQLOCK job is locked"\}/);
    const shout = async (server: ServerSide["server"]) => await server.command(["PUBLISH", "emq:{twin}:events", "odd"]);
    const message = await play(broken("CLAIM", shout), { seed: 7, steps: 500, mode: "clean" });
    expect(message).toMatch(/step \d+: messages differ/);
  });
});
