/** An embedded engine that notes every command of its acts: what an act costs a server, whatever machine runs it. */

import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { Lanes } from "../../../src/queue/lanes.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import type { Argument, Command, Server, Transition } from "../../../src/transition/server.ts";
import { TRANSITIONS } from "../../../src/transition/transitions.generated.ts";

/** One command of an act. */
export interface Call {
  readonly command: Command;
  readonly parts: readonly Argument[];
}

function counted(calls: Call[]): Readonly<Record<Verb, Transition>> {
  const wrap =
    (transition: Transition): Transition =>
    (server, keys, args) => {
      const call = (command: Command, ...parts: Argument[]): unknown => {
        calls.push({ command, parts });
        return server.call(command, ...parts);
      };
      return transition({ ...server, call: call as Server["call"] }, keys, args);
    };
  const verbs = Object.keys(TRANSITIONS) as Verb[];
  return Object.fromEntries(verbs.map((verb) => [verb, wrap(TRANSITIONS[verb])])) as Record<Verb, Transition>;
}

/** One engine; `take` answers the commands since it was last called. */
export function countedEngine() {
  const calls: Call[] = [];
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports, transitions: counted(calls) });
  const mint = createMinter({ node: 1, clock: () => ports.clock.now() });
  const rows = (count: number) => Array.from({ length: count }, () => ({ id: mint("JOB"), payload: "p" }));
  const take = () => calls.splice(0);
  return { engine, jobs: new Jobs(engine), lanes: new Lanes(engine), rows, take, clock: ports.clock };
}
