/** Subscriptions: what is published from the moment that they hold, across reconnects. */

import { describe, expect, it } from "vitest";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine, recordingPorts, until, WAYS } from "./setup-engine.ts";

const ALL_BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");

describe.each(WAYS)("subscriptions by %s", (_name, way) => {
  const server = useServer();
  const setup = async () => {
    const ports = recordingPorts();
    const engine = openEngine({ connection: { ...way, url: server().url }, ports });
    await engine.ready();
    const publish = async (channel: string, text: string) => Number(await server().command("PUBLISH", channel, text));
    return { engine, ports, publish };
  };

  it("hears everything from the moment that it holds, every byte of it", async () => {
    const { engine, publish } = await setup();
    const heard: string[] = [];
    await engine.subscribe("\u00e4\u0000b", (payload) => heard.push(payload));
    expect(await publish("\u00e4\u0000b", ALL_BYTES)).toBe(1);
    await publish("other", "no");
    await publish("\u00e4\u0000b", "");
    await until(() => heard.length === 2);
    expect(heard).toEqual([ALL_BYTES, ""]);
  });

  it("uses one socket and one subscription for all who listen, and ends each by itself", async () => {
    const { engine, publish } = await setup();
    const heard: string[] = [];
    const [one, two] = await Promise.all([
      engine.subscribe("c", (payload) => heard.push(`one ${payload}`)),
      engine.subscribe("c", (payload) => heard.push(`two ${payload}`)),
    ]);
    await engine.subscribe("d", (payload) => heard.push(`d ${payload}`));
    expect(await publish("c", "1")).toBe(1);
    await until(() => heard.length === 2);
    await Promise.all([one.close(), one.close()]);
    expect(await publish("c", "2")).toBe(1);
    await until(() => heard.length === 3);
    await two.close();
    expect(await publish("c", "3")).toBe(0);
    expect(await publish("d", "4")).toBe(1);
    await until(() => heard.length === 4);
    expect(heard.sort()).toEqual(["d 4", "one 1", "two 1", "two 2"]);
    const again = await engine.subscribe("c", () => {});
    expect(await publish("c", "5")).toBe(1);
    await again.close();
  });

  it("hears again after its socket was killed and after the server was away", async () => {
    const { engine, publish } = await setup();
    const heard: string[] = [];
    await engine.subscribe("c", (payload) => heard.push(payload));
    await server().command("CLIENT", "KILL", "TYPE", "pubsub");
    await until(async () => (await publish("c", "after the kill")) === 1);
    await server().restart();
    await until(async () => (await publish("c", "after the restart")) === 1);
    await until(() => heard.length === 2);
    expect(heard).toEqual(["after the kill", "after the restart"]);
  });

  it("keeps one failing listener from the others", async () => {
    const { engine, ports, publish } = await setup();
    const heard: string[] = [];
    await engine.subscribe("c", () => {
      throw new Error("of the listener's own making");
    });
    await engine.subscribe("c", (payload) => heard.push(payload));
    await publish("c", "1");
    await until(() => heard.length === 1);
    expect(ports.logger.messages("error")).toEqual(["A listener of a channel failed."]);
  });

  it("says so when the user may not listen, or no server answers in time", async () => {
    const { engine } = await setup();
    await server().command("ACL", "SETUSER", "deaf", "on", ">pw", "~*", "+@all", "resetchannels");
    const deaf = openEngine({ connection: { ...way, url: server().url, username: "deaf", password: "pw" } });
    expect(await errorOf(deaf.subscribe("c", () => {}))).toMatchObject({ code: "permission" });

    await engine.close();
    const away = openEngine({ connection: { ...way, path: "/nonexistent/socket" }, commandTimeoutMs: 50 });
    expect(await errorOf(away.subscribe("c", () => {}))).toMatchObject({ code: "timeout", retryable: true });
  });
});
