/**
 * A program that uses an engine and listens to nothing: what happens to it when its server goes away?
 *
 * It runs what was built, as a program of a user does. It tells its parent each state and ends when it is told to close
 * and nothing keeps it any more.
 */

import { once } from "node:events";
import { nodePorts } from "../../../dist/node-ports.js";
import { ValkeyEngine } from "../../../dist/valkey/valkey-engine.js";

const engine = new ValkeyEngine({ connection: process.argv[2], ports: nodePorts() });
await engine.ready();
engine.listenForWake("emq:{q}:wake", { onToken() {}, onLost() {} }).arm();
await engine.subscribe("channel", () => {});
process.send("ready");
engine.onState((state) => process.send(state));
await once(process, "message");
await engine.close();
process.disconnect();
